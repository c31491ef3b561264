//! The past of a space: editions, the trash and last changes.

use std::collections::BTreeSet;
use std::time::Duration;

use homefs_core::time::Moment;
use homefs_core::{AgentId, Digest, NodeId, Path, Result, Timestamp, Version};
use homefs_wire::words;
use rusqlite::{Connection, Row};

use super::fault::Fault;
use super::rows::{self, NodeState, Stored};
use super::{Base, NodeRow};
use crate::chunks::Pins;
use crate::model::{Edition, Kind, Trashed};
use crate::record::Content;

/// Removals below a directory that are no further apart than this are one.
const TOGETHER: Duration = Duration::from_secs(10);

/// A content of the past, kept from being trimmed while this is held.
#[derive(Debug)]
pub struct Past {
    /// What it is.
    pub content: Content,
    /// Keeps it readable; a record that names the content must have been folded first.
    pub pins: Pins,
}

/// The last change of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedRow {
    /// The node.
    pub node: NodeId,
    /// What it is.
    pub kind: Kind,
    /// The change.
    pub version: Version,
    /// Whether the node is removed.
    pub removed: bool,
    /// Where a removed node was; `None` for a living or a purged one.
    pub path: Option<Path>,
    /// When anything about it last changed.
    pub time: Timestamp,
    /// By whom.
    pub agent: AgentId,
    /// When it was made.
    pub created: Timestamp,
    /// The change that gave a file the content that it has.
    pub content_version: Version,
    /// Whether it goes on as a file that was another node before.
    pub goes_on: bool,
}

impl ChangedRow {
    /// Tells whether the change is the one that made it.
    fn is_new(&self) -> bool {
        self.created == self.time
    }

    /// Tells whether names in it changed, most likely: it is a directory that was there before.
    fn has_names_changed(&self) -> bool {
        self.kind == Kind::Directory && !self.removed && !self.is_new()
    }
}

/// Tells whether the last changes of nodes are surely all that happened after a version, but for
/// steps on the way to what there is now: nothing was erased of which only that is known, and
/// nothing was there before and has another name now.
///
/// Whoever renames changes a directory too. So all that is needed of changes after the last one of a
/// directory is their outcome; of those before it, each must be the making or the removal of a node,
/// or another content.
pub fn tells_all(after: Version, rows: &[ChangedRow]) -> bool {
    if rows.iter().any(|row| row.removed && row.path.is_none()) {
        return false;
    }
    let named = rows.iter().rposition(ChangedRow::has_names_changed);
    let Some(until) = named.map(|at| rows[at].version) else { return true };
    let mut last = after;
    for group in rows.chunk_by(|one, other| one.version == other.version) {
        let version = group[0].version;
        if version > until {
            break;
        }
        if version.0 != last.0 + 1 {
            // What happened in between was to nodes that have changed again.
            return false;
        }
        last = version;
        let directory = group.iter().find(|row| row.has_names_changed());
        let mut others = group.iter().filter(|row| !row.has_names_changed()).peekable();
        let is_alone = others.peek().is_none();
        let is_told = others.all(|row| {
            let is_content = row.content_version == version && !row.goes_on;
            row.removed || row.is_new() || is_content && directory.is_none()
        });
        // What was made in it then may have changed since.
        let is_made = |made: Timestamp| rows.iter().any(|row| !row.removed && row.created == made);
        if !is_told || is_alone && directory.is_some_and(|row| !is_made(row.time)) {
            return false;
        }
    }
    true
}

