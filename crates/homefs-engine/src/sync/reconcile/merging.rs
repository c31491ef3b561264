//! Merging what is new in the remote with what is ahead here.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{Digest, Error, ErrorKind, NodeId, Result, Version};

use super::{Applying, is_lost};
use crate::chunks::ChunkWriter;
use crate::merge::{
    Conflict, ContentPair, MergedContent, MergedDigest, Node, Tree, merge_content, merge_tree,
};
use crate::record::Content;
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
    /// Contents that the merge made.
    made: BTreeMap<Digest, Ready>,
}

impl<'m, 'p> Merging<'m, 'p> {
    /// Lines up the three trees.
    pub(super) fn new(applying: &'m Applying<'p>, since: &Since, ahead: &Ahead) -> Result<Self> {
        let known = applying.pair.known.entries()?;
        let (mut catalogue, mut base) = (BTreeMap::new(), Tree::new());
        for entry in known.values() {
            put(&mut base, entry, &mut catalogue);
        }
        let (mut head, mut pushed) = (base.clone(), base.clone());
        for entry in since.entries.values() {
            put(&mut head, entry, &mut catalogue);
        }
        for entry in ahead.entries.values() {
            put(&mut pushed, entry, &mut catalogue);
        }
        // Whoever forgot what it knew of the remote has gone on from contents that it once had.
        for entry in since.entries.values().filter(|entry| !known.contains_key(&entry.node)) {
            if let State::Living(living) = &entry.state
                && ahead.entries.contains_key(&entry.node)
                && local::had(&applying.pair.space, entry.node, &living.content)?
            {
                put(&mut base, entry, &mut catalogue);
            }
        }
        let mut entries = known;
        entries.extend(ahead.entries.iter().map(|(node, entry)| (*node, entry.clone())));
        entries.extend(since.entries.iter().map(|(node, entry)| (*node, entry.clone())));
        let made = BTreeMap::new();
        Ok(Self { applying, base, head, pushed, entries, catalogue, made })
    }

    /// Merges, and makes the result true here. Returns how many nodes changed.
    pub(super) fn run(mut self, ahead: &Ahead, outcome: &mut Outcome) -> Result<usize> {
        let (base, head, pushed) = (
            std::mem::take(&mut self.base),
            std::mem::take(&mut self.head),
            std::mem::take(&mut self.pushed),
        );
        let merged = merge_tree(&base, &head, &pushed, &mut |pair| self.merge(pair))?;
        let conflicts: Vec<OpenConflict> =
            merged.conflicts.iter().map(|conflict| self.open_conflict(conflict)).collect();
        // Before anything is applied: whoever repeats the merge may find nothing to choose.
        self.applying.pair.known.found(&conflicts)?;
        outcome.conflicts += conflicts.len();
        let nodes: BTreeSet<NodeId> =
            head.keys().chain(pushed.keys()).chain(merged.changes.keys()).copied().collect();
        let (mut wanted, mut made) = (Vec::new(), BTreeMap::new());
        for id in nodes {
            let node = merged.changes.get(&id).map_or(head.get(&id), Option::as_ref);
            // What no name leads to is not there.
            let node = node.filter(|node| id == NodeId::ROOT || !node.links.is_empty());
            // What is here as it should be, but not there, and was not going to be pushed, is
            // touched: else nobody would notice that the remote lacks it.
            let is_noticed = node == head.get(&id) || ahead.entries.contains_key(&id);
            if node == pushed.get(&id) && is_noticed {
                continue;
            }
            let has_changed =
                node.and_then(|node| node.content) != pushed.get(&id).and_then(|node| node.content);
            if let Some(digest) = node.and_then(|node| node.content).filter(|_| has_changed)
                && let Some(ready) = self.made.get_mut(&digest)
            {
                let (content, pins) = (ready.content.clone(), ready.pins.take());
                made.insert(id, Ready { content, pins, is_made: true });
            }
            wanted.push(self.entry(id, node));
        }
        self.applying.apply(&wanted.iter().collect::<Vec<_>>(), made)
    }

    /// Merges two contents of a file.
    fn merge(&mut self, pair: ContentPair<'_>) -> Result<MergedDigest> {
        let bytes = |digest: Digest| -> Result<_> {
            match self.catalogue.get(&digest) {
                Some(content) => self.applying.contents.bytes(content),
                None => Err(Error::new(ErrorKind::Internal, "a merge asks for an unknown content")),
            }
        };
        let base = match pair.base.map(bytes) {
            // It was purged, or swept because nobody had it any more.
            Some(Err(error)) if is_lost(error.kind()) => None,
            base => base.transpose()?,
        };
        let (head, pushed) = (bytes(pair.head)?, bytes(pair.pushed)?);
        match merge_content(pair.name, base.as_deref(), &head, &pushed) {
            MergedContent::Beside { .. } => Ok(MergedDigest::Beside),
            MergedContent::One { bytes, noted } => {
                let digest = Digest::of(&bytes);
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
    fn entry(&self, id: NodeId, node: Option<&Node>) -> Entry {
        let pair = self.applying.pair;
        let now = pair.space.ground.clock.now();
        let known = self.entries.get(&id);
        let state = match node {
            None => State::Gone(now),
            Some(node) => {
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
                    lineage: None,
                }))
            }
        };
        let agent = known.map_or(&pair.agent, |known| &known.agent).clone();
        let machine = known.map_or(pair.machine.id(), |known| known.machine);
        let more = known.map(|known| known.more.clone()).unwrap_or_default();
        Entry { node: id, agent, machine, version: Version(0), state, more }
    }
}

/// Puts an entry into a tree.
fn put(tree: &mut Tree, entry: &Entry, catalogue: &mut BTreeMap<Digest, format::Content>) {
    let State::Living(living) = &entry.state else {
        tree.remove(&entry.node);
        return;
    };
    let content = living.content.identity();
    if let Some(digest) = content {
        catalogue.insert(digest, living.content.clone());
    }
    let links = living.links.iter().map(|link| (link.parent, link.name.clone())).collect();
    let node = Node {
        links,
        kind: living.kind,
        mode: living.mode,
        created: living.created,
        modified: living.modified,
        expires: living.expires,
        target: living.target.clone(),
        xattrs: living.xattrs.clone(),
        content: local::has_content(living.kind)
            .then(|| content.unwrap_or_else(|| Digest::of(b""))),
    };
    if content.is_none() && local::has_content(living.kind) {
        catalogue.insert(Digest::of(b""), format::Content::Empty);
    }
    tree.insert(entry.node, node);
}
