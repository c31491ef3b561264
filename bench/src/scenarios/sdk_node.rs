//! Small files from Node.js, beside others that are used from it.

use std::process::Command;

use anyhow::Result;

use super::Scenario;
use super::sdk::{self, Bars, FILES, Store};
use crate::bench::Bench;
use crate::home::SMALL_BYTES;
use crate::machine;
use crate::report::{Report, Row, Unit};
use crate::sample::Summary;
use crate::script::Script;

const NAME: &str = "sdk-node";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "write and read 1 KiB from Node.js, at once and by promises, beside SQLite and agentfs",
    run,
    child: None,
};

const PROGRAM: &str = include_str!("../peers/sdk.mjs");
/// Where npm put the peers.
const TOOLS: &str = "../target/tools";
/// What a write may take, in microseconds.
const BARS: Bars = Bars { write: 3.0, read: None };

/// The stores: kind, name, files that a round writes.
const STORES: [(&str, &str, usize); 3] = [
    ("homefs", "homefs", FILES),
    ("sqlite", "better-sqlite3 (WAL, NORMAL)", FILES),
    ("agentfs", "agentfs-sdk", 200),
];

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let Some(package) = sdk::node()? else { return Ok(()) };
    let folder = bench.folder()?;
    let mut stores = Vec::new();
    for (kind, name, files) in STORES {
        // What a text on the command line imports is looked for from the working directory on.
        let mut command = Command::new("node");
        command.args(["--input-type=module", "--eval", PROGRAM, "--", kind]);
        command.arg(folder.path()).arg(&package);
        command.current_dir(machine::bench_folder().join(TOOLS));
        stores.extend(Store::new(Script::start(name, &mut command)?, bench.scaled(files), None)?);
    }
    sdk::compare(bench, report, NAME, &mut stores, &BARS)?;
    let mut rounds = Vec::new();
    for _ in 0..bench.rounds() {
        rounds.push(stores[0].measure(&format!("later 1000 {}", bench.scaled(FILES)))?);
    }
    let summary = Summary::of_rounds(&rounds);
    report.add_latency(NAME, "write 1 KiB by a promise, existing path", SMALL_BYTES, summary);
    let what = "write 1 KiB by a promise, existing path, p50";
    report.add(Row::new(NAME, what, summary.p50, Unit::Microseconds));
    Ok(())
}
