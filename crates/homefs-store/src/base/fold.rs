//! Folding: a batch of records becomes rows in one transaction.
//!
//! The batch is netted in memory first, so that a node or a name that changes often is written
//! once, and rows are written in the order of their keys, which keeps the page cache small.

mod erase;
pub(super) mod put_away;
mod succeed;

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use homefs_core::{AgentId, Digest, NodeId, Path, Timestamp, Version};
use rusqlite::Connection;
use rustc_hash::FxHashMap;

use super::fault::Fault;
use super::rows::{self, NodeState, Stored};
use super::{Folded, Inner, NodeRow, sweep};
use crate::chunks::Chunks;
use crate::model::{Attrs, Grant};
use crate::record::{Change, Content, Origin, Record};

/// Applies the records that follow what is folded.
pub(super) fn fold(inner: &mut Inner, chunks: &Chunks, batch: &[Record]) -> Result<(), Fault> {
    let transaction = inner.connection.transaction()?;
    let mut folded = rows::folded(&transaction)?;
    let mut net = Net::new(&transaction, chunks);
    net.load(batch)?;
    let mut new = Vec::with_capacity(batch.len());
    for record in batch {
        // Versions, not journal positions: a journal that was lost and started anew begins at
        // position 0 again, and its records must not be taken for old ones.
        if record.version <= folded.version {
            continue;
        }
        folded.version = record.version;
        folded.usage = record.usage;
        for change in &record.changes {
            net.apply(record, change, &mut folded)?;
        }
        if let Some(origin) = &record.origin {
            net.write_client(origin, record)?;
        }
        new.push(record);
    }
    net.write()?;
    let purged = std::mem::take(&mut net.purged);
    rows::write_folded(&transaction, &folded)?;
    put_away::fold(&transaction, &new)?;
    let dead = sweep::sweep(&transaction, chunks)?;
    erase::note_purged(&transaction, &purged)?;
    transaction.commit()?;
    inner.dying.extend(dead);
    Ok(())
}

/// The changes of a batch that are not written yet.
struct Net<'a> {
    connection: &'a Connection,
    chunks: &'a Chunks,
    nodes: FxHashMap<NodeId, Stored>,
    entries: BTreeMap<(NodeId, &'a str), Option<NodeId>>,
    editions: Vec<Pending<'a>>,
    /// New references to small contents.
    blobs: BTreeMap<Digest, Named<'a>>,
    /// What purges took references to, and which change did.
    purged: BTreeMap<Digest, Version>,
}

/// New references to a small content.
#[derive(Default)]
struct Named<'a> {
    count: i64,
    /// The content, where a record brought it.
    bytes: Option<&'a Bytes>,
    /// Whether the remote has it, so that it may be absent here.
    pulled: bool,
}

/// Who wrote a content, when and where.
struct Authorship<'a> {
    time: Timestamp,
    agent: &'a AgentId,
    machine: Option<&'a str>,
    /// Whether the remote has it, so that it may be absent here.
    pulled: bool,
}

/// A row of the history to be.
struct Pending<'a> {
    node: NodeId,
    version: Version,
    written: Authorship<'a>,
    content: Content,
}

impl<'a> Net<'a> {
    fn new(connection: &'a Connection, chunks: &'a Chunks) -> Self {
        Self {
            connection,
            chunks,
            nodes: FxHashMap::default(),
            entries: BTreeMap::new(),
            editions: Vec::new(),
            blobs: BTreeMap::new(),
            purged: BTreeMap::new(),
        }
    }

    /// Reads the nodes that the batch changes, in the order in which they are stored.
    fn load(&mut self, batch: &[Record]) -> Result<(), Fault> {
        let changes = batch.iter().flat_map(|record| &record.changes);
        let nodes: BTreeSet<NodeId> = changes.filter_map(changed_node).collect();
        for node in nodes {
            if let Some(stored) = load(self.connection, node)? {
                self.nodes.insert(node, stored);
            }
        }
        Ok(())
    }

    fn apply(
        &mut self,
        record: &'a Record,
        change: &'a Change,
        folded: &mut Folded,
    ) -> Result<(), Fault> {
        match change {
            Change::Node { node, attrs } | Change::Make { node, attrs } => {
                self.set_node(record, *node, attrs)
            }
            Change::Entry { parent, name, node } => {
                let directory = self.known(*parent)?;
                touch(directory, record);
                directory.row.attrs.modified = record.time;
                self.entries.insert((*parent, name), *node);
                Ok(())
            }
            Change::Content { node, content } => {
                let (time, agent) = (record.time, &record.agent);
                let written = Authorship { time, agent, machine: None, pulled: false };
                self.set_content(record, *node, content, written)
            }
            Change::Pulled { node, content, time, agent, machine } => {
                let machine = machine.as_deref();
                let written = Authorship { time: *time, agent, machine, pulled: true };
                self.set_content(record, *node, content, written)
            }
            // Not settled: the record that settles it brings the whole content.
            Change::Patch { .. } | Change::Zero { .. } => Ok(()),
            Change::Remove { node, path } => self.remove(record, *node, path),
            Change::Purge { node } => self.purge(record, *node),
            Change::Erase { digests } => self.erase(record, digests),
            Change::Grant { grant, holds } => self.set_grant(grant, *holds),
            Change::Hide { parent, name, hidden } => self.hide(record, *parent, name, *hidden),
            Change::Succeed { node, old } => self.succeed(*node, *old),
            Change::Quota { quota } => {
                folded.quota = *quota;
                Ok(())
            }
        }
    }

