//! `:recent`: the files below a directory that were changed last.

use std::cmp::Reverse;

use homefs_core::time::rfc3339;
use homefs_core::{Path, Result, Timestamp};
use homefs_store::model::Kind;

use super::table::Table;
use super::{Arguments, On, Probe, each, note};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "recent",
    on: On::Directory,
    arguments: &["query", "limit", "format"],
    help: "the files below that were changed last, newest first; query: a part of the path",
    read,
    write: None,
};

/// How many files are shown, and at most.
const USUAL: usize = 20;
const MOST: usize = 1000;

fn read(view: &View, directory: &Path, arguments: &Arguments) -> Result<String> {
    let limit = arguments.limit(USUAL, MOST)?;
    let query = arguments.get("query").unwrap_or_default();
    let mut newest: Vec<(Reverse<Timestamp>, Path, u64)> = Vec::new();
    let keep_newest = |newest: &mut Vec<_>| {
        newest.sort_unstable();
        newest.truncate(limit);
    };
    let cut = each(view, directory, |found| {
        if found.stat.kind == Kind::File && found.path.as_str().contains(query) {
            newest.push((Reverse(found.stat.modified), found.path.clone(), found.stat.size));
        }
        // Sorted now and then, so that a large tree needs little memory.
        if newest.len() >= 4 * MOST {
            keep_newest(&mut newest);
        }
    })?;
    keep_newest(&mut newest);
    let rows = newest.into_iter().map(|(Reverse(modified), path, size)| {
        [rfc3339(modified).into(), size.into(), path.as_str().into()]
    });
    let columns = ["modified", "bytes", "path"];
    Table { columns, rows: rows.collect(), note: note(cut) }.text(arguments)
}
