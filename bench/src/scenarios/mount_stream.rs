//! Writing and reading a large file from its beginning to its end.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Result, ensure};

use super::Scenario;
use crate::bench::Bench;
use crate::clock;
use crate::compare::Bars;
use crate::home::Content;
use crate::peers::floor;
use crate::places::Places;
use crate::report::{Report, Unit};

const NAME: &str = "mount-stream";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "mount: write a file of 1 GiB, and read it warm",
    run,
    child: Some(floor::serve),
};

const MEBIBYTES: usize = 1024;
const MEBIBYTES_QUICK: usize = 256;
/// What `cp` and `cat` take at once, and what one request can carry.
const BUFFERS: [(&str, usize); 2] = [("128 KiB", 128 << 10), ("1 MiB", 1 << 20)];
const WRITE_BARS: Bars = Bars { ext4: Some(0.3), floor: None };
const READ_BARS: Bars = Bars { ext4: Some(0.5), floor: None };

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let places = Places::open(bench, NAME)?;
    let mebibytes = bench.either(MEBIBYTES, MEBIBYTES_QUICK);
    for (name, buffer_bytes) in BUFFERS {
        let writes = places.in_turn(bench, |dir, _| write(dir, mebibytes << 20, buffer_bytes))?;
        let what = format!("write {mebibytes} MiB by {name}");
        writes.tell(report, (NAME, &what, Unit::Milliseconds), WRITE_BARS);
    }
    // The kernel has the pages of what was written; reading once makes sure of it.
    places.each(|dir| read(dir, mebibytes << 20, BUFFERS[0].1))?;
    for (name, buffer_bytes) in BUFFERS {
        let reads = places.in_turn(bench, |dir, _| read(dir, mebibytes << 20, buffer_bytes))?;
        let what = format!("read {mebibytes} MiB by {name}, warm");
        reads.tell(report, (NAME, &what, Unit::Milliseconds), READ_BARS);
    }
    Ok(())
}

/// Writes the file anew, and returns the milliseconds that it took.
fn write(dir: &Path, bytes: usize, buffer_bytes: usize) -> Result<f64> {
    let path = dir.join("large");
    if path.exists() {
        fs::remove_file(&path)?;
    }
    // What the places before left to write back would be in the way of this one.
    rustix::fs::sync();
    let mut content = Content::new();
    let mut buffer = vec![0; buffer_bytes];
    for part in buffer.chunks_exact_mut(8) {
        part.copy_from_slice(&content.draw().to_le_bytes());
    }
    let start = clock::now();
    let mut file = File::create(&path)?;
    for _ in 0..bytes / buffer_bytes {
        // No two buffers are alike, so that nothing is saved by sharing them.
        buffer[..8].copy_from_slice(&content.draw().to_le_bytes());
        file.write_all(&buffer)?;
    }
    drop(file);
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

/// Reads the file, and returns the milliseconds that it took.
fn read(dir: &Path, bytes: usize, buffer_bytes: usize) -> Result<f64> {
    let mut buffer = vec![0; buffer_bytes];
    let start = clock::now();
    let mut file = File::open(dir.join("large"))?;
    let mut count = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => count += read,
        }
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    ensure!(count == bytes, "{count} bytes were read");
    Ok(milliseconds)
}
