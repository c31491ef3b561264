//! What a pull means for this machine: take it as it is, or merge it with what is ahead here.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{Digest, Error, ErrorKind, NodeId, Result, Version};

use super::check::check_tree;
use super::contents::Contents;
use super::format::{self, Access, Entry, Link, Living, MachineId, OpenConflict, State};
use super::known::Step;
use super::local::{self, Ahead, Ready, Wanted};
use super::push::contents_of;
use super::round::{Outcome, Pair, Since};
use crate::chunks::ChunkWriter;
use crate::merge::{
    Conflict, ContentPair, MergedContent, MergedDigest, Node, Tree, merge_content, merge_tree,
};
use crate::model::Kind;
use crate::record::{Change, Content, Origin};

/// Contents of a pull that are fetched at once have at most so many bytes; more are fetched when
/// somebody reads them.
const FETCHED_BYTES_MAX: u64 = 16 << 20;
/// Most nodes of a new tree that one record makes.
const NODES_MAX: usize = 4096;

/// Makes the space have what the remote has and what it is itself ahead by.
pub(super) fn reconcile(
    pair: &Pair,
    since: &Since,
    ahead: &Ahead,
    origin: Origin,
    outcome: &mut Outcome,
) -> Result<()> {
    check_tree(&since.entries, &pair.known)?;
    let ahead = &pair.without_purged(since, ahead)?;
    let packs = since.steps.iter().flat_map(Step::packs);
    let seen = pair.known.machines()?.into_iter();
    let mut machines = seen.map(|(id, machine)| (id, machine.name)).collect();
    since.steps.iter().for_each(|step| step.add_machines(&mut machines));
    let applying = Applying {
        contents: Contents::new(pair, packs),
        // Whoever starts from an index has everything before them, and wants little of it now.
        is_lazy: since.steps.iter().any(|step| matches!(step, Step::Index(_))),
        is_empty: pair.space.is_empty(),
        pair,
        machines,
        origin,
        seen: ahead.version,
    };
    outcome.pulled += if ahead.entries.is_empty() {
        let mut wanted = Vec::new();
        for entry in since.entries.values() {
            let is_news = || -> Result<bool> {
                let known = pair.known.entry(entry.node)?;
                Ok(known.is_none_or(|known| !local::is_same(&known, entry)))
            };
            if applying.is_empty || is_news()? {
                wanted.push(entry);
            }
        }
        applying.apply(&wanted, BTreeMap::new())?
    } else {
        Merging::new(&applying, since, ahead)?.run(ahead, outcome)?
    };
    Ok(())
}

/// Takes over what commits say of anything but nodes; harmless if it is done again.
pub(super) fn take_over(pair: &Pair, since: &Since) -> Result<()> {
    pair.take_over_ends(&since.steps)?;
    let access = since.steps.iter().rev().find_map(Step::access);
    access.map_or(Ok(()), |access| merge_access(pair, access))
}

/// Merges rules of access: what either side added is there, what either removed is not.
fn merge_access(pair: &Pair, head: &Access) -> Result<()> {
    let (base, here) = (pair.known.access()?, local::access(&pair.space)?);
    let mut changes = Vec::new();
    let all: BTreeSet<_> = head.grants.iter().chain(&here.grants).collect();
    for grant in all {
        let (was, there, now) =
            [&base, head, &here].map(|access| access.grants.contains(grant)).into();
        let holds = if there == was { now } else { there };
        if holds != now {
            changes.push(Change::Grant { grant: grant.clone(), holds });
        }
    }
    if here.quota != head.quota && here.quota == base.quota {
        changes.push(Change::Quota { quota: head.quota });
    }
    if changes.is_empty() {
        return Ok(());
    }
    local::apply(pair, Wanted { access: changes, ..Wanted::default() }, Version(u64::MAX))
}

/// Making entries true here.
struct Applying<'p> {
    pair: &'p Pair,
    contents: Contents<'p>,
    is_lazy: bool,
    /// Whether nothing lives in the space yet, so that nothing has to be looked for.
    is_empty: bool,
    machines: BTreeMap<MachineId, Box<str>>,
    /// Names the change, so that it is known to have been made.
    origin: Origin,
    /// The version of the space that the entries were compared with.
    seen: Version,
}

