//! `:conflicts`: what two machines changed below a directory, and what was done about it.

use homefs_core::time::rfc3339;
use homefs_core::{Path, Result};

use super::table::Table;
use super::{Arguments, On, Probe};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "conflicts",
    on: On::Directory,
    arguments: &["format"],
    help: "what machines changed at the same time below, until somebody resolves it",
    read,
    write: None,
};

fn read(view: &View, directory: &Path, arguments: &Arguments) -> Result<String> {
    let conflicts = view.conflicts()?.into_iter();
    let rows = conflicts.filter(|conflict| conflict.path.strip_prefix(directory).is_some());
    let rows = rows.map(|conflict| {
        let beside = conflict.beside.map(|path| path.to_string()).unwrap_or_default();
        [
            conflict.number.into(),
            rfc3339(conflict.time).into(),
            conflict.path.as_str().into(),
            conflict.what.into(),
            beside.into(),
            conflict.machine.into(),
        ]
    });
    let columns = ["number", "time", "path", "what", "beside", "merged by"];
    Table { columns, rows: rows.collect(), note: String::new() }.text(arguments)
}
