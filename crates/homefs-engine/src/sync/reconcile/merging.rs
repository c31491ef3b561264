//! Merging what is new in the remote with what is ahead here.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{Digest, Error, ErrorKind, NodeId, Result, Version};

use super::Applying;
use crate::chunks::ChunkWriter;
use crate::merge::{
    Conflict, ContentPair, MergedContent, MergedDigest, Node, Tree, merge_content, merge_tree,
};
use crate::record::Content;
use crate::sync::contents::is_lost;
use crate::sync::format::{self, Entry, Link, Living, OpenConflict, State};
use crate::sync::local::{self, Ahead, Ready};
use crate::sync::news::Since;
use crate::sync::round::Outcome;

/// A merge of what is new in the remote with what is ahead here.
pub(super) struct Merging<'m, 'p> {
    applying: &'m Applying<'p>,
    /// The nodes at the last commit that was known, at HEAD, and here.
    base: Tree,
    head: Tree,
    pushed: Tree,
    /// Who made each node as it is, the remote's word first.
    entries: BTreeMap<NodeId, Entry>,
    /// What the digests in the trees stand for.
    catalogue: BTreeMap<Digest, format::Content>,
    /// Contents that the merge made, and their bytes: it may merge them with others yet.
    made: BTreeMap<Digest, Ready>,
    bytes: BTreeMap<Digest, Vec<u8>>,
}

impl<'m, 'p> Merging<'m, 'p> {
    /// Lines up the three trees.
    pub(super) fn new(applying: &'m Applying<'p>, since: &Since, ahead: &Ahead) -> Result<Self> {
        let known = applying.pair.known.entries()?;
        let mut catalogue = BTreeMap::new();
        let mut base = Tree::new();
        put(&mut base, known.values(), &mut catalogue);
        let (mut head, mut pushed) = (base.clone(), base.clone());
        put(&mut head, since.entries.values(), &mut catalogue);
        put(&mut pushed, ahead.entries.values(), &mut catalogue);
        // Whoever forgot what it knew of the remote has gone on from contents that it once had.
        let forgot = since.entries.values().filter(|entry| !known.contains_key(&entry.node));
        for entry in forgot.filter(|entry| ahead.entries.contains_key(&entry.node)) {
            if let State::Living(living) = &entry.state
                && local::had(&applying.pair.space, entry.node, &living.content)?
            {
                put(&mut base, [entry], &mut catalogue);
            }
        }
        let mut entries = known;
        entries.extend(ahead.entries.iter().map(|(node, entry)| (*node, entry.clone())));
        entries.extend(since.entries.iter().map(|(node, entry)| (*node, entry.clone())));
        let (made, bytes) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { applying, base, head, pushed, entries, catalogue, made, bytes })
    }

    /// Merges, and makes the result true here. Returns how many nodes changed.
    pub(super) fn run(mut self, ahead: &Ahead, outcome: &mut Outcome) -> Result<usize> {
        let (base, head, pushed) = (
            std::mem::take(&mut self.base),
            std::mem::take(&mut self.head),
            std::mem::take(&mut self.pushed),
        );
        let merged = merge_tree(&base, &head, &pushed, &mut |pair| self.merge(pair))?;
        let all: BTreeSet<NodeId> = head.keys().chain(merged.changes.keys()).copied().collect();
        let merge_of = |lineage: &NodeId| match merged.changes.get(lineage) {
            Some(node) => node.as_ref(),
            None => head.get(lineage),
        };
        // What no name leads to is not there.
        let lives =
            |lineage: NodeId, node: &Node| lineage == NodeId::ROOT || !node.links.is_empty();
        let nodes = all.iter().filter_map(|lineage| Some((*lineage, merge_of(lineage)?)));
        let now = by_node(nodes.filter(|(lineage, node)| lives(*lineage, node)));
        let conflict = |conflict: &Conflict| {
            let node = merge_of(&conflict.node).map_or(conflict.node, |node| node.id);
            self.open_conflict(&Conflict { node, ..conflict.clone() })
        };
        let conflicts: Vec<OpenConflict> = merged.conflicts.iter().map(conflict).collect();
        // Before anything is applied: whoever repeats the merge may find nothing to choose.
        self.applying.pair.known.found(&conflicts)?;
        outcome.conflicts += conflicts.len();
        let [head, pushed] = [&head, &pushed]
            .map(|tree| by_node(tree.iter().map(|(lineage, node)| (*lineage, node))));
        let nodes: BTreeSet<NodeId> =
            head.keys().chain(pushed.keys()).chain(now.keys()).copied().collect();
        let (mut wanted, mut made) = (Vec::new(), BTreeMap::new());
        for id in nodes {
            let node = now.get(&id);
            // What is here as it should be, but not there, and was not going to be pushed, is
            // touched: else nobody would notice that the remote lacks it.
            let is_noticed = node == head.get(&id) || ahead.entries.contains_key(&id);
            if node == pushed.get(&id) && is_noticed {
                continue;
            }
            let content = |at: Option<&(NodeId, &Node)>| at.and_then(|(_, node)| node.content);
            let has_changed = content(node) != content(pushed.get(&id));
            if let Some(digest) = content(node).filter(|_| has_changed)
                && let Some(ready) = self.made.get_mut(&digest)
            {
                let (content, pins) = (ready.content.clone(), ready.pins.take());
                made.insert(id, Ready { content, pins, is_made: true });
            }
            wanted.push(self.entry(id, node.copied()));
        }
        self.applying.apply(&wanted.iter().collect::<Vec<_>>(), made)
    }

    /// Merges two contents of a file.
    fn merge(&mut self, pair: ContentPair<'_>) -> Result<MergedDigest> {
        let bytes = |digest: Digest| -> Result<_> {
            match (self.catalogue.get(&digest), self.bytes.get(&digest)) {
                (Some(content), _) => self.applying.contents.bytes(content),
                (None, Some(bytes)) => Ok(bytes.clone().into()),
                (None, None) => {
                    Err(Error::new(ErrorKind::Internal, "a merge asks for an unknown content"))
                }
            }
        };
        let base = match pair.base.map(bytes) {
            // It was purged, or swept because nobody had it any more.
            Some(Err(error)) if is_lost(error.kind()) => None,
            base => base.transpose()?,
        };
        let head = match bytes(pair.head) {
            // Nobody has it, so there is nothing to merge with.
            Err(error) if is_lost(error.kind()) => {
                return Ok(MergedDigest::One(pair.pushed, false));
            }
            head => head?,
        };
        let pushed = bytes(pair.pushed)?;
        match merge_content(pair.name, base.as_deref(), &head, &pushed) {
            MergedContent::Beside { .. } => Ok(MergedDigest::Beside),
            MergedContent::One { bytes, noted } => {
                let digest = Digest::of(&bytes);
                self.bytes.insert(digest, bytes.clone());
                let (content, pins) = if bytes.len() <= INLINE_BYTES_MAX {
                    (Content::Inline(bytes.into()), None)
                } else {
                    let mut writer = ChunkWriter::new(&self.applying.pair.space.chunks);
                    writer.push(&bytes)?;
                    let (content, pins) = writer.finish()?;
                    (content, Some(pins))
                };
                self.made.insert(digest, Ready { content, pins, is_made: true });
                Ok(MergedDigest::One(digest, noted))
            }
        }
    }

    /// Returns a conflict as everybody will hear of it.
    fn open_conflict(&self, conflict: &Conflict) -> OpenConflict {
        let Conflict { node, choice, head, pushed } = *conflict;
        let content = |digest: Option<Digest>| {
            let content = digest.and_then(|digest| self.catalogue.get(&digest));
            content.cloned().unwrap_or(format::Content::Empty)
        };
        let text = format!("{node} {choice:?} {head:?} {pushed:?}");
        let digest = Digest::of(text.as_bytes()).0;
        let (first, _) = digest.split_first_chunk().expect("a digest has 32 bytes");
        let pair = self.applying.pair;
        OpenConflict {
            number: u64::from_le_bytes(*first),
            node,
            choice,
            head: content(head),
            pushed: content(pushed),
            machine: pair.machine.id(),
            time: pair.space.ground.clock.now(),
        }
    }

    /// Returns the entry of a node that the merge gave its place.
    fn entry(&self, id: NodeId, node: Option<(NodeId, &Node)>) -> Entry {
        let pair = self.applying.pair;
        let now = pair.space.ground.clock.now();
        let known = self.entries.get(&id);
        let state = match node {
            None => State::Gone(now),
            Some((lineage, node)) => {
                let content = node.content.and_then(|digest| self.catalogue.get(&digest));
                let link = |(parent, name): &(NodeId, Box<str>)| Link {
                    parent: *parent,
                    name: name.clone(),
                };
                State::Living(Box::new(Living {
                    kind: node.kind,
                    mode: node.mode,
                    created: node.created,
                    modified: node.modified,
                    changed: now,
                    expires: node.expires,
                    target: node.target.clone(),
                    xattrs: node.xattrs.clone(),
                    links: node.links.iter().map(link).collect(),
                    content: content.cloned().unwrap_or(format::Content::Empty),
                    lineage: (lineage != id).then_some(lineage),
                }))
            }
        };
        let agent = known.map_or(&pair.agent, |known| &known.agent).clone();
        let machine = known.map_or(pair.machine.id(), |known| known.machine);
        let more = known.map(|known| known.more.clone()).unwrap_or_default();
        Entry { node: id, agent, machine, version: Version(0), state, more }
    }
}

