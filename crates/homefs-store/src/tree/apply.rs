//! Applying records to the overlay: the only way its state changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use bytes::Bytes;
use homefs_core::{AgentId, ErrorKind, NodeId, Path, Timestamp, Version};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Body, Halt, Names, Node, Orphan, Recent, Tree, fail};
use crate::journal::Position;
use crate::model::{Attrs, Kind, Usage};
use crate::record::{Change, Content, Record};
use crate::staged::PatchBytes;

/// How many changes watchers find in memory; who is further behind asks the base.
const RECENT_MAX: usize = 4096;

/// What a record says of all its changes.
#[derive(Clone, Copy)]
struct Stamp<'a> {
    version: Version,
    time: Timestamp,
    agent: &'a AgentId,
    /// The journal keeps everything after it until what it stages is settled.
    held: Position,
}

impl Tree {
    /// Returns what lives in the space once these changes are applied.
    pub(crate) fn usage_after(&self, changes: &[Change]) -> Usage {
        let mut usage = self.usage;
        // What only a source has does not live here yet.
        let living = |node| self.nodes.get(&node).filter(|_| !self.sources.has(node));
        let size_now = |node| match living(node) {
            Some(found) if found.attrs.kind == Kind::File => found.size(),
            _ => 0,
        };
        // A record may say several things of one node. Looking back is cheaper than a map for
        // the few changes that most records have.
        let few = changes.len() <= 8;
        let mut stated: FxHashMap<NodeId, u64> = FxHashMap::default();
        for (at, change) in changes.iter().enumerate() {
            let Some((node, size)) = statement(change) else { continue };
            let earlier = if few {
                let back = changes[..at].iter().rev().filter_map(statement);
                let mut of_node = back.filter(|(other, _)| *other == node).map(|(_, size)| size);
                of_node.next().map(|last| last.or_else(|| of_node.flatten().next()))
            } else {
                stated.get(&node).map(|size| Some(*size))
            };
            let before = earlier.flatten().unwrap_or_else(|| size_now(node));
            let size = size.unwrap_or(before);
            match change {
                Change::Remove { .. } => usage.nodes = usage.nodes.saturating_sub(1),
                _ if earlier.is_none() && living(node).is_none() => usage.nodes += 1,
                _ => {}
            }
            usage.bytes = (usage.bytes + size).saturating_sub(before);
            if !few {
                stated.insert(node, size);
            }
        }
        usage
    }

    /// Refuses what would grow beyond the quota; shrinking is always possible. Only who sees all of
    /// the space is told how much that is.
    pub(crate) fn check_quota(&self, after: Usage, sees_all: bool) -> Result<(), Halt> {
        let check = |after: u64, now: u64, most: Option<u64>, what: &str| {
            let Some(most) = most.filter(|&most| after > most && after > now) else {
                return Ok(());
            };
            let message = if sees_all {
                format!("the space may hold {most} {what}, this would make it {after}")
            } else {
                format!("the space may hold no more {what}")
            };
            Err(fail(ErrorKind::LimitExceeded, message))
        };
        check(after.bytes, self.usage.bytes, self.quota.bytes, "bytes")?;
        check(after.nodes, self.usage.nodes, self.quota.nodes, "nodes")
    }

    /// Refuses to make a node under an id that another has.
    pub(crate) fn check_drawn(&self, changes: &[Change]) -> Result<(), Halt> {
        let is_taken = |change: &Change| match change {
            // What only a source has is made the space's own under the id that it has.
            Change::Make { node, .. } => self.nodes.contains_key(node) && !self.sources.has(*node),
            _ => false,
        };
        if changes.iter().any(is_taken) {
            return Err(fail(ErrorKind::Internal, "an id was drawn twice"));
        }
        Ok(())
    }

    /// Asks for expired nodes to be gone before their names mean others.
    pub(crate) fn check_free(&self, changes: &[Change]) -> Result<(), Halt> {
        if self.expiring.is_empty() {
            return Ok(());
        }
        for change in changes {
            if let Change::Entry { parent, name, node: Some(_) } = change
                && let Ok(names) = self.names(*parent)
                && let Some(&old) = names.get(name)
                && self.is_expired(old)
            {
                return Err(Halt::Expired(old));
            }
        }
        Ok(())
    }

