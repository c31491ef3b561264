//! Makes rows of a damaged base agree with each other and writes them into a fresh one.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use homefs_core::{Digest, ErrorKind, NodeId, Version};
use rusqlite::Connection;

use super::fault::Fault;
use super::readable::Readable;
use super::rows::{self, State, Stored};
use super::{Folded, NodeRow, fold, sweep};
use crate::chunks::Chunks;
use crate::model::{Attrs, Kind, Quota, Usage, Xattrs};
use crate::record::Content;

/// The name in the root under which nodes without a name are put.
const LOST_AND_FOUND: &str = "lost+found";

/// What became of the nodes.
#[derive(Default)]
pub(super) struct Mended {
    /// Nodes of which anything was known, the root not counted.
    pub(super) known: usize,
    /// Those that live now.
    pub(super) living: usize,
    /// Those that had lost their name.
    pub(super) found: usize,
    /// Files whose last content is lost.
    pub(super) older: usize,
}

/// Replaces all rows of the fresh base, but for the bytes of small contents.
pub(super) fn mend(
    mut rows: Readable,
    fresh: &Connection,
    chunks: &Chunks,
) -> Result<Mended, Fault> {
    let root = fold::load(fresh, NodeId::ROOT)?
        .ok_or_else(|| Fault::Damaged("a fresh base has no root".into()))?;
    let mut mended = Mended::default();
    drop_lost_contents(&mut rows, chunks)?;
    rows.entries.retain(|_, node| *node != NodeId::ROOT);
    let revived = revive(&mut rows, &root);
    part_lineages(&mut rows);
    let noted = rows.folded.map_or(0, |folded| folded.usage.nodes);
    set_contents(&mut rows, &revived, &mut mended);
    drop_loose_names(&mut rows);
    bind_lost(&mut rows, &root, &mut mended);
    count_names(&mut rows);
    let folded = count(&rows);
    mended.living = usize::try_from(folded.usage.nodes).unwrap_or(usize::MAX);
    mended.known = mended.living.max(usize::try_from(noted).unwrap_or(0));
    write(&rows, &folded, fresh, chunks)?;
    Ok(mended)
}

