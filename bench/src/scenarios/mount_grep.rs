//! GNU grep over many small files that the kernel has read before.

use anyhow::Result;

use super::Scenario;
use crate::bench::Bench;
use crate::compare::Bars;
use crate::peers::floor;
use crate::places::Places;
use crate::report::{Report, Unit};
use crate::tool;

const NAME: &str = "mount-grep";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "mount: `grep -r` over 10,000 files of 1 KiB, warm",
    run,
    child: Some(floor::serve),
};

const FILES: usize = 10_000;
/// At most 1.5 times the time of ext4.
const BARS: Bars = Bars { ext4: Some(1.0 / 1.5), floor: None };

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let places = Places::open(bench, NAME)?;
    let files = bench.scaled(FILES);
    // The pattern is nowhere, so grep reads everything and ends with 1.
    let grep = |dir: &std::path::Path| tool::time("grep", &["-r", "nowhere", "."], dir, 1);
    places.each(|dir| {
        tool::make_tree(dir, files)?;
        grep(dir)
    })?;
    let rounds = places.in_turn(bench, |dir, _| grep(dir))?;
    let what = format!("grep -r over {files} files, warm");
    rounds.tell(report, (NAME, &what, Unit::Milliseconds), BARS);
    Ok(())
}
