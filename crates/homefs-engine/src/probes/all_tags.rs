//! `:tags` in a directory: which tags there are below it, or what has one of them.

use std::collections::BTreeMap;

use homefs_core::{Path, Result};

use super::table::Table;
use super::{Arguments, On, Probe, each, if_there, note};
use crate::model::{Found, Kind};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "tags",
    on: On::Directory,
    arguments: &["query", "format"],
    help: "the tags below and how often each is used; query: what has this tag",
    read,
    write: None,
};

fn read(view: &View, directory: &Path, arguments: &Arguments) -> Result<String> {
    let query = arguments.get("query").map(|query| query.trim_start_matches('#'));
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut tagged = Vec::new();
    let mut failed = Ok(());
    let cut = each(view, directory, |found| match tags_of(view, found) {
        Ok(tags) => {
            if query.is_some_and(|query| tags.iter().any(|tag| tag == query)) {
                tagged.push([found.path.as_str().into(), tags.join(",").into()]);
            }
            for tag in tags {
                *counts.entry(tag).or_default() += 1;
            }
        }
        Err(error) => failed = Err(error),
    })?;
    failed?;
    if query.is_some() {
        return Table { columns: ["path", "tags"], rows: tagged, note: note(cut) }.text(arguments);
    }
    let rows = counts.into_iter().map(|(tag, count)| [tag.into(), count.into()]).collect();
    Table { columns: ["tag", "count"], rows, note: note(cut) }.text(arguments)
}

fn tags_of(view: &View, found: &Found) -> Result<Vec<String>> {
    // What a link leads to is found where it is.
    if found.stat.kind == Kind::Link {
        return Ok(Vec::new());
    }
    let metadata = if_there(view.meta(&found.path))?;
    Ok(metadata.map(|metadata| metadata.tags).unwrap_or_default())
}
