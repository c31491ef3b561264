//! Making, renaming and removing small files.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Scenario;
use crate::bench::Bench;
use crate::compare::Bars;
use crate::home::{Content, SMALL_BYTES};
use crate::machine;
use crate::peers::floor;
use crate::places::Places;
use crate::report::Report;
use crate::sample::{Sample, Summary};

const NAME: &str = "mount-change";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "mount: create, write and close 1 KiB; rename; unlink",
    run,
    child: Some(floor::serve),
};

/// Files of one round.
const FILES: usize = 2000;
/// At most 1.5 times the time of the floor.
const FLOOR_BAR: f64 = 1.0 / 1.5;
/// At most three times the time of ext4.
const EXT4_BAR: f64 = 1.0 / 3.0;
/// How fast ext4 creates when its own journal does not hold it up, in microseconds; otherwise it is
/// no measure.
const EXT4_CREATES_WITHIN: f64 = 20.0;

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    machine::on_one_core(|| {
        let places = Places::open(bench, NAME)?;
        let files = bench.scaled(FILES);
        let made = places.in_turn(bench, |dir, round| {
            let dir = dir.join(format!("round-{round}"));
            fs::create_dir(&dir)?;
            Ok((create(&dir, files)?, rename(&dir, files)?))
        })?;
        // Files are removed when all are made: ext4 takes an inode that was freed lately only after
        // a long search.
        let unlink = places
            .in_turn(bench, |dir, round| unlink(&dir.join(format!("round-{round}")), files))?;
        let create = made.part(|round| round.0);
        let ext4 = (create.ext4_p50() <= EXT4_CREATES_WITHIN).then_some(EXT4_BAR);
        let bars = Bars { ext4, floor: Some(FLOOR_BAR) };
        create.tell_latency(report, (NAME, "create, write, close 1 KiB", SMALL_BYTES), bars);
        made.part(|round| round.1).tell_latency(report, (NAME, "rename", 0), bars);
        unlink.tell_latency(report, (NAME, "unlink", 0), bars);
        Ok(())
    })
}

fn file(dir: &Path, kind: &str, number: usize) -> PathBuf {
    dir.join(format!("{kind}-{number:04}.md"))
}

fn create(dir: &Path, files: usize) -> Result<Summary> {
    let mut sample = Sample::with_capacity(files);
    let mut content = Content::new();
    for number in 0..files {
        let (file, bytes) = (file(dir, "new", number), content.fresh());
        sample.time(|| File::create(&file)?.write_all(bytes))?;
    }
    Ok(sample.summary())
}

fn rename(dir: &Path, files: usize) -> Result<Summary> {
    let mut sample = Sample::with_capacity(files);
    for number in 0..files {
        let (from, to) = (file(dir, "new", number), file(dir, "renamed", number));
        sample.time(|| fs::rename(&from, &to))?;
    }
    Ok(sample.summary())
}

fn unlink(dir: &Path, files: usize) -> Result<Summary> {
    let mut sample = Sample::with_capacity(files);
    for number in 0..files {
        let file = file(dir, "renamed", number);
        sample.time(|| fs::remove_file(&file))?;
    }
    Ok(sample.summary())
}
