//! Counts the nodes of the last known commit that are read, for the tests that bound it.

use std::cell::Cell;

thread_local! {
    static READ: Cell<usize> = const { Cell::new(0) };
}

/// Counts a node that was read.
pub(super) fn count() {
    READ.with(|read| read.set(read.get() + 1));
}

/// Returns how many nodes this thread has read since it was last asked.
pub fn take() -> usize {
    READ.with(Cell::take)
}
