//! Searching and recalling notes, with the index caught up.

use std::path::Path as HostPath;
use std::sync::Arc;

use anyhow::Result;
use homefs_search::embed::BuiltIn;
use homefs_view::{Count, RecallOptions, SearchKind, SearchOptions, Tokenizer};

use super::{Scenario, memory};
use crate::bench::Bench;
use crate::clock;
use crate::home::Home;
use crate::peers::notes::{Question, Speaker};
use crate::peers::searchers::{self, Searcher};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary};

const NAME: &str = "memory-search";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "search and recall over 1,000 and 100,000 notes, beside SQLite FTS5 and chromadb",
    run,
    child: None,
};

/// Recalls of a store that has counted nothing yet.
const UNCOUNTED: usize = 30;
const UNCOUNTED_MAX: f64 = 2_000.0;
const NOTE_BYTES: usize = 150;

/// A number of notes, and the microseconds that each operation may take at the median.
struct Size {
    notes: usize,
    bars: [Option<f64>; OPERATIONS.len()],
}

/// What is measured: its name, the embedder, and whether it is searched by words alone, by words
/// and vectors, or recalled.
const OPERATIONS: [(&str, BuiltIn, Ask); 5] = [
    ("search, text", BuiltIn::Static, Ask::Text),
    ("search, static vectors", BuiltIn::Static, Ask::Hybrid),
    ("search, encoder", BuiltIn::Encoder, Ask::Hybrid),
    ("recall, static vectors", BuiltIn::Static, Ask::Recall),
    ("recall, encoder", BuiltIn::Encoder, Ask::Recall),
];

#[derive(Clone, Copy)]
enum Ask {
    Text,
    Hybrid,
    Recall,
}

const SMALL: Size =
    Size { notes: 1_000, bars: [Some(100.0), Some(100.0), None, Some(200.0), Some(800.0)] };
const LARGE: Size = Size {
    notes: 100_000,
    bars: [Some(5_000.0), Some(5_000.0), Some(6_000.0), Some(5_000.0), Some(6_000.0)],
};

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let start = clock::now();
    std::hint::black_box(
        Tokenizer::O200k.count("What a process counts first is a — short — text."),
    );
    let first = start.elapsed().as_secs_f64() * 1e3;
    report.add(Row::new(NAME, "count tokens for the first time", first, Unit::Milliseconds));
    measure(bench, report, &SMALL, SMALL.notes)?;
    uncounted(bench, report)?;
    measure(bench, report, &LARGE, bench.scaled(LARGE.notes))
}

/// Measures all operations and peers in turn.
fn measure(bench: &Bench, report: &mut Report, size: &Size, count: usize) -> Result<()> {
    let folder = bench.folder()?;
    let (homes, questions, mut peers) = prepare(folder.path(), count)?;
    let mut rounds: [Vec<Summary>; OPERATIONS.len()] = Default::default();
    let mut peer_rounds = vec![Vec::new(); peers.len()];
    for _ in 0..bench.rounds() {
        for ((_, embedder, ask), rounds) in OPERATIONS.iter().zip(&mut rounds) {
            let home = if *embedder == BuiltIn::Static { &homes[0] } else { &homes[1] };
            rounds.push(ask_all(home, &questions, *ask)?);
        }
        for (peer, rounds) in peers.iter_mut().zip(&mut peer_rounds) {
            rounds.push(peer.round()?);
        }
    }
    let summaries = rounds.each_ref().map(|rounds| Summary::of_rounds(rounds));
    let what = |name: &str| format!("{name}, {count} notes");
    for (((name, ..), summary), bar) in OPERATIONS.iter().zip(summaries).zip(size.bars) {
        report.add_latency(NAME, &what(name), NOTE_BYTES, summary);
        let row = Row::new(NAME, &(what(name) + ", p50"), summary.p50, Unit::Microseconds);
        report.add(match bar {
            Some(bar) => row.bar(Bar::AtMost(bar)),
            None => row,
        });
    }
    for (peer, rounds) in peers.iter().zip(&peer_rounds) {
        let theirs = Summary::of_rounds(rounds);
        let name = format!("{}, {} notes", peer.name(), peer.notes);
        report.add_latency(NAME, &name, NOTE_BYTES, theirs);
        for ((own, _, ask), summary) in OPERATIONS.iter().zip(summaries) {
            if !matches!((ask, peer.has_vectors()), (Ask::Text, false) | (Ask::Hybrid, true)) {
                continue;
            }
            let row = Row::new(NAME, &(what(own) + ", p50"), summary.p50, Unit::Microseconds);
            report.add(row.against(&name, theirs.p50));
        }
    }
    for home in homes {
        home.store.close()?;
    }
    Ok(())
}

