//! Keeping what was read from the base, and giving memory back.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use bytes::Bytes;
use homefs_core::{Clock, NodeId, Timestamp, Version};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Body, Names, Node, Sources, Tree};
use crate::base::NodeRow;
use crate::journal::Position;
use crate::model::{Grant, Kind, Quota, Usage};
use crate::put_away::PutAway;
use crate::record::Content;
use crate::staged::Staged;

impl Tree {
    /// Starts the overlay of a space with its root, not loaded.
    pub fn new(
        root: NodeRow,
        version: Version,
        usage: Usage,
        quota: Quota,
        grants: Vec<Grant>,
        chunk_bytes: u64,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let mut tree = Self {
            nodes: FxHashMap::default(),
            orphans: FxHashMap::default(),
            version,
            usage,
            quota,
            grants,
            staged: FxHashSet::default(),
            staging_bytes: 0,
            resident: VecDeque::new(),
            resident_bytes: 0,
            recent: VecDeque::new(),
            recent_after: version,
            clients: FxHashMap::default(),
            unindexed: None,
            chunk_bytes,
            expiring: BTreeSet::new(),
            put_away: PutAway::default(),
            sources: Sources::default(),
            clock,
        };
        tree.keep(NodeId::ROOT, Arc::from("/"), root);
        tree
    }

    /// Keeps a node read from the base, unless memory knows it already.
    pub fn keep(&mut self, parent: NodeId, name: Arc<str>, row: NodeRow) {
        self.nodes.entry(row.node).or_insert_with(|| {
            Box::new(Node {
                version: row.version,
                content_version: row.content_version,
                parent,
                name,
                other_names: Vec::new(),
                holds: AtomicU64::new(0),
                read: AtomicU32::new(0),
                body: match row.attrs.kind {
                    Kind::Directory => Body::Directory(None),
                    Kind::Link => Body::Link,
                    Kind::Special(_) => Body::Special,
                    Kind::File => Body::Settled(row.content),
                },
                attrs: row.attrs,
            })
        });
    }

    /// Starts it with what is known of a space beside its nodes: which of them expire, which were
    /// put away, and what is hidden of sources.
    pub fn begin(
        &mut self,
        expiring: BTreeSet<(Timestamp, NodeId)>,
        put_away: PutAway,
        sources: Sources,
    ) {
        (self.expiring, self.put_away, self.sources) = (expiring, put_away, sources);
    }

    /// Keeps the content reference of a file read from the base, if the file still has that content.
    pub(crate) fn keep_reference(&mut self, row: NodeRow) {
        if let Some(known) = self.node_mut(row.node)
            && known.content_version == row.content_version
            && matches!(known.body, Body::InBase(_))
        {
            known.body = Body::Settled(row.content);
        }
    }

    /// Keeps the names of a directory read from the base, unless it is loaded already.
    pub(crate) fn keep_names(&mut self, directory: NodeId, rows: Vec<(Box<str>, NodeRow)>) {
        match self.nodes.get(&directory).map(|known| &known.body) {
            Some(Body::Directory(None)) => {}
            _ => return,
        }
        let mut names = Names::with_capacity(rows.len());
        for (name, row) in rows {
            let name: Arc<str> = name.into();
            let node = row.node;
            names.insert(name.clone(), node);
            match self.nodes.get_mut(&node) {
                None => self.keep(directory, name, row),
                Some(known) if (known.parent, &*known.name) == (directory, &*name) => {}
                // It has lost the only name that was known.
                Some(known) if known.name.is_empty() => {
                    (known.parent, known.name) = (directory, name);
                }
                Some(known) => {
                    let other = (directory, name);
                    if !known.other_names.contains(&other) {
                        known.other_names.push(other);
                    }
                }
            }
        }
        if let Some(known) = self.nodes.get_mut(&directory) {
            known.body = Body::Directory(Some(names));
        }
    }

    /// Keeps a small content read from the base, if the node still has that content.
    pub(crate) fn keep_content(&mut self, node: NodeId, seen: Version, bytes: &Bytes) {
        let Some(known) = self.nodes.get_mut(&node) else { return };
        let replaceable =
            matches!(known.body, Body::InBase(_) | Body::Settled(Content::Blob { .. }));
        if known.content_version == seen && replaceable && !bytes.is_empty() {
            known.body = Body::Settled(Content::Inline(bytes.clone()));
            self.note_resident(node, seen, bytes.len() as u64);
        }
    }

