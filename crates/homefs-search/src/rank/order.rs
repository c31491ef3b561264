//! Which docs were written one after another.
//!
//! An answer often stands next to what was found: the turn after a question, the note after its
//! occasion. What is next to a doc comes from facts: in a file of several docs the docs before and
//! behind it, else the files of its directory in the order they were made.

use std::{
    collections::BTreeSet,
    hash::{Hash, Hasher},
    ops::Range,
};

use rustc_hash::FxHasher;

use crate::index::{File, Ignored};

/// Files that were made further apart have nothing to do with one another.
const NEAR_NANOS: u64 = 3_600_000_000_000;

/// The files that have one doc each and a path, by directory and the time they were made.
#[derive(Default)]
pub(crate) struct Order(BTreeSet<Entry>);

/// One file: its directory, when it was made, the numbers in its name, its name, and its doc.
type Entry = (u64, i64, u64, Box<str>, u32);

impl Order {
    /// Adds a file; one of several docs is an order of its own.
    pub(crate) fn insert(&mut self, file: &File, docs: &Range<u32>) {
        if is_ordered(file, docs) {
            self.0.insert(entry(file, docs.start));
        }
    }

    /// Adds many files.
    pub(crate) fn extend<'a>(&mut self, files: impl Iterator<Item = (&'a File, &'a Range<u32>)>) {
        let files = files.filter(|(file, docs)| is_ordered(file, docs));
        let entries = files.map(|(file, docs)| entry(file, docs.start));
        if self.0.is_empty() {
            // Sorted and built in one go, which takes a third of the time.
            self.0 = entries.collect();
        } else {
            self.0.extend(entries);
        }
    }

    /// Takes a file out.
    pub(crate) fn remove(&mut self, file: &File, docs: &Range<u32>) {
        if is_ordered(file, docs) {
            self.0.remove(&entry(file, docs.start));
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
        let (directory, created) = (own.0, own.1);
        let near =
            move |other: &&Entry| other.0 == directory && other.1.abs_diff(created) <= NEAR_NANOS;
        // In a file of several docs there is no other file, in one of a single doc no doc but it.
        let (before, behind) = if is_ordered(file, docs) {
            (Some(self.0.range(..own.clone())), Some(self.0.range(own..).skip(1)))
        } else {
            (None, None)
        };
        let before = before.into_iter().flat_map(Iterator::rev).take_while(near);
        let behind = behind.into_iter().flatten().take_while(near);
        (
            (docs.start..doc).rev().chain(before.map(|one| one.4)),
            (doc + 1..docs.end).chain(behind.map(|one| one.4)),
        )
    }

    /// Bytes of memory, nearly: nodes of a tree are three quarters full.
    pub(crate) fn size_bytes(&self) -> usize {
        let names: usize = self.0.iter().map(|one| one.3.len()).sum();
        self.0.len() * size_of::<Entry>() * 4 / 3 + names
    }
}

/// Whether a file has a place among others: without a path it is in no directory, and what is
/// ignored has nothing to do with what is beside it.
fn is_ordered(file: &File, docs: &Range<u32>) -> bool {
    docs.len() == 1 && !file.path.is_empty() && file.ignored == Ignored::No
}

fn entry(file: &File, doc: u32) -> Entry {
    (directory(file), file.created, numbers(name(file)), name(file).into(), doc)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn file(node: u128, path: &str) -> File {
        File {
            node,
            lineage: node,
            version: 1,
            path: path.into(),
            title: "".into(),
            tags: Vec::new(),
            created: 7,
            modified: 7,
            importance: 0.5,
            source: "".into(),
            supersedes: None,
            ignored: Ignored::No,
            rules: "".into(),
        }
    }

    /// The docs around the one at a place, of files that were made at one time.
    fn around(files: &[File], at: u32) -> (Vec<u32>, Vec<u32>) {
        let mut order = Order::default();
        for (doc, file) in (0..).zip(files) {
            order.insert(file, &(doc..doc + 1));
        }
        let (before, behind) = order.around(&files[at as usize], &(at..at + 1), at);
        (before.collect(), behind.collect())
    }

    #[test]
    fn files_of_one_moment_stand_by_their_names() {
        for nodes in [[1, 2, 3], [3, 1, 2], [2, 3, 1]] {
            let files = [
                file(nodes[0], "/log/second"),
                file(nodes[1], "/log/third"),
                file(nodes[2], "/log/first"),
            ];
            assert_eq!(around(&files, 0), (vec![2], vec![1]), "{nodes:?}");
        }
    }

    #[test]
    fn files_without_a_path_are_no_neighbours() {
        let files = [file(1, ""), file(2, ""), file(3, "/at-the-root")];
        for at in 0..3 {
            assert_eq!(around(&files, at), (vec![], vec![]));
        }
    }
}
