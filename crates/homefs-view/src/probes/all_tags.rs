//! `:tags` in a directory: which tags there are below it, or what has one of them.

use homefs_core::{Path, Result};

use super::table::Table;
use super::{Arguments, On, Probe, each, note};
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
    let Some(query) = arguments.get("query").map(|query| query.trim_start_matches('#')) else {
        let counted = view.tags(directory)?.into_iter();
        let rows = counted.map(|(tag, count)| [tag.into(), count.into()]).collect();
        return Table { columns: ["tag", "count"], rows, note: String::new() }.text(arguments);
    };
    let mut rows = Vec::new();
    let mut failed = Ok(());
    let cut = each(view, directory, |found| match view.tags_of(found) {
        Ok(tags) if tags.iter().any(|tag| tag == query) => {
            rows.push([found.path.as_str().into(), tags.join(",").into()]);
        }
        Ok(_) => {}
        Err(error) => failed = Err(error),
    })?;
    failed?;
    Table { columns: ["path", "tags"], rows, note: note(cut) }.text(arguments)
}
