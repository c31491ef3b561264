//! Readable copies, and the nodes whose copy is due.

use std::collections::BTreeMap;

use bytes::Bytes;
use homefs_core::{Digest, NodeId, Result, Tag, Timestamp};
use rusqlite::OptionalExtension;

use super::Known;
use crate::sync::format::Readable;

impl Known {
    /// Returns the readable copies there are; only those that no commit has told yet if asked.
    pub(crate) fn readable(&self, untold_only: bool) -> Result<Vec<Readable>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT key, digest, tag FROM readable
                 WHERE CASE WHEN ?1 THEN told = 0 ELSE digest IS NOT NULL END ORDER BY key",
            )?;
            let rows = statement.query_map([untold_only], |row| {
                let (digest, tag): (Option<[u8; 32]>, Option<String>) = (row.get(1)?, row.get(2)?);
                let copy = digest.zip(tag).map(|(digest, tag)| (Digest(digest), Tag::new(tag)));
                Ok(Readable { key: row.get::<_, String>(0)?.into(), copy })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Notes copies that were written, seen or removed, until a commit tells of them.
    pub(crate) fn note_copies(&self, copies: &[Readable]) -> Result<()> {
        if copies.is_empty() {
            return Ok(());
        }
        self.run(|connection| {
            let transaction = connection.transaction()?;
            for Readable { key, copy } in copies {
                let (digest, tag) =
                    copy.as_ref().map(|(digest, tag)| (digest.0, tag.as_str())).unzip();
                transaction.execute("DELETE FROM outside WHERE key = ?1", [&**key])?;
                transaction
                    .prepare_cached("INSERT OR REPLACE INTO readable VALUES (?1, ?2, ?3, 0)")?
                    .execute((&**key, digest, tag))?;
            }
            Ok(transaction.commit()?)
        })
    }

    /// Keeps a text that came from outside, since nothing else may have it as it was.
    pub(crate) fn keep_outside(&self, key: &str, shows: Digest, text: &[u8]) -> Result<()> {
        self.run(|connection| {
            let row = (key, shows.0, text);
            connection.execute("INSERT OR REPLACE INTO outside VALUES (?1, ?2, ?3)", row)?;
            Ok(())
        })
    }

    /// Returns the text that came from outside last, if the object was known to show this.
    pub(crate) fn outside(&self, key: &str, shows: Digest) -> Result<Option<Bytes>> {
        self.run(|connection| {
            let sql = "SELECT text FROM outside WHERE key = ?1 AND shows = ?2";
            let found = connection.query_row(sql, (key, shows.0), |row| row.get::<_, Vec<u8>>(0));
            Ok(found.optional()?.map(Bytes::from))
        })
    }

    /// Returns how many nodes may lack the readable copy that they should have.
    pub(crate) fn copies_due(&self) -> Result<u64> {
        self.run(|connection| {
            let count: i64 =
                connection.query_row("SELECT count(*) FROM copies_due", [], |row| row.get(0))?;
            Ok(count.cast_unsigned())
        })
    }

    /// Returns the nodes whose copy has been due since `before` at the latest, and since when.
    pub(crate) fn due(&self, before: Timestamp) -> Result<BTreeMap<NodeId, Timestamp>> {
        self.run(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT node, since FROM copies_due WHERE since <= ?1")?;
            let rows = statement.query_map([before.0], |row| {
                Ok((NodeId::from_bytes(row.get(0)?), Timestamp(row.get(1)?)))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Makes copies due, if they are not.
    pub(crate) fn make_due(&self, nodes: &[NodeId], since: Timestamp) -> Result<()> {
        self.settle_due(nodes.iter().map(|node| (*node, since)), true)
    }

    /// Takes copies for done that have not become due again.
    pub(crate) fn make_done(
        &self,
        nodes: impl IntoIterator<Item = (NodeId, Timestamp)>,
    ) -> Result<()> {
        self.settle_due(nodes, false)
    }

    fn settle_due(
        &self,
        nodes: impl IntoIterator<Item = (NodeId, Timestamp)>,
        due: bool,
    ) -> Result<()> {
        self.run(|connection| {
            let transaction = connection.transaction()?;
            let sql = if due {
                "INSERT OR IGNORE INTO copies_due VALUES (?1, ?2)"
            } else {
                "DELETE FROM copies_due WHERE node = ?1 AND since = ?2"
            };
            for (node, since) in nodes {
                transaction.prepare_cached(sql)?.execute((node.to_bytes(), since.0))?;
            }
            Ok(transaction.commit()?)
        })
    }
}
