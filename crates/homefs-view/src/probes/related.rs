//! `FILE:related`: the files that are most like a file.

use homefs_core::{Path, Result};

use super::search::{MOST, USUAL, table};
use super::{Arguments, On, Probe};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "related",
    on: On::File,
    arguments: &["limit", "format"],
    help: "the files that are most like it",
    read,
    write: None,
};

fn read(view: &View, file: &Path, arguments: &Arguments) -> Result<String> {
    table(view.related(file, arguments.limit(USUAL, MOST)?)?).text(arguments)
}
