//! The past of a space: editions, the trash, last changes, and how long they are kept.

use std::time::Duration;

use homefs_core::{AgentId, Digest, NodeId, Path, Result, Timestamp, Version};
use rusqlite::{Connection, Row};

use super::fault::Fault;
use super::rows::{self, State, Stored};
use super::{Base, NodeRow, fold, sweep};
use crate::chunks::{Chunks, Pins};
use crate::model::{Edition, Kind, Moment, Trashed};
use crate::record::{Content, Origin};

/// How long the request numbers of a client are kept after its last request.
const CLIENT_AGE_MAX: Duration = Duration::from_hours(24);

/// How often the whole history is looked at for what has become too old.
const TRIM_INTERVAL: Duration = Duration::from_hours(1);

/// How much of the past is kept.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "each is a bound and says so")]
pub(crate) struct Retention {
    /// Most editions of one file, the present one counted.
    pub(crate) versions_max: u32,
    /// How long an edition stays after the next one took its place.
    pub(crate) history_age_max: Duration,
    /// How long a removed node stays in the trash.
    pub(crate) trash_age_max: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        const DAY: Duration = Duration::from_hours(24);
        Self { versions_max: 100, history_age_max: DAY * 90, trash_age_max: DAY * 30 }
    }
}

/// A content of the past, kept from being trimmed while this is held.
#[derive(Debug)]
pub(crate) struct Past {
    /// What it is.
    pub(crate) content: Content,
    /// Keeps it readable; a record that names the content must have been folded first.
    pub(crate) pins: Pins,
}

/// The last change of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangedRow {
    /// The node.
    pub(crate) node: NodeId,
    /// What it is.
    pub(crate) kind: Kind,
    /// The change.
    pub(crate) version: Version,
    /// Whether the node is removed.
    pub(crate) removed: bool,
    /// Where a removed node was; `None` for a living or a purged one.
    pub(crate) path: Option<Path>,
    /// When anything about it last changed.
    pub(crate) time: Timestamp,
    /// By whom.
    pub(crate) agent: AgentId,
}

impl Base {
    /// Returns editions of a file, newest first, older than `before` if given.
    pub(crate) fn editions(
        &self,
        node: NodeId,
        before: Option<Version>,
        limit: usize,
    ) -> Result<Vec<Edition>> {
        let before = before.map_or(i64::MAX, |version| version.0.cast_signed());
        self.run("read the history of a node", |inner| {
            let mut statement = inner.connection.prepare_cached(
                "SELECT version, time, agent, size, machine FROM history
                 WHERE node = ?1 AND version < ?2 ORDER BY version DESC LIMIT ?3",
            )?;
            let mut found = statement.query((node.to_bytes(), before, most(limit)))?;
            let mut editions = Vec::new();
            while let Some(row) = found.next()? {
                editions.push(edition(row)?);
            }
            Ok(editions)
        })
    }

    /// Returns every content in the history of a file.
    pub(crate) fn contents_of(&self, node: NodeId) -> Result<Vec<Content>> {
        self.run("read the history of a node", |inner| {
            let mut statement = inner
                .connection
                .prepare_cached("SELECT size, digest, leaves FROM history WHERE node = ?1")?;
            let mut found = statement.query([node.to_bytes()])?;
            let mut contents = Vec::new();
            while let Some(row) = found.next()? {
                contents.push(rows::content(row, 0)?);
            }
            Ok(contents)
        })
    }

    /// Returns the newest edition of a file at or before a moment.
    pub(crate) fn edition(&self, node: NodeId, moment: Moment) -> Result<Option<Past>> {
        let (version, time) = match moment {
            Moment::Now => (i64::MAX, i64::MAX),
            Moment::Version(version) => (version.0.cast_signed(), i64::MAX),
            Moment::Time(time) => (i64::MAX, time.0),
        };
        self.run("read an edition", |inner| {
            let mut statement = inner.connection.prepare_cached(
                "SELECT size, digest, leaves FROM history
                 WHERE node = ?1 AND version <= ?2 AND time <= ?3
                 ORDER BY version DESC LIMIT 1",
            )?;
            let mut found = statement.query((node.to_bytes(), version, time))?;
            let Some(row) = found.next()? else {
                return Ok(None);
            };
            let content = rows::content(row, 0)?;
            let mut pins = Pins::new(&self.chunks);
            for digest in held(&content) {
                pins.add(digest);
            }
            Ok(Some(Past { content, pins }))
        })
    }

