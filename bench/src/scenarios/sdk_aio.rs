//! An event loop of Python's whose home writes and syncs: it must not be held up.

use std::process::Command;

use anyhow::{Result, ensure};
use homefs_testkit::S3Server;
use serde::Deserialize;

use super::{Scenario, sdk};
use crate::bench::Bench;
use crate::bucket::{FarBucket, is_own};
use crate::home::SMALL_BYTES;
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary};
use crate::script::Script;

const NAME: &str = "sdk-aio";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "write 1 KiB in a coroutine, and how late an event loop is while its home syncs",
    run,
    child: None,
};

const PROGRAM: &str = include_str!("../peers/aio.py");
const ROUND_TRIP_MS: u32 = 12;
const TICKS: usize = 5_000;
/// What a write may take, in microseconds.
const WRITE_MAX: f64 = 20.0;
/// How much later than an idle loop one with a home may be, in milliseconds.
const LATER_MAX: f64 = 1.0;

/// What one round measured.
#[derive(Deserialize)]
struct Round {
    idle: Sample,
    busy: Sample,
    writes: Sample,
    syncs: usize,
}

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let Some(packages) = sdk::python(bench)? else { return Ok(()) };
    let folder = bench.folder()?;
    let store = folder.path().join("store");
    let bucket = FarBucket::start(ROUND_TRIP_MS)?;
    let homefs = std::env::current_exe()?.with_file_name("homefs");
    let address = format!("s3://{}/homes", bucket.server.bucket());
    let mut attach = Command::new(homefs);
    attach.args(["remote", "add", &address, "--endpoint", &bucket.server.endpoint()]);
    let attached = with_key(attach.arg("--quiet").arg("--store").arg(&store)).status()?;
    ensure!(attached.success(), "the bucket was not attached: {attached}");
    let mut command = Command::new("python3");
    with_key(&mut command).args(["-c", PROGRAM]).arg(&store).env("PYTHONPATH", packages);
    let mut script = Script::start("homefs", &mut command)?;
    ensure!(script.line()? == "ready", "the event loop ended: see above");
    let [mut idle, mut busy, mut writes] = [const { Vec::new() }; 3];
    let ticks = bench.either(TICKS, TICKS / 4);
    for _ in 0..bench.rounds() {
        bucket.server.clear_log();
        let round: Round = script.ask(&ticks.to_string())?;
        ensure!(round.syncs > 0 && bucket.requests(is_own) > 0.0, "nothing was synced meanwhile");
        idle.push(round.idle.summary());
        busy.push(round.busy.summary());
        writes.push(round.writes.summary());
    }
    let [idle, busy, writes] = [idle, busy, writes].map(|rounds| Summary::of_rounds(&rounds));
    report.add_latency(NAME, "write 1 KiB in a coroutine, syncing", SMALL_BYTES, writes);
    let row = Row::new(NAME, "write 1 KiB in a coroutine, p50", writes.p50, Unit::Microseconds);
    report.add(row.bar(Bar::AtMost(WRITE_MAX)));
    report.add_latency(NAME, "delay of an idle loop", 0, idle);
    report.add_latency(NAME, "delay of a loop that writes and syncs", 0, busy);
    let later = (busy.p999 - idle.p999) / 1e3;
    let row = Row::new(NAME, "p99.9 delay more than idle", later, Unit::Milliseconds);
    report.add(row.bar(Bar::AtMost(LATER_MAX)));
    Ok(())
}

/// Lets a program use the bucket.
fn with_key(command: &mut Command) -> &mut Command {
    command.env("AWS_ACCESS_KEY_ID", S3Server::ACCESS_KEY);
    command.env("AWS_SECRET_ACCESS_KEY", S3Server::SECRET_KEY)
}
