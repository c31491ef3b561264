//! `FILE:history`: the versions of a file.

use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::time::rfc3339;
use homefs_core::{Path, Result};

use super::table::Table;
use super::{Arguments, On, Probe};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "history",
    on: On::File,
    arguments: &["limit", "format"],
    help: "its versions, newest first",
    read,
    write: None,
};

/// How many versions are shown.
const USUAL: usize = 100;

fn read(view: &View, file: &Path, arguments: &Arguments) -> Result<String> {
    let editions = view.log(file, None, arguments.limit(USUAL, PAGE_ENTRIES_MAX)?)?;
    let rows = editions.into_iter().map(|edition| {
        [
            edition.version.0.into(),
            rfc3339(edition.time).into(),
            edition.agent.as_str().into(),
            edition.size.into(),
        ]
    });
    let columns = ["version", "time", "agent", "bytes"];
    Table { columns, rows: rows.collect(), note: String::new() }.text(arguments)
}
