//! Rows as values: the one place that knows how they are stored.

use bytes::Bytes;
use homefs_core::{AgentId, ClientId, Digest, NodeId, Path, Timestamp, Version};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::fault::Fault;
use super::{Folded, NodeRow};
use crate::model::{Attrs, Grant, Kind, Quota, Right, Special, Subject, Usage, Xattrs};
use crate::record::Content;

/// The columns of `nodes n` that [`node`] reads.
pub(super) const NODE: &str = "n.id, n.kind, n.mode, n.uid, n.gid, n.links, n.created, \
     n.modified, n.changed, n.accessed, n.expires, n.target, n.xattrs, n.size, n.digest, n.leaves, n.version, \
     n.content_version";
/// The columns of `nodes n` that [`stored`] reads after [`NODE`].
pub(super) const STORED: &str = "n.agent, n.state, n.path, n.lineage";
/// How many columns [`NODE`] has.
pub(super) const NODE_COLUMNS: usize = 18;

/// Whether a node lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeState {
    /// Names lead to it.
    Living,
    /// Removed, with its content, and can be brought back.
    Trashed,
    /// Only the fact of its removal is kept.
    Gone,
}

/// A whole row of `nodes`.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) row: NodeRow,
    /// Who made the last change; nobody made the root.
    pub(super) agent: Option<AgentId>,
    pub(super) state: NodeState,
    /// Where it was; living nodes have their names instead.
    pub(super) path: Option<Path>,
    /// The first node of the file that people know; itself for most.
    pub(super) lineage: NodeId,
}

impl Stored {
    /// Leaves only the fact that the node was removed.
    pub(super) fn clear(&mut self) {
        self.state = NodeState::Gone;
        self.path = None;
        self.row.clear();
    }
}

/// Reads the columns [`NODE`], the first of which is at `at`.
pub(super) fn node(row: &Row<'_>, at: usize) -> Result<NodeRow, Fault> {
    let xattrs = match row.get_ref(at + 12)? {
        ValueRef::Null => Xattrs::new(),
        value => postcard::from_bytes(value.as_blob()?)
            .map_err(|error| Fault::Damaged(format!("extended attributes: {error}")))?,
    };
    let attrs = Attrs {
        kind: kind(row, at + 1)?,
        mode: row.get(at + 2)?,
        uid: row.get(at + 3)?,
        gid: row.get(at + 4)?,
        links: row.get(at + 5)?,
        created: Timestamp(row.get(at + 6)?),
        modified: Timestamp(row.get(at + 7)?),
        changed: Timestamp(row.get(at + 8)?),
        accessed: Timestamp(row.get(at + 9)?),
        expires: row.get::<_, Option<i64>>(at + 10)?.map(Timestamp),
        target: row.get_ref(at + 11)?.as_str()?.into(),
        xattrs,
    };
    Ok(NodeRow {
        node: id(row, at)?,
        attrs,
        content: content(row, at + 13)?,
        version: version(row, at + 16)?,
        content_version: version(row, at + 17)?,
    })
}

/// Reads a kind: its number, with that of a device above the lowest byte.
fn kind(row: &Row<'_>, at: usize) -> Result<Kind, Fault> {
    let column: i64 = row.get(at)?;
    let unknown = || Fault::Damaged(format!("a node has the unknown kind {column}"));
    let device = u32::try_from(column >> 8).map_err(|_| unknown())?;
    Ok(match (column & 0xff, device) {
        (0, 0) => Kind::File,
        (1, 0) => Kind::Directory,
        (2, 0) => Kind::Link,
        (3, 0) => Kind::Special(Special::Fifo),
        (4, 0) => Kind::Special(Special::Socket),
        (5, device) => Kind::Special(Special::Character(device)),
        (6, device) => Kind::Special(Special::Block(device)),
        _ => return Err(unknown()),
    })
}

