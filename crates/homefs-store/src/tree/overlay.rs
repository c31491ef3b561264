//! The lock around the overlay of a space, which is taken here and nowhere else.
//!
//! There are three ways in: to look; to let what is known in memory grow and shrink, which changes
//! nothing that records say, and which methods of `Space` do for other crates; and to write, which
//! only records do.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use homefs_core::{AgentId, NodeId, Path, Timestamp};
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::Tree;
use crate::ground::Ground;
use crate::journal::Position;
use crate::record::{Change, Record};

/// The overlay of one space, which many look at and one changes.
pub struct Overlay {
    tree: RwLock<Tree>,
    ground: Arc<Ground>,
}

impl Overlay {
    /// Shares an overlay.
    pub fn new(tree: Tree, ground: Arc<Ground>) -> Self {
        Self { tree: RwLock::new(tree), ground }
    }

    /// Lets nobody change it while it is looked at.
    pub fn read(&self) -> RwLockReadGuard<'_, Tree> {
        self.tree.read()
    }

    /// Lets what was read elsewhere be kept, and memory be given back.
    pub(crate) fn memory(&self) -> Memory<'_> {
        Memory(Counted::new(self))
    }

    /// Lets records be applied.
    pub fn writer(&self) -> Writer<'_> {
        Writer(Counted::new(self))
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        let resident = self.tree.get_mut().resident_bytes;
        count(&self.ground.resident_bytes, resident, 0);
    }
}

/// What an overlay has in memory; nobody else sees it meanwhile.
pub(crate) struct Memory<'a>(Counted<'a>);

impl Deref for Memory<'_> {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.0.tree
    }
}

impl DerefMut for Memory<'_> {
    fn deref_mut(&mut self) -> &mut Tree {
        &mut self.0.tree
    }
}

/// Changes an overlay by what is recorded; nobody else sees it meanwhile.
pub struct Writer<'a>(Counted<'a>);

impl Deref for Writer<'_> {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.0.tree
    }
}

impl Writer<'_> {
    /// Applies a record for which [`Tree::ready`] holds, and which ends at a journal position.
    pub fn apply(&mut self, record: Record, position: Position) {
        self.0.tree.apply(record, position);
    }

    /// Applies the rest of a record that the base has, except for what was not settled then.
    pub(crate) fn apply_rest(&mut self, record: Record, position: Position) {
        let (version, usage) = (self.version, self.usage);
        let tree = &mut self.0.tree;
        tree.apply(record, position);
        (tree.version, tree.usage) = (version, usage);
    }

    /// As [`Tree::note_successors`].
    pub(crate) fn note_successors(&mut self, removed: &[(NodeId, Path)]) {
        self.0.tree.note_successors(removed);
    }

    /// Applies changes of a node without a name, which are in no record.
    pub(crate) fn apply_to_orphan(
        &mut self,
        changes: Vec<Change>,
        time: Timestamp,
        agent: &AgentId,
    ) {
        self.0.tree.apply_to_orphan(changes, time, agent);
    }
}

/// Keeps the count of contents in memory over all spaces.
struct Counted<'a> {
    tree: RwLockWriteGuard<'a, Tree>,
    before: u64,
    all: &'a AtomicU64,
}

impl<'a> Counted<'a> {
    fn new(overlay: &'a Overlay) -> Self {
        let tree = overlay.tree.write();
        Self { before: tree.resident_bytes, tree, all: &overlay.ground.resident_bytes }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        if self.before != self.tree.resident_bytes {
            count(self.all, self.before, self.tree.resident_bytes);
        }
    }
}

fn count(all: &AtomicU64, before: u64, after: u64) {
    // Wrapping: a difference may be negative, and the sum of all never is.
    all.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
}
