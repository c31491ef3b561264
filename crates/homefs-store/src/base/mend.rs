//! Makes rows of a damaged base agree with each other and writes them into a fresh one.
//!
//! A content that is lost stays named by its rows, so that reading it is an error and never an
//! empty or an older file; it comes back with whoever has it. What is known of a node elsewhere
//! stands in for rows that are lost.

mod contents;

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use homefs_core::{Digest, NodeId, Version};
use rusqlite::Connection;

use self::contents::choose_contents;
use super::elsewhere::{Elsewhere, Twin};
use super::fault::Fault;
use super::readable::{Old, Readable};
use super::rows::{self, NodeState, Stored};
use super::{Folded, NodeRow, fold, sweep};
use crate::chunks::Chunks;
use crate::model::{Attrs, Kind, Quota, Usage, Xattrs};
use crate::record::Content;

/// The name in the root under which nodes without a name are put.
const LOST_AND_FOUND: &str = "lost+found";

/// The bytes of a content that is lost: they are not what its digest says, so whoever reads them
/// is told that it is damaged.
pub(super) const LOST: &[u8] = b"lost";

/// What became of the nodes.
#[derive(Default)]
pub(super) struct Mended {
    /// Nodes of which anything was known, the root not counted.
    pub(super) known: usize,
    /// Those that live now.
    pub(super) living: usize,
    /// Paths with which something is wrong that no check finds later, and what.
    pub(super) lost: Vec<(String, String)>,
}

/// Replaces all rows of the fresh base, but for the bytes of small contents.
pub(super) fn mend(
    mut rows: Readable,
    fresh: &Connection,
    chunks: &Chunks,
    elsewhere: &Elsewhere,
) -> Result<Mended, Fault> {
    let root = fold::load(fresh, NodeId::ROOT)?
        .ok_or_else(|| Fault::Damaged("a fresh base has no root".into()))?;
    let mut mended = Mended::default();
    rows.entries.retain(|_, node| *node != NodeId::ROOT);
    choose_names(&mut rows, elsewhere);
    take_twins(&mut rows, &root, elsewhere);
    choose_contents(&mut rows, chunks, elsewhere)?;
    let revived = revive(&mut rows, &root, elsewhere);
    part_lineages(&mut rows);
    let noted = rows.folded.map_or(0, |folded| folded.usage.nodes);
    set_contents(&mut rows, &revived);
    let paths = Paths::of(&rows);
    let is_told = |node: &&NodeId| !elsewhere.nodes.contains_key(node) && **node != NodeId::ROOT;
    for node in revived.iter().filter(is_told) {
        let problem = "what was noted of it is lost: its mode, its times, its tags, and whether its \
                       content is the newest";
        mended.lost.extend(paths.to(*node).map(|path| (path, problem.to_owned())));
    }
    drop_loose_names(&mut rows, &paths, &mut mended);
    bind_lost(&mut rows, &root, &paths, &mut mended);
    count_names(&mut rows);
    let mut folded = count(&rows);
    folded.version = folded.version.max(elsewhere.version);
    mended.living = usize::try_from(folded.usage.nodes).unwrap_or(usize::MAX);
    mended.known = mended.living.max(usize::try_from(noted).unwrap_or(0));
    write(&rows, &folded, fresh, chunks, elsewhere)?;
    Ok(mended)
}

/// Where nodes are, before names are dropped.
struct Paths(BTreeMap<NodeId, (NodeId, Box<str>)>);

impl Paths {
    fn of(rows: &Readable) -> Self {
        let up = rows.entries.iter().map(|((above, name), node)| (*node, (*above, name.clone())));
        Self(up.collect())
    }

    /// Returns the path of a node, if names lead to it from the root.
    fn to(&self, node: NodeId) -> Option<String> {
        let (mut path, mut at) = (String::new(), node);
        for _ in 0..=self.0.len() {
            if at == NodeId::ROOT {
                return Some(if path.is_empty() { "/".into() } else { path });
            }
            let (above, name) = self.0.get(&at)?;
            path = format!("/{name}{path}");
            at = *above;
        }
        None
    }

    /// Returns the path of a name in a directory.
    fn below(&self, above: NodeId, name: &str) -> String {
        let above = self.to(above).unwrap_or_else(|| format!("node {above}"));
        format!("{}/{name}", above.trim_end_matches('/'))
    }
}

/// Lets names lead to nodes of which something is known, where they are said to lead to others too.
fn choose_names(rows: &mut Readable, elsewhere: &Elsewhere) {
    let in_history: BTreeSet<NodeId> = rows.history.keys().map(|(node, _)| *node).collect();
    let is_known = |node: &NodeId| {
        rows.nodes.contains_key(node)
            || in_history.contains(node)
            || elsewhere.nodes.contains_key(node)
    };
    for (place, other) in std::mem::take(&mut rows.others) {
        match rows.entries.get_mut(&place) {
            Some(node) if !is_known(node) && is_known(&other) => *node = other,
            _ => {}
        }
    }
}

