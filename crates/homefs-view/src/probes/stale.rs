//! `:stale`: the files below a directory that nobody seems to need.

use homefs_core::time::rfc3339;
use homefs_core::{Path, Result};

use super::table::Table;
use super::timeline::{MOST, USUAL};
use super::{Arguments, On, Probe, number};
use crate::memory::Noted;
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "stale",
    on: On::Directory,
    arguments: &["days", "limit", "format"],
    help: "the files below neither written nor read for some days, those of least value first",
    read,
    write: None,
};

/// After how many days a file is stale.
const DAYS: u32 = 90;
/// What must be known to believe the answer.
const NOTE: &str = "Reads are counted on this machine only, and those that the kernel answers from its cache are \
not seen.";

fn read(view: &View, directory: &Path, arguments: &Arguments) -> Result<String> {
    let days = number(arguments, "days", DAYS)?;
    let stale = view.stale(days, arguments.limit(USUAL, MOST)?, directory)?;
    let row = |noted: Noted| {
        [
            format!("{:.2}", noted.importance).into(),
            rfc3339(noted.modified).into(),
            noted.read.map_or_else(|| "never".into(), rfc3339).into(),
            noted.path.as_str().into(),
            noted.title.into(),
        ]
    };
    let rows = stale.into_iter().map(row).collect();
    let columns = ["importance", "modified", "read", "path", "title"];
    Table { columns, rows, note: NOTE.into() }.text(arguments)
}
