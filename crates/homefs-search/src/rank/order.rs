//! Which docs were written one after another.
//!
//! An answer often stands next to what was found: the turn after a question, the note after its
//! occasion. What is next to a doc comes from facts: in a file of several docs the docs before and
//! behind it, else the files of its directory in the order they were made.

use std::{collections::BTreeMap, ops::Range};

use super::reach;
use crate::index::{File, Index};

/// Files that were made further apart have nothing to do with one another.
const NEAR_NANOS: u64 = 3_600_000_000_000;

/// The files of some directories that have one doc each, by the time they were made.
pub(super) struct Order<'a> {
    // Invariant: each list ascends.
    directories: BTreeMap<&'a str, Vec<Entry>>,
}

/// One file: when it was made, the numbers in its name, its node and its doc.
type Entry = (i64, u64, u128, u32);

impl<'a> Order<'a> {
    /// The order in the directories of some docs.
    pub(super) fn around(index: &'a Index, docs: &[u32]) -> Self {
        let mut directories = BTreeMap::new();
        let (mut first, mut last) = (i64::MAX, i64::MIN);
        for file in docs.iter().filter_map(|doc| reach::file_of(index, *doc)) {
            directories.insert(directory(file), Vec::new());
            (first, last) = (first.min(file.created), last.max(file.created));
        }
        for file in index.files() {
            // The time is at hand; to look a directory up costs more.
            let nearest = file.created.min(last).max(first);
            if gap(file.created, nearest) > NEAR_NANOS {
                continue;
            }
            if let Some(list) = directories.get_mut(directory(file)) {
                let docs = index.docs_of(file.node);
                if docs.len() == 1 {
                    list.push(entry(file, docs.start));
                }
            }
        }
        for list in directories.values_mut() {
            list.sort_unstable();
        }
        Self { directories }
    }

    /// The docs before a doc and those behind it, the nearest first.
    pub(super) fn of(
        &self,
        file: &File,
        docs: Range<u32>,
        doc: u32,
    ) -> (impl Iterator<Item = u32> + '_, impl Iterator<Item = u32> + '_) {
        let own = entry(file, doc);
        let near = move |other: &&Entry| gap(other.0, own.0) <= NEAR_NANOS;
        // A file of several docs is an order of its own, and in no list.
        let list = if docs.len() == 1 { self.directories.get(directory(file)) } else { None };
        let list = list.map_or(&[][..], Vec::as_slice);
        let at = list.partition_point(|other| *other < own);
        let behind = list.get(at + 1..).unwrap_or_default();
        (
            (docs.start..doc)
                .rev()
                .chain(list[..at].iter().rev().take_while(near).map(|one| one.3)),
            (doc + 1..docs.end).chain(behind.iter().take_while(near).map(|one| one.3)),
        )
    }
}

fn entry(file: &File, doc: u32) -> Entry {
    (file.created, numbers(file.path.rsplit('/').next().unwrap_or_default()), file.node, doc)
}

fn directory(file: &File) -> &str {
    file.path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The last two numbers of a name, which order files that were made at the same time.
fn numbers(name: &str) -> u64 {
    let parts = name.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let number = |part: &str| part.parse::<u32>().unwrap_or(u32::MAX);
    parts.fold(0, |before, part| before << 32 | u64::from(number(part)))
}

fn gap(one: i64, other: i64) -> u64 {
    one.abs_diff(other)
}
