//! Merging one node on its own.

use std::collections::BTreeSet;

use homefs_core::{Digest, NodeId, Result};
use homefs_store::model::{Kind, Xattrs};

use super::super::content::beside_name;
use super::super::pick;
use super::{
    Choice, Conflict, ContentPair, Link, Merge, MergedDigest, Node, drawn_id, living, merge_sets,
    tags,
};
use crate::traits::Traits;

/// The attribute that lists tags, to which both sides may add.
const TAGS: &str = "user.homefs.tags";

impl Merge<'_, '_> {
    /// Merges one node.
    pub(super) fn merge_node(&mut self, id: NodeId) -> Result<()> {
        let [base, head, pushed] = [self.base, self.head, self.pushed].map(|tree| living(tree, id));
        let merged = match (head, pushed) {
            (None, None) => return Ok(()),
            (Some(head), Some(pushed)) => match pick(base, Some(head), Some(pushed)) {
                Some(one) => one.cloned(),
                None => Some(self.merge_both(id, base, head, pushed)?),
            },
            (Some(one), None) | (None, Some(one)) => match base {
                None => Some(one.clone()),
                // A directory stays only if something lives in it.
                Some(base) if one.traits.kind == Kind::Directory || !edited(base, one) => None,
                Some(base) => kept(base, one).inspect(|_| self.note(id, Choice::Kept)),
            },
        };
        self.tree.extend(merged.map(|node| (id, node)));
        Ok(())
    }

    /// Merges a node that both changed.
    fn merge_both(
        &mut self,
        id: NodeId,
        base: Option<&Node>,
        head: &Node,
        pushed: &Node,
    ) -> Result<Node> {
        let (links, apart) = match base {
            // It is where HEAD put it, if another merge brought it there.
            None => (head.links.clone(), false),
            Some(base) if head.traits.kind == Kind::Directory => {
                let one = pick(&base.links, &head.links, &pushed.links);
                (one.unwrap_or(&head.links).clone(), one.is_none())
            }
            Some(base) => merge_links(&base.links, &head.links, &pushed.links),
        };
        if apart {
            self.note(id, Choice::HeadsName);
        }
        let links = if links.is_empty() { head.links.clone() } else { links };
        let base = base.or_else(|| links.iter().find_map(|link| self.old_file(link)));
        let (node, apart) = self.merge_rest(id, base, Node { links, ..head.clone() }, pushed)?;
        if apart {
            self.put_beside(id, &node, pushed);
        }
        Ok(node)
    }

    /// Merges everything but the names of a node, which are those of `head`; tells whether the
    /// contents must stay apart, so that it has HEAD's.
    pub(super) fn merge_rest(
        &mut self,
        id: NodeId,
        base: Option<&Node>,
        head: Node,
        pushed: &Node,
    ) -> Result<(Node, bool)> {
        let mut chosen = false;
        let old = base.unwrap_or(&head);
        let mode = one(old.traits.mode, head.traits.mode, pushed.traits.mode, &mut chosen);
        let expires =
            one(old.traits.expires, head.traits.expires, pushed.traits.expires, &mut chosen);
        let target =
            one(&old.traits.target, &head.traits.target, &pushed.traits.target, &mut chosen)
                .clone();
        let xattrs = merge_xattrs(base, &head.traits.xattrs, &pushed.traits.xattrs, &mut chosen);
        if chosen {
            self.note(id, Choice::HeadsAttributes);
        }
        let (content, apart) =
            self.merge_digests(id, base.and_then(|base| base.content), &head, pushed)?;
        let modified = pick(old.traits.modified, head.traits.modified, pushed.traits.modified);
        let node = Node {
            // Only what both know can be gone: HEAD's stays, if nobody knows what they began with.
            id: base.and_then(|base| pick(base.id, head.id, pushed.id)).unwrap_or(head.id),
            traits: Traits {
                mode,
                expires,
                target,
                xattrs,
                created: head.traits.created.min(pushed.traits.created),
                modified: modified.unwrap_or(head.traits.modified.max(pushed.traits.modified)),
                ..head.traits
            },
            content,
            links: head.links,
        };
        Ok((node, apart))
    }

