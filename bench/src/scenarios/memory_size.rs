//! What an index takes, on disk and in memory.

use anyhow::Result;
use homefs_search::embed::BuiltIn;

use super::{Scenario, memory};
use crate::bench::Bench;
use crate::home::Home;
use crate::peers::notes::Speaker;
use crate::report::{Bar, Report, Row, Unit};

const NAME: &str = "memory-size";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "the file and the memory of an index of 20,000 notes with the encoder's vectors",
    run,
    child: None,
};

const NOTES: usize = 20_000;
/// What an index may take: so many times the text, and so many bytes for each doc.
const TEXT_MAX: f64 = 1.5;
const DOC_BYTES_MAX: f64 = 400.0;

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let dir = folder.path().join("store");
    let notes = Speaker::new(memory::SEED).notes(bench.scaled(NOTES));
    let home = memory::home_with(&dir, &notes, BuiltIn::Encoder)?;
    home.store.close()?;
    // As it is found by whoever opens it: written down, read back.
    let home = Home::open(&dir)?;
    home.view.search("opens the index", &homefs_view::SearchOptions::default())?;
    let index = memory::index(&home)?;
    let text: usize = notes.iter().map(String::len).sum();
    let most = TEXT_MAX * text as f64 + DOC_BYTES_MAX * index.docs as f64;
    report.add(Row::new(NAME, "the text", text as f64 / 1e6, Unit::Megabytes));
    for (what, bytes) in [("file", index.file_bytes), ("memory", index.memory_bytes)] {
        let what = format!("{what} of the index of {} docs", index.docs);
        let row = Row::new(NAME, &what, bytes as f64 / 1e6, Unit::Megabytes);
        report.add(row.bar(Bar::AtMost(most / 1e6)));
    }
    Ok(home.store.close()?)
}
