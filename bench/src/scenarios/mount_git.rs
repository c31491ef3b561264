//! `git status` in a large tree that git has seen before.

use std::path::Path;

use anyhow::{Context, Result};

use super::Scenario;
use crate::bench::Bench;
use crate::compare::Bars;
use crate::peers::floor;
use crate::places::Places;
use crate::report::{Report, Unit};
use crate::tool;

const NAME: &str = "mount-git";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "mount: `git status` in a tree of 10,000 files, warm",
    run,
    child: Some(floor::serve),
};

const FILES: usize = 10_000;
/// At most twice the time of ext4.
const BARS: Bars = Bars { ext4: Some(0.5), floor: None };

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let places = Places::open(bench, NAME)?;
    let files = bench.scaled(FILES);
    let original = places.aside().join("original");
    make_repository(&original, files)?;
    let original = original.to_str().context("the folder has a readable name")?;
    let status = |dir: &Path| tool::time("git", &["status", "--short"], dir, 0);
    places.each(|dir| {
        tool::time("cp", &["--archive", original, "tree"], dir, 0)?;
        // The first one writes down what the files of this place are like, the second reads it.
        let tree = dir.join("tree");
        status(&tree)?;
        status(&tree)
    })?;
    let rounds = places.in_turn(bench, |dir, _| status(&dir.join("tree")))?;
    let what = format!("git status in {files} files, warm");
    rounds.tell(report, (NAME, &what, Unit::Milliseconds), BARS);
    Ok(())
}

/// Makes a tree whose files git has, packed.
fn make_repository(dir: &Path, files: usize) -> Result<()> {
    tool::make_tree(dir, files)?;
    // A commit would begin to pack in the background, in the way of the one below.
    let settings = ["user.name=me", "user.email=me@localhost", "gc.auto=0"];
    let settings = settings.map(|setting| ["-c", setting]).concat();
    for words in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "notes"]] {
        tool::time("git", &[&settings, words].concat(), dir, 0)?;
    }
    tool::time("git", &["gc", "--quiet"], dir, 0)?;
    Ok(())
}