/// The value of the column `kind`.
pub(super) fn kind_column(kind: Kind) -> i64 {
    let (number, device) = match kind {
        Kind::File => (0, 0),
        Kind::Directory => (1, 0),
        Kind::Link => (2, 0),
        Kind::Special(Special::Fifo) => (3, 0),
        Kind::Special(Special::Socket) => (4, 0),
        Kind::Special(Special::Character(device)) => (5, device),
        Kind::Special(Special::Block(device)) => (6, device),
    };
    i64::from(device) << 8 | number
}

/// Reads the columns [`NODE`] and [`STORED`].
pub(super) fn stored(row: &Row<'_>) -> Result<Stored, Fault> {
    let state = match row.get::<_, i64>(NODE_COLUMNS + 1)? {
        0 => NodeState::Living,
        1 => NodeState::Trashed,
        2 => NodeState::Gone,
        other => return Err(Fault::Damaged(format!("a node has the unknown state {other}"))),
    };
    let itself = node(row, 0)?;
    let lineage = optional(row, NODE_COLUMNS + 3, id)?.unwrap_or(itself.node);
    Ok(Stored {
        row: itself,
        agent: optional(row, NODE_COLUMNS, agent)?,
        state,
        path: optional(row, NODE_COLUMNS + 2, path)?,
        lineage,
    })
}

/// Writes a whole row of `nodes`.
pub(super) fn write_node(connection: &Connection, stored: &Stored) -> Result<(), Fault> {
    let Stored { row, agent, state, path, lineage } = stored;
    let attrs = &row.attrs;
    let xattrs = if attrs.xattrs.is_empty() {
        None
    } else {
        let bytes = postcard::to_stdvec(&attrs.xattrs);
        Some(bytes.map_err(|error| Fault::Damaged(format!("extended attributes: {error}")))?)
    };
    let (size, digest, leaves) = content_columns(&row.content);
    let mut statement = connection.prepare_cached(
        "INSERT OR REPLACE INTO nodes
         VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22)",
    )?;
    statement.execute(rusqlite::params![
        row.node.to_bytes(),
        kind_column(attrs.kind),
        attrs.mode,
        attrs.uid,
        attrs.gid,
        attrs.links,
        attrs.created.0,
        attrs.modified.0,
        attrs.changed.0,
        attrs.accessed.0,
        attrs.expires.map(|expires| expires.0),
        &*attrs.target,
        xattrs,
        size,
        digest,
        leaves,
        row.version.0.cast_signed(),
        row.content_version.0.cast_signed(),
        agent.as_ref().map(AgentId::as_str),
        *state as i64,
        path.as_ref().map(Path::as_str),
        (*lineage != row.node).then(|| lineage.to_bytes()),
    ])?;
    Ok(())
}

/// Reads a content from the columns `size, digest, leaves`, the first of which is at `at`.
pub(super) fn content(row: &Row<'_>, at: usize) -> Result<Content, Fault> {
    let size = number(row, at)?;
    match (row.get_ref(at + 1)?, row.get_ref(at + 2)?) {
        (ValueRef::Null, ValueRef::Null) if size == 0 => Ok(Content::Inline(Bytes::new())),
        (ValueRef::Blob(_), ValueRef::Null) => {
            Ok(Content::Blob { digest: digest(row, at + 1)?, size })
        }
        (ValueRef::Null, ValueRef::Blob(leaves)) => {
            let (digests, rest) = leaves.as_chunks::<32>();
            if !rest.is_empty() || digests.is_empty() {
                return Err(Fault::Damaged("a list of leaves has half a digest".into()));
            }
            Ok(Content::Chunked { size, leaves: digests.iter().copied().map(Digest).collect() })
        }
        _ => Err(Fault::Damaged("a row names no content, or two".into())),
    }
}

/// The values of the columns `size, digest, leaves`.
pub(super) fn content_columns(content: &Content) -> (i64, Option<[u8; 32]>, Option<Vec<u8>>) {
    let size = content.size().cast_signed();
    match content {
        Content::Inline(_) => (size, None, None),
        Content::Blob { digest, .. } => (size, Some(digest.0), None),
        Content::Chunked { leaves, .. } => {
            (size, None, Some(leaves.iter().flat_map(|leaf| leaf.0).collect()))
        }
    }
}

