//! The rows of a base that can still be read.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::{AgentId, Digest, NodeId, Timestamp, Version, check_name};
use rusqlite::{Connection, Row, ToSql};

use super::Folded;
use super::fault::Fault;
use super::pages;
use super::rows::{self, Stored};
use crate::model::Grant;
use crate::record::Content;

/// No space has had so many changes: a higher version is a damaged one.
const VERSION_MAX: Version = Version(1 << 48);

/// A row of the history.
pub(super) struct Old {
    pub(super) time: Timestamp,
    pub(super) agent: AgentId,
    pub(super) content: Content,
    pub(super) machine: Option<String>,
}

/// All rows that make sense by themselves; they need not agree with each other.
#[derive(Default)]
pub(super) struct Readable {
    pub(super) folded: Option<Folded>,
    pub(super) nodes: BTreeMap<NodeId, Stored>,
    pub(super) entries: BTreeMap<(NodeId, Box<str>), NodeId>,
    /// What names lead to as well, where the table and its index differ.
    pub(super) others: Vec<((NodeId, Box<str>), NodeId)>,
    pub(super) history: BTreeMap<(NodeId, Version), Old>,
    pub(super) grants: BTreeSet<Grant>,
    /// The columns of each client: its id, number, version and time.
    pub(super) clients: BTreeMap<i64, (i64, i64, i64)>,
    /// The lengths of the small contents that are in the fresh base; 0 for absent ones.
    pub(super) blobs: BTreeMap<Digest, u64>,
    /// Chunks that the remote has, so that their files may be missing.
    pub(super) remote: BTreeSet<Digest>,
    /// What purges left without any reference.
    pub(super) purged: BTreeMap<Digest, Version>,
    /// Names under which nothing of a source is shown, and since when.
    pub(super) hidden: BTreeMap<(NodeId, Box<str>), i64>,
}

