//! Merging what is new in the remote with what is ahead here.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{Digest, Error, ErrorKind, NodeId, Result, Version};
use homefs_store::chunks::ChunkWriter;
use homefs_store::record::Content;

use super::Applying;
use crate::contents::is_lost;
use crate::format::{self, Entry, EntryState, Living, OpenConflict};
use crate::local::{self, Ahead, Ready};
use crate::merge::{
    Begun, Conflict, ContentPair, Link, MergedContent, MergedDigest, Node, Part, Tree,
    merge_content, merge_tree,
};
use crate::news::Since;
use crate::round::{Outcome, Pair};
use crate::traits::Traits;

/// A merge of what is new in the remote with what is ahead here.
pub(super) struct Merging<'m, 'p> {
    applying: &'m Applying<'p>,
    since: &'m Since,
    ahead: &'m Ahead,
    /// The nodes that it looks at.
    part: Part<LastCommit<'p>>,
    /// What the digests in the trees stand for.
    catalogue: BTreeMap<Digest, format::Content>,
    /// Contents that the merge made, and their bytes: it may merge them with others yet.
    made: BTreeMap<Digest, Ready>,
    bytes: BTreeMap<Digest, Vec<u8>>,
}

impl<'m, 'p> Merging<'m, 'p> {
    /// Finds out what there is to merge.
    pub(super) fn new(
        applying: &'m Applying<'p>,
        since: &'m Since,
        ahead: &'m Ahead,
    ) -> Result<Self> {
        let pair = applying.pair;
        let mut part = Part::new(LastCommit { pair, entries: BTreeMap::new() });
        for entry in since.entries.values() {
            // An index tells also of what nobody changed.
            let known = pair.known.entry(entry.node)?;
            if !known.is_some_and(|known| local::is_same(&known, entry)) {
                part.add(entry.node, entry.lineage(), &links_of(entry))?;
            }
        }
        for entry in ahead.entries.values() {
            part.add(entry.node, entry.lineage(), &links_of(entry))?;
        }
        let (catalogue, made, bytes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Ok(Self { applying, since, ahead, part, catalogue, made, bytes })
    }

    /// Lines up what the part has of the trees: at the last commit that was known, at HEAD, and
    /// here.
    fn trees(&mut self) -> Result<[Tree; 3]> {
        let Self { since, ahead, part, catalogue, .. } = self;
        let known = &part.begun.entries;
        let mut base = Tree::new();
        put(&mut base, known.values(), catalogue);
        let (mut head, mut pushed) = (base.clone(), base.clone());
        let news = || since.entries.values().filter(|entry| part.has(entry.node));
        put(&mut head, news(), catalogue);
        put(&mut pushed, ahead.entries.values(), catalogue);
        // Whoever forgot what it knew of the remote has gone on from contents that it once had.
        let forgot = news().filter(|entry| !known.contains_key(&entry.node));
        for entry in forgot.filter(|entry| ahead.entries.contains_key(&entry.node)) {
            if let EntryState::Living(living) = &entry.state
                && local::had(&self.applying.pair.space, entry.node, &living.content)?
            {
                put(&mut base, [entry], catalogue);
            }
        }
        Ok([base, head, pushed])
    }

    /// Merges, and makes the result true here. Returns how many nodes changed.
    pub(super) fn run(mut self, outcome: &mut Outcome) -> Result<usize> {
        let (head, pushed, merged) = loop {
            let [base, head, pushed] = self.trees()?;
            let merged = merge_tree(&base, &head, &pushed, &mut |pair| self.merge(pair))?;
            if !self.part.grow([&base, &head, &pushed], &merged)? {
                break (head, pushed, merged);
            }
        };
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
            let is_noticed = node == head.get(&id) || self.ahead.entries.contains_key(&id);
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
        // The remote's word first.
        let told = self.since.entries.get(&id).or_else(|| self.ahead.entries.get(&id));
        let known = told.or_else(|| self.part.begun.entries.get(&id));
        let state = match node {
            None => EntryState::Gone(now),
            Some((lineage, node)) => {
                let content = node.content.and_then(|digest| self.catalogue.get(&digest));
                let link =
                    |(parent, name): &Link| format::Link { parent: *parent, name: name.clone() };
                EntryState::Living(Box::new(Living {
                    traits: Traits { changed: now, ..node.traits.clone() },
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

/// The last commit that was known, and what was asked of it.
struct LastCommit<'p> {
    pair: &'p Pair,
    entries: BTreeMap<NodeId, Entry>,
}

impl Begun for LastCommit<'_> {
    fn node(&mut self, node: NodeId) -> Result<Option<(NodeId, BTreeSet<Link>)>> {
        let Some(entry) = self.pair.known.entry(node)? else { return Ok(None) };
        let found = (entry.lineage(), links_of(&entry));
        self.entries.insert(node, entry);
        Ok(Some(found))
    }

    fn of_lineage(&mut self, lineage: NodeId) -> Result<Option<NodeId>> {
        // What is known as another thing here than there has changed here, so it is looked at.
        self.pair.space.base.of_lineage(lineage)
    }

    fn named(&mut self, (parent, name): &Link) -> Result<Option<NodeId>> {
        self.pair.known.named(*parent, name)
    }

    fn inside(&mut self, directory: NodeId) -> Result<Vec<NodeId>> {
        self.pair.known.children(directory)
    }
}

/// Returns the names that an entry says.
fn links_of(entry: &Entry) -> BTreeSet<Link> {
    match &entry.state {
        EntryState::Living(living) => {
            living.links.iter().map(|link| (link.parent, link.name.clone())).collect()
        }
        EntryState::Gone(_) => BTreeSet::new(),
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
        if let EntryState::Living(living) = &entry.state {
            // Of two nodes with one lineage the second is a file of its own.
            let lineage = Some(entry.lineage()).filter(|lineage| !tree.contains_key(lineage));
            tree.insert(lineage.unwrap_or(id), node_of(id, living, catalogue));
        }
    }
}

fn node_of(id: NodeId, living: &Living, catalogue: &mut BTreeMap<Digest, format::Content>) -> Node {
    let content = local::has_content(living.traits.kind).then(|| {
        let digest = living.content.identity().unwrap_or_else(|| Digest::of(b""));
        catalogue.insert(digest, living.content.clone());
        digest
    });
    Node {
        id,
        links: living.links.iter().map(|link| (link.parent, link.name.clone())).collect(),
        traits: living.traits.undated(),
        content,
    }
}
