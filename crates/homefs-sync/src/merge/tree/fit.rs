//! Making every node reachable: directories that are needed come back, circles are opened.

use std::collections::BTreeSet;

use homefs_core::NodeId;
use homefs_store::model::Kind;

use super::{Choice, Merge, Node, links, living};

impl Merge<'_, '_> {
    /// Makes every node lie below the root.
    pub(super) fn fit_directories(&mut self) {
        for node in self.tree.values_mut().filter(|node| node.traits.kind == Kind::Directory) {
            while node.links.len() > 1 {
                node.links.pop_last();
            }
        }
        self.revive(self.tree.keys().copied().collect());
        // Each turn puts one more directory where HEAD has it, or below the root, and none of them
        // is moved again; so this ends.
        while let Some(circle) = self.circle() {
            let movable = circle.iter().find(|id| {
                living(self.head, **id).is_some_and(|node| node.links != self.tree[*id].links)
            });
            let id = movable.or(circle.first()).copied().expect("a circle has a directory");
            let links =
                movable.and_then(|id| living(self.head, *id)).map(|node| node.links.clone());
            let merged = self.tree.get_mut(&id).expect("a circle is made of merged nodes");
            let name = merged.links.pop_first().map(|(_, name)| name).unwrap_or_default();
            merged.links = links.unwrap_or_else(|| [(NodeId::ROOT, name)].into());
            self.note(id, Choice::Circle);
            self.revive(vec![id]);
        }
    }

    /// Brings back the directories above these nodes.
    fn revive(&mut self, mut nodes: Vec<NodeId>) {
        while let Some(id) = nodes.pop() {
            let Some(node) = self.tree.get(&id) else { continue };
            for (parent, name) in node.links.clone() {
                let is_there = |node: &Node| node.traits.kind == Kind::Directory;
                if parent == NodeId::ROOT || self.tree.get(&parent).is_some_and(is_there) {
                    continue;
                }
                let trees = [self.head, self.pushed, self.base];
                let found =
                    trees.into_iter().filter_map(|tree| living(tree, parent)).find(|n| is_there(n));
                if let Some(found) = found.filter(|_| !self.tree.contains_key(&parent)) {
                    self.tree.insert(parent, found.clone());
                    self.note(parent, Choice::KeptDirectory);
                    nodes.push(parent);
                } else {
                    // No history has this directory: better at the top than nowhere.
                    let node = self.tree.get_mut(&id).expect("it was found above");
                    node.links.remove(&(parent, name.clone()));
                    node.links.insert((NodeId::ROOT, name));
                }
            }
        }
    }

    /// Lets directories go that came back for something that was then moved elsewhere.
    pub(super) fn drop_empty(&mut self) {
        loop {
            let full: BTreeSet<NodeId> = links(&self.tree).map(|(_, link)| link.0).collect();
            let before = self.conflicts.len();
            self.conflicts.retain(|conflict| {
                let is_empty =
                    conflict.choice == Choice::KeptDirectory && !full.contains(&conflict.node);
                if is_empty {
                    self.tree.remove(&conflict.node);
                }
                !is_empty
            });
            if self.conflicts.len() == before {
                return;
            }
        }
    }

    /// Finds directories that lie in each other, in the order of their ids.
    fn circle(&self) -> Option<BTreeSet<NodeId>> {
        let mut reached = BTreeSet::from([NodeId::ROOT]);
        let directories = self.tree.iter().filter(|(_, node)| node.traits.kind == Kind::Directory);
        for (start, _) in directories {
            let mut way = Vec::new();
            let mut at = *start;
            while !reached.contains(&at) {
                if let Some(first) = way.iter().position(|passed| *passed == at) {
                    return Some(way[first..].iter().copied().collect());
                }
                way.push(at);
                let link = self.tree.get(&at).and_then(|node| node.links.first());
                at = link.map_or(NodeId::ROOT, |(parent, _)| *parent);
            }
            reached.extend(way);
        }
        None
    }
}
