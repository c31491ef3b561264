//! Which docs were written one after another.
//!
//! An answer often stands next to what was found: the turn after a question, the note after its
//! occasion. What is next to a doc comes from facts: in a file of several docs the docs before and
//! behind it, else the files of its directory in the order they were made.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    hash::{Hash, Hasher},
    iter,
    ops::{Bound, Range},
};

use rustc_hash::FxHasher;

use crate::index::{File, Ignored};

/// Files that were made further apart have nothing to do with one another.
const NEAR_NANOS: u64 = 3_600_000_000_000;

/// How many files without a path are taken at most on each side of a file.
const ASKED_MAX: usize = 4;

/// The files that have one doc each.
#[derive(Default)]
pub(crate) struct Order {
    /// Those with a path, by directory and the time they were made.
    placed: BTreeSet<Entry>,
    /// Those of which the index tells no path, by that time and their docs: where they are depends
    /// on who asks, and so does what is beside them.
    unplaced: BTreeSet<(i64, u32)>,
}

/// One file: its directory, when it was made, the numbers in its name, its name, and its doc.
type Entry = (u64, i64, u64, Box<str>, u32);

impl Order {
    /// Adds a file; one of several docs is an order of its own.
    pub(crate) fn insert(&mut self, file: &File, docs: &Range<u32>) {
        if !is_ordered(file, docs) {
            return;
        }
        if file.path.is_empty() {
            self.unplaced.insert((file.created, docs.start));
        } else {
            self.placed.insert(entry(file, &file.path, docs.start));
        }
    }

    /// Adds many files.
    pub(crate) fn extend<'a>(&mut self, files: impl Iterator<Item = (&'a File, &'a Range<u32>)>) {
        let files = files.filter(|(file, docs)| is_ordered(file, docs));
        let (unplaced, placed): (Vec<_>, Vec<_>) =
            files.partition(|(file, _)| file.path.is_empty());
        self.unplaced.extend(unplaced.into_iter().map(|(file, docs)| (file.created, docs.start)));
        let entries = placed.into_iter().map(|(file, docs)| entry(file, &file.path, docs.start));
        if self.placed.is_empty() {
            // Sorted and built in one go, which takes a third of the time.
            self.placed = entries.collect();
        } else {
            self.placed.extend(entries);
        }
    }

    /// Takes a file out.
    pub(crate) fn remove(&mut self, file: &File, docs: &Range<u32>) {
        if !is_ordered(file, docs) {
            return;
        }
        if file.path.is_empty() {
            self.unplaced.remove(&(file.created, docs.start));
        } else {
            self.placed.remove(&entry(file, &file.path, docs.start));
        }
    }

    /// The docs before a doc and those behind it, the nearest first. `find` tells of which file a
    /// doc is, and where that is for who asks.
    pub(crate) fn around<'a>(
        &'a self,
        (file, docs): (&File, &Range<u32>),
        doc: u32,
        find: &dyn Fn(u32) -> Option<(&'a File, Cow<'a, str>)>,
    ) -> (impl Iterator<Item = u32> + use<'a>, impl Iterator<Item = u32> + use<'a>) {
        let place = |doc| {
            let (file, path) = find(doc)?;
            (!path.is_empty()).then(|| entry(file, &path, doc))
        };
        // In a file of several docs there is no other file, in one of a single doc no doc but it.
        let own = if is_ordered(file, docs) { place(doc) } else { None };
        let (before, behind) = own.map(|own| self.beside(&own, &place)).unzip();
        (
            (docs.start..doc).rev().chain(before.into_iter().flatten()),
            (doc + 1..docs.end).chain(behind.into_iter().flatten()),
        )
    }

    /// The docs of the files before a file and of those behind it, the nearest first.
    fn beside<'a>(
        &'a self,
        own: &Entry,
        place: &dyn Fn(u32) -> Option<Entry>,
    ) -> (impl Iterator<Item = u32> + use<'a>, impl Iterator<Item = u32> + use<'a>) {
        let (directory, created) = (own.0, own.1);
        let is_near =
            move |other: &Entry| other.0 == directory && other.1.abs_diff(created) <= NEAR_NANOS;
        let first = (created.saturating_sub_unsigned(NEAR_NANOS), 0);
        let last = (created.saturating_add_unsigned(NEAR_NANOS), u32::MAX);
        // The nearest in time, since where one is has to be asked for.
        let earlier = self.unplaced.range(first..=(created, u32::MAX)).rev();
        let earlier = earlier.filter_map(|(_, doc)| place(*doc));
        let mut before: Vec<_> =
            earlier.filter(|other| is_near(other) && other < own).take(ASKED_MAX).collect();
        let later = self.unplaced.range((created, 0)..=last);
        let later = later.filter_map(|(_, doc)| place(*doc));
        let mut behind: Vec<_> =
            later.filter(|other| is_near(other) && other > own).take(ASKED_MAX).collect();
        before.sort_unstable_by(|one, other| other.cmp(one));
        behind.sort_unstable();
        let near = move |other: &&Entry| is_near(other);
        let placed = self.placed.range(..own.clone()).rev().take_while(near);
        let before = merged(placed, before, Entry::gt);
        let placed = self.placed.range((Bound::Excluded(own.clone()), Bound::Unbounded));
        let behind = merged(placed.take_while(near), behind, Entry::lt);
        (before, behind)
    }

    /// Bytes of memory, nearly: nodes of a tree are three quarters full.
    pub(crate) fn size_bytes(&self) -> usize {
        let names: usize = self.placed.iter().map(|one| one.3.len()).sum();
        let unplaced = self.unplaced.len() * size_of::<(i64, u32)>();
        (self.placed.len() * size_of::<Entry>() + unplaced) * 4 / 3 + names
    }
}

