//! Small files and recall from Python, beside others that are used from it.

use std::path::Path as HostPath;
use std::process::Command;

use anyhow::{Context, Result};

use super::sdk::{self, Bars, FILES, Store};
use super::{Scenario, memory};
use crate::bench::Bench;
use crate::peers::notes::Speaker;
use crate::peers::searchers;
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::Summary;
use crate::script::Script;

const NAME: &str = "sdk-python";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "write and read 1 KiB, and recall, from Python, beside dicts, sqlite3, agentfs, chromadb",
    run,
    child: None,
};

const PROGRAM: &str = include_str!("../peers/sdk.py");
/// What a write, a read and a recall may take, in microseconds.
const BARS: Bars = Bars { write: 1.2, read: Some(0.5) };
const RECALL_MAX: f64 = 300.0;
const NOTES: usize = 1_000;
const RECALLS: usize = 1_000;

/// The peers: kind, name, files that a round writes, how many times as fast homefs is at least.
const PEERS: [(&str, &str, usize, Option<f64>); 4] = [
    // At most four times its time.
    ("overlay", "overlay of two dicts", FILES, Some(0.25)),
    ("sqlite", "sqlite3 (WAL, NORMAL)", FILES, None),
    ("agentfs", "agentfs-sdk", 200, Some(1_000.0)),
    ("chroma", "chromadb PersistentClient, vector given", 100, Some(10_000.0)),
];

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let Some(packages) = sdk::python(bench)? else { return Ok(()) };
    let folder = bench.folder()?;
    let start = |kind: &str, name, files, bar| {
        let script = start(&packages, folder.path(), kind, name, "encoder")?;
        Store::new(script, bench.scaled(files), bar)
    };
    let mut stores: Vec<Store> = start("homefs", "homefs", FILES, None)?.into_iter().collect();
    for (kind, name, files, bar) in PEERS {
        stores.extend(start(kind, name, files, bar)?);
    }
    sdk::compare(bench, report, NAME, &mut stores, &BARS)?;
    drop(stores);
    for (embedder, what, bar) in [
        ("static", "recall, static vectors", Some(Bar::AtMost(RECALL_MAX))),
        ("encoder", "recall, encoder", None),
    ] {
        let summary = recall(bench, &packages, embedder)?;
        report.add_latency(NAME, what, 0, summary);
        let what = format!("{what}, {NOTES} notes, p50");
        let row = Row::new(NAME, &what, summary.p50, Unit::Microseconds);
        report.add(bar.into_iter().fold(row, Row::bar));
    }
    Ok(())
}

/// Measures recalls of 2,000 tokens.
fn recall(bench: &Bench, packages: &HostPath, embedder: &str) -> Result<Summary> {
    let folder = bench.folder()?;
    let mut speaker = Speaker::new(memory::SEED);
    let (notes, questions) = (speaker.notes(NOTES), speaker.questions(memory::QUESTIONS));
    searchers::prepare(folder.path(), &notes, &questions)?;
    let script = start(packages, folder.path(), "homefs", "homefs", embedder)?;
    let mut store = Store::new(script, 0, None)?.context("homefs is installed")?;
    let mut rounds = Vec::new();
    for _ in 0..bench.rounds() {
        rounds.push(store.measure(&format!("recall {}", bench.scaled(RECALLS)))?);
    }
    Ok(Summary::of_rounds(&rounds))
}

fn start(
    packages: &HostPath,
    folder: &HostPath,
    kind: &str,
    name: &'static str,
    embedder: &str,
) -> Result<Script> {
    let mut command = Command::new("python3");
    command.args(["-c", PROGRAM, kind]).arg(folder);
    command.env("PYTHONPATH", packages).env("HOMEFS_EMBEDDER", embedder);
    Script::start(name, &mut command)
}