/// Makes a home with static vectors, one with the encoder's, questions, and those peers that are
/// there. The peers make ready meanwhile.
fn prepare(folder: &HostPath, count: usize) -> Result<([Home; 2], Vec<Question>, Vec<Searcher>)> {
    let mut speaker = Speaker::new(memory::SEED);
    let (notes, questions) = (speaker.notes(count), speaker.questions(memory::QUESTIONS));
    searchers::prepare(folder, &notes, &questions)?;
    let peers = [Searcher::fts5(folder)?, Searcher::chroma(folder)?];
    let home = |name: &str, embedder| memory::home_with(&folder.join(name), &notes, embedder);
    let homes = [home("static", BuiltIn::Static)?, home("encoder", BuiltIn::Encoder)?];
    let mut ready = Vec::new();
    for peer in peers {
        ready.extend(peer.ready()?);
    }
    // What was written by the way must not go to the disk while searches are timed.
    rustix::fs::sync();
    // Token counts are kept from now on.
    for home in &homes {
        ask_all(home, &questions, Ask::Recall)?;
    }
    Ok((homes, questions, ready))
}

/// Asks each question once.
fn ask_all(home: &Home, questions: &[Question], ask: Ask) -> Result<Summary> {
    let mut sample = Sample::with_capacity(questions.len());
    for question in questions {
        sample.time(|| ask_one(home, &question.text, ask))?;
    }
    Ok(sample.summary())
}

fn ask_one(home: &Home, question: &str, ask: Ask) -> Result<()> {
    let search = |kind| SearchOptions { kind, ..SearchOptions::default() };
    match ask {
        Ask::Text => drop(home.view.search(question, &search(SearchKind::Text))?),
        Ask::Hybrid => drop(home.view.search(question, &search(SearchKind::Hybrid))?),
        Ask::Recall => drop(home.view.recall(question, &RecallOptions::default())?),
    }
    Ok(())
}

/// Measures recalls whose tokens nobody has counted: each by a store that was just opened.
fn uncounted(bench: &Bench, report: &mut Report) -> Result<()> {
    let mut speaker = Speaker::new(memory::SEED);
    let (notes, questions) = (speaker.notes(SMALL.notes), speaker.questions(UNCOUNTED + 1));
    for embedder in [BuiltIn::Static, BuiltIn::Encoder] {
        let folder = bench.folder()?;
        let dir = folder.path().join("store");
        let home = memory::home_with(&dir, &notes, embedder)?;
        home.store.close()?;
        let mut sample = Sample::with_capacity(UNCOUNTED);
        let [first, rest @ ..] = &*questions else { continue };
        for question in rest {
            let home = Home::open(&dir)?;
            home.store.start_indexing(Arc::new(embedder))?;
            ask_one(&home, &first.text, Ask::Hybrid)?;
            sample.time(|| ask_one(&home, &question.text, Ask::Recall))?;
            home.store.close()?;
        }
        let summary = sample.summary();
        let name = if embedder == BuiltIn::Static { "static vectors" } else { "encoder" };
        let what = format!("recall, {name}, uncounted, {} notes, p50", SMALL.notes);
        let row = Row::new(NAME, &what, summary.p50, Unit::Microseconds);
        report.add(row.bar(Bar::AtMost(UNCOUNTED_MAX)));
    }
    Ok(())
}