    /// Returns what is in the trash, last removed first, after `after` if given.
    pub(crate) fn trash(
        &self,
        after: Option<(Version, NodeId)>,
        limit: usize,
    ) -> Result<Vec<Trashed>> {
        let (version, node) = after.map_or((i64::MAX, [u8::MAX; 16]), |(version, node)| {
            (version.0.cast_signed(), node.to_bytes())
        });
        let sql = select("state = 1 AND (version, id) < (?1, ?2) ORDER BY version DESC, id DESC");
        self.run("read the trash", |inner| {
            let sql = format!("{sql} LIMIT ?3");
            let found = query(&inner.connection, &sql, (version, node, most(limit)))?;
            found.iter().map(trashed).collect()
        })
    }

    /// Returns what the last removal of a path took: its node and everything below, parents
    /// before children.
    pub(crate) fn trashed_at(&self, path: &Path) -> Result<Vec<(Trashed, NodeRow)>> {
        // Text below "/a" starts with "/a/", and '0' is the character after '/'.
        let prefix = if path.is_root() { "" } else { path.as_str() };
        let (below, beyond) = (format!("{prefix}/"), format!("{prefix}0"));
        let newest = "SELECT max(version) FROM nodes WHERE state = 1 AND path = ?1";
        let sql = select(&format!(
            "state = 1 AND version = ({newest}) AND (path = ?1 OR path > ?2 AND path < ?3)
             ORDER BY path"
        ));
        self.run("read the trash", |inner| {
            let found = query(&inner.connection, &sql, (path.as_str(), below, beyond))?;
            found.into_iter().map(|stored| Ok((trashed(&stored)?, stored.row))).collect()
        })
    }

    /// Returns what purges after a version have left without any reference; what came back since
    /// is left out.
    pub(crate) fn purged_since(&self, after: Version) -> Result<Vec<Digest>> {
        self.run("read what was purged", |inner| {
            let mut statement = inner.connection.prepare_cached(
                "SELECT digest FROM purged WHERE version > ?1
                     AND digest NOT IN (SELECT digest FROM blobs WHERE refs > 0)
                     AND digest NOT IN (SELECT digest FROM pieces WHERE refs > 0)
                 ORDER BY version, digest",
            )?;
            let mut found = statement.query([after.0.cast_signed()])?;
            let mut purged = Vec::new();
            while let Some(row) = found.next()? {
                purged.push(rows::digest(row, 0)?);
            }
            Ok(purged)
        })
    }

    /// Returns the last change of every node that changed after a version, in order; what has no
    /// maker yet, the root of an empty space, is left out.
    pub(crate) fn changes_since(&self, after: Version, limit: usize) -> Result<Vec<ChangedRow>> {
        let sql = select("version > ?1 AND agent IS NOT NULL ORDER BY version LIMIT ?2");
        self.run("read the last changes", |inner| {
            let found = query(&inner.connection, &sql, (after.0.cast_signed(), most(limit)))?;
            let changed = found.into_iter().filter_map(|stored| {
                Some(ChangedRow {
                    node: stored.row.node,
                    kind: stored.row.attrs.kind,
                    version: stored.row.version,
                    removed: stored.state != State::Living,
                    path: stored.path,
                    time: stored.row.attrs.changed,
                    agent: stored.agent?,
                })
            });
            Ok(changed.collect())
        })
    }

    /// Drops what is older than it need be kept, and editions that are too many, and releases
    /// their contents. It may be called often: only files that changed since the last call are
    /// looked at, and all of them once an hour.
    pub(crate) fn trim(&self, keep: &Retention, now: Timestamp) -> Result<()> {
        self.run("trim the history", |inner| {
            let transaction = inner.connection.transaction()?;
            let due = inner.trimmed.filter(|(whole, _)| now.since(*whole) < TRIM_INTERVAL);
            let trimmed =
                (due.map_or(now, |(whole, _)| whole), rows::folded(&transaction)?.version);
            trim_editions(&transaction, keep, now, due.map(|(_, version)| version))?;
            empty_trash(&transaction, &self.chunks, now.before(keep.trash_age_max))?;
            // However long the machine was off, it must know the pull that was under way.
            transaction.execute(
                "DELETE FROM clients WHERE time < ?1 AND client <> ?2",
                (now.before(CLIENT_AGE_MAX).0, rows::client_column(Origin::SYNC)),
            )?;
            let dead = sweep::sweep(&transaction, &self.chunks)?;
            transaction.commit()?;
            inner.trimmed = Some(trimmed);
            inner.dying.extend(dead);
            Ok(())
        })
    }
}

