//! What a pull means for this machine: take it as it is, or merge it with what is ahead here.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{Digest, Error, ErrorKind, NodeId, Result, Version};

use super::contents::Contents;
use super::format::{self, Entry, Link, Living, State};
use super::local::{self, Ahead, Ready};
use super::round::{Outcome, Pair, Since};
use crate::chunks::{ChunkWriter, Pins};
use crate::merge::{
    ContentPair, MergedContent, MergedDigest, Node, Tree, merge_content, merge_tree,
};
use crate::record::Content;
use crate::space::Author;

/// Makes the space have what the remote has and what it is itself ahead by; returns how many nodes
/// changed here.
pub(super) fn reconcile(
    pair: &Pair<'_>,
    since: &Since,
    ahead: &Ahead,
    outcome: &mut Outcome,
) -> Result<usize> {
    let contents = Contents::with_packs(pair, &since.packs);
    if !ahead.entries.is_empty() {
        return Merging::new(pair, &contents, since, ahead)?.run(ahead, outcome);
    }
    let mut wanted = Vec::new();
    for entry in since.entries.values() {
        if pair.known.entry(entry.node)?.is_none_or(|known| !local::is_same(&known, entry)) {
            wanted.push(entry.clone());
        }
    }
    apply(pair, &contents, &wanted, BTreeMap::new(), ahead.version)
}

/// Makes entries true here; `made` are contents that no entry of the remote names.
fn apply(
    pair: &Pair<'_>,
    contents: &Contents<'_, '_>,
    wanted: &[Entry],
    mut made: BTreeMap<NodeId, (Content, Option<Pins>)>,
    seen: Version,
) -> Result<usize> {
    contents.fetch_packs(wanted)?;
    let mut ready = Ready::new();
    for entry in wanted {
        let State::Living(living) = &entry.state else { continue };
        if let Some(content) = made.remove(&entry.node) {
            ready.insert(entry.node, content);
        } else if local::has_content(living.kind) && !local::holds(pair.space, entry.node, living)?
        {
            ready.insert(entry.node, contents.ready(&living.content)?);
        }
    }
    if let Some(last) = wanted.last() {
        let author = Author::new(last.agent.clone());
        let all: Vec<&Entry> = wanted.iter().collect();
        local::apply(pair.space, &author, &all, ready, seen)?;
    }
    Ok(wanted.len())
}

/// A merge of what is new in the remote with what is ahead here.
struct Merging<'m, 'p, 'a> {
    pair: &'m Pair<'a>,
    contents: &'m Contents<'p, 'a>,
    /// The nodes at the last commit that was known, at HEAD, and here.
    base: Tree,
    head: Tree,
    pushed: Tree,
    /// Who made each node as it is, the remote's word first.
    entries: BTreeMap<NodeId, Entry>,
    /// What the digests in the trees stand for.
    catalogue: BTreeMap<Digest, format::Content>,
    /// Contents that the merge made.
    made: BTreeMap<Digest, (Content, Option<Pins>)>,
}

impl<'m, 'p, 'a> Merging<'m, 'p, 'a> {
    fn new(
        pair: &'m Pair<'a>,
        contents: &'m Contents<'p, 'a>,
        since: &Since,
        ahead: &Ahead,
    ) -> Result<Self> {
        let known = pair.known.entries()?;
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
        let mut entries = known;
        entries.extend(ahead.entries.iter().map(|(node, entry)| (*node, entry.clone())));
        entries.extend(since.entries.iter().map(|(node, entry)| (*node, entry.clone())));
        let made = BTreeMap::new();
        Ok(Self { pair, contents, base, head, pushed, entries, catalogue, made })
    }

    fn run(mut self, ahead: &Ahead, outcome: &mut Outcome) -> Result<usize> {
        let (base, head, pushed) = (
            std::mem::take(&mut self.base),
            std::mem::take(&mut self.head),
            std::mem::take(&mut self.pushed),
        );
        let merged = merge_tree(&base, &head, &pushed, &mut |pair| self.merge(pair))?;
        outcome.conflicts.extend(merged.conflicts);
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
                && let Some((content, pins)) = self.made.get_mut(&digest)
            {
                made.insert(id, (content.clone(), pins.take()));
            }
            wanted.push(self.entry(id, node));
        }
        apply(self.pair, self.contents, &wanted, made, ahead.version)
    }

    /// Merges two contents of a file.
    fn merge(&mut self, pair: ContentPair<'_>) -> Result<MergedDigest> {
        let bytes = |digest: Digest| -> Result<_> {
            match self.catalogue.get(&digest) {
                Some(content) => self.contents.bytes(content),
                None => Err(Error::new(ErrorKind::Internal, "a merge asks for an unknown content")),
            }
        };
        let base = pair.base.map(bytes).transpose()?;
        let (head, pushed) = (bytes(pair.head)?, bytes(pair.pushed)?);
        match merge_content(pair.name, base.as_deref(), &head, &pushed) {
            MergedContent::Beside { .. } => Ok(MergedDigest::Beside),
            MergedContent::One { bytes, noted } => {
                let digest = Digest::of(&bytes);
                if bytes.len() <= INLINE_BYTES_MAX {
                    self.made.insert(digest, (Content::Inline(bytes.into()), None));
                } else {
                    let mut writer = ChunkWriter::new(&self.pair.space.chunks);
                    writer.push(&bytes)?;
                    let (content, pins) = writer.finish()?;
                    self.made.insert(digest, (content, Some(pins)));
                }
                Ok(MergedDigest::One(digest, noted))
            }
        }
    }

    /// Returns the entry of a node that the merge gave its place.
    fn entry(&self, id: NodeId, node: Option<&Node>) -> Entry {
        let now = self.pair.space.ground.clock.now();
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
                }))
            }
        };
        let agent = known.map_or(self.pair.agent, |known| &known.agent).clone();
        Entry { node: id, agent, machine: self.pair.machine.id, version: Version(0), state }
    }
}

/// Puts an entry into a tree.
fn put(tree: &mut Tree, entry: &Entry, catalogue: &mut BTreeMap<Digest, format::Content>) {
    let State::Living(living) = &entry.state else {
        tree.remove(&entry.node);
        return;
    };
    let content = identity(&living.content);
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

/// Returns a digest that stands for a content; a large one has none of its bytes.
fn identity(content: &format::Content) -> Option<Digest> {
    match content {
        format::Content::Empty => None,
        format::Content::Small { digest, .. } => Some(*digest),
        format::Content::Chunked { size, pieces } => {
            let mut named = size.to_le_bytes().to_vec();
            for piece in pieces {
                named.extend_from_slice(&piece.0);
            }
            Some(Digest::of(&named))
        }
    }
}
