//! Files that are read one after another: several come with one call, which matters where each call
//! goes to another process.

use std::collections::VecDeque;
use std::vec::IntoIter;

use bytes::Bytes;
use homefs_core::Path;

use crate::files::Files;

/// How many files are asked for in one call at first, and at most.
const WINDOW_FIRST: usize = 4;
const WINDOW_MAX: usize = 64;

/// Goes through things of which most are files, and has the contents of some with them; whoever
/// gets nothing reads the file alone.
pub(crate) struct Ahead<'a, T, I> {
    files: &'a Files,
    coming: I,
    /// What was taken from there already.
    taken: VecDeque<(T, Option<Path>)>,
    /// The contents of the first of them.
    read: IntoIter<Bytes>,
    /// How many files the next call asks for: fewer after a call that did not read all, because
    /// what follows may be as large, or take as long.
    window: usize,
}

impl Files {
    /// Goes through `items` and reads the files ahead whose paths they have; one without a path ends
    /// what is read before it is reached.
    pub(crate) fn ahead<T, I>(&self, items: I) -> Ahead<'_, T, I::IntoIter>
    where
        I: IntoIterator<Item = (T, Option<Path>)>,
    {
        let (coming, read) = (items.into_iter(), Vec::new().into_iter());
        Ahead { files: self, coming, taken: VecDeque::new(), read, window: WINDOW_FIRST }
    }
}

impl<T, I: Iterator<Item = (T, Option<Path>)>> Ahead<'_, T, I> {
    fn ask(&mut self) {
        let ends = |taken: &VecDeque<(T, Option<Path>)>| {
            taken.back().is_some_and(|(_, path)| path.is_none())
        };
        while self.taken.len() < self.window && !ends(&self.taken) {
            let Some(item) = self.coming.next() else { break };
            self.taken.push_back(item);
        }
        let paths = self.taken.iter().map_while(|(_, path)| path.clone());
        let paths: Vec<Path> = paths.take(self.window).collect();
        let mut read = Vec::new();
        // One that could not be read with others is for whoever gets it.
        let asks = self.window > 1 && !paths.is_empty() && !self.files.interrupter.is_over();
        if asks {
            read = self.files.home.read_many(&paths).unwrap_or_default();
        }
        let all = read.len() == paths.len() || !asks;
        self.window = if all { WINDOW_MAX.min(self.window * 2) } else { read.len().max(1) };
        self.read = read.into_iter();
    }
}

impl<T, I: Iterator<Item = (T, Option<Path>)>> Iterator for Ahead<'_, T, I> {
    type Item = (T, Option<Bytes>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.read.len() == 0 {
            self.ask();
        }
        let (item, path) = self.taken.pop_front()?;
        let content = path.and_then(|_| self.read.next());
        Some((item, content.filter(|content| content.len() <= self.files.memory_bytes)))
    }
}