    /// Remembers that a content is in memory, so that it can be given back later.
    pub(super) fn note_resident(&mut self, node: NodeId, version: Version, bytes: u64) {
        self.resident_bytes += bytes;
        self.resident.push_back((node, version));
        // A file written a million times must not leave a million entries.
        if self.resident.len() > 2 * self.nodes.len() + 1024 {
            let nodes = &self.nodes;
            self.resident.retain(|(node, version)| {
                nodes.get(node).is_some_and(|known| known.content_version == *version)
            });
        }
    }

    /// Gives back contents that the base has, oldest first, until `wanted` bytes are free;
    /// returns how many were freed.
    pub(crate) fn give_back(&mut self, wanted: u64, folded: Version) -> u64 {
        let mut freed = 0;
        while freed < wanted {
            match self.resident.front() {
                Some((_, version)) if *version <= folded => {}
                _ => break,
            }
            let Some((node, version)) = self.resident.pop_front() else { break };
            let Some(known) = self.nodes.get_mut(&node) else { continue };
            // A later content has an entry of its own in the queue.
            if known.content_version != version {
                continue;
            }
            if let Body::Settled(Content::Inline(bytes)) = &known.body
                && !bytes.is_empty()
            {
                let size = bytes.len() as u64;
                known.body = Body::InBase(size);
                self.resident_bytes = self.resident_bytes.saturating_sub(size);
                freed += size;
            }
        }
        freed
    }

    /// Begins or widens the unsettled content of a file, if it still is what `seen` says.
    pub(crate) fn stage(
        &mut self,
        node: NodeId,
        seen: Version,
        mut fresh: Box<Staged>,
        image: Option<(u64, Vec<u8>)>,
    ) {
        let Some(known) = self.node_mut(node) else { return };
        if known.content_version != seen {
            return;
        }
        if !matches!(known.body, Body::Staged(_)) {
            fresh.after = known.attrs.modified;
            let old = std::mem::replace(&mut known.body, Body::Staged(fresh));
            self.forget_resident(&old);
        }
        let Some((index, image)) = image else { return };
        let Some(Body::Staged(staged)) = self.node_mut(node).map(|known| &mut known.body) else {
            return;
        };
        let before = staged.held_bytes();
        staged.fill(index, image);
        let after = staged.held_bytes();
        self.staging_bytes = (self.staging_bytes + after).saturating_sub(before);
    }

    /// Counts the memory of an unsettled content no longer.
    pub(super) fn forget_staging(&mut self, body: &Body) {
        if let Body::Staged(staged) = body {
            self.staging_bytes = self.staging_bytes.saturating_sub(staged.held_bytes());
        }
    }

    /// Returns the position after which the journal must keep everything.
    pub fn held_position(&self) -> Option<Position> {
        let held = self.staged_files().map(|(_, staged)| staged.held).min();
        // What has no name is in no record.
        held.filter(|held| *held < Position(u64::MAX))
    }

    /// Returns the unsettled files last touched before `before`; all of them without it.
    pub(crate) fn staged_before(&self, before: Option<Timestamp>) -> Vec<NodeId> {
        // What a clock that was set back shows as of the future is not waited for.
        let now = self.clock.now();
        let is_quiet = |touched, before| touched <= before || touched > now;
        self.staged_files()
            .filter(|(_, staged)| before.is_none_or(|before| is_quiet(staged.touched, before)))
            .map(|(node, _)| node)
            .collect()
    }

    /// Tells whether a file has an unsettled content that is not empty.
    pub(crate) fn is_staging_some(&self, node: NodeId) -> bool {
        let known = self.staged.contains(&node).then(|| self.node(node).ok()).flatten();
        known.is_some_and(|known| matches!(&known.body, Body::Staged(staged) if staged.size > 0))
    }

    fn staged_files(&self) -> impl Iterator<Item = (NodeId, &Staged)> {
        self.staged.iter().filter_map(|node| match &self.node(*node).ok()?.body {
            Body::Staged(staged) => Some((*node, &**staged)),
            _ => None,
        })
    }
}
