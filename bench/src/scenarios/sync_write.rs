//! What syncing costs the writer: nothing that it should feel, not even when the bucket is away.

use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use homefs_core::Path;
use homefs_view::WriteOptions;

use super::Scenario;
use crate::bench::Bench;
use crate::bucket::{FarBucket, is_own, settle};
use crate::home::{Content, Home, SMALL_BYTES, files};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary};

const NAME: &str = "sync-write";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "write 1 KiB while a bucket is followed, and while it answers nothing",
    run,
    child: None,
};

const FILES: usize = 2_000;
const ROUND_TRIP_MS: u32 = 12;
/// Groups of writes in one round. A round takes long enough for several pushes to fall into it.
const GROUPS: usize = 200;
const WRITES_PER_GROUP: usize = 100;
const PAUSE: Duration = Duration::from_millis(10);
/// At most 1.2 times the time.
const BAR: Bar = Bar::TimesAsFast(1.0 / 1.2);
const ALONE: &str = "not attached";

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let files = files("notes", bench.scaled(FILES))?;
    let open = |name: &str| -> Result<Home> {
        let home = Home::open(&folder.path().join(name))?;
        home.make_directories(&files)?;
        home.write_texts(&files)?;
        home.wait_for_fold()?;
        Ok(home)
    };
    let (alone, syncing, cut_off) = (open("alone")?, open("syncing")?, open("cut-off")?);
    let (near, lost) = (FarBucket::start(ROUND_TRIP_MS)?, FarBucket::start(ROUND_TRIP_MS)?);
    near.attach(&syncing, "syncing")?;
    lost.attach(&cut_off, "cut off")?;
    settle(&syncing)?;
    settle(&cut_off)?;
    lost.cut_off();
    let mut rounds: [Vec<Summary>; 3] = Default::default();
    for _ in 0..bench.rounds() {
        rounds[0].push(write(&alone, &files, bench.scaled(GROUPS))?);
        near.server.clear_log();
        rounds[1].push(write(&syncing, &files, bench.scaled(GROUPS))?);
        ensure!(near.requests(is_own) > 0.0, "nothing was pushed meanwhile");
        settle(&syncing)?;
        rounds[2].push(write(&cut_off, &files, bench.scaled(GROUPS))?);
    }
    let [alone_summary, syncing_summary, cut_off_summary] =
        rounds.each_ref().map(|rounds| Summary::of_rounds(rounds));
    report.add_latency(NAME, ALONE, SMALL_BYTES, alone_summary);
    for (what, summary) in [("syncing", syncing_summary), ("bucket away", cut_off_summary)] {
        report.add_latency(NAME, what, SMALL_BYTES, summary);
        let row = |number: &str, value| {
            let what = format!("write 1 KiB, {what}, {number}");
            Row::new(NAME, &what, value, Unit::Microseconds)
        };
        report.add(row("p50", summary.p50).against(ALONE, alone_summary.p50).bar(BAR));
        report.add(row("p99", summary.p99).against(ALONE, alone_summary.p99));
    }
    // A close does not wait for a bucket that is away, but what it asked last should end.
    lost.server.heal();
    for home in [alone, syncing, cut_off] {
        home.store.close()?;
    }
    Ok(())
}

/// Writes group by group, with pauses in which pushes begin.
fn write(home: &Home, files: &[Path], groups: usize) -> Result<Summary> {
    home.wait_for_fold()?;
    let options = WriteOptions::default();
    let mut sample = Sample::with_capacity(groups * WRITES_PER_GROUP);
    let mut content = Content::new();
    let mut next = files.iter().cycle();
    for _ in 0..groups {
        for file in next.by_ref().take(WRITES_PER_GROUP) {
            let text = content.text();
            sample.time(|| home.view.write(file, text.as_bytes(), &options))?;
        }
        thread::park_timeout(PAUSE);
    }
    Ok(sample.summary())
}
