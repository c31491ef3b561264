//! What changed since the index of the space looked.

use std::mem;

use homefs_core::NodeId;
use rustc_hash::FxHashSet;

/// What a tree tells the index of its space.
#[derive(Debug, Default)]
pub struct Unindexed {
    /// Nodes that changed since the index looked at them.
    pub nodes: FxHashSet<NodeId>,
    /// Those of them whose lineage may have changed.
    pub lineages: FxHashSet<NodeId>,
    /// Those of them that never were before: the base need not be asked for their lineage.
    pub fresh: FxHashSet<NodeId>,
    /// Whether something was purged: nothing of it may stay in the index's file.
    pub erased: bool,
}

impl Unindexed {
    /// Takes so many nodes out at most.
    #[must_use]
    pub fn take(&mut self, most: usize) -> Self {
        if self.nodes.len() <= most {
            return mem::take(self);
        }
        let nodes: FxHashSet<NodeId> = self.nodes.iter().copied().take(most).collect();
        // Not `retain`, which looks at all: there may be many, and the tree is locked.
        let (mut lineages, mut fresh) = (FxHashSet::default(), FxHashSet::default());
        for node in &nodes {
            self.nodes.remove(node);
            lineages.extend(self.lineages.take(node));
            fresh.extend(self.fresh.take(node));
        }
        Self { nodes, lineages, fresh, erased: mem::take(&mut self.erased) }
    }
}
