//! How long a change on one machine takes to be read on another, while both are at work.

use std::thread;
use std::time::Duration;

use anyhow::Result;
use homefs_core::Path;
use homefs_view::WriteOptions;

use super::Scenario;
use crate::bench::Bench;
use crate::bucket::{FarBucket, ROUND_TRIPS, settle};
use crate::clock;
use crate::home::{Content, Home, SMALL_BYTES};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::Sample;

const NAME: &str = "sync-follow";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "write on one machine until it is read on another, by a bucket 0, 12 and 45 ms away",
    run,
    child: None,
};

/// As many as a machine may push in a row before it has to wait for others' sake.
const WRITES: usize = 50;
/// How often the other machine looks.
const LOOK: Duration = Duration::from_millis(1);
/// The longest pause between two writes, in milliseconds: longer than a machine waits between two
/// looks at HEAD, so that writes fall at any time in between.
const PAUSE_MS: u64 = 300;

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    for round_trip_ms in ROUND_TRIPS {
        let folder = bench.folder()?;
        let bucket = FarBucket::start(round_trip_ms)?;
        let here = Home::open(&folder.path().join("here"))?;
        let there = Home::open(&folder.path().join("there"))?;
        let file = Path::parse("/note.md")?;
        let mut content = Content::new();
        here.write_texts(std::slice::from_ref(&file))?;
        bucket.attach(&here, "here")?;
        settle(&here)?;
        bucket.attach(&there, "there")?;
        settle(&there)?;
        let count = bench.scaled(WRITES);
        let mut sample = Sample::with_capacity(count);
        for _ in 0..count {
            thread::park_timeout(Duration::from_millis(content.draw() % PAUSE_MS));
            let text = content.text();
            sample.time(|| write_and_see(&here, &there, &file, text.as_bytes()))?;
        }
        let p95 = sample.percentile(950) / 1e3;
        let what = |what: &str| format!("{what}, {round_trip_ms} ms away");
        report.add_latency(NAME, &what("written until read"), SMALL_BYTES, sample.summary());
        let row = Row::new(NAME, &what("written until read, p95"), p95, Unit::Milliseconds);
        report.add(row.bar(Bar::AtMost(f64::from(500 + 4 * round_trip_ms))));
        here.store.close()?;
        there.store.close()?;
    }
    Ok(())
}

fn write_and_see(here: &Home, there: &Home, file: &Path, bytes: &[u8]) -> Result<()> {
    here.view.write(file, bytes, &WriteOptions::default())?;
    clock::wait_looking("the other machine sees it", LOOK, || {
        there.view.read(file).is_ok_and(|read| read == bytes)
    })
}