impl Readable {
    /// Reads everything but contents. Damage ends a walk through a table, so each is walked from
    /// both ends, and what lies between damaged places is asked for by the keys that other tables
    /// name.
    pub(super) fn read(&mut self, source: &Connection) {
        let folded = || rows::folded(source).ok().filter(|folded| folded.version < VERSION_MAX);
        self.folded = self.folded.or_else(folded);
        let whole = self.read_nodes(source, "", &[])
            & self.read_entries(source, "", &[])
            & self.read_history(source, "", &[]);
        // The index has every name a second time. Where the two differ, nobody knows yet which is
        // damaged, and both are taken.
        let named = |row: &Row<'_>| self.take_entry(row);
        walk(source, "SELECT parent, name, node FROM entries", "", &["node"], &[], named);
        if !whole {
            self.read_between(source);
        }
        let granted = |row: &Row<'_>| {
            self.grants.insert(rows::grant(row)?);
            Ok(())
        };
        let select = "SELECT is_group, subject, prefix, access FROM grants";
        walk(source, select, "", &["is_group", "subject", "prefix", "access"], &[], granted);
        let client = |row: &Row<'_>| {
            plausible(rows::version(row, 2)?)?;
            self.clients.insert(row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?));
            Ok(())
        };
        let select = "SELECT client, number, version, time FROM clients";
        walk(source, select, "", &["client"], &[], client);
        // A base of an older format has none of these.
        let remote = |row: &Row<'_>| {
            self.remote.insert(rows::digest(row, 0)?);
            Ok(())
        };
        let select = "SELECT digest FROM pieces";
        walk(source, select, "WHERE remote = 1", &["digest"], &[], remote);
        let purged = |row: &Row<'_>| {
            let version = rows::version(row, 1)?;
            plausible(version)?;
            self.purged.insert(rows::digest(row, 0)?, version);
            Ok(())
        };
        walk(source, "SELECT digest, version FROM purged", "", &["digest"], &[], purged);
        let hidden = |row: &Row<'_>| {
            // An older format has no times.
            let time = row.get(2).unwrap_or_default();
            self.hidden.insert((rows::id(row, 0)?, row.get(1)?), time);
            Ok(())
        };
        walk(source, "SELECT * FROM hidden", "", &["parent", "name"], &[], hidden);
    }

    /// Asks for single rows until no more are found.
    fn read_between(&mut self, source: &Connection) {
        let mut asked = BTreeSet::new();
        loop {
            let parents = self.entries.keys().map(|(parent, _)| *parent);
            let named = parents.chain(self.entries.values().copied());
            let named = named.chain(self.history.keys().map(|(node, _)| *node));
            let known: Vec<_> = named.chain(self.nodes.keys().copied()).collect();
            let new: Vec<_> = known.into_iter().filter(|node| asked.insert(*node)).collect();
            if new.is_empty() {
                return;
            }
            for node in new {
                let id = node.to_bytes();
                self.read_nodes(source, "WHERE id = ?1", &[&id]);
                self.read_entries(source, "WHERE parent = ?1", &[&id]);
                self.read_history(source, "WHERE node = ?1", &[&id]);
            }
        }
    }

    fn read_nodes(&mut self, source: &Connection, which: &str, keys: &[&dyn ToSql]) -> bool {
        // A base of an older format does not have the column.
        let has_lineage = source.prepare_cached("SELECT lineage FROM nodes").is_ok();
        let rest = if has_lineage { rows::STORED } else { "n.agent, n.state, n.path, NULL" };
        let columns = rows::NODE;
        let select = format!("SELECT {columns}, {rest} FROM nodes n");
        walk(source, &select, which, &["id"], keys, |row| {
            let stored = rows::stored(row)?;
            plausible(stored.row.version.max(stored.row.content_version))?;
            self.nodes.entry(stored.row.node).or_insert(stored);
            Ok(())
        })
    }

    fn read_entries(&mut self, source: &Connection, which: &str, keys: &[&dyn ToSql]) -> bool {
        let select = "SELECT parent, name, node FROM entries";
        walk(source, select, which, &["parent", "name"], keys, |row| self.take_entry(row))
    }

    fn take_entry(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        let (parent, node) = (rows::id(row, 0)?, rows::id(row, 2)?);
        let name = row.get_ref(1)?.as_str()?;
        check_name(name)?;
        let place = (parent, name.into());
        match self.entries.get(&place) {
            None => drop(self.entries.insert(place, node)),
            Some(other) if *other != node => self.others.push((place, node)),
            Some(_) => {}
        }
        Ok(())
    }

    fn read_history(&mut self, source: &Connection, which: &str, keys: &[&dyn ToSql]) -> bool {
        // A base of an older format does not have the column.
        let has_machine = source.prepare_cached("SELECT machine FROM history").is_ok();
        let machine = if has_machine { "machine" } else { "NULL" };
        let select = format!(
            "SELECT node, version, time, agent, size, digest, leaves, {machine} FROM history"
        );
        walk(source, &select, which, &["node", "version"], keys, |row| {
            let version = rows::version(row, 1)?;
            plausible(version)?;
            let old = Old {
                time: Timestamp(row.get(2)?),
                agent: rows::agent(row, 3)?,
                content: rows::content(row, 4)?,
                machine: row.get(7)?,
            };
            self.history.entry((rows::id(row, 0)?, version)).or_insert(old);
            Ok(())
        })
    }

    /// Copies the small contents that are what their digest says, or absent; `pages` is the whole
    /// file, where they are looked for if the tables do not lead to all of them.
    pub(super) fn copy_blobs(
        &mut self,
        source: Option<&Connection>,
        pages: &[u8],
        fresh: &Connection,
    ) -> Result<(), Fault> {
        // A failure of the fresh base, not the damage of the old one.
        let mut failed = None;
        let mut insert = fresh
            .prepare("INSERT OR REPLACE INTO blobs (digest, refs, bytes) VALUES (?1, 0, ?2)")?;
        let mut blobs = BTreeMap::new();
        let mut copy = |digest: Digest, bytes: &[u8]| {
            let sound = bytes.is_empty() || Digest::of(bytes) == digest;
            let is_better = blobs.get(&digest).is_none_or(|len| *len == 0 && !bytes.is_empty());
            if sound && is_better {
                blobs.insert(digest, bytes.len() as u64);
                failed = failed.take().or(insert.execute((digest.0, bytes)).err());
            }
        };
        let mut copy_row = |row: &Row<'_>| {
            copy(rows::digest(row, 0)?, row.get_ref(1)?.as_blob()?);
            Ok(())
        };
        let select = "SELECT digest, bytes FROM blobs";
        let whole =
            source.is_some_and(|source| walk(source, select, "", &["number"], &[], &mut copy_row));
        if let Some(source) = source.filter(|_| !whole) {
            for old in self.history.values() {
                if let Content::Blob { digest, .. } = &old.content {
                    let key: [&dyn ToSql; 1] = [&digest.0];
                    walk(source, select, "WHERE digest = ?1", &["number"], &key, &mut copy_row);
                }
            }
        }
        pages::blobs(pages, copy);
        self.blobs = blobs;
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Notes the small contents that are in the fresh base already.
    pub(super) fn know_blobs(&mut self, fresh: &Connection) -> Result<(), Fault> {
        let mut statement = fresh.prepare("SELECT digest, length(bytes) FROM blobs")?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            self.blobs.insert(rows::digest(row, 0)?, rows::number(row, 1)?);
        }
        Ok(())
    }
}

/// Walks the rows of a table in the order of its key, and after damage backwards from the end.
/// Rows that make no sense are skipped. Tells whether there was no damage.
fn walk(
    source: &Connection,
    select: &str,
    which: &str,
    order: &[&str],
    keys: &[&dyn ToSql],
    mut take: impl FnMut(&Row<'_>) -> Result<(), Fault>,
) -> bool {
    let mut walk_one = |order: &str| -> Result<(), Fault> {
        let mut statement = source.prepare_cached(&format!("{select} {which} ORDER BY {order}"))?;
        let mut found = statement.query(keys)?;
        while let Some(row) = found.next()? {
            take(row).ok();
        }
        Ok(())
    };
    if walk_one(&order.join(", ")).is_ok() {
        return true;
    }
    // That it ends early is known already.
    walk_one(&format!("{} DESC", order.join(" DESC, "))).ok();
    false
}

fn plausible(version: Version) -> Result<(), Fault> {
    if version < VERSION_MAX {
        return Ok(());
    }
    Err(Fault::Damaged(format!("no space has had {version} changes")))
}
