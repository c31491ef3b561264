//! Many small runs of bytes in one allocation.

use super::vocabulary::small;

/// Runs of bytes, numbered from 0 in the order they came.
#[derive(Default)]
pub(crate) struct Arena {
    bytes: Vec<u8>,
    // Invariant: ascending, the last one the length of `bytes`.
    ends: Vec<u32>,
}

impl Arena {
    /// How many runs there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a run that `write` appends.
    pub(crate) fn push_with<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let written = write(&mut self.bytes);
        self.ends.push(small(self.bytes.len()));
        written
    }

    /// Adds a run.
    pub(crate) fn push(&mut self, run: &[u8]) {
        self.push_with(|bytes| bytes.extend_from_slice(run));
    }

    /// The run of a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.bytes[start..self.ends[at] as usize]
    }

    /// Makes room for more.
    pub(crate) fn reserve(&mut self, runs: usize, bytes: usize) {
        self.ends.reserve(runs);
        self.bytes.reserve(bytes);
    }

    /// Bytes of memory.
    pub(crate) fn size_bytes(&self) -> usize {
        self.bytes.capacity() + 4 * self.ends.capacity()
    }
}
