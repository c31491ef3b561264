//! Opening a store with many files, after a clean close and after `kill -9`.

use std::path::Path as HostPath;

use anyhow::{Context, Result, bail, ensure};
use homefs_core::Path;
use homefs_view::WriteOptions;
use serde::{Deserialize, Serialize};

use super::Scenario;
use crate::bench::Bench;
use crate::home::{Home, files};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::median;
use crate::{child, clock, machine};

const NAME: &str = "open";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "open 10,000 and 100,000 files until the first `ls`; walk them; after kill -9",
    run,
    child: Some(second),
};

/// Numbers of files, and milliseconds that opening may take.
const STORES: [(usize, f64); 2] = [(10_000, 5.0), (100_000, 20.0)];
/// MiB written before the kill.
const KILLED_MEBIBYTES: [usize; 3] = [8, 32, 128];
const KILLS: usize = 3;
/// More milliseconds that opening may take for each MiB of journal.
const MILLISECONDS_PER_MEBIBYTE: f64 = 1.0;
const WALK_MEGABYTES_MAX: f64 = 300.0;
const PAGE: usize = 1000;

/// What a second process found when it opened the store.
#[derive(Serialize, Deserialize)]
struct Opened {
    milliseconds: f64,
    names: usize,
    journal_bytes: u64,
    megabytes: f64,
    walk_milliseconds: f64,
    walked: usize,
    walk_megabytes: f64,
}

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    for (count, bar) in STORES {
        let count = bench.scaled(count);
        let folder = bench.folder()?;
        let store = folder.path().join("store");
        make(&store, count, report)?;
        opened_cleanly(bench, report, &store, count, bar)?;
        if bar >= 20.0 {
            for mebibytes in KILLED_MEBIBYTES {
                opened_after_kill(report, &store, bench.scaled(mebibytes << 10), bar)?;
            }
        }
    }
    Ok(())
}

fn make(store: &HostPath, count: usize, report: &mut Report) -> Result<()> {
    let start = clock::now();
    let home = Home::open(store)?;
    let files = files("made", count)?;
    home.make_directories(&files)?;
    drop(home.write_all(&files, &WriteOptions::default())?);
    let written = start.elapsed().as_secs_f64();
    home.store.close()?;
    let closed = start.elapsed().as_secs_f64();
    report.add(Row::new(NAME, &format!("make {count} files"), written, Unit::Seconds));
    report.add(Row::new(NAME, &format!("make {count} files, close"), closed, Unit::Seconds));
    Ok(())
}

fn opened_cleanly(
    bench: &Bench,
    report: &mut Report,
    store: &HostPath,
    count: usize,
    bar: f64,
) -> Result<()> {
    let place = store.to_str().context("the folder has a readable name")?;
    let rounds = (0..bench.rounds())
        .map(|_| child::ask(NAME, &["probe", place]))
        .collect::<Result<Vec<Opened>>>()?;
    let over = |number: fn(&Opened) -> f64| median(rounds.iter().map(number));
    for round in &rounds {
        ensure!(round.walked >= count, "files are missing: {}", round.walked);
    }
    let what = format!("open {count} files until ls");
    let row = Row::new(NAME, &what, over(|opened| opened.milliseconds), Unit::Milliseconds);
    report.add(row.bar(Bar::AtMost(bar)));
    let row = Row::new(NAME, "memory then", over(|opened| opened.megabytes), Unit::Megabytes);
    report.add(row);
    let journal = over(|opened| opened.journal_bytes as f64 / 1e6);
    report.add(Row::new(NAME, "journal then", journal, Unit::Megabytes));
    let what = format!("walk {count} files");
    let walk = over(|opened| opened.walk_milliseconds);
    report.add(Row::new(NAME, &what, walk, Unit::Milliseconds));
    let walked = over(|opened| opened.walk_megabytes);
    let row = Row::new(NAME, "memory then", walked, Unit::Megabytes);
    report.add(row.bar(Bar::AtMost(WALK_MEGABYTES_MAX)));
    Ok(())
}

fn opened_after_kill(report: &mut Report, store: &HostPath, writes: usize, bar: f64) -> Result<()> {
    let place = store.to_str().context("the folder has a readable name")?;
    let mut rounds = Vec::new();
    for round in 0..KILLS {
        let below = format!("killed-{writes}-{round}");
        let (mut killed, said) =
            child::start(NAME, &["write", place, &below, &writes.to_string()])?;
        // The writer has acknowledged everything; SIGKILL leaves it no time to fold.
        killed.kill()?;
        killed.wait()?;
        ensure!(said.trim() == "written", "the writer failed: {said}");
        rounds.push(child::ask::<Opened>(NAME, &["probe", place])?);
    }
    let over = |number: fn(&Opened) -> f64| median(rounds.iter().map(number));
    let mebibytes = over(|opened| opened.journal_bytes as f64 / f64::from(1 << 20)).round();
    let what = format!("open after kill -9, {mebibytes} MiB of journal");
    let row = Row::new(NAME, &what, over(|opened| opened.milliseconds), Unit::Milliseconds);
    report.add(row.bar(Bar::AtMost(bar + MILLISECONDS_PER_MEBIBYTE * mebibytes)));
    Ok(())
}

/// The second process.
fn second(words: &[String]) -> Result<()> {
    match words {
        [what, store] if what == "probe" => probe(HostPath::new(store)),
        [what, store, below, writes] if what == "write" => {
            write_and_wait(HostPath::new(store), below, writes.parse()?)
        }
        _ => bail!("what should the second process do?"),
    }
}

fn probe(store: &HostPath) -> Result<()> {
    let start = clock::now();
    let home = Home::open(store)?;
    let names = home.view.list(&Path::root(), None, PAGE)?.items.len();
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let journal_bytes = home.store.load().journal_bytes;
    let megabytes = megabytes();
    let start = clock::now();
    let (mut walked, mut after) = (0, None);
    loop {
        let page = home.view.walk(&Path::root(), after.as_deref(), PAGE)?;
        walked += page.items.len();
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let walk_milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let opened = Opened {
        milliseconds,
        names,
        journal_bytes,
        megabytes,
        walk_milliseconds,
        walked,
        walk_megabytes: self::megabytes(),
    };
    println!("{}", serde_json::to_string(&opened)?);
    Ok(home.store.close()?)
}

fn megabytes() -> f64 {
    machine::resident_bytes() as f64 / 1e6
}

/// Writes new files, says so, and waits for its end.
fn write_and_wait(store: &HostPath, below: &str, writes: usize) -> Result<()> {
    let home = Home::open(store)?;
    let files = files(below, writes)?;
    home.make_directories(&files)?;
    drop(home.write_all(&files, &WriteOptions::default())?);
    println!("written");
    loop {
        std::thread::park();
    }
}