impl Base {
    /// Returns editions of a file, newest first, older than `before` if given.
    pub fn editions(
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
    pub fn contents_of(&self, node: NodeId) -> Result<Vec<Content>> {
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
    pub fn edition(&self, node: NodeId, moment: Moment) -> Result<Option<Past>> {
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
    pub fn trash(&self, after: Option<(Version, NodeId)>, limit: usize) -> Result<Vec<Trashed>> {
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
    /// before children. A directory that was empty then is taken with what was removed from it
    /// just before: the kernel removes a tree name by name.
    pub fn trashed_at(&self, path: &Path) -> Result<Vec<(Trashed, NodeRow)>> {
        let mut all = self.trashed_below(path)?;
        let Some(at) = all.iter().position(|(trashed, _)| trashed.path == *path) else {
            return Ok(Vec::new());
        };
        let mut taken = together(all.split_off(at));
        taken.sort_by(|(one, _), (other, _)| one.path.cmp(&other.path));
        Ok(taken)
    }

    /// Returns everything in the trash that was at a path or below, last removed first and parents
    /// before what was removed with them.
    pub fn trashed_below(&self, path: &Path) -> Result<Vec<(Trashed, NodeRow)>> {
        let sql = select(
            "state = 1 AND (path = ?1 OR path > ?2 AND path < ?3) ORDER BY version DESC, path",
        );
        self.run("read the trash", |inner| {
            let found = query(&inner.connection, &sql, below(path))?;
            found.into_iter().map(|stored| Ok((trashed(&stored)?, stored.row))).collect()
        })
    }

    /// Returns the nodes that were at a path or below, and of which only the fact of their removal is
    /// left.
    pub fn gone_below(&self, path: &Path) -> Result<Vec<NodeId>> {
        let sql = select("state = 2 AND (path = ?1 OR path > ?2 AND path < ?3)");
        self.run("read what was removed", |inner| {
            let found = query(&inner.connection, &sql, below(path))?;
            Ok(found.into_iter().map(|stored| stored.row.node).collect())
        })
    }

    /// Returns what purges after a version have left without any reference; what came back since
    /// is left out.
    pub fn purged_since(&self, after: Version) -> Result<Vec<Digest>> {
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
    pub fn changes_since(&self, after: Version, limit: usize) -> Result<Vec<ChangedRow>> {
        let sql = select("version > ?1 AND agent IS NOT NULL ORDER BY version LIMIT ?2");
        self.run("read the last changes", |inner| {
            let found = query(&inner.connection, &sql, (after.0.cast_signed(), most(limit)))?;
            let changed = found.into_iter().filter_map(|stored| {
                Some(ChangedRow {
                    node: stored.row.node,
                    kind: stored.row.attrs.kind,
                    version: stored.row.version,
                    removed: stored.state != NodeState::Living,
                    path: stored.path,
                    time: stored.row.attrs.changed,
                    agent: stored.agent?,
                    created: stored.row.attrs.created,
                    content_version: stored.row.content_version,
                    goes_on: stored.lineage != stored.row.node,
                })
            });
            Ok(changed.collect())
        })
    }
}

/// The values of a condition for a path and all below it.
fn below(path: &Path) -> (String, String, String) {
    // Text below "/a" starts with "/a/", and '0' is the character after '/'.
    let prefix = if path.is_root() { "" } else { path.as_str() };
    (path.to_string(), format!("{prefix}/"), format!("{prefix}0"))
}

/// The statement that reads whole nodes.
pub(super) fn select(condition: &str) -> String {
    let (columns, rest) = (rows::NODE, rows::STORED);
    format!("SELECT {columns}, {rest} FROM nodes n WHERE {condition}")
}

/// Runs a statement that [`select`] made.
pub(super) fn query(
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

/// Returns what was removed together with the first of these, which are in the order of
/// [`Base::trashed_below`].
fn together(removed: Vec<(Trashed, NodeRow)>) -> Vec<(Trashed, NodeRow)> {
    let Some((first, _)) = removed.first() else { return removed };
    let (version, mut time) = (first.version, first.time);
    let at_once = removed.iter().take_while(|(trashed, _)| trashed.version == version).count();
    if at_once > 1 || first.kind != words::Kind::Directory {
        return removed.into_iter().take(at_once).collect();
    }
    let (mut taken, mut names) = (Vec::new(), BTreeSet::new());
    let mut directories: BTreeSet<Path> = first.path.parent().into_iter().collect();
    for (trashed, row) in removed {
        if time.apart(trashed.time) > TOGETHER {
            break;
        }
        time = trashed.time;
        if !names.insert(trashed.path.clone()) {
            // What had the name before, and what was in that, were removed by themselves.
            directories.remove(&trashed.path);
        } else if trashed.path.parent().is_some_and(|parent| directories.contains(&parent)) {
            if trashed.kind == words::Kind::Directory {
                directories.insert(trashed.path.clone());
            }
            taken.push((trashed, row));
        }
    }
    taken
}

fn trashed(stored: &Stored) -> Result<Trashed, Fault> {
    let missing = |what| Fault::Damaged(format!("a removed node has no {what}"));
    Ok(Trashed {
        path: stored.path.clone().ok_or_else(|| missing("path"))?,
        node: stored.row.node,
        kind: stored.row.attrs.kind.word(),
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
pub(super) fn held(content: &Content) -> Vec<Digest> {
    match content {
        Content::Inline(_) => Vec::new(),
        Content::Blob { digest, .. } => vec![*digest],
        Content::Chunked { leaves, .. } => leaves.clone(),
    }
}

fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
