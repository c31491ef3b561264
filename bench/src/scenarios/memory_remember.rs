//! Remembering a note: a file with a name of its own and what is known about it.

use std::sync::Arc;

use anyhow::Result;
use homefs_search::embed::BuiltIn;
use homefs_view::{RememberOptions, WriteOptions};

use super::{Scenario, memory};
use crate::bench::Bench;
use crate::home::{Home, files};
use crate::peers::notes::Speaker;
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary};

const NAME: &str = "memory-remember";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "remember a note of 150 bytes while the index follows, beside a plain write",
    run,
    child: None,
};

const NOTES: usize = 5_000;
const NOTE_BYTES: usize = 150;
const MICROSECONDS_MAX: f64 = 30.0;

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let home = Home::open(&folder.path().join("store"))?;
    home.store.start_indexing(Arc::new(BuiltIn::Encoder))?;
    let mut speaker = Speaker::new(memory::SEED);
    let count = bench.scaled(NOTES);
    let options = RememberOptions {
        importance: Some(0.7),
        tags: vec!["decision".to_owned()],
        ..RememberOptions::default()
    };
    let (mut remembered, mut written) = (Vec::new(), Vec::new());
    for round in 0..bench.rounds() {
        let mut sample = Sample::with_capacity(count);
        for note in speaker.notes(count) {
            sample.time(|| home.view.remember(&note, &options))?;
        }
        remembered.push(sample.summary());
        let files = files(&format!("round-{round}"), count)?;
        home.make_directories(&files)?;
        let mut sample = Sample::with_capacity(count);
        for (file, note) in files.iter().zip(speaker.notes(count)) {
            sample.time(|| home.view.write(file, note.as_bytes(), &WriteOptions::default()))?;
        }
        written.push(sample.summary());
        home.wait_for_fold()?;
    }
    let (remembered, written) = (Summary::of_rounds(&remembered), Summary::of_rounds(&written));
    report.add_latency(NAME, "remember", NOTE_BYTES, remembered);
    report.add_latency(NAME, "plain write", NOTE_BYTES, written);
    let row = Row::new(NAME, "remember, p50", remembered.p50, Unit::Microseconds);
    report.add(row.against("plain write", written.p50).bar(Bar::AtMost(MICROSECONDS_MAX)));
    Ok(home.store.close()?)
}