/// Takes nodes and names that are lost here from where they are known.
fn take_twins(rows: &mut Readable, root: &Stored, elsewhere: &Elsewhere) {
    let named: BTreeSet<NodeId> = rows.entries.values().copied().collect();
    for (&node, twin) in elsewhere.nodes.iter().filter(|(node, _)| **node != NodeId::ROOT) {
        let here = rows.nodes.get(&node);
        if here.is_some_and(|stored| stored.state != NodeState::Living) {
            continue;
        }
        if here.is_none() {
            let newest = rows.history.range((node, Version(0))..=(node, Version(u64::MAX))).last();
            let mut version = newest.map_or(elsewhere.version, |(key, _)| key.1);
            // What elsewhere was known when both last agreed is newer than what was here before.
            let is_newest = newest.map_or(twin.content.size() == 0, |(_, old)| {
                version > elsewhere.version || old.content == twin.content
            });
            if !is_newest {
                let (time, agent) = (twin.attrs.modified, twin.agent.clone());
                let old = Old { time, agent, content: twin.content.clone(), machine: None };
                version = elsewhere.version;
                rows.history.insert((node, version), old);
            }
            let mut stored = twin.stored(node, root);
            stored.row.version = version;
            stored.row.content_version = version;
            rows.nodes.insert(node, stored);
        }
        if !named.contains(&node) {
            for (above, name) in &twin.names {
                rows.entries.entry((*above, name.clone())).or_insert(node);
            }
        }
    }
}

impl Twin {
    fn stored(&self, node: NodeId, root: &Stored) -> Stored {
        let Attrs { uid, gid, .. } = root.row.attrs;
        let mut stored = living(node, Attrs { uid, gid, ..self.attrs.clone() });
        stored.agent = Some(self.agent.clone());
        stored.lineage = self.lineage;
        stored
    }
}

/// Makes nodes whose row is lost anew from what else is known of them: what holds names is a
/// directory, what has a history is a file, and what has a name lives. Returns which.
fn revive(rows: &mut Readable, root: &Stored, elsewhere: &Elsewhere) -> BTreeSet<NodeId> {
    let known: BTreeSet<NodeId> = rows.nodes.keys().copied().collect();
    rows.nodes.entry(NodeId::ROOT).or_insert_with(|| root.clone());
    if let Some(stored) = rows.nodes.get_mut(&NodeId::ROOT) {
        (stored.state, stored.path) = (NodeState::Living, None);
        stored.row.attrs.kind = Kind::Directory;
    }
    for (parent, _) in rows.entries.keys() {
        let anew = || match elsewhere.nodes.get(parent) {
            Some(twin) => twin.stored(*parent, root),
            None => living(*parent, root.row.attrs.clone()),
        };
        let stored = rows.nodes.entry(*parent).or_insert_with(anew);
        if stored.row.content_version == Version(0) {
            stored.row.attrs.kind = Kind::Directory;
        }
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
    for node in rows.entries.values() {
        if let Some(stored) = rows.nodes.get_mut(node) {
            (stored.state, stored.path) = (NodeState::Living, None);
        }
    }
    for stored in rows.nodes.values_mut() {
        // Without these it could neither be listed nor brought back.
        if stored.state == NodeState::Trashed && (stored.path.is_none() || stored.agent.is_none()) {
            stored.state = NodeState::Gone;
        }
    }
    rows.nodes.keys().copied().filter(|node| !known.contains(node)).collect()
}

/// Leaves each lineage to one living node; the others are their own again.
fn part_lineages(rows: &mut Readable) {
    loop {
        let mut holders: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        let living = rows.nodes.iter().filter(|(_, stored)| stored.state == NodeState::Living);
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
    Stored { row, agent: None, state: NodeState::Living, path: None, lineage: node }
}

/// Gives every node the newest content of its history, or none.
fn set_contents(rows: &mut Readable, revived: &BTreeSet<NodeId>) {
    let nodes = &mut rows.nodes;
    rows.history.retain(|(node, _), _| nodes[node].state != NodeState::Gone);
    for (node, stored) in nodes {
        // What is known to have no content yet may have the history of another node all the same.
        let is_blank = stored.row.content_version == Version(0) && !revived.contains(node);
        let most = if is_blank { Version(0) } else { Version(u64::MAX) };
        let newest = rows.history.range((*node, Version(0))..=(*node, most)).last();
        let (version, content) = newest
            .map_or((Version(0), Content::Inline(Bytes::new())), |new| {
                (new.0.1, new.1.content.clone())
            });
        (stored.row.content_version, stored.row.content) = (version, content);
        if stored.state == NodeState::Gone {
            stored.row.clear();
            stored.path = None;
        }
    }
}

/// Drops names that lead nowhere, or from nowhere.
fn drop_loose_names(rows: &mut Readable, paths: &Paths, mended: &mut Mended) {
    let nodes = &rows.nodes;
    let lives =
        |node: &NodeId| nodes.get(node).is_some_and(|stored| stored.state == NodeState::Living);
    let holds = |node: &NodeId| lives(node) && nodes[node].row.attrs.kind == Kind::Directory;
    rows.entries.retain(|(parent, name), node| {
        let stays = holds(parent) && lives(node);
        if !stays {
            let problem = "it is lost: only its name can be read";
            mended.lost.push((paths.below(*parent, name), problem.into()));
        }
        stays
    });
}

/// Gives a name to living nodes that cannot be reached from the root.
fn bind_lost(rows: &mut Readable, root: &Stored, paths: &Paths, mended: &mut Mended) {
    let mut reached = BTreeSet::from([NodeId::ROOT]);
    let mut again = Vec::new();
    reach(rows, &mut reached, NodeId::ROOT, &mut again);
    for (above, name, node) in again {
        let other = Paths::of(rows).to(node).unwrap_or_default();
        let problem = format!("the directory stands under its other name, {other}");
        mended.lost.push((paths.below(above, &name), problem));
    }
    let lost = |rows: &Readable, reached: &BTreeSet<NodeId>| -> Vec<NodeId> {
        let living = rows.nodes.iter().filter(|(_, stored)| stored.state == NodeState::Living);
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
            reach(rows, &mut reached, node, &mut Vec::new());
            let path = Paths::of(rows).to(node).unwrap_or_default();
            mended.lost.push((path, "its name is lost".into()));
        }
    }
}

/// Follows the names below a directory; a name that leads to a directory once more is dropped,
/// since a directory has one name only, and noted in `again`.
fn reach(
    rows: &mut Readable,
    reached: &mut BTreeSet<NodeId>,
    from: NodeId,
    again: &mut Vec<(NodeId, Box<str>, NodeId)>,
) {
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
                rows.entries.remove(&(parent, name.clone()));
                again.push((parent, name, node));
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
        if stored.state == NodeState::Living {
            let is_directory = stored.row.attrs.kind == Kind::Directory;
            let count = names.get(node).copied().unwrap_or(0);
            stored.row.attrs.links = if is_directory { 1 } else { count };
        }
    }
}

