//! Small commands in a session that is kept, beside another shell inside a process.

use anyhow::{Result, ensure};
use homefs_api::Shell;

use super::Scenario;
use super::shell::{Explored, run as run_script};
use crate::bench::Bench;
use crate::clock;
use crate::peers::shells::{JustBash, Ran};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary, median};

const NAME: &str = "shell-small";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "ls, cat and pipes over 10,000 pages in a kept session, beside just-bash",
    run,
    child: None,
};

const RUNS: usize = 500;
/// What small commands, and pipes of three, may take, in microseconds.
const SMALL_MAX: f64 = 50.0;
const PIPE_MAX: f64 = 400.0;
/// How many times as much CPU time the peer takes at least.
const CPU_TIMES: f64 = 5.0;

/// The scripts, and what each may take.
const SCRIPTS: [(&str, f64); 9] = [
    ("ls docs", SMALL_MAX),
    ("ls docs/d05", SMALL_MAX),
    ("cat docs/d05/page0555.md", SMALL_MAX),
    ("cat docs/d05/page0555.md | head -3", SMALL_MAX),
    ("grep -n lorem docs/d05/page0555.md", SMALL_MAX),
    ("cat docs/d05/page0555.md | wc -l", SMALL_MAX),
    ("cat docs/d05/page0555.md | grep lorem | wc -l", PIPE_MAX),
    ("ls docs/d05 | sort -r | head -3", PIPE_MAX),
    ("cat docs/d05/page0555.md | tr a-z A-Z | tail -2", PIPE_MAX),
];

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let explored = Explored::new(bench)?;
    let scripts = SCRIPTS.map(|(script, _)| script);
    let count = bench.scaled(RUNS);
    let mut shell = explored.shell();
    let outside = explored.outside();
    let peers = [JustBash::in_memory(&outside)?, JustBash::overlay(&outside)?];
    let mut peers: Vec<JustBash> = peers.into_iter().flatten().collect();
    for peer in &mut peers {
        let theirs = peer.prepare(&scripts, count)?;
        for (script, theirs) in scripts.iter().zip(theirs) {
            let ours = run_script(&mut shell, script)?;
            let (ours, theirs) = (ours.trim(), theirs.trim());
            ensure!(ours == theirs, "{script} writes {ours:?} and by {} {theirs:?}", peer.name());
        }
        // Its compiler needs some runs until it is at its best.
        peer.round()?;
    }
    let mut own = Vec::new();
    let mut of_peers = vec![Vec::new(); peers.len()];
    for _ in 0..bench.rounds() {
        own.push(measure(&mut shell, &scripts, count)?);
        for (peer, rounds) in peers.iter_mut().zip(&mut of_peers) {
            rounds.push(peer.round()?);
        }
    }
    for (place, (script, most)) in SCRIPTS.into_iter().enumerate() {
        let ours = middle(&own, place);
        report.add_latency(NAME, &format!("`{script}`"), 0, ours.wall);
        let row = Row::new(NAME, &format!("`{script}`, p50"), ours.wall.p50, Unit::Microseconds);
        report.add(row.bar(Bar::AtMost(most)));
        for (peer, rounds) in peers.iter().zip(&of_peers) {
            let theirs = middle(rounds, place);
            report.add_latency(NAME, &format!("`{script}`, {}", peer.name()), 0, theirs.wall);
            let what = format!("`{script}`, CPU");
            let row = Row::new(NAME, &what, ours.cpu, Unit::Microseconds);
            report.add(row.against(peer.name(), theirs.cpu).bar(Bar::TimesAsFast(CPU_TIMES)));
        }
    }
    Ok(())
}

/// Runs each script so many times.
fn measure(shell: &mut Shell, scripts: &[&str], count: usize) -> Result<Vec<Ran>> {
    let each = |script: &&str| {
        let mut sample = Sample::with_capacity(count);
        let before = clock::cpu_seconds();
        for _ in 0..count {
            sample.time(|| run_script(shell, script))?;
        }
        let cpu = (clock::cpu_seconds() - before) * 1e6 / count as f64;
        Ok(Ran { wall: sample.summary(), cpu })
    };
    scripts.iter().map(each).collect()
}

/// Returns what running one of the scripts took over all rounds.
fn middle(rounds: &[Vec<Ran>], place: usize) -> Ran {
    let walls: Vec<Summary> = rounds.iter().map(|round| round[place].wall).collect();
    let cpu = median(rounds.iter().map(|round| round[place].cpu));
    Ran { wall: Summary::of_rounds(&walls), cpu }
}
