//! The first search of a fresh process: opens the store, reads the index, loads the models.

use std::path::Path as HostPath;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use homefs_search::embed::BuiltIn;
use homefs_view::SearchOptions;
use serde::{Deserialize, Serialize};

use super::{Scenario, memory};
use crate::bench::Bench;
use crate::home::Home;
use crate::peers::notes::Speaker;
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::median;
use crate::{child, clock, machine};

const NAME: &str = "memory-first";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "the first search of a fresh process over 100,000 notes",
    run,
    child: Some(second),
};

const NOTES: usize = 100_000;
const MILLISECONDS_MAX: f64 = 150.0;

/// What a second process found.
#[derive(Serialize, Deserialize)]
struct Found {
    open_milliseconds: f64,
    first_milliseconds: f64,
    /// The search after the first.
    next_milliseconds: f64,
    hits: usize,
    docs: u64,
    megabytes: f64,
}

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let dir = folder.path().join("store");
    let mut speaker = Speaker::new(memory::SEED);
    let count = bench.scaled(NOTES);
    let home = memory::home_with(&dir, &speaker.notes(count), BuiltIn::Encoder)?;
    home.store.close()?;
    let place = dir.to_str().context("the folder has a readable name")?;
    let mut rounds: Vec<Found> = Vec::new();
    for question in speaker.questions(bench.rounds()) {
        let found: Found = child::ask(NAME, &[place, &question.text])?;
        ensure!(found.docs >= count as u64 && found.hits > 0, "notes are missing");
        rounds.push(found);
    }
    let over = |number: fn(&Found) -> f64| median(rounds.iter().map(number));
    let what = format!("first search, {count} notes");
    let first = over(|found| found.first_milliseconds);
    let row = Row::new(NAME, &what, first, Unit::Milliseconds);
    report.add(row.bar(Bar::AtMost(MILLISECONDS_MAX)));
    let open = over(|found| found.open_milliseconds);
    report.add(Row::new(NAME, "open the store before it", open, Unit::Milliseconds));
    let next = over(|found| found.next_milliseconds);
    report.add(Row::new(NAME, "another search after it", next, Unit::Milliseconds));
    let megabytes = over(|found| found.megabytes);
    report.add(Row::new(NAME, "memory of the process then", megabytes, Unit::Megabytes));
    Ok(())
}

/// The second process.
fn second(words: &[String]) -> Result<()> {
    let [dir, question] = words else { bail!("where, and what is asked?") };
    let start = clock::now();
    let home = Home::open(HostPath::new(dir))?;
    home.store.start_indexing(Arc::new(BuiltIn::Encoder))?;
    let open_milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let start = clock::now();
    let hits = home.view.search(question, &SearchOptions::default())?.len();
    let first_milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let start = clock::now();
    home.view.search(&format!("{question} again"), &SearchOptions::default())?;
    let next_milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let docs = memory::index(&home)?.docs;
    let megabytes = machine::resident_bytes() as f64 / 1e6;
    let found =
        Found { open_milliseconds, first_milliseconds, next_milliseconds, hits, docs, megabytes };
    println!("{}", serde_json::to_string(&found)?);
    Ok(home.store.close()?)
}
