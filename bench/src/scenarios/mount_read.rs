//! Opening, reading and closing a small file that the kernel has read before.

use std::fs::{self, File};
use std::io::Read;
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

const NAME: &str = "mount-read";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "mount: open, read and close 1 KiB, warm",
    run,
    child: Some(floor::serve),
};

const FILES: usize = 1000;
/// How often a round reads each file.
const PASSES: usize = 20;
/// At most 1.8 times the time of ext4 and 1.15 times that of the floor.
const BARS: Bars = Bars { ext4: Some(1.0 / 1.8), floor: Some(1.0 / 1.15) };

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    machine::on_one_core(|| {
        let places = Places::open(bench, NAME)?;
        places.each(|dir| {
            let mut content = Content::new();
            for file in files(dir) {
                fs::write(file, content.fresh())?;
            }
            read(dir, 1)
        })?;
        let rounds = places.in_turn(bench, |dir, _| read(dir, bench.scaled(PASSES)))?;
        let what = (NAME, "open, read, close 1 KiB, warm", SMALL_BYTES);
        rounds.tell_latency(report, what, BARS);
        Ok(())
    })
}

fn files(dir: &Path) -> Vec<PathBuf> {
    (0..FILES).map(|number| dir.join(format!("note-{number:03}.md"))).collect()
}

fn read(dir: &Path, passes: usize) -> Result<Summary> {
    let files = files(dir);
    let mut sample = Sample::with_capacity(passes * FILES);
    let mut bytes = [0; SMALL_BYTES];
    for file in files.iter().cycle().take(passes * FILES) {
        sample.time(|| File::open(file)?.read_exact(&mut bytes))?;
    }
    Ok(sample.summary())
}