fn count(rows: &Readable) -> Folded {
    let mut usage = Usage::default();
    for (node, stored) in &rows.nodes {
        if stored.state == NodeState::Living && *node != NodeId::ROOT {
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
    elsewhere: &Elsewhere,
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
    write_history(rows, fresh, chunks, elsewhere)?;
    let mut insert = fresh.prepare("INSERT INTO grants VALUES (?1, ?2, ?3, ?4)")?;
    for grant in &rows.grants {
        insert.execute(rows::grant_columns(grant))?;
    }
    let mut insert = fresh.prepare("INSERT INTO clients VALUES (?1, ?2, ?3, ?4)")?;
    for (client, (number, version, time)) in &rows.clients {
        insert.execute((client, number, version, time))?;
    }
    let mut insert = fresh.prepare("INSERT INTO hidden VALUES (?1, ?2, ?3)")?;
    for ((parent, name), time) in &rows.hidden {
        insert.execute((parent.to_bytes(), name, time))?;
    }
    let mut insert = fresh.prepare("INSERT INTO purged VALUES (?1, ?2)")?;
    for (digest, version) in &rows.purged {
        insert.execute((digest.0, version.0.cast_signed()))?;
    }
    rows::write_folded(fresh, folded)
}

fn write_history(
    rows: &Readable,
    fresh: &Connection,
    chunks: &Chunks,
    elsewhere: &Elsewhere,
) -> Result<(), Fault> {
    let mut insert =
        fresh.prepare("INSERT INTO history VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    let mut hold = fresh.prepare(
        "INSERT INTO blobs (digest, refs, bytes) VALUES (?1, 1, ?2)
         ON CONFLICT (digest) DO UPDATE SET refs = refs + 1",
    )?;
    for ((node, version), old) in &rows.history {
        let (size, digest, leaves) = rows::content_columns(&old.content);
        let (id, number) = (node.to_bytes(), version.0.cast_signed());
        let (agent, machine) = (old.agent.as_str(), &old.machine);
        insert.execute((id, number, old.time.0, agent, size, digest, leaves, machine))?;
        match &old.content {
            Content::Inline(_) => {}
            Content::Blob { digest, .. } => {
                let bytes = if (elsewhere.has)(*digest) { &[][..] } else { LOST };
                hold.execute((digest.0, bytes))?;
            }
            Content::Chunked { leaves, .. } => {
                leaves.iter().try_for_each(|leaf| sweep::hold_saved_leaf(fresh, chunks, *leaf))?;
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