/// Tells whether the leaves of a large content are there and fit it. A chunk may be missing: what
/// can be read of the content is worth more than nothing.
pub(super) fn has_leaves(chunks: &Chunks, size: u64, leaves: &[Digest]) -> Result<bool, Fault> {
    let count = chunks.chunk_count(size);
    if chunks.leaf_len(count, leaves.len()) > 0 {
        return Ok(false);
    }
    for (index, &leaf) in leaves.iter().enumerate() {
        match chunks.leaf(leaf, chunks.leaf_len(count, index)) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Corrupt => return Ok(false),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

fn drop_lost_contents(rows: &mut Readable, chunks: &Chunks) -> Result<(), Fault> {
    let mut lost = Vec::new();
    for (key, old) in &rows.history {
        let there = match &old.content {
            Content::Inline(_) => true,
            Content::Blob { digest, size } => {
                rows.blobs.get(digest).is_some_and(|len| len == size || *len == 0)
            }
            Content::Chunked { size, leaves } => has_leaves(chunks, *size, leaves)?,
        };
        if !there {
            lost.push(*key);
        }
    }
    for key in lost {
        rows.history.remove(&key);
    }
    Ok(())
}

/// Makes nodes whose row is lost anew from what else is known of them: what holds names is a
/// directory, what has a history is a file. Returns which.
fn revive(rows: &mut Readable, root: &Stored) -> BTreeSet<NodeId> {
    let known: BTreeSet<NodeId> = rows.nodes.keys().copied().collect();
    rows.nodes.entry(NodeId::ROOT).or_insert_with(|| root.clone());
    if let Some(stored) = rows.nodes.get_mut(&NodeId::ROOT) {
        (stored.state, stored.path) = (State::Living, None);
        stored.row.attrs.kind = Kind::Directory;
    }
    for (parent, _) in rows.entries.keys() {
        let anew = || living(*parent, root.row.attrs.clone());
        rows.nodes.entry(*parent).or_insert_with(anew);
    }
    for ((node, version), old) in &rows.history {
        let stored = rows.nodes.entry(*node).or_insert_with(|| {
            let times = (old.time, old.time, old.time);
            let (created, modified, changed) = times;
            let (kind, mode) = (Kind::File, 0o644);
            let attrs = root.row.attrs.clone();
            living(*node, Attrs { kind, mode, created, modified, changed, ..attrs })
        });
        if stored.agent.is_none() && *node != NodeId::ROOT {
            stored.agent = Some(old.agent.clone());
            stored.row.version = stored.row.version.max(*version);
        }
    }
    for stored in rows.nodes.values_mut() {
        // Without these it could neither be listed nor brought back.
        if stored.state == State::Trashed && (stored.path.is_none() || stored.agent.is_none()) {
            stored.state = State::Gone;
        }
    }
    rows.nodes.keys().copied().filter(|node| !known.contains(node)).collect()
}

/// Leaves each lineage to one living node; the others are their own again.
fn part_lineages(rows: &mut Readable) {
    loop {
        let mut holders: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        let living = rows.nodes.iter().filter(|(_, stored)| stored.state == State::Living);
        let twice = living.filter_map(|(&node, stored)| {
            let other = holders.insert(stored.lineage, node)?;
            // One of the two has it from another node.
            Some(if stored.lineage == node { other } else { node })
        });
        let twice: Vec<NodeId> = twice.collect();
        if twice.is_empty() {
            return;
        }
        for node in twice {
            rows.nodes.entry(node).and_modify(|stored| stored.lineage = node);
        }
    }
}

fn living(node: NodeId, attrs: Attrs) -> Stored {
    let row = NodeRow {
        node,
        attrs,
        version: Version::default(),
        content_version: Version::default(),
        content: Content::Inline(Bytes::new()),
    };
    Stored { row, agent: None, state: State::Living, path: None, lineage: node }
}

/// Gives every node the newest content of its history, or none.
fn set_contents(rows: &mut Readable, revived: &BTreeSet<NodeId>, mended: &mut Mended) {
    let nodes = &mut rows.nodes;
    rows.history.retain(|(node, _), _| nodes[node].state != State::Gone);
    for (node, stored) in nodes {
        // What is known to have no content yet may have the history of another node all the same.
        let is_blank = stored.row.content_version == Version(0) && !revived.contains(node);
        let most = if is_blank { Version(0) } else { Version(u64::MAX) };
        let newest = rows.history.range((*node, Version(0))..=(*node, most)).last();
        let (version, content) = newest
            .map_or((Version(0), Content::Inline(Bytes::new())), |new| {
                (new.0.1, new.1.content.clone())
            });
        if version < stored.row.content_version && stored.state == State::Living {
            mended.older += 1;
        }
        (stored.row.content_version, stored.row.content) = (version, content);
        if stored.state == State::Gone {
            stored.row.clear();
            stored.path = None;
        }
    }
}

/// Drops names that lead nowhere, or from nowhere.
fn drop_loose_names(rows: &mut Readable) {
    let nodes = &rows.nodes;
    let lives = |node: &NodeId| nodes.get(node).is_some_and(|stored| stored.state == State::Living);
    let holds = |node: &NodeId| lives(node) && nodes[node].row.attrs.kind == Kind::Directory;
    rows.entries.retain(|(parent, _), node| holds(parent) && lives(node));
}

/// Gives a name to living nodes that cannot be reached from the root.
fn bind_lost(rows: &mut Readable, root: &Stored, mended: &mut Mended) {
    let mut reached = BTreeSet::from([NodeId::ROOT]);
    reach(rows, &mut reached, NodeId::ROOT);
    let lost = |rows: &Readable, reached: &BTreeSet<NodeId>| -> Vec<NodeId> {
        let living = rows.nodes.iter().filter(|(_, stored)| stored.state == State::Living);
        living.map(|(node, _)| *node).filter(|node| !reached.contains(node)).collect()
    };
    let unreached = lost(rows, &reached);
    if unreached.is_empty() {
        return;
    }
    let folder = lost_and_found(rows, root);
    reached.insert(folder);
    let named: BTreeSet<NodeId> = rows.entries.values().copied().collect();
    // First those that nothing names; what is left then are circles of directories.
    let tops = unreached.iter().filter(|node| !named.contains(node));
    for &node in tops.chain(&unreached) {
        if reached.insert(node) {
            rows.entries.insert((folder, node.to_string().into()), node);
            reach(rows, &mut reached, node);
            mended.found += 1;
        }
    }
}

/// Follows the names below a directory; a name that leads to a directory once more is dropped,
/// since a directory has one name only.
fn reach(rows: &mut Readable, reached: &mut BTreeSet<NodeId>, from: NodeId) {
    let mut waiting = vec![from];
    while let Some(parent) = waiting.pop() {
        let from = (parent, Box::from(""));
        let below = rows.entries.range(from..).take_while(|((above, _), _)| *above == parent);
        let below: Vec<_> = below.map(|((_, name), node)| (name.clone(), *node)).collect();
        for (name, node) in below {
            let is_new = reached.insert(node);
            let is_directory = rows.nodes[&node].row.attrs.kind == Kind::Directory;
            if is_directory && is_new {
                waiting.push(node);
            } else if is_directory {
                rows.entries.remove(&(parent, name));
            }
        }
    }
}

/// Returns the directory for nodes without a name, making it if need be.
fn lost_and_found(rows: &mut Readable, root: &Stored) -> NodeId {
    let mut name = LOST_AND_FOUND.to_owned();
    while let Some(node) = rows.entries.get(&(NodeId::ROOT, name.as_str().into())) {
        if rows.nodes[node].row.attrs.kind == Kind::Directory {
            return *node;
        }
        name.push('+');
    }
    // From a digest, so that it is none that a store gives to a new node.
    let mut digest = Digest::of(name.as_bytes());
    let mut id = [0; 16];
    id.copy_from_slice(&digest.0[..16]);
    while rows.nodes.contains_key(&NodeId::from_bytes(id)) {
        digest = Digest::of(&digest.0);
        id.copy_from_slice(&digest.0[..16]);
    }
    let node = NodeId::from_bytes(id);
    let mut stored = living(node, Attrs { xattrs: Xattrs::new(), ..root.row.attrs.clone() });
    stored.row.version = highest_version(rows);
    rows.nodes.insert(node, stored);
    rows.entries.insert((NodeId::ROOT, name.into()), node);
    node
}

fn count_names(rows: &mut Readable) {
    let mut names: BTreeMap<NodeId, u32> = BTreeMap::new();
    for node in rows.entries.values() {
        *names.entry(*node).or_default() += 1;
    }
    for (node, stored) in &mut rows.nodes {
        if stored.state == State::Living {
            let is_directory = stored.row.attrs.kind == Kind::Directory;
            let count = names.get(node).copied().unwrap_or(0);
            stored.row.attrs.links = if is_directory { 1 } else { count };
        }
    }
}

fn count(rows: &Readable) -> Folded {
    let mut usage = Usage::default();
    for (node, stored) in &rows.nodes {
        if stored.state == State::Living && *node != NodeId::ROOT {
            usage.nodes += 1;
            usage.bytes += stored.row.content.size();
        }
    }
    let quota = rows.folded.map_or(Quota::default(), |folded| folded.quota);
    Folded { version: highest_version(rows), usage, quota }
}

/// Returns the highest version seen anywhere, so that none is used twice.
fn highest_version(rows: &Readable) -> Version {
    let noted = rows.folded.map(|folded| folded.version);
    let of_nodes = rows.nodes.values().map(|stored| stored.row.version);
    let of_history = rows.history.keys().map(|(_, version)| *version);
    let of_clients = rows.clients.values().map(|(_, version, _)| Version(version.cast_unsigned()));
    let all = of_nodes.chain(of_history).chain(of_clients).chain(noted);
    all.max().unwrap_or_default()
}

fn write(
    rows: &Readable,
    folded: &Folded,
    fresh: &Connection,
    chunks: &Chunks,
) -> Result<(), Fault> {
    fresh.execute_batch(
        "DELETE FROM nodes; DELETE FROM entries; DELETE FROM history; DELETE FROM pieces;
         DELETE FROM grants; DELETE FROM clients; DELETE FROM purged; DELETE FROM hidden;
         UPDATE blobs SET refs = 0;",
    )?;
    rows.nodes.values().try_for_each(|stored| rows::write_node(fresh, stored))?;
    let mut insert = fresh.prepare("INSERT INTO entries VALUES (?1, ?2, ?3)")?;
    for ((parent, name), node) in &rows.entries {
        insert.execute((parent.to_bytes(), name, node.to_bytes()))?;
    }
    write_history(rows, fresh, chunks)?;
    let mut insert = fresh.prepare("INSERT INTO grants VALUES (?1, ?2, ?3, ?4)")?;
    for grant in &rows.grants {
        insert.execute(rows::grant_columns(grant))?;
    }
    let mut insert = fresh.prepare("INSERT INTO clients VALUES (?1, ?2, ?3, ?4)")?;
    for (client, (number, version, time)) in &rows.clients {
        insert.execute((client, number, version, time))?;
    }
    let mut insert = fresh.prepare("INSERT INTO hidden VALUES (?1, ?2)")?;
    for (parent, name) in &rows.hidden {
        insert.execute((parent.to_bytes(), name))?;
    }
    let mut insert = fresh.prepare("INSERT INTO purged VALUES (?1, ?2)")?;
    for (digest, version) in &rows.purged {
        insert.execute((digest.0, version.0.cast_signed()))?;
    }
    rows::write_folded(fresh, folded)
}

fn write_history(rows: &Readable, fresh: &Connection, chunks: &Chunks) -> Result<(), Fault> {
    let mut insert =
        fresh.prepare("INSERT INTO history VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    let mut hold = fresh.prepare("UPDATE blobs SET refs = refs + 1 WHERE digest = ?1")?;
    for ((node, version), old) in &rows.history {
        let (size, digest, leaves) = rows::content_columns(&old.content);
        let (id, number) = (node.to_bytes(), version.0.cast_signed());
        let (agent, machine) = (old.agent.as_str(), &old.machine);
        insert.execute((id, number, old.time.0, agent, size, digest, leaves, machine))?;
        match &old.content {
            Content::Inline(_) => {}
            Content::Blob { digest, .. } => drop(hold.execute([digest.0])?),
            Content::Chunked { leaves, .. } => {
                leaves.iter().try_for_each(|leaf| sweep::hold_leaf(fresh, chunks, *leaf, false))?;
            }
        }
    }
    let mut note = fresh.prepare("UPDATE pieces SET remote = 1 WHERE digest = ?1 AND leaf = 0")?;
    for digest in &rows.remote {
        note.execute([digest.0])?;
    }
    fresh.execute("DELETE FROM blobs WHERE refs = 0", [])?;
    Ok(())
}
