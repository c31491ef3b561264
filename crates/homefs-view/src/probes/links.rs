//! `FILE:links`: where the links of a note lead, and which notes link to it.

use homefs_core::{Path, Result};

use super::table::Table;
use super::{Arguments, On, Probe};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "links",
    on: On::File,
    arguments: &["format"],
    help: "where its links lead, and the notes with a link to it",
    read,
    write: None,
};

fn read(view: &View, file: &Path, arguments: &Arguments) -> Result<String> {
    let links = view.links(file)?;
    let to = links.to.into_iter().map(|link| {
        let path = link.path.map(|path| path.to_string()).unwrap_or_default();
        ["to".into(), path.into(), link.target.into()]
    });
    let from = links.from.iter().map(|path| ["from".into(), path.as_str().into(), "".into()]);
    let rows = to.chain(from).collect();
    Table { columns: ["link", "path", "written"], rows, note: String::new() }.text(arguments)
}
