//! Eight writers on the mount that each wait for fsync.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::{Scenario, barrier};
use crate::bench::Bench;
use crate::compare::Bars;
use crate::home::SMALL_BYTES;
use crate::peers::floor;
use crate::places::Places;
use crate::report::{Report, Unit};

const NAME: &str = "mount-sync";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "mount: 8 threads append 1 KiB, each with fsync",
    run,
    child: Some(floor::serve),
};

const ROUND_MILLISECONDS: usize = 1500;
/// The floor syncs nothing: it shows what FUSE alone allows, and is no measure.
const BARS: Bars = Bars { ext4: Some(1.0), floor: None };

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let places = Places::open(bench, NAME)?;
    let limit = Duration::from_millis(bench.scaled(ROUND_MILLISECONDS) as u64);
    let rounds = places.in_turn(bench, |dir, round| append_and_sync(dir, round, limit))?;
    let what = (NAME, "append 1 KiB, fsync, 8 threads", SMALL_BYTES);
    rounds.part(|round| round.1).tell_latency(report, what, Bars::default());
    let what = (NAME, "8 threads, durable appends", Unit::PerSecond);
    rounds.part(|round| round.0).tell(report, what, BARS);
    Ok(())
}

fn append_and_sync(dir: &Path, round: usize, limit: Duration) -> Result<barrier::Round> {
    barrier::in_threads(limit, |thread| {
        let mut file = File::create(dir.join(format!("{round}-{thread}")))?;
        Ok(move |content: &[u8]| {
            file.write_all(content)?;
            Ok(file.sync_all()?)
        })
    })
}