/// The docs of two rows of files as one row: `is_first` tells which of two files comes first.
fn merged<'a>(
    placed: impl Iterator<Item = &'a Entry>,
    found: Vec<Entry>,
    is_first: fn(&Entry, &Entry) -> bool,
) -> impl Iterator<Item = u32> {
    let (mut placed, mut found) = (placed.peekable(), found.into_iter().peekable());
    iter::from_fn(move || {
        let next = match (placed.peek(), found.peek()) {
            (Some(one), Some(other)) if is_first(other, one) => None,
            _ => placed.next(),
        };
        next.map(|one| one.4).or_else(|| found.next().map(|one| one.4))
    })
}

/// Whether a file has a place among others: what is ignored has nothing to do with what is beside it.
fn is_ordered(file: &File, docs: &Range<u32>) -> bool {
    docs.len() == 1 && file.ignored == Ignored::No
}

fn entry(file: &File, path: &str, doc: u32) -> Entry {
    let name = path.rsplit('/').next().unwrap_or_default();
    let directory = directory(&path[..path.len() - name.len()]);
    (directory, file.created, numbers(name), name.into(), doc)
}

/// A directory, as a number.
fn directory(path: &str) -> u64 {
    let mut hasher = FxHasher::default();
    path.hash(&mut hasher);
    hasher.finish()
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

    /// The docs around the one at a place, of files that were made at one time, to who sees that
    /// those without a path are at these.
    fn around(files: &[File], seen: &[&str], at: u32) -> (Vec<u32>, Vec<u32>) {
        let mut order = Order::default();
        for (doc, file) in (0..).zip(files) {
            order.insert(file, &(doc..doc + 1));
        }
        let find = |doc: u32| {
            let file = &files[doc as usize];
            let seen = seen.get(doc as usize).copied().unwrap_or_default();
            Some((file, Cow::from(if file.path.is_empty() { seen } else { &*file.path })))
        };
        let (before, behind) = order.around((&files[at as usize], &(at..at + 1)), at, &find);
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
            assert_eq!(around(&files, &[], 0), (vec![2], vec![1]), "{nodes:?}");
        }
    }

    #[test]
    fn a_file_without_a_path_stands_where_who_asks_sees_it() {
        let paths = ["/log/3", "/log/1", "/log/5", "/log/2", "/else/4", "/log/4"];
        let all = paths.map(|path| file(1, path));
        for unplaced in 0..1_u32 << paths.len() {
            let is_unplaced = |at: usize| unplaced >> at & 1 == 1;
            let files: Vec<File> = (0..paths.len())
                .map(|at| file(1, if is_unplaced(at) { "" } else { paths[at] }))
                .collect();
            for at in 0..6 {
                assert_eq!(around(&files, &paths, at), around(&all, &[], at), "{unplaced:b}");
            }
        }
        assert_eq!(around(&all, &[], 0), (vec![3, 1], vec![5, 2]));
    }

    #[test]
    fn files_that_nobody_sees_are_no_neighbours() {
        let files = [file(1, ""), file(2, ""), file(3, "/at-the-root")];
        for at in 0..3 {
            assert_eq!(around(&files, &[], at), (vec![], vec![]));
        }
    }
}
