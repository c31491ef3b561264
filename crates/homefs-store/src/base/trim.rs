//! How long the past is kept, and its end.
//!
//! Ages are those of versions ([`super::ages`]): what a record says of its time decides nothing.

use std::time::Duration;

use homefs_core::{NodeId, Path, Result, Timestamp, Version};
use rusqlite::Connection;

use super::fault::Fault;
use super::history::{held, query, select};
use super::lived::{BELIEVED, Looked};
use super::rows::{self, NodeState};
use super::{Base, ages, fold, sweep};
use crate::chunks::Chunks;
use crate::record::Origin;

/// How long the request numbers of a client are kept after its last request.
const CLIENT_AGE_MAX: Duration = Duration::from_hours(24);

/// How often the whole history is looked at for what has become too old.
const TRIM_INTERVAL: Duration = Duration::from_hours(1);

/// How much of the past is kept.
#[derive(Clone, Debug)]
pub struct Retention {
    /// Most editions of one file, the present one counted.
    pub(crate) versions_max: u32,
    /// How long an edition stays after the next one took its place.
    pub history_age_max: Duration,
    /// How long a removed node stays in the trash.
    pub trash_age_max: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        const DAY: Duration = Duration::from_hours(24);
        Self { versions_max: 100, history_age_max: DAY * 90, trash_age_max: DAY * 30 }
    }
}

impl Retention {
    /// The longest time for which anything is kept.
    pub fn age_max(&self) -> Duration {
        self.history_age_max.max(self.trash_age_max).max(CLIENT_AGE_MAX)
    }
}

impl Base {
    /// Drops what is older than it need be kept, and editions that are too many, and releases
    /// their contents. It may be called often: only files that changed since the last call are
    /// looked at, and all of them once an hour. Only here a look at the clock moves time on.
    pub fn trim(&self, keep: &Retention, now: Timestamp) -> Result<()> {
        self.run("trim the history", |inner| {
            let transaction = inner.connection.transaction()?;
            let version = rows::folded(&transaction)?.version;
            let mut lived = inner.lived;
            match lived.look(now, version) {
                Looked::Had(had) => ages::mark(&transaction, lived.time, had, keep.age_max())?,
                Looked::Ahead => ages::unmark(&transaction, lived.time.saturating_sub(BELIEVED))?,
                Looked::Nothing => {}
            }
            ages::write(&transaction, &lived)?;
            let made_by = |age| ages::made_by(&transaction, lived.time, age);
            let due = inner.trimmed.filter(|(whole, _)| lived.time < *whole + TRIM_INTERVAL);
            let replaced = made_by(keep.history_age_max)?;
            let changed_after = due.map(|(_, version)| version);
            trim_editions(&transaction, keep.versions_max, replaced, changed_after)?;
            let ended = made_by(keep.trash_age_max)?;
            empty_trash(&transaction, &self.chunks, ended, &|_| true)?;
            // However long the machine was off, it must know the pull that was under way.
            transaction.execute(
                "DELETE FROM clients WHERE version <= ?1 AND client <> ?2",
                (made_by(CLIENT_AGE_MAX)?.0.cast_signed(), rows::client_column(Origin::SYNC)),
            )?;
            let dead = sweep::sweep(&transaction, &self.chunks)?;
            transaction.commit()?;
            inner.trimmed = Some((due.map_or(lived.time, |(whole, _)| whole), version));
            (inner.lived, inner.looked) = (lived, Some(now));
            inner.dying.extend(dead);
            Ok(())
        })
    }

    /// Ends what is in the trash now of the paths that `ends` names; returns how many nodes and
    /// bytes that are.
    pub fn empty_trash(&self, ends: &dyn Fn(&Path) -> bool) -> Result<(u64, u64)> {
        self.run("empty the trash", |inner| {
            let transaction = inner.connection.transaction()?;
            let ended = empty_trash(&transaction, &self.chunks, Version(u64::MAX >> 1), ends)?;
            let dead = sweep::sweep(&transaction, &self.chunks)?;
            transaction.commit()?;
            inner.dying.extend(dead);
            Ok(ended)
        })
    }