/// Drops editions that are too many, or whose successor is too old: a content that was replaced
/// yesterday is kept, however old it was then. The newest one of each node always stays.
fn trim_editions(
    connection: &Connection,
    keep: &Retention,
    now: Timestamp,
    changed_after: Option<Version>,
) -> Result<(), Fault> {
    let oldest = now.before(keep.history_age_max);
    let changed = match changed_after {
        None => "",
        Some(_) => "WHERE node IN (SELECT id FROM nodes WHERE version > ?1)",
    };
    let sql = format!(
        "SELECT node, version, time FROM history {changed} ORDER BY node DESC, version DESC"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let version = changed_after.map(|version| version.0.cast_signed());
    let mut found = statement.query(rusqlite::params_from_iter(version))?;
    let mut newer: Option<(NodeId, Timestamp, u32)> = None;
    let mut dropped = Vec::new();
    while let Some(row) = found.next()? {
        let (node, time) = (rows::id(row, 0)?, Timestamp(row.get(2)?));
        let mut place = 1;
        if let Some((_, replaced, count)) = newer.filter(|newer| newer.0 == node) {
            place = count + 1;
            if place > keep.versions_max || replaced < oldest {
                dropped.push((node, rows::version(row, 1)?));
            }
        }
        newer = Some((node, time, place));
    }
    dropped
        .into_iter()
        .try_for_each(|(node, version)| sweep::drop_edition(connection, node, version).map(drop))
}

/// Leaves only the fact of their removal of nodes removed before `oldest`.
fn empty_trash(connection: &Connection, chunks: &Chunks, oldest: Timestamp) -> Result<(), Fault> {
    let sql = select("state = 1 AND changed < ?1");
    for mut stored in query(connection, &sql, [oldest.0])? {
        // Somebody is bringing the node back.
        if held(&stored.row.content).iter().any(|&digest| chunks.is_pinned(digest)) {
            continue;
        }
        for version in fold::versions(connection, stored.row.node)? {
            sweep::drop_edition(connection, stored.row.node, version)?;
        }
        stored.state = State::Gone;
        stored.row.clear();
        rows::write_node(connection, &stored)?;
    }
    Ok(())
}

fn select(condition: &str) -> String {
    let (columns, rest) = (rows::NODE, rows::STORED);
    format!("SELECT {columns}, {rest} FROM nodes n WHERE {condition}")
}

fn query(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<Stored>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query(values)?;
    let mut nodes = Vec::new();
    while let Some(row) = found.next()? {
        nodes.push(rows::stored(row)?);
    }
    Ok(nodes)
}

fn trashed(stored: &Stored) -> Result<Trashed, Fault> {
    let missing = |what| Fault::Damaged(format!("a removed node has no {what}"));
    Ok(Trashed {
        path: stored.path.clone().ok_or_else(|| missing("path"))?,
        node: stored.row.node,
        kind: stored.row.attrs.kind,
        size: stored.row.content.size(),
        version: stored.row.version,
        time: stored.row.attrs.changed,
        agent: stored.agent.clone().ok_or_else(|| missing("agent"))?,
    })
}

fn edition(row: &Row<'_>) -> Result<Edition, Fault> {
    Ok(Edition {
        version: rows::version(row, 0)?,
        time: Timestamp(row.get(1)?),
        agent: rows::agent(row, 2)?,
        size: rows::number(row, 3)?,
        machine: row.get(4)?,
    })
}

/// The digests that a row of the history holds for this content.
fn held(content: &Content) -> Vec<Digest> {
    match content {
        Content::Inline(_) => Vec::new(),
        Content::Blob { digest, .. } => vec![*digest],
        Content::Chunked { leaves, .. } => leaves.clone(),
    }
}

fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
