//! `rm -rf` of a tree.

use anyhow::Result;

use super::Scenario;
use crate::bench::Bench;
use crate::compare::Bars;
use crate::peers::floor;
use crate::places::Places;
use crate::report::{Report, Unit};
use crate::tool;

const NAME: &str = "mount-remove";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "mount: `rm -rf` of 2,000 files of 1 KiB",
    run,
    child: Some(floor::serve),
};

const FILES: usize = 2000;
/// At most four times the time of ext4.
const BARS: Bars = Bars { ext4: Some(0.25), floor: None };

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let places = Places::open(bench, NAME)?;
    let files = bench.scaled(FILES);
    for round in 0..bench.rounds() {
        places.each(|dir| tool::make_tree(&dir.join(format!("tree-{round}")), files))?;
    }
    let rounds = places.in_turn(bench, |dir, round| {
        tool::time("rm", &["-rf", &format!("tree-{round}")], dir, 0)
    })?;
    rounds.tell(report, (NAME, &format!("rm -rf of {files} files"), Unit::Milliseconds), BARS);
    Ok(())
}
