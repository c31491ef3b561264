//! Searching while notes are written, and what the index costs those who write.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use homefs_core::Path;
use homefs_search::embed::BuiltIn;
use homefs_view::{SearchOptions, View, WriteOptions};

use super::{Scenario, memory};
use crate::bench::Bench;
use crate::clock;
use crate::home::{Home, files};
use crate::peers::notes::{Question, Speaker};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary, median};

const NAME: &str = "memory-burst";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "20,000 small writes a second: searches meanwhile, and the writes without an index",
    run,
    child: None,
};

const SECONDS: usize = 5;
const WRITES_PER_SECOND: usize = 20_000;
/// Writes come in groups, each a millisecond after the other.
const WRITES_PER_GROUP: usize = 20;
const GROUP: Duration = Duration::from_millis(1);
/// Between two searches.
const PAUSE: Duration = Duration::from_millis(10);
const NOTE_BYTES: usize = 150;
const SEARCH_MILLISECONDS_MAX: f64 = 20.0;
/// An index that does not keep up is behind by more the longer the burst is.
const LAG_MILLISECONDS_MAX: f64 = 1_000.0;
/// At most 1.2 times the time.
const BAR: Bar = Bar::TimesAsFast(1.0 / 1.2);
const ALONE: &str = "no index";

/// What a burst of writes was like.
struct Burst {
    writes: Summary,
    seconds: f64,
}

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let seconds = bench.either(SECONDS, 1);
    let notes = Speaker::new(memory::SEED).notes(seconds * WRITES_PER_SECOND);
    let mut alone = Vec::new();
    let (mut followed, mut lags, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.either(3, 1) {
        alone.push(burst_alone(bench, &notes)?.writes);
        let (burst, lag) = burst_followed(bench, &notes)?;
        rates.push(notes.len() as f64 / burst.seconds);
        followed.push(burst.writes);
        lags.push(lag);
    }
    let (alone, followed) = (Summary::of_rounds(&alone), Summary::of_rounds(&followed));
    report.add_latency(NAME, "write, no index", NOTE_BYTES, alone);
    report.add_latency(NAME, "write, index following", NOTE_BYTES, followed);
    let row = |number: &str, value| {
        let what = format!("write while the index follows, {number}");
        Row::new(NAME, &what, value, Unit::Microseconds)
    };
    report.add(row("p50", followed.p50).against(ALONE, alone.p50).bar(BAR));
    report.add(row("p99", followed.p99).against(ALONE, alone.p99));
    let rate = median(rates.into_iter());
    report.add(Row::new(NAME, "writes then", rate, Unit::PerSecond));
    let lag = median(lags.into_iter());
    let row = Row::new(NAME, "the index is behind at the end", lag, Unit::Milliseconds);
    report.add(row.bar(Bar::AtMost(LAG_MILLISECONDS_MAX)));
    searched(bench, report, &notes)
}

/// Writes notes to a store without an index.
fn burst_alone(bench: &Bench, notes: &[String]) -> Result<Burst> {
    let folder = bench.folder()?;
    let home = Home::open(&folder.path().join("store"))?;
    let files = files("notes", notes.len())?;
    home.make_directories(&files)?;
    home.wait_for_fold()?;
    let burst = write(&home.view, &files, notes)?;
    home.store.close()?;
    Ok(burst)
}

/// Writes notes to a store with an index; returns how many milliseconds later it has them all.
fn burst_followed(bench: &Bench, notes: &[String]) -> Result<(Burst, f64)> {
    let folder = bench.folder()?;
    let home = indexed(&folder.path().join("store"))?;
    let files = files("notes", notes.len())?;
    home.make_directories(&files)?;
    home.wait_for_fold()?;
    let burst = write(&home.view, &files, notes)?;
    let start = clock::now();
    clock::wait_until("the index has all notes", || {
        memory::index(&home).is_ok_and(|index| index.files >= notes.len() as u64)
    })?;
    let lag = start.elapsed().as_secs_f64() * 1e3;
    home.store.close()?;
    Ok((burst, lag))
}

/// Searches while notes are written.
fn searched(bench: &Bench, report: &mut Report, notes: &[String]) -> Result<()> {
    let folder = bench.folder()?;
    let home = indexed(&folder.path().join("store"))?;
    let files = files("notes", notes.len())?;
    home.make_directories(&files)?;
    home.wait_for_fold()?;
    let questions = Speaker::new(memory::SEED + 1).questions(memory::QUESTIONS);
    let (burst, mut searches) = thread::scope(|scope| {
        let writer = scope.spawn(|| write(&home.view, &files, notes));
        let mut searches = Sample::default();
        for Question { text, .. } in questions.iter().cycle() {
            if writer.is_finished() {
                break;
            }
            searches.time(|| home.view.search(text, &SearchOptions::default()))?;
            thread::park_timeout(PAUSE);
        }
        let burst = writer.join().ok().context("the writer panicked")??;
        anyhow::Ok((burst, searches))
    })?;
    let late = searches.percentile(950) / 1e3;
    report.add_latency(NAME, "search during the burst", NOTE_BYTES, searches.summary());
    let row = Row::new(NAME, "search during the burst, p95", late, Unit::Milliseconds);
    report.add(row.bar(Bar::AtMost(SEARCH_MILLISECONDS_MAX)));
    report.add_latency(NAME, "write, index following, searched", NOTE_BYTES, burst.writes);
    let rate = notes.len() as f64 / burst.seconds;
    report.add(Row::new(NAME, "writes then", rate, Unit::PerSecond));
    Ok(home.store.close()?)
}

/// Opens a store whose index is kept up from the beginning.
fn indexed(dir: &std::path::Path) -> Result<Home> {
    let home = Home::open(dir)?;
    home.store.start_indexing(Arc::new(BuiltIn::Encoder))?;
    home.view.search("the first search opens the index", &SearchOptions::default())?;
    Ok(home)
}

/// Writes each note to its file, a group each millisecond; whoever is late hurries.
fn write(view: &View, files: &[Path], notes: &[String]) -> Result<Burst> {
    let options = WriteOptions::default();
    let mut sample = Sample::with_capacity(files.len());
    let start = clock::now();
    let mut due = GROUP;
    for (files, notes) in files.chunks(WRITES_PER_GROUP).zip(notes.chunks(WRITES_PER_GROUP)) {
        for (file, note) in files.iter().zip(notes) {
            sample.time(|| view.write(file, note.as_bytes(), &options))?;
        }
        thread::park_timeout(due.saturating_sub(start.elapsed()));
        due += GROUP;
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(Burst { writes: sample.summary(), seconds })
}
