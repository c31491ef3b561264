//! What the index of a space hears of its tree: which nodes it must look at.

use homefs_core::{NodeId, Version};

use crate::space::Space;
use crate::tree::Unindexed;

/// What an index takes of the changes that it has not looked at.
#[derive(Debug)]
pub struct TakenChanges {
    /// The version of the tree that they lead to, once there are no more.
    pub version: Version,
    /// What changed.
    pub changed: Unindexed,
    /// Whether there is more.
    pub has_more: bool,
}

impl Space {
    /// Notes from now on what changes, for an index; or no longer.
    pub fn set_indexed(&self, is_indexed: bool) {
        self.tree.memory().set_indexed(is_indexed);
    }

    /// Lets an index that begins look at nodes whose lineage may have changed while nobody looked, at
    /// others, and at every file with a content that is not settled.
    pub fn begin_index(
        &self,
        lineages: impl IntoIterator<Item = NodeId>,
        others: impl IntoIterator<Item = NodeId>,
    ) {
        let mut tree = self.tree.memory();
        let staged: Vec<NodeId> = tree.staged().collect();
        tree.note_lineages(lineages);
        tree.note_unindexed(staged.into_iter().chain(others));
    }

    /// Lets the index, if there is one, look at nodes again.
    pub fn note_unindexed(&self, nodes: impl IntoIterator<Item = NodeId>) {
        self.tree.memory().note_unindexed(nodes);
    }

    /// Takes so many changes at most that the index has not looked at.
    pub fn take_unindexed(&self, most: usize) -> TakenChanges {
        let mut tree = self.tree.memory();
        let version = tree.version();
        let changed = tree.unindexed_mut().map(|all| all.take(most)).unwrap_or_default();
        let has_more = tree.unindexed().is_some_and(|all| !all.nodes.is_empty());
        TakenChanges { version, changed, has_more }
    }
}