impl Applying<'_> {
    /// Makes entries true; `made` are contents that no entry of the remote names. Returns how many
    /// nodes changed.
    fn apply(&self, wanted: &[&Entry], mut made: BTreeMap<NodeId, Ready>) -> Result<usize> {
        let fetched = self.fetch(wanted)?;
        let parts = self.parts(wanted);
        let count = parts.len();
        for (at, part) in parts.into_iter().enumerate() {
            let mut contents = BTreeMap::new();
            for entry in &part {
                let State::Living(living) = &entry.state else { continue };
                if let Some(ready) = made.remove(&entry.node) {
                    contents.insert(entry.node, ready);
                } else if local::has_content(living.kind)
                    && (self.is_empty || !local::holds(&self.pair.space, entry.node, living)?)
                {
                    contents.insert(entry.node, self.ready(&living.content, &fetched)?);
                }
            }
            let machines = self.machines.clone();
            let is_new = self.is_empty;
            // Only the last part: before it, all must be made again.
            let origin = (at + 1 == count).then_some(self.origin);
            let (entries, access) = (part, Vec::new());
            let wanted = Wanted { entries, contents, access, machines, is_new, origin };
            local::apply(self.pair, wanted, self.seen)?;
        }
        Ok(wanted.len())
    }

    /// Fetches small contents that are wanted now, all at once.
    fn fetch(&self, wanted: &[&Entry]) -> Result<BTreeMap<Digest, bytes::Bytes>> {
        let small = contents_of(wanted.iter().copied()).filter_map(|content| match content {
            format::Content::Small { digest, .. } => Some(*digest),
            _ => None,
        });
        let small: BTreeSet<Digest> = small.collect();
        if self.is_lazy || self.contents.stored_bytes(&small) > FETCHED_BYTES_MAX {
            return Ok(BTreeMap::new());
        }
        match self.contents.fetch(small) {
            // What the remote has lost must not keep all the rest; its readers are told.
            Err(error) if is_lost(error.kind()) => {
                tracing::warn!(%error, "contents of a pull are left until somebody reads them");
                Ok(BTreeMap::new())
            }
            fetched => fetched,
        }
    }

    fn ready(
        &self,
        content: &format::Content,
        fetched: &BTreeMap<Digest, bytes::Bytes>,
    ) -> Result<Ready> {
        if let format::Content::Small { digest, .. } = content
            && let Some(bytes) = fetched.get(digest)
        {
            let content = Content::Inline(bytes.clone());
            return Ok(Ready { content, pins: None, is_made: false });
        }
        let (content, pins) = self.contents.ready(content, false)?;
        Ok(Ready { content, pins, is_made: false })
    }

    /// Cuts a new tree into parts that one record each can make, directories before what is in
    /// them. Everything else is one part: names may change places.
    fn parts<'e>(&self, wanted: &[&'e Entry]) -> Vec<Vec<&'e Entry>> {
        if !self.is_empty || wanted.len() <= NODES_MAX {
            return if wanted.is_empty() { vec![] } else { vec![wanted.to_vec()] };
        }
        let by_node: BTreeMap<NodeId, &Entry> =
            wanted.iter().map(|entry| (entry.node, *entry)).collect();
        let depth = |entry: &Entry| {
            let parent = |entry: &&Entry| match &entry.state {
                State::Living(living) => by_node.get(&living.links.first()?.parent).copied(),
                State::Gone(_) => None,
            };
            match &entry.state {
                State::Living(living) if living.kind == Kind::Directory => {
                    std::iter::successors(Some(entry), parent).count()
                }
                _ => usize::MAX,
            }
        };
        let mut ordered = wanted.to_vec();
        ordered.sort_by_cached_key(|entry| depth(entry));
        ordered.chunks(NODES_MAX).map(<[&Entry]>::to_vec).collect()
    }
}

/// A merge of what is new in the remote with what is ahead here.
struct Merging<'m, 'p> {
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
    fn new(applying: &'m Applying<'p>, since: &Since, ahead: &Ahead) -> Result<Self> {
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
        // What this machine wrote itself it has gone on from, whether it heard of the commit or not.
        for entry in since.entries.values() {
            let lives = matches!(entry.state, State::Living(_));
            let is_own = entry.machine == applying.pair.machine.id;
            if lives && is_own && entry.version <= ahead.version {
                put(&mut base, entry, &mut catalogue);
            }
        }
        let mut entries = known;
        entries.extend(ahead.entries.iter().map(|(node, entry)| (*node, entry.clone())));
        entries.extend(since.entries.iter().map(|(node, entry)| (*node, entry.clone())));
        let made = BTreeMap::new();
        Ok(Self { applying, base, head, pushed, entries, catalogue, made })
    }

    fn run(mut self, ahead: &Ahead, outcome: &mut Outcome) -> Result<usize> {
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
            machine: pair.machine.id,
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
                }))
            }
        };
        let agent = known.map_or(&pair.agent, |known| &known.agent).clone();
        let machine = known.map_or(pair.machine.id, |known| known.machine);
        Entry { node: id, agent, machine, version: Version(0), state }
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

fn is_lost(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Corrupt | ErrorKind::NotFound)
}

/// Returns a digest that stands for a content; a large one has none of its bytes.
pub(super) fn identity(content: &format::Content) -> Option<Digest> {
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
