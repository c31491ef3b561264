//! `:timeline`: the files below a directory by the time they were written.

use homefs_core::{Path, Result, Timestamp};

use super::table::Table;
use super::{Arguments, On, Probe, invalid};
use crate::memory::{Noted, TimelineOptions};
use crate::meta::{parse_time, rfc3339};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "timeline",
    on: On::Directory,
    arguments: &["after", "before", "limit", "format"],
    help: "the files below by the time they were written, newest first; after, before: a time or day",
    read,
    write: None,
};

/// How many files are shown, and at most.
pub(super) const USUAL: usize = 20;
pub(super) const MOST: usize = 1000;

fn read(view: &View, directory: &Path, arguments: &Arguments) -> Result<String> {
    let time = |key| arguments.get(key).map(moment).transpose();
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

/// Reads a time, or a day, which begins at midnight in UTC.
fn moment(text: &str) -> Result<Timestamp> {
    let time = parse_time(text).or_else(|| parse_time(&format!("{text}T00:00:00Z")));
    time.ok_or_else(|| {
        invalid(format!("{text:?} is no time, as 2026-01-31T12:00:00Z, and no day, as 2026-01-31"))
    })
}