/// Reads the numbers of the space.
pub(super) fn folded(connection: &Connection) -> Result<Folded, Fault> {
    let mut statement = connection
        .prepare_cached("SELECT version, bytes, nodes, quota_bytes, quota_nodes FROM meta")?;
    let mut rows = statement.query([])?;
    let row = rows.next()?.ok_or_else(|| Fault::Damaged("the base has no numbers".into()))?;
    Ok(Folded {
        version: version(row, 0)?,
        usage: Usage { bytes: number(row, 1)?, nodes: number(row, 2)? },
        quota: Quota { bytes: optional(row, 3, number)?, nodes: optional(row, 4, number)? },
    })
}

/// Writes the numbers of the space.
pub(super) fn write_folded(connection: &Connection, folded: &Folded) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "UPDATE meta SET version = ?1, bytes = ?2, nodes = ?3,
                 quota_bytes = ?4, quota_nodes = ?5",
        )?
        .execute((
            folded.version.0.cast_signed(),
            folded.usage.bytes.cast_signed(),
            folded.usage.nodes.cast_signed(),
            folded.quota.bytes.map(u64::cast_signed),
            folded.quota.nodes.map(u64::cast_signed),
        ))?;
    Ok(())
}

/// Reads the columns `is_group, subject, prefix, access`.
pub(super) fn grant(row: &Row<'_>) -> Result<Grant, Fault> {
    let who = agent(row, 1)?;
    let right = match row.get::<_, i64>(3)? {
        0 => Right::Read,
        1 => Right::Write,
        2 => Right::Manage,
        other => return Err(Fault::Damaged(format!("a grant has the unknown right {other}"))),
    };
    let subject = if row.get(0)? { Subject::Group(who) } else { Subject::Agent(who) };
    Ok(Grant { subject, prefix: path(row, 2)?, right })
}

/// The values of the columns `is_group, subject, prefix, access`.
pub(super) fn grant_columns(grant: &Grant) -> (bool, &str, &str, i64) {
    let (is_group, subject) = match &grant.subject {
        Subject::Agent(agent) => (false, agent.as_str()),
        Subject::Group(group) => (true, group.as_str()),
    };
    (is_group, subject, grant.prefix.as_str(), grant.right as i64)
}

/// Client ids use all 64 bits, so the sign of the stored number means nothing.
pub(super) fn client_column(client: ClientId) -> i64 {
    client.0.cast_signed()
}

pub(super) fn id(row: &Row<'_>, at: usize) -> Result<NodeId, Fault> {
    Ok(NodeId::from_bytes(row.get(at)?))
}

pub(super) fn digest(row: &Row<'_>, at: usize) -> Result<Digest, Fault> {
    Ok(Digest(row.get(at)?))
}

pub(super) fn version(row: &Row<'_>, at: usize) -> Result<Version, Fault> {
    number(row, at).map(Version)
}

pub(super) fn number(row: &Row<'_>, at: usize) -> Result<u64, Fault> {
    let number: i64 = row.get(at)?;
    u64::try_from(number)
        .map_err(|_| Fault::Damaged(format!("a number that cannot be negative is {number}")))
}

pub(super) fn agent(row: &Row<'_>, at: usize) -> Result<AgentId, Fault> {
    AgentId::new(row.get_ref(at)?.as_str()?).map_err(|error| Fault::Damaged(error.to_string()))
}

pub(super) fn path(row: &Row<'_>, at: usize) -> Result<Path, Fault> {
    Path::parse(row.get_ref(at)?.as_str()?).map_err(|error| Fault::Damaged(error.to_string()))
}

pub(super) fn optional<T>(
    row: &Row<'_>,
    at: usize,
    read: impl FnOnce(&Row<'_>, usize) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    if row.get_ref(at)? == ValueRef::Null { Ok(None) } else { read(row, at).map(Some) }
}
