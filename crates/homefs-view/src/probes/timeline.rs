//! `:timeline`: the files below a directory by the time they were written.

use homefs_core::time::{rfc3339, time};
use homefs_core::{Path, Result};

use super::table::Table;
use super::{Arguments, On, Probe};
use crate::memory::{Noted, TimelineOptions};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "timeline",
    on: On::Directory,
    arguments: &["after", "before", "limit", "format"],
    help: "the files below by the time they were written, newest first; after, before: a day, `2h ago`",
    read,
    write: None,
};

/// How many files are shown, and at most.
pub(super) const USUAL: usize = 20;
pub(super) const MOST: usize = 1000;

fn read(view: &View, directory: &Path, arguments: &Arguments) -> Result<String> {
    let here = view.here();
    let time = |key| arguments.get(key).map(|text| time(text, &here)).transpose();
    let noted = view.timeline(&TimelineOptions {
        after: time("after")?,
        before: time("before")?,
        limit: arguments.limit(USUAL, MOST)?,
        below: directory.clone(),
    })?;
    let row = |noted: Noted| {
        [
            rfc3339(noted.modified).into(),
            noted.path.as_str().into(),
            noted.title.into(),
            noted.tags.join(",").into(),
        ]
    };
    let rows = noted.into_iter().map(row).collect();
    let columns = ["modified", "path", "title", "tags"];
    Table { columns, rows, note: String::new() }.text(arguments)
}
