//! Scripts in a process of their own, as servers run them, beside the same scripts in process; the
//! store is owned by the process that asks, or by another one, as when it is mounted.

use std::io::Read;
use std::path::{Path as HostPath, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use homefs_api::{Client, Limits, Sessions, ShellCall};

use super::Scenario;
use super::shell::{Explored, open};
use crate::bench::Bench;
use crate::child;
use crate::peers::pages::{COMMON_WORD, RARE_WORD};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary};

const NAME: &str = "shell-worker";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "scripts in a worker over 10,000 pages, beside the same in process",
    run,
    child: Some(own),
};

const SMALL_RUNS: usize = 500;
const LARGE_RUNS: usize = 10;
/// What a small script may take in a worker, in microseconds.
const SMALL_MAX: f64 = 100.0;
/// At most twice the time that a search takes in process.
const LARGE: Bar = Bar::TimesAsFast(0.5);
/// What the start of a session may take, in microseconds.
const START_MAX: f64 = 20_000.0;

const SMALL: [&str; 5] = [
    "true",
    "ls docs/d05",
    "cat docs/d05/page0555.md",
    "grep -n lorem docs/d05/page0555.md",
    "cat docs/d05/page0555.md | wc -l",
];

/// Returns scripts that read all pages, or look at them.
fn large() -> [String; 8] {
    [
        format!("grep -rn {RARE_WORD} docs"),
        format!("grep -rn {COMMON_WORD} docs"),
        format!("grep -rl {COMMON_WORD} docs"),
        format!("grep -rc {COMMON_WORD} docs"),
        format!("rg -c {COMMON_WORD} docs"),
        "wc -l docs/*/*".to_owned(),
        "cat docs/*/* | wc -c".to_owned(),
        "find docs -name 'page??77.md'".to_owned(),
    ]
}

/// Who owns the store.
const OWNERS: [&str; 2] = ["owner here", "owner elsewhere"];

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let program = std::env::current_exe()?.with_file_name("homefs");
    ensure!(program.exists(), "there is no {}: build homefs-cli", program.display());
    let explored = Explored::new(bench)?;
    measure(bench, report, OWNERS[0], explored.client(), &program)?;
    let store = explored.store();
    explored.client().close()?;
    let (mut owner, said) = child::start(NAME, &[store.to_str().context("a readable name")?])?;
    ensure!(said.trim() == "owned", "the second process does not own the store: {said}");
    let client = open(&store)?;
    ensure!(client.view_here().is_none(), "the second process must own the store");
    measure(bench, report, OWNERS[1], &client, &program)?;
    client.close()?;
    drop(owner.stdin.take());
    ensure!(owner.wait()?.success(), "the owner failed");
    Ok(())
}

/// Owns a store until nobody needs that any more.
fn own(words: &[String]) -> Result<()> {
    let [store] = words else { bail!("which store?") };
    let client = open(HostPath::new(store))?;
    let _hold = client.hold();
    client.take_over()?;
    println!("owned");
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(client.close()?)
}

/// Measures sessions of a client, in process and in workers.
fn measure(
    bench: &Bench,
    report: &mut Report,
    owner: &str,
    client: &Client,
    program: &HostPath,
) -> Result<()> {
    let here = Sessions::new(client);
    let apart = Sessions::apart(client, PathBuf::from(program));
    let (small, large_runs) = (bench.scaled(SMALL_RUNS), bench.either(LARGE_RUNS, LARGE_RUNS / 2));
    for script in SMALL {
        let [own, other] = in_turn(bench, [&here, &apart], Some("s"), script, small)?;
        let what = format!("`{script}`, {owner}");
        report.add_latency(NAME, &format!("{what}, in process"), 0, own);
        report.add_latency(NAME, &format!("{what}, worker"), 0, other);
        let row = Row::new(NAME, &format!("{what}, p50"), other.p50, Unit::Microseconds);
        let row = row.against("in process", own.p50);
        report.add(row.bar(Bar::AtMost(SMALL_MAX)));
    }
    for script in large() {
        let [own, other] = in_turn(bench, [&here, &apart], Some("s"), &script, large_runs)?;
        let what = format!("`{script}`, {owner}");
        report.add_latency(NAME, &format!("{what}, in process"), 0, own);
        report.add_latency(NAME, &format!("{what}, worker"), 0, other);
        let row = Row::new(NAME, &what, other.p50 / 1e3, Unit::Milliseconds);
        report.add(row.against("in process", own.p50 / 1e3).bar(LARGE));
    }
    let [own, other] = in_turn(bench, [&here, &apart], None, "true", large_runs)?;
    let what = format!("a session of one `true`, {owner}");
    report.add_latency(NAME, &format!("{what}, in process"), 0, own);
    report.add_latency(NAME, &format!("{what}, worker"), 0, other);
    let row = Row::new(NAME, &format!("{what}, p50"), other.p50, Unit::Microseconds);
    report.add(row.against("in process", own.p50).bar(Bar::AtMost(START_MAX)));
    Ok(())
}

/// Runs a script so many times in each kind of session, in turn; they must write the same.
fn in_turn(
    bench: &Bench,
    kinds: [&Sessions; 2],
    session: Option<&str>,
    script: &str,
    count: usize,
) -> Result<[Summary; 2]> {
    let mut rounds = [Vec::new(), Vec::new()];
    for _ in 0..bench.rounds() {
        let mut written = [Vec::new(), Vec::new()];
        for ((sessions, rounds), written) in kinds.iter().zip(&mut rounds).zip(&mut written) {
            let mut sample = Sample::with_capacity(count);
            for _ in 0..count {
                *written = sample.time(|| run_script(sessions, session, script))?;
            }
            rounds.push(sample.summary());
        }
        ensure!(written[0] == written[1], "{script} writes something else in a worker");
    }
    Ok(rounds.map(|rounds| Summary::of_rounds(&rounds)))
}

fn run_script(sessions: &Sessions, session: Option<&str>, script: &str) -> Result<Vec<u8>> {
    // The listings of some scripts are longer than an agent would read.
    let limits = Limits { output_bytes: 64 << 20, ..Limits::default() };
    let call = ShellCall { script: script.to_owned(), limits, ..ShellCall::default() };
    let output = sessions.run(session, call)?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status == 0 && said.is_empty(), "{script} ends with {}: {said}", output.status);
    Ok(output.stdout)
}
