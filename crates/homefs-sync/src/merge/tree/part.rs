//! The part of the trees that a merge has to look at: of a hundred thousand nodes one may have
//! changed.
//!
//! What neither side changed stays as it is. A merge runs into it only if it lies above something
//! that changed, has a name that something is to have, is known as something that changed, or is in
//! a directory that goes. All but the last follows from what changed; the rest shows when the merge
//! is made, which is then made again with that.

use std::collections::BTreeSet;

use homefs_core::{NodeId, Result};
use homefs_store::model::Kind;

use super::{Link, MergedTree, Node, Tree};

/// The tree that both sides began with, as far as somebody asks for it.
pub trait Begun {
    /// Returns the lineage and the names of a node, if it was there.
    fn node(&mut self, node: NodeId) -> Result<Option<(NodeId, BTreeSet<Link>)>>;
    /// Returns the node that is known as a lineage, if any is.
    fn of_lineage(&mut self, lineage: NodeId) -> Result<Option<NodeId>>;
    /// Returns the node that has a name.
    fn named(&mut self, link: &Link) -> Result<Option<NodeId>>;
    /// Returns the nodes that have names in a directory.
    fn inside(&mut self, directory: NodeId) -> Result<Vec<NodeId>>;
}

/// The nodes that a merge looks at.
pub struct Part<B> {
    /// Where the rest is.
    pub begun: B,
    nodes: BTreeSet<NodeId>,
    /// How many of them were there when both began.
    old: usize,
}

impl<B: Begun> Part<B> {
    /// Makes a part without any node.
    pub fn new(begun: B) -> Self {
        Self { begun, nodes: BTreeSet::new(), old: 0 }
    }

    /// Tells whether a node belongs to it.
    pub fn has(&self, node: NodeId) -> bool {
        self.nodes.contains(&node)
    }

    /// Adds a node that has, or is to have, a lineage and names, with all that this may run into.
    pub fn add(&mut self, node: NodeId, lineage: NodeId, links: &BTreeSet<Link>) -> Result<()> {
        let mut waiting = vec![node];
        self.around(lineage, links, &mut waiting)?;
        while let Some(node) = waiting.pop() {
            if !self.nodes.insert(node) {
                continue;
            }
            waiting.extend(self.begun.of_lineage(node)?);
            if let Some((lineage, links)) = self.begun.node(node)? {
                self.old += 1;
                self.around(lineage, &links, &mut waiting)?;
            }
        }
        Ok(())
    }

    /// Finds what a node of this lineage and these names may run into.
    fn around(
        &mut self,
        lineage: NodeId,
        links: &BTreeSet<Link>,
        found: &mut Vec<NodeId>,
    ) -> Result<()> {
        found.push(lineage);
        found.extend(self.begun.of_lineage(lineage)?);
        for link in links {
            found.push(link.0);
            found.extend(self.begun.named(link)?);
        }
        Ok(())
    }

    /// Adds what a merge of this part of base, HEAD and pushed has run into; tells whether there was
    /// anything that it had not looked at.
    pub fn grow(&mut self, trees: [&Tree; 3], merged: &MergedTree) -> Result<bool> {
        let before = self.old;
        for (lineage, node) in &merged.changes {
            if let Some(node) = node {
                self.add(node.id, *lineage, &node.links)?;
            }
        }
        let [base, head, _] = trees;
        let is_directory = |node: &Node| node.traits.kind == Kind::Directory;
        for id in base.iter().filter(|(_, node)| is_directory(node)).map(|(id, _)| *id) {
            let after = merged.changes.get(&id).map_or_else(|| head.get(&id), Option::as_ref);
            if !after.is_some_and(is_directory) {
                for node in self.begun.inside(id)? {
                    self.add(node, node, &BTreeSet::new())?;
                }
            }
        }
        Ok(self.old > before)
    }
}