    fn set_node(&mut self, record: &Record, node: NodeId, attrs: &Attrs) -> Result<(), Fault> {
        let old = match self.nodes.remove(&node) {
            Some(stored) => Some(stored),
            None => load(self.connection, node)?,
        };
        let mut agent = Some(record.agent.clone());
        let lineage = old.as_ref().map_or(node, |old| old.lineage);
        let (content_version, content) = old.map_or_else(
            || (Version::default(), Content::Inline(Bytes::new())),
            |old| {
                if old.row.content_version == record.version {
                    // Who wrote the content of this record made the change, perhaps elsewhere.
                    agent = old.agent;
                }
                (old.row.content_version, old.row.content)
            },
        );
        let attrs = attrs.clone();
        let row = NodeRow { node, attrs, version: record.version, content_version, content };
        self.nodes
            .insert(node, Stored { row, agent, state: NodeState::Living, path: None, lineage });
        Ok(())
    }

    fn set_content(
        &mut self,
        record: &'a Record,
        node: NodeId,
        content: &'a Content,
        written: Authorship<'a>,
    ) -> Result<(), Fault> {
        if self.known(node)?.row.content_version == record.version {
            // A record that sets a content twice means the later one.
            self.write()?;
            sweep::drop_edition(self.connection, node, record.version)?;
        }
        let content = self.hold(content, written.pulled)?;
        let stored = self.known(node)?;
        stored.row.content = content.clone();
        stored.row.content_version = record.version;
        if stored.state == NodeState::Living {
            touch(stored, record);
            stored.agent = Some(written.agent.clone());
            stored.row.attrs.modified = written.time;
        }
        self.editions.push(Pending { node, version: record.version, written, content });
        Ok(())
    }

    /// Takes a reference to the content and returns the form in which rows name it.
    fn hold(&mut self, content: &'a Content, pulled: bool) -> Result<Content, Fault> {
        if content.size() == 0 {
            return Ok(Content::Inline(Bytes::new()));
        }
        match content {
            Content::Inline(bytes) => {
                let digest = Digest::of(bytes);
                let named = self.blobs.entry(digest).or_default();
                named.count += 1;
                named.bytes = Some(bytes);
                Ok(Content::Blob { digest, size: bytes.len() as u64 })
            }
            Content::Blob { digest, .. } => {
                let named = self.blobs.entry(*digest).or_default();
                named.count += 1;
                named.pulled |= pulled;
                Ok(content.clone())
            }
            Content::Chunked { leaves, .. } => {
                for &leaf in leaves {
                    sweep::hold_leaf(self.connection, self.chunks, leaf, pulled)?;
                }
                Ok(content.clone())
            }
        }
    }

    fn remove(&mut self, record: &Record, node: NodeId, path: &Path) -> Result<(), Fault> {
        let stored = self.known(node)?;
        touch(stored, record);
        stored.state = NodeState::Trashed;
        stored.path = Some(path.clone());
        let goes_on =
            |change: &Change| matches!(change, Change::Succeed { old, .. } if *old == node);
        if stored.lineage == node || record.changes.iter().any(goes_on) {
            return Ok(());
        }
        self.drop_backup(node)
    }

    fn set_grant(&self, grant: &Grant, holds: bool) -> Result<(), Fault> {
        let sql = if holds {
            "INSERT OR REPLACE INTO grants VALUES (?1, ?2, ?3, ?4)"
        } else {
            "DELETE FROM grants
             WHERE is_group = ?1 AND subject = ?2 AND prefix = ?3 AND access = ?4"
        };
        self.connection.prepare_cached(sql)?.execute(rows::grant_columns(grant))?;
        Ok(())
    }

    fn hide(&self, record: &Record, parent: NodeId, name: &str, hidden: bool) -> Result<(), Fault> {
        if hidden {
            self.connection
                .prepare_cached("INSERT OR REPLACE INTO hidden VALUES (?1, ?2, ?3)")?
                .execute((parent.to_bytes(), name, record.time.0))?;
        } else {
            self.connection
                .prepare_cached("DELETE FROM hidden WHERE parent = ?1 AND name = ?2")?
                .execute((parent.to_bytes(), name))?;
        }
        Ok(())
    }

