//! What the scenarios of the SDKs share: packages as users install them, and stores that keep small
//! files from another language.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::bench::Bench;
use crate::home::SMALL_BYTES;
use crate::machine;
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary};
use crate::script::Script;

/// Files that a round writes, if a store is fast: as many as an agent may have.
pub(super) const FILES: usize = 4_000;
/// Files that are written and read again and again, as many as in read-small.
const FEW_FILES: usize = 1_000;
/// Reads for each file that a round writes.
const READS_PER_WRITE: usize = 10;

/// What homefs may take, in microseconds.
pub(super) struct Bars {
    pub(super) write: f64,
    pub(super) read: Option<f64>,
}

const WRITE_NEW: &str = "write 1 KiB, new path";
const READ: &str = "read 1 KiB";
/// What each round measures.
const ACTS: [&str; 3] = [WRITE_NEW, "write 1 KiB, existing path", READ];

/// A store in another language, and what it measured.
pub(super) struct Store {
    script: Script,
    /// How many files a round writes.
    files: usize,
    /// How many times as fast homefs writes new files at least.
    bar: Option<f64>,
    rounds: [Vec<Summary>; ACTS.len()],
}

impl Store {
    /// Waits until it is ready; none if something that it needs is missing, which it says itself.
    pub(super) fn new(mut script: Script, files: usize, bar: Option<f64>) -> Result<Option<Self>> {
        if script.line()? == "ready" {
            return Ok(Some(Self { script, files, bar, rounds: Default::default() }));
        }
        println!("  {} is left out: see above", script.name());
        Ok(None)
    }

    /// Measures calls of one kind, each by itself.
    pub(super) fn measure(&mut self, act: &str) -> Result<Summary> {
        Ok(self.script.ask::<Sample>(act)?.summary())
    }

    fn round(&mut self, round: usize) -> Result<()> {
        let (first, count) = (round * self.files, self.files);
        let (few, reads) = (FEW_FILES.min(count), count * READS_PER_WRITE);
        let acts = [
            format!("write {first} {count}"),
            format!("again {few} {count}"),
            format!("read {few} {reads}"),
        ];
        for (place, act) in acts.iter().enumerate() {
            let measured = self.measure(act)?;
            self.rounds[place].push(measured);
        }
        Ok(())
    }
}

/// Lets stores write and read in turn, and compares the first, which is homefs, with the others.
pub(super) fn compare(
    bench: &Bench,
    report: &mut Report,
    scenario: &'static str,
    stores: &mut [Store],
    bars: &Bars,
) -> Result<()> {
    for round in 0..bench.rounds() {
        for store in &mut *stores {
            store.round(round)?;
        }
        // What they left to the kernel must not be written out during the next round.
        rustix::fs::sync();
    }
    let Some((own, peers)) = stores.split_first() else { bail!("homefs itself is missing") };
    for (place, act) in ACTS.into_iter().enumerate() {
        let tell = |report: &mut Report, store: &Store| {
            let summary = Summary::of_rounds(&store.rounds[place]);
            let what = format!("{act}, {}", store.script.name());
            report.add_latency(scenario, &what, SMALL_BYTES, summary);
            summary.p50
        };
        let ours = tell(report, own);
        let row = Row::new(scenario, &format!("{act}, p50"), ours, Unit::Microseconds);
        let most = if act == READ { bars.read } else { Some(bars.write) };
        report.add(most.map(Bar::AtMost).into_iter().fold(row.clone(), Row::bar));
        for peer in peers {
            let theirs = tell(report, peer);
            let bar = peer.bar.filter(|_| act == WRITE_NEW).map(Bar::TimesAsFast);
            let row = row.clone().against(peer.script.name(), theirs);
            report.add(bar.into_iter().fold(row, Row::bar));
        }
    }
    Ok(())
}

/// Builds Python's package as it is released, and installs it into a folder of its own; none if
/// what builds it is missing, which is said then.
pub(super) fn python(bench: &Bench) -> Result<Option<PathBuf>> {
    if !succeeds(Command::new("python3").args(["-m", "maturin", "--version"])) {
        println!("  left out: target/tools/bin/python -m pip install maturin");
        return Ok(None);
    }
    let folder = bench.kept("python")?;
    let wheels = folder.join("wheels");
    let manifest = root().join("sdk/python/Cargo.toml");
    let mut build = Command::new("python3");
    build.args(["-m", "maturin", "build", "--release", "--strip", "--quiet", "--manifest-path"]);
    run(build.arg(manifest).arg("--out").arg(&wheels))?;
    let packages = folder.join("packages");
    if packages.exists() {
        fs::remove_dir_all(&packages)?;
    }
    let mut install = Command::new("python3");
    install.args(["-m", "pip", "install", "--quiet", "--no-index", "--find-links"]).arg(&wheels);
    run(install.arg("--target").arg(&packages).arg("homefs"))?;
    Ok(Some(packages))
}

/// Builds Node's package as it is released, where its sources are; none if what builds it is
/// missing, which is said then.
pub(super) fn node() -> Result<Option<PathBuf>> {
    let package = root().join("sdk/node");
    if !package.join("node_modules").exists() {
        println!("  left out: npm ci --prefix sdk/node");
        return Ok(None);
    }
    run(Command::new("npm").args(["run", "--silent", "build"]).current_dir(&package))?;
    Ok(Some(package.join("index.mjs")))
}

fn root() -> PathBuf {
    machine::bench_folder().parent().map_or_else(PathBuf::new, Path::to_owned)
}

fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("run {command:?}"))?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}