    /// Tells whether [`Base::trim`] has not been called for so long that it should, although
    /// nothing changes.
    pub(crate) fn is_trim_due(&self, now: Timestamp) -> Result<bool> {
        self.run("read when the history was trimmed", |inner| match inner.looked {
            Some(at) => Ok(now.since(at).max(at.since(now)) >= TRIM_INTERVAL),
            None => Ok(rows::folded(&inner.connection)?.version > Version(0)),
        })
    }

    /// Tells whether a clock that shows `now` is doubted.
    pub fn doubts(&self, now: Timestamp) -> Result<bool> {
        self.run("judge the clock", |inner| {
            let mut lived = inner.lived;
            lived.look(now, Version(0));
            Ok(lived.doubt.is_some())
        })
    }

    /// Returns up to when time has passed for certain, if the clock shows `now`.
    pub fn passed(&self, now: Timestamp) -> Result<Timestamp> {
        self.run("judge the clock", |inner| {
            let mut lived = inner.lived;
            lived.look(now, Version(0));
            Ok(lived.at.unwrap_or(Timestamp(i64::MIN)))
        })
    }
}

/// Drops editions that are too many, or whose successor is no younger than `replaced`: a content
/// that was replaced yesterday is kept, however old it was then. The newest one of each node
/// always stays.
fn trim_editions(
    connection: &Connection,
    versions_max: u32,
    replaced: Version,
    changed_after: Option<Version>,
) -> Result<(), Fault> {
    let changed = match changed_after {
        None => "",
        Some(_) => "WHERE node IN (SELECT id FROM nodes WHERE version > ?1)",
    };
    let sql =
        format!("SELECT node, version FROM history {changed} ORDER BY node DESC, version DESC");
    let mut statement = connection.prepare_cached(&sql)?;
    let version = changed_after.map(|version| version.0.cast_signed());
    let mut found = statement.query(rusqlite::params_from_iter(version))?;
    let mut newer: Option<(NodeId, Version, u32)> = None;
    let mut dropped = Vec::new();
    while let Some(row) = found.next()? {
        let (node, version) = (rows::id(row, 0)?, rows::version(row, 1)?);
        let mut place = 1;
        if let Some((_, successor, count)) = newer.filter(|newer| newer.0 == node) {
            place = count + 1;
            if place > versions_max || successor <= replaced {
                dropped.push((node, version));
            }
        }
        newer = Some((node, version, place));
    }
    dropped
        .into_iter()
        .try_for_each(|(node, version)| sweep::drop_edition(connection, node, version).map(drop))
}

/// Leaves only the fact of their removal of nodes that were removed by `removed` from where `ends`
/// says; returns how many nodes and bytes that are.
fn empty_trash(
    connection: &Connection,
    chunks: &Chunks,
    removed: Version,
    ends: &dyn Fn(&Path) -> bool,
) -> Result<(u64, u64), Fault> {
    let (mut nodes, mut bytes) = (0, 0);
    let sql = select("state = 1 AND version <= ?1");
    for mut stored in query(connection, &sql, [removed.0.cast_signed()])? {
        if stored.path.as_ref().is_some_and(|path| !ends(path)) {
            continue;
        }
        // Somebody is bringing the node back.
        if held(&stored.row.content).iter().any(|&digest| chunks.is_pinned(digest)) {
            continue;
        }
        for version in fold::versions(connection, stored.row.node)? {
            let dropped = sweep::drop_edition(connection, stored.row.node, version)?;
            bytes += dropped.map_or(0, |content| content.size());
        }
        nodes += 1;
        stored.state = NodeState::Gone;
        stored.row.clear();
        rows::write_node(connection, &stored)?;
    }
    Ok((nodes, bytes))
}