    /// Tells what must be in memory before these changes can be applied.
    pub fn ready(&self, changes: &[Change]) -> Result<(), Halt> {
        let stated = |change: &Change| match change {
            Change::Node { node, .. } | Change::Make { node, .. } => Some(*node),
            _ => None,
        };
        // Looking through the few changes that most records have is cheaper than a set.
        let few = changes.len() <= 8;
        let all: FxHashSet<NodeId> =
            if few { FxHashSet::default() } else { changes.iter().filter_map(stated).collect() };
        // What is there already is not made by a record that gives it attributes.
        let made = |id: NodeId| {
            let is_stated = if few {
                changes.iter().any(|change| stated(change) == Some(id))
            } else {
                all.contains(&id)
            };
            is_stated && !self.nodes.contains_key(&id)
        };
        for change in changes {
            match change {
                Change::Entry { parent, name, node } => {
                    match self.names(*parent) {
                        Ok(names) => {
                            let old = names.get(&**name).copied();
                            old.map_or(Ok(()), |old| self.node(old).map(drop))?;
                        }
                        Err(halt) if !made(*parent) => return Err(halt),
                        Err(_) => {}
                    }
                    if let Some(node) = node.filter(|&node| !made(node)) {
                        self.node(node)?;
                    }
                }
                Change::Content { node, .. } | Change::Pulled { node, .. } if !made(*node) => {
                    self.node(*node)?;
                }
                Change::Patch { node, offset, bytes, size } => {
                    self.ready_to_patch(*node, *offset, PatchBytes::Bytes(bytes), *size)?;
                }
                Change::Zero { node, offset, len, size } => {
                    self.ready_to_patch(*node, *offset, PatchBytes::Zeros(*len), *size)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn ready_to_patch(
        &self,
        node: NodeId,
        offset: u64,
        written: PatchBytes<'_>,
        size: u64,
    ) -> Result<(), Halt> {
        match &self.node(node)?.body {
            Body::Staged(staged) => {
                let mut missing = staged.missing(self.chunk_bytes, offset, written, size);
                missing.next().map_or(Ok(()), |index| Err(Halt::Image(node, index)))
            }
            Body::Sourced(_) => Err(Halt::TakeOver(node)),
            _ => Err(Halt::Stage(node)),
        }
    }

    /// Applies a record for which [`Tree::ready`] holds, and which ends at a journal position.
    pub(super) fn apply(&mut self, record: Record, position: Position) {
        let Record { version, time, agent, origin, usage, changes, .. } = record;
        // Before its end: releasing up to there keeps the record.
        let held = Position(position.0.saturating_sub(1));
        let stamp = Stamp { version, time, agent: &agent, held };
        self.version = version;
        self.usage = usage;
        if let Some(origin) = origin {
            self.clients.insert(origin.client, (origin.number, version));
        }
        self.put_away.note(&changes, time);
        for change in changes {
            self.note_fresh(&change, time);
            self.apply_one(change, stamp);
        }
        while self.recent.len() > RECENT_MAX {
            if let Some(old) = self.recent.pop_front() {
                self.recent_after = old.version;
            }
        }
    }

    /// Tells the index, if there is one, of a node that never was before. What a pull makes was made
    /// on another machine, and may have been here.
    fn note_fresh(&mut self, change: &Change, time: Timestamp) {
        if let Some(unindexed) = &mut self.unindexed
            && let Change::Make { node, attrs } = change
            && attrs.created == time
        {
            unindexed.fresh.insert(*node);
        }
    }

    fn apply_one(&mut self, change: Change, stamp: Stamp<'_>) {
        let Stamp { version, time, .. } = stamp;
        match change {
            Change::Node { node, attrs } | Change::Make { node, attrs } => {
                self.note(stamp, node, attrs.kind, None);
                if !self.orphans.is_empty()
                    && let Some(Orphan { node: back, .. }) = self.orphans.remove(&node)
                {
                    self.staged.remove(&node);
                    self.nodes.insert(node, back);
                }
                self.set_attrs(node, attrs, version);
                self.own(node);
            }
            Change::Entry { parent, name, node } => {
                // What was a source's keeps its name when it becomes the space's own.
                if self.sources.is_empty() || !self.is_bound(parent, &name, node) {
                    self.unbind(parent, &name, stamp);
                    if let Some(node) = node {
                        self.bind(parent, name, node, stamp);
                    }
                }
                if let Some(parent) = self.nodes.get_mut(&parent) {
                    parent.attrs.modified = time;
                    parent.attrs.changed = time;
                    parent.version = version;
                }
            }
            Change::Content { node, content } => {
                self.note(stamp, node, Kind::File, None);
                self.set_content(node, content, version, time);
            }
            Change::Patch { node, offset, bytes, size } => {
                self.note(stamp, node, Kind::File, None);
                let written = PatchBytes::Bytes(&bytes);
                self.patch(node, offset, written, size, stamp);
            }
            Change::Zero { node, offset, len, size } => {
                self.note(stamp, node, Kind::File, None);
                let written = PatchBytes::Zeros(len);
                self.patch(node, offset, written, size, stamp);
            }
            Change::Remove { node, path } => {
                if let Some(gone) = self.nodes.remove(&node) {
                    self.sources.uncover(node);
                    self.forget_resident(&gone.body);
                    self.note(stamp, node, gone.attrs.kind, Some(path.clone()));
                    self.bury(node, gone, path, time);
                }
            }
            Change::Pulled { node, content, time: written, agent, .. } => {
                self.note(Stamp { agent: &agent, ..stamp }, node, Kind::File, None);
                self.set_content(node, content, version, time);
                if let Some(known) = self.node_mut(node) {
                    known.attrs.modified = written;
                }
            }
            Change::Purge { .. } | Change::Erase { .. } => {}
            Change::Grant { grant, holds } => {
                self.grants.retain(|old| *old != grant);
                if holds {
                    self.grants.push(grant);
                }
            }
            Change::Quota { quota } => self.quota = quota,
            Change::Hide { parent, name, hidden } => self.hide(parent, name, hidden, time),
            // Lineages and histories are the base's.
            Change::Succeed { old, .. } => self.put_away.forget(old),
        }
    }

    /// Forgets a removed node, or keeps it apart while a face holds it.
    pub(super) fn bury(&mut self, node: NodeId, mut gone: Box<Node>, path: Path, time: Timestamp) {
        self.staged.remove(&node);
        gone.attrs.expires.map(|expires| self.expiring.remove(&(expires, node)));
        if gone.holds.load(Ordering::Relaxed) == 0 {
            self.forget_staging(&gone.body);
            return;
        }
        gone.attrs.links = 0;
        gone.attrs.changed = time;
        gone.name = Arc::from("");
        gone.other_names.clear();
        self.orphans.insert(node, Orphan { node: gone, path, successor: None });
    }

    /// Tells whether the changes are of a node without a name, which are not recorded; one that
    /// is brought back gets a name.
    pub(crate) fn is_of_orphan(&self, changes: &[Change]) -> bool {
        !self.orphans.is_empty()
            && changes.iter().all(|change| {
                statement(change).is_some_and(|(node, _)| self.orphans.contains_key(&node))
            })
    }

    /// Applies changes of a node without a name.
    pub(super) fn apply_to_orphan(
        &mut self,
        changes: Vec<Change>,
        time: Timestamp,
        agent: &AgentId,
    ) {
        for change in changes {
            match change {
                Change::Node { node, mut attrs } => {
                    attrs.links = 0;
                    let version = self.orphan_version(node);
                    self.set_attrs(node, attrs, version);
                }
                Change::Content { node, content } | Change::Pulled { node, content, .. } => {
                    let version = self.orphan_version(node);
                    self.set_content(node, content, version, time);
                }
                Change::Patch { node, offset, bytes, size } => {
                    let stamp = self.orphan_stamp(node, time, agent);
                    self.patch(node, offset, PatchBytes::Bytes(&bytes), size, stamp);
                }
                Change::Zero { node, offset, len, size } => {
                    let stamp = self.orphan_stamp(node, time, agent);
                    self.patch(node, offset, PatchBytes::Zeros(len), size, stamp);
                }
                _ => {}
            }
        }
    }

    /// Returns the next version of a node without a name: its own count, seen by nobody.
    fn orphan_version(&self, node: NodeId) -> Version {
        self.node(node).map_or(self.version, |known| known.version.next())
    }

    /// Stamps a change of a node without a name, for which nothing in the journal has to be kept.
    fn orphan_stamp<'a>(&self, node: NodeId, time: Timestamp, agent: &'a AgentId) -> Stamp<'a> {
        Stamp { version: self.orphan_version(node), time, agent, held: Position(u64::MAX) }
    }

    fn set_attrs(&mut self, node: NodeId, attrs: Attrs, version: Version) {
        let expires = attrs.expires;
        let may_expire = expires.is_some() || !self.expiring.is_empty();
        let before = || self.nodes.get(&node).and_then(|known| known.attrs.expires);
        let before = if may_expire { before() } else { None };
        if before != expires {
            before.map(|before| self.expiring.remove(&(before, node)));
            expires.map(|expires| self.expiring.insert((expires, node)));
        }
        if let Some(known) = self.node_mut(node) {
            known.attrs = attrs;
            known.version = version;
            return;
        }
        let body = match attrs.kind {
            Kind::Directory => Body::Directory(Some(Names::default())),
            Kind::Link => Body::Link,
            Kind::Special(_) => Body::Special,
            Kind::File => Body::Settled(Content::Inline(Bytes::new())),
        };
        let made = Node {
            attrs,
            version,
            content_version: version,
            // A node without a name yet; the entry that follows gives it one.
            parent: node,
            name: Arc::from(""),
            other_names: Vec::new(),
            holds: AtomicU64::new(0),
            read: AtomicU32::new(0),
            body,
        };
        self.nodes.insert(node, Box::new(made));
    }

    fn set_content(&mut self, node: NodeId, content: Content, version: Version, time: Timestamp) {
        let added = if let Content::Inline(bytes) = &content { bytes.len() as u64 } else { 0 };
        let Some(known) = self.node_mut(node) else { return };
        let old = std::mem::replace(&mut known.body, Body::Settled(content));
        known.attrs.modified = time;
        known.attrs.changed = time;
        known.version = version;
        known.content_version = version;
        self.forget_resident(&old);
        if matches!(old, Body::Staged(_)) {
            self.staged.remove(&node);
            self.forget_staging(&old);
        }
        if added > 0 && self.nodes.contains_key(&node) {
            self.note_resident(node, version, added);
        }
    }

    fn patch(
        &mut self,
        node: NodeId,
        offset: u64,
        written: PatchBytes<'_>,
        size: u64,
        stamp: Stamp<'_>,
    ) {
        let Stamp { version, time, agent, held } = stamp;
        let chunk = self.chunk_bytes;
        let fresh = !self.staged.contains(&node);
        let Some(known) = self.node_mut(node) else { return };
        let Body::Staged(staged) = &mut known.body else { return };
        if fresh {
            staged.held = held;
        }
        let before = staged.held_bytes();
        staged.patch(chunk, offset, written, size);
        let after = staged.held_bytes();
        staged.touched = time;
        staged.agent = agent.clone();
        // Replayed over a base that has a later change of the node, only the bytes are news.
        if version > known.version {
            known.attrs.modified = time;
            known.attrs.changed = time;
            known.version = version;
        }
        self.staged.insert(node);
        self.staging_bytes = (self.staging_bytes + after).saturating_sub(before);
    }

    fn bind(&mut self, parent: NodeId, name: Arc<str>, node: NodeId, stamp: Stamp<'_>) {
        if let Some(Body::Directory(Some(names))) =
            self.nodes.get_mut(&parent).map(|parent| &mut parent.body)
        {
            names.insert(name.clone(), node);
        }
        let Some(known) = self.nodes.get_mut(&node) else { return };
        known.version = stamp.version;
        if known.name.is_empty() {
            known.parent = parent;
            known.name = name;
        } else {
            known.other_names.push((parent, name));
        }
        let kind = known.attrs.kind;
        self.note(stamp, node, kind, None);
    }

    fn unbind(&mut self, parent: NodeId, name: &str, stamp: Stamp<'_>) {
        let Some(Body::Directory(Some(names))) =
            self.nodes.get_mut(&parent).map(|parent| &mut parent.body)
        else {
            return;
        };
        let Some(node) = names.remove(name) else { return };
        let gone = self.path_of(parent).ok().and_then(|path| path.join(name).ok());
        let Some(known) = self.nodes.get_mut(&node) else { return };
        if known.parent == parent && &*known.name == name {
            match known.other_names.pop() {
                Some((parent, name)) => (known.parent, known.name) = (parent, name),
                None => known.name = Arc::from(""),
            }
        } else {
            known.other_names.retain(|(at, other)| *at != parent || &**other != name);
        }
        let kind = known.attrs.kind;
        let is_nameless = known.name.is_empty();
        if is_nameless && self.sources.has(node) {
            self.drop_sourced(node, gone.clone(), stamp.time);
        }
        self.note(stamp, node, kind, gone);
    }

    fn note(&mut self, stamp: Stamp<'_>, node: NodeId, kind: Kind, gone: Option<Path>) {
        let Stamp { version, time, agent, .. } = stamp;
        if let Some(unindexed) = &mut self.unindexed {
            unindexed.nodes.insert(node);
        }
        // One record often touches a node several times; watchers want to hear once.
        if let Some(last) = self.recent.back()
            && last.version == version
            && last.node == node
            && last.gone == gone
        {
            return;
        }
        self.recent.push_back(Recent { version, node, kind, gone, time, agent: agent.clone() });
    }

    pub(super) fn forget_resident(&mut self, body: &Body) {
        if let Body::Settled(Content::Inline(bytes)) = body {
            self.resident_bytes = self.resident_bytes.saturating_sub(bytes.len() as u64);
        }
    }
}

/// Returns the node that a change makes, changes or removes, and its length if that is stated.
fn statement(change: &Change) -> Option<(NodeId, Option<u64>)> {
    match change {
        Change::Node { node, .. } | Change::Make { node, .. } => Some((*node, None)),
        Change::Content { node, content } | Change::Pulled { node, content, .. } => {
            Some((*node, Some(content.size())))
        }
        Change::Patch { node, size, .. } | Change::Zero { node, size, .. } => {
            Some((*node, Some(*size)))
        }
        Change::Remove { node, .. } => Some((*node, Some(0))),
        _ => None,
    }
}
