//! `:stats`: how much there is below a directory.

use homefs_core::{Path, Result};
use homefs_store::model::Kind;

use super::table::Table;
use super::{Arguments, On, Probe, each, note};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "stats",
    on: On::Directory,
    arguments: &["format"],
    help: "how many files, directories, links and bytes are below",
    read,
    write: None,
};

fn read(view: &View, directory: &Path, arguments: &Arguments) -> Result<String> {
    let (mut files, mut directories, mut links, mut special) = (0u64, 0u64, 0u64, 0u64);
    let (mut bytes, mut expiring) = (0u64, 0u64);
    let cut = each(view, directory, |found| {
        match found.stat.kind {
            Kind::File => {
                files += 1;
                bytes += found.stat.size;
            }
            Kind::Directory => directories += 1,
            Kind::Link => links += 1,
            Kind::Special(_) => special += 1,
        }
        expiring += u64::from(found.stat.expires.is_some());
    })?;
    let rows = [
        ("files", files),
        ("directories", directories),
        ("links", links),
        ("special files", special),
        ("bytes", bytes),
        ("files that expire", expiring),
    ];
    let rows = rows.map(|(what, count)| [what.into(), count.into()]).into();
    Table { columns: ["what", "count"], rows, note: note(cut) }.text(arguments)
}
