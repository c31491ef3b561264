//! Giving every name to one node.

use std::collections::{BTreeMap, VecDeque};

use homefs_core::{Digest, NodeId, Result};
use homefs_store::model::Kind;

use super::super::content::beside_name;
use super::{Choice, Link, Merge, Node, links, living};

impl Merge<'_, '_> {
    /// Settles who has a name that several nodes have.
    pub(super) fn settle_names(&mut self) -> Result<()> {
        let mut waiting: Vec<(NodeId, Link)> =
            links(&self.tree).map(|(id, link)| (id, link.clone())).collect();
        // HEAD's names first, then those that the pushed side has, then new ones.
        waiting.sort_by_key(|(id, link)| {
            let has = |tree| living(tree, *id).is_some_and(|node| node.links.contains(link));
            (!has(self.head), !has(self.pushed))
        });
        let mut waiting = VecDeque::from(waiting);
        let mut names: BTreeMap<Link, NodeId> = BTreeMap::new();
        // A node that had to give way disappears or gets a name that is free, so this ends.
        while let Some((id, link)) = waiting.pop_front() {
            if !self.tree.get(&id).is_some_and(|node| node.links.contains(&link)) {
                continue;
            }
            let Some(&holder) = names.get(&link) else {
                names.insert(link, id);
                continue;
            };
            if holder == id {
                continue;
            }
            if self.is_stale_copy(id, holder) {
                self.tree.remove(&id);
                continue;
            }
            let directories =
                [holder, id].iter().all(|id| self.tree[id].traits.kind == Kind::Directory);
            let is_elsewhere = self.tree[&id].links.len() > 1;
            let is_known = living(self.head, id).is_some() && !self.replaces(id, &link);
            let known = is_known || is_elsewhere;
            if directories && !known {
                self.tree.remove(&id);
                self.move_children(id, holder, &mut names, &mut waiting);
            } else if known || !self.join(holder, id, &link)? {
                let free = self.rename(id, &link, &names);
                names.insert(free, id);
            }
        }
        Ok(())
    }

    /// Tells whether a file that only the pushed side made has just what another one of its name
    /// began with: a backup that one side made while the other renamed the file itself. Its text is
    /// in the history.
    fn is_stale_copy(&self, copy: NodeId, of: NodeId) -> bool {
        let (node, begun) = (&self.tree[&copy], self.base.get(&of));
        let is_new = !self.base.contains_key(&copy) && !self.head.contains_key(&copy);
        let is_alike = |old: &Node| old.traits.kind == Kind::File && old.content == node.content;
        is_new && node.links.len() == 1 && begun.is_some_and(is_alike)
    }

    /// Tells whether a node is how a program saved the file that had this name: it was made after
    /// that was last changed, and then put in its place. HEAD may know it by the name it had in
    /// between.
    fn replaces(&self, id: NodeId, link: &Link) -> bool {
        let had = living(self.head, id).is_some_and(|node| node.links.contains(link));
        let is_newer = |old: &Node| self.tree[&id].traits.created >= old.traits.modified;
        !had && self.old_file(link).is_some_and(is_newer)
    }

    /// Moves everything from one directory into another.
    fn move_children(
        &mut self,
        from: NodeId,
        to: NodeId,
        names: &mut BTreeMap<Link, NodeId>,
        waiting: &mut VecDeque<(NodeId, Link)>,
    ) {
        for (id, node) in &mut self.tree {
            let links: Vec<Link> =
                node.links.iter().filter(|(parent, _)| *parent == from).cloned().collect();
            for link in links {
                node.links.remove(&link);
                names.remove(&link);
                let link = (to, link.1);
                node.links.insert(link.clone());
                waiting.push_back((*id, link));
            }
        }
    }

    /// Makes one file of two that were written under one name; returns false if they must stay two.
    fn join(&mut self, holder: NodeId, id: NodeId, link: &Link) -> Result<bool> {
        let [ours, theirs] = [holder, id].map(|id| self.tree[&id].clone());
        if ours.traits.kind != theirs.traits.kind {
            return Ok(false);
        }
        if ours.traits.kind != Kind::File {
            let same = ours.traits.target == theirs.traits.target;
            self.tree.retain(|other, _| *other != id || !same);
            return Ok(same);
        }
        let base = self.old_file(link);
        let before = self.conflicts.len();
        let place = Node { links: [link.clone()].into(), ..ours.clone() };
        let (merged, apart) = self.merge_rest(holder, base, place, &theirs)?;
        if apart {
            self.conflicts.truncate(before);
            return Ok(false);
        }
        self.tree.remove(&id);
        self.tree.insert(holder, Node { id: ours.id, links: ours.links, ..merged });
        // Its one name lives on: it was changed, not removed.
        self.conflicts.retain(|conflict| {
            conflict.choice != Choice::Kept || ![holder, id].contains(&conflict.node)
        });
        Ok(true)
    }

    /// Gives a node a name that nobody has.
    fn rename(&mut self, id: NodeId, link: &Link, names: &BTreeMap<Link, NodeId>) -> Link {
        let node = self.tree.get_mut(&id).expect("only merged nodes have names");
        // By what the node is: whoever merges again, after its content changed, finds the name.
        let mut mark = Digest::of(&id.to_bytes());
        let free = loop {
            let free = (link.0, beside_name(&link.1, mark).into());
            // It may have that name from a merge before.
            if names.get(&free).is_none_or(|holder| *holder == id) {
                break free;
            }
            mark = Digest::of(&mark.0);
        };
        node.links.remove(link);
        node.links.insert(free.clone());
        self.note(id, Choice::Renamed);
        free
    }
}