    fn write_client(&self, origin: &Origin, record: &Record) -> Result<(), Fault> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO clients VALUES (?1, ?2, ?3, ?4)")?
            .execute((
            rows::client_column(origin.client),
            origin.number.cast_signed(),
            record.version.0.cast_signed(),
            record.time.0,
        ))?;
        Ok(())
    }

    /// Returns a node that an earlier record made.
    fn known(&mut self, node: NodeId) -> Result<&mut Stored, Fault> {
        use std::collections::hash_map::Entry;
        match self.nodes.entry(node) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let stored = load(self.connection, node)?.ok_or_else(|| {
                    Fault::Damaged(format!("a record changes node {node}, which no record made"))
                })?;
                Ok(entry.insert(stored))
            }
        }
    }

    /// Writes everything that is pending.
    fn write(&mut self) -> Result<(), Fault> {
        self.write_blobs()?;
        self.write_editions()?;
        let mut set =
            self.connection.prepare_cached("INSERT OR REPLACE INTO entries VALUES (?1, ?2, ?3)")?;
        let mut unset = self
            .connection
            .prepare_cached("DELETE FROM entries WHERE parent = ?1 AND name = ?2")?;
        for ((parent, name), node) in std::mem::take(&mut self.entries) {
            match node {
                Some(node) => set.execute((parent.to_bytes(), name, node.to_bytes()))?,
                None => unset.execute((parent.to_bytes(), name))?,
            };
        }
        let mut nodes: Vec<Stored> = self.nodes.drain().map(|(_, stored)| stored).collect();
        nodes.sort_unstable_by_key(|stored| stored.row.node);
        nodes.iter().try_for_each(|stored| rows::write_node(self.connection, stored))
    }

    fn write_blobs(&mut self) -> Result<(), Fault> {
        let mut hold = self
            .connection
            .prepare_cached("UPDATE blobs SET refs = refs + ?2 WHERE digest = ?1")?;
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO blobs (digest, refs, bytes) VALUES (?1, ?2, ?3)
             ON CONFLICT (digest) DO UPDATE SET refs = refs + ?2",
        )?;
        // What is there may be absent or damaged; the row is written anew in any case.
        let mut bring = self.connection.prepare_cached(
            "INSERT INTO blobs (digest, refs, bytes) VALUES (?1, ?2, ?3)
             ON CONFLICT (digest) DO UPDATE SET refs = refs + ?2, bytes = ?3",
        )?;
        for (digest, Named { count, bytes, pulled }) in std::mem::take(&mut self.blobs) {
            let written = match bytes {
                Some(bytes) => bring.execute((digest.0, count, &bytes[..]))?,
                None if pulled => insert.execute((digest.0, count, &[][..]))?,
                None => hold.execute((digest.0, count))?,
            };
            if written == 0 {
                return Err(Fault::Damaged(format!(
                    "a record names content {digest}, which the base does not have"
                )));
            }
        }
        Ok(())
    }

    fn write_editions(&mut self) -> Result<(), Fault> {
        let mut insert = self
            .connection
            .prepare_cached("INSERT INTO history VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
        self.editions.sort_unstable_by_key(|edition| (edition.node, edition.version));
        for edition in self.editions.drain(..) {
            let (size, digest, leaves) = rows::content_columns(&edition.content);
            insert.execute((
                edition.node.to_bytes(),
                edition.version.0.cast_signed(),
                edition.written.time.0,
                edition.written.agent.as_str(),
                size,
                digest,
                leaves,
                edition.written.machine,
            ))?;
        }
        Ok(())
    }
}

/// The node whose row a change writes.
fn changed_node(change: &Change) -> Option<NodeId> {
    match change {
        Change::Node { node, .. }
        | Change::Make { node, .. }
        | Change::Entry { parent: node, .. }
        | Change::Content { node, .. }
        | Change::Pulled { node, .. }
        | Change::Remove { node, .. }
        | Change::Succeed { node, .. } => Some(*node),
        Change::Patch { .. }
        | Change::Zero { .. }
        | Change::Purge { .. }
        | Change::Erase { .. }
        | Change::Hide { .. }
        | Change::Grant { .. }
        | Change::Quota { .. } => None,
    }
}

/// Notes the record as the last change of the node.
fn touch(stored: &mut Stored, record: &Record) {
    stored.row.version = record.version;
    stored.row.attrs.changed = record.time;
    stored.agent = Some(record.agent.clone());
}

/// Reads a node, living or not.
pub(super) fn load(connection: &Connection, node: NodeId) -> Result<Option<Stored>, Fault> {
    let (columns, rest) = (rows::NODE, rows::STORED);
    let sql = format!("SELECT {columns}, {rest} FROM nodes n WHERE id = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = statement.query([node.to_bytes()])?;
    found.next()?.map(rows::stored).transpose()
}

/// Returns the versions in a node's history.
pub(super) fn versions(connection: &Connection, node: NodeId) -> Result<Vec<Version>, Fault> {
    let mut statement = connection.prepare_cached("SELECT version FROM history WHERE node = ?1")?;
    let mut found = statement.query([node.to_bytes()])?;
    let mut versions = Vec::new();
    while let Some(row) = found.next()? {
        versions.push(rows::version(row, 0)?);
    }
    Ok(versions)
}