/// Returns a tree by its nodes, each with its lineage.
fn by_node<'t>(
    tree: impl Iterator<Item = (NodeId, &'t Node)>,
) -> BTreeMap<NodeId, (NodeId, &'t Node)> {
    tree.map(|(lineage, node)| (node.id, (lineage, node))).collect()
}

/// Puts entries into a tree, in place of what it has of their nodes.
fn put<'e>(
    tree: &mut Tree,
    entries: impl IntoIterator<Item = &'e Entry>,
    catalogue: &mut BTreeMap<Digest, format::Content>,
) {
    let entries: BTreeMap<NodeId, &Entry> =
        entries.into_iter().map(|entry| (entry.node, entry)).collect();
    tree.retain(|_, node| !entries.contains_key(&node.id));
    for (id, entry) in entries {
        if let State::Living(living) = &entry.state {
            // Of two nodes with one lineage the second is a file of its own.
            let lineage = Some(entry.lineage()).filter(|lineage| !tree.contains_key(lineage));
            tree.insert(lineage.unwrap_or(id), node_of(id, living, catalogue));
        }
    }
}

fn node_of(id: NodeId, living: &Living, catalogue: &mut BTreeMap<Digest, format::Content>) -> Node {
    let content = local::has_content(living.kind).then(|| {
        let digest = living.content.identity().unwrap_or_else(|| Digest::of(b""));
        catalogue.insert(digest, living.content.clone());
        digest
    });
    Node {
        id,
        links: living.links.iter().map(|link| (link.parent, link.name.clone())).collect(),
        kind: living.kind,
        mode: living.mode,
        created: living.created,
        modified: living.modified,
        expires: living.expires,
        target: living.target.clone(),
        xattrs: living.xattrs.clone(),
        content,
    }
}
