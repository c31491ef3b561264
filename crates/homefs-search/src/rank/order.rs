//! Which docs were written one after another.
//!
//! An answer often stands next to what was found: the turn after a question, the note after its
//! occasion. What is next to a doc comes from facts: in a file of several docs the docs before and
//! behind it, else the files of its directory in the order they were made.

use std::{
    hash::{Hash, Hasher},
    ops::Range,
};

use rustc_hash::{FxHashMap, FxHasher};

use crate::index::File;

/// Files that were made further apart have nothing to do with one another.
const NEAR_NANOS: u64 = 3_600_000_000_000;

/// The files that have one doc each, by directory and the time they were made.
#[derive(Default)]
pub(crate) struct Order {
    // Invariant: each list ascends.
    directories: FxHashMap<u64, Vec<Entry>>,
}

/// One file: when it was made, the numbers in its name, the end of its node, and its doc.
type Entry = (i64, u64, u64, u32);

impl Order {
    /// Adds a file; one of several docs is an order of its own.
    pub(crate) fn insert(&mut self, file: &File, docs: &Range<u32>) {
        if docs.len() != 1 {
            return;
        }
        let entry = entry(file, docs.start);
        let list = self.directories.entry(directory(file)).or_default();
        // Files mostly come in the order they were made.
        if list.last().is_none_or(|last| *last < entry) {
            list.push(entry);
        } else if let Err(at) = list.binary_search(&entry) {
            list.insert(at, entry);
        }
    }

    /// Takes a file out.
    pub(crate) fn remove(&mut self, file: &File, docs: &Range<u32>) {
        let key = directory(file);
        let Some(list) = self.directories.get_mut(&key).filter(|_| docs.len() == 1) else {
            return;
        };
        if let Ok(at) = list.binary_search(&entry(file, docs.start)) {
            list.remove(at);
        }
        if list.is_empty() {
            self.directories.remove(&key);
        }
    }

    /// The docs before a doc and those behind it, the nearest first.
    pub(crate) fn around<'a>(
        &'a self,
        file: &File,
        docs: &Range<u32>,
        doc: u32,
    ) -> (impl Iterator<Item = u32> + 'a, impl Iterator<Item = u32> + 'a) {
        let own = entry(file, doc);
        let near = move |other: &&Entry| other.0.abs_diff(own.0) <= NEAR_NANOS;
        let list = if docs.len() == 1 { self.directories.get(&directory(file)) } else { None };
        let list = list.map_or(&[][..], Vec::as_slice);
        let at = list.partition_point(|other| *other < own);
        let behind = list.get(at + 1..).unwrap_or_default();
        // In a file of several docs there is no list, in one of a single doc no doc but it.
        (
            (docs.start..doc)
                .rev()
                .chain(list[..at].iter().rev().take_while(near).map(|one| one.3)),
            (doc + 1..docs.end).chain(behind.iter().take_while(near).map(|one| one.3)),
        )
    }

    /// Bytes of memory, nearly.
    pub(crate) fn size_bytes(&self) -> usize {
        let lists = self.directories.values().map(|list| list.capacity() * size_of::<Entry>());
        lists.sum::<usize>() + self.directories.capacity() * size_of::<(u64, Vec<Entry>)>()
    }
}

fn entry(file: &File, doc: u32) -> Entry {
    #[expect(clippy::cast_possible_truncation, reason = "it only has to differ")]
    let node = file.node as u64;
    (file.created, numbers(name(file)), node, doc)
}

/// The directory of a file, as a number.
fn directory(file: &File) -> u64 {
    let mut hasher = FxHasher::default();
    file.path[..file.path.len() - name(file).len()].hash(&mut hasher);
    hasher.finish()
}

fn name(file: &File) -> &str {
    file.path.rsplit('/').next().unwrap_or_default()
}

/// The last two numbers of a name, which order files that were made at the same time.
fn numbers(name: &str) -> u64 {
    let parts = name.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let number = |part: &str| part.parse::<u32>().unwrap_or(u32::MAX);
    parts.fold(0, |before, part| before << 32 | u64::from(number(part)))
}
