//! `:search`: the docs below a directory that fit a query.

use homefs_core::{Path, Result, line_reference};

use super::table::Table;
use super::{Arguments, On, Probe, flag, invalid, question};
use crate::memory::{Hit, SearchKind, SearchOptions};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "search",
    on: On::Directory,
    arguments: &["query", "limit", "kind", "all", "format"],
    help: "what fits words best, by words and meaning; kind: hybrid, text or vector; all=1: what is ignored too",
    read,
    write: None,
};

/// How many hits are shown, and at most.
pub(super) const USUAL: usize = 10;
pub(super) const MOST: usize = 1000;

fn read(view: &View, directory: &Path, arguments: &Arguments) -> Result<String> {
    let kind = match arguments.get("kind") {
        None | Some("hybrid") => SearchKind::Hybrid,
        Some("text") => SearchKind::Text,
        Some("vector") => SearchKind::Vector,
        Some(other) => {
            return Err(invalid(format!("kind is hybrid, text or vector, not {other:?}")));
        }
    };
    let limit = arguments.limit(USUAL, MOST)?;
    let all = flag(arguments, "all")?;
    let options =
        SearchOptions { limit, kind, below: directory.clone(), all, ..SearchOptions::default() };
    table(view.search(question(arguments)?, &options)?).text(arguments)
}

/// Shows hits as rows.
pub(super) fn table(hits: Vec<Hit>) -> Table<5> {
    let row = |hit: Hit| {
        [
            format!("{:.3}", hit.score).into(),
            hit.path.as_str().into(),
            line_reference(hit.lines).into(),
            hit.title.into(),
            hit.excerpt.into(),
        ]
    };
    Table {
        columns: ["score", "path", "lines", "title", "excerpt"],
        rows: hits.into_iter().map(row).collect(),
        note: String::new(),
    }
}