    /// Merges what a file holds; tells whether the contents must stay apart, so that it is HEAD's.
    fn merge_digests(
        &mut self,
        id: NodeId,
        base: Option<Digest>,
        head: &Node,
        pushed: &Node,
    ) -> Result<(Option<Digest>, bool)> {
        let (Some(ours), Some(theirs)) = (head.content, pushed.content) else {
            return Ok((head.content.or(pushed.content), false));
        };
        // Without a base, that a content differs from it says nothing.
        let one = pick(base.unwrap_or(ours), ours, theirs);
        if let Some(one) = one.filter(|_| base.is_some() || ours == theirs) {
            return Ok((Some(one), false));
        }
        let name = head.links.first().map_or("", |(_, name)| name);
        match (self.contents)(ContentPair { name, base, head: ours, pushed: theirs })? {
            MergedDigest::One(digest, noted) => {
                let (head, pushed) = (Some(ours), Some(theirs));
                let conflict = Conflict { node: id, choice: Choice::Overlap, head, pushed };
                self.conflicts.extend(noted.then_some(conflict));
                Ok((Some(digest), false))
            }
            MergedDigest::Beside => Ok((Some(ours), true)),
        }
    }

    /// Makes a file of the pushed content, beside the one that has HEAD's.
    fn put_beside(&mut self, id: NodeId, merged: &Node, pushed: &Node) {
        let (Some((parent, name)), Some(content)) = (merged.links.first(), pushed.content) else {
            return;
        };
        let beside = drawn_id(id, content);
        // It is there already if this merge was made before.
        if living(self.head, beside).or(living(self.pushed, beside)).is_none() {
            let links = [(*parent, beside_name(name, content).into())].into();
            self.tree.insert(beside, Node { id: beside, links, ..pushed.clone() });
        }
        self.note(id, Choice::Beside(beside));
    }
}

/// Tells whether more was changed than its times, and which node it is.
fn edited(base: &Node, node: &Node) -> bool {
    let Traits { created, modified, .. } = base.traits;
    let traits = Traits { created, modified, ..node.traits.clone() };
    *base != Node { id: base.id, traits, ..node.clone() }
}

/// Returns what stays of a file that one side changed and the other removed: the names that the
/// change gave it, or those that it had if something else of it was changed.
fn kept(base: &Node, changed: &Node) -> Option<Node> {
    let links: BTreeSet<Link> = changed.links.difference(&base.links).cloned().collect();
    if !links.is_empty() {
        return Some(Node { links, ..changed.clone() });
    }
    edited(base, &Node { links: base.links.clone(), ..changed.clone() }).then(|| changed.clone())
}

/// Returns the value that changed; HEAD's if both did.
fn one<T: PartialEq + Copy>(base: T, head: T, pushed: T, chosen: &mut bool) -> T {
    pick(base, head, pushed).unwrap_or_else(|| {
        *chosen = true;
        head
    })
}

/// Merges the names of a file, and tells whether both renamed it, each its own way.
fn merge_links(
    base: &BTreeSet<Link>,
    head: &BTreeSet<Link>,
    pushed: &BTreeSet<Link>,
) -> (BTreeSet<Link>, bool) {
    let mut links = merge_sets(base, head, pushed);
    // A name that both took away and for which each put another one was renamed twice. It gets
    // HEAD's new name only: a second name would make it a hard link that nobody asked for.
    let removed = base.iter().filter(|link| !head.contains(link) && !pushed.contains(link)).count();
    let by_head = head.iter().filter(|link| !base.contains(link) && !pushed.contains(link)).count();
    let by_pushed = pushed.iter().filter(|link| !base.contains(link) && !head.contains(link));
    let twice = removed.min(by_head);
    let mut apart = false;
    for link in by_pushed.take(twice) {
        apart |= links.remove(link);
    }
    (links, apart)
}

fn merge_xattrs(base: Option<&Node>, head: &Xattrs, pushed: &Xattrs, chosen: &mut bool) -> Xattrs {
    let mut merged = Xattrs::new();
    let names: BTreeSet<&str> = head.keys().chain(pushed.keys()).map(|name| &**name).collect();
    for name in names {
        let old = base.and_then(|base| base.traits.xattrs.get(name));
        let (ours, theirs) = (head.get(name), pushed.get(name));
        let value = match pick(old, ours, theirs) {
            Some(value) => value.cloned(),
            None if name == TAGS => {
                let all = merge_sets(&tags(old), &tags(ours), &tags(theirs));
                Some(all.into_iter().collect::<Vec<_>>().join(&b","[..]).into())
            }
            // Changed here and removed there: the change stays.
            None => {
                *chosen = true;
                ours.or(theirs).cloned()
            }
        };
        merged.extend(
            value.filter(|value| name != TAGS || !value.is_empty()).map(|v| (name.into(), v)),
        );
    }
    merged
}
