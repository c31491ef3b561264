//! Asking what a file is, and listing a directory with that, when the kernel has seen it before.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use super::Scenario;
use crate::bench::Bench;
use crate::clock;
use crate::compare::Bars;
use crate::home::Content;
use crate::machine;
use crate::peers::floor;
use crate::places::Places;
use crate::report::{Report, Unit};
use crate::sample::{Sample, Summary, median};

const NAME: &str = "mount-stat";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "mount: warm stat, and `ls -l` of 1,000 entries",
    run,
    child: Some(floor::serve),
};

const FILES: usize = 1000;
/// How often a round asks for each file.
const PASSES: usize = 20;
/// At most 1.5 times the time of ext4.
const BARS: Bars = Bars { ext4: Some(1.0 / 1.5), floor: None };

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    machine::on_one_core(|| {
        let places = Places::open(bench, NAME)?;
        places.each(make)?;
        let passes = bench.scaled(PASSES);
        let rounds =
            places.in_turn(bench, |dir, _| Ok((stat(dir, passes)?, list(dir, passes)?)))?;
        rounds.part(|round| round.0).tell_latency(report, (NAME, "stat, warm", 0), BARS);
        let what = (NAME, "list 1,000 entries, stat each, warm", Unit::Milliseconds);
        rounds.part(|round| round.1).tell(report, what, BARS);
        Ok(())
    })
}

/// Makes the files, and lets the kernel see them.
fn make(dir: &Path) -> Result<()> {
    let mut content = Content::new();
    for name in names() {
        fs::write(dir.join(name), content.fresh())?;
    }
    stat(dir, 1)?;
    list(dir, 1)?;
    Ok(())
}

fn names() -> impl Iterator<Item = String> {
    (0..FILES).map(|number| format!("note-{number:03}.md"))
}

fn stat(dir: &Path, passes: usize) -> Result<Summary> {
    let files: Vec<_> = names().map(|name| dir.join(name)).collect();
    let mut sample = Sample::with_capacity(passes * FILES);
    for file in files.iter().cycle().take(passes * FILES) {
        sample.time(|| fs::symlink_metadata(file))?;
    }
    Ok(sample.summary())
}

/// Lists as `ls -l` does, in this process, as starting one would take longer; in milliseconds.
fn list(dir: &Path, passes: usize) -> Result<f64> {
    let mut milliseconds = Vec::with_capacity(passes);
    for _ in 0..passes {
        let start = clock::now();
        let mut count = 0;
        for entry in fs::read_dir(dir)? {
            fs::symlink_metadata(entry?.path())?;
            count += 1;
        }
        milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
        ensure!(count == FILES, "{count} entries were listed");
    }
    Ok(median(milliseconds.into_iter()))
}
