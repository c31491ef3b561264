//! The fold: how fast it moves records into the base, and how many bytes that costs.

use anyhow::Result;
use homefs_core::Path;
use homefs_view::WriteOptions;

use super::Scenario;
use crate::bench::Bench;
use crate::home::{Home, SMALL_BYTES, files};
use crate::report::{Report, Row, Unit};
use crate::{clock, machine};

const NAME: &str = "fold";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "fold 128 MiB of small files, new ones and new versions of them",
    run,
    child: None,
};

/// Writes of 1 KiB: 128 MiB.
const WRITES: usize = 128 << 10;
/// Versions that each of the fewer files gets.
const VERSIONS: usize = 8;

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let many = files("new", bench.scaled(WRITES))?;
    measure(bench, report, "new files", &many, 1)?;
    let few = files("versions", bench.scaled(WRITES) / VERSIONS)?;
    measure(bench, report, "8 versions of each file", &few, VERSIONS)
}

fn measure(
    bench: &Bench,
    report: &mut Report,
    what: &str,
    files: &[Path],
    versions: usize,
) -> Result<()> {
    let folder = bench.folder()?;
    let store = folder.path().join("store");
    let home = Home::open(&store)?;
    home.make_directories(files)?;
    home.wait_for_fold()?;
    let written_before = machine::written_bytes();
    let start = clock::now();
    for _ in 0..versions {
        drop(home.write_all(files, &WriteOptions::default())?);
    }
    clock::wait_until("the fold", || home.store.load().unfolded_bytes == 0)?;
    let seconds = start.elapsed().as_secs_f64();
    home.store.close()?;
    let records = files.len() * versions;
    let bytes = (records * SMALL_BYTES) as f64;
    let written = (machine::written_bytes() - written_before) as f64;
    let kept = machine::disk_bytes(&store) as f64;
    let row = |about: &str, value, unit| Row::new(NAME, &format!("{what}: {about}"), value, unit);
    report.add(row("records folded", records as f64 / seconds, Unit::PerSecond));
    report.add(row("bytes sent to the disk per byte", written / bytes, Unit::Times));
    report.add(row("bytes on disk per byte, history included", kept / bytes, Unit::Times));
    Ok(())
}
