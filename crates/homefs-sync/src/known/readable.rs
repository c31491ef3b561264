//! Readable copies, and the nodes whose copy is due.

use std::collections::BTreeMap;

use bytes::Bytes;
use homefs_core::{Digest, NodeId, Result, Tag, Timestamp};
use rusqlite::{OptionalExtension, Transaction};

use super::{Fault, RemoteTracking};
use crate::format::Readable;

/// An object from outside on its way into a file.
#[derive(Clone, Debug)]
pub struct Import {
    /// Where it stands.
    pub key: Box<str>,
    /// The number of the change that takes it over.
    pub number: u64,
    /// What the object is known to show from then on.
    pub shows: Digest,
    /// What the server called the copy.
    pub tag: Tag,
    /// Its text, if it is one.
    pub text: Option<Bytes>,
}

impl RemoteTracking {
    /// Returns the readable copies there are; only those that no commit has told yet if asked.
    pub fn readable(&self, untold_only: bool) -> Result<Vec<Readable>> {
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
            note_copies(&transaction, copies)?;
            Ok(transaction.commit()?)
        })
    }

    /// Remembers what is about to be taken over from outside, before it is.
    pub(crate) fn begin_imports(&self, imports: &[Import]) -> Result<()> {
        self.run(|connection| {
            let transaction = connection.transaction()?;
            for Import { key, number, shows, tag, text } in imports {
                let row = (&**key, number.cast_signed(), shows.0, tag.as_str(), text.as_deref());
                transaction
                    .prepare_cached("INSERT OR REPLACE INTO imports VALUES (?1, ?2, ?3, ?4, ?5)")?
                    .execute(row)?;
            }
            Ok(transaction.commit()?)
        })
    }

    /// Returns what was about to be taken over when the process died.
    pub fn imports(&self) -> Result<Vec<Import>> {
        self.run(|connection| {
            let sql = "SELECT key, number, shows, tag, text FROM imports ORDER BY number";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                Ok(Import {
                    key: row.get::<_, String>(0)?.into(),
                    number: row.get::<_, i64>(1)?.cast_unsigned(),
                    shows: Digest(row.get(2)?),
                    tag: Tag::new(row.get::<_, String>(3)?),
                    text: row.get::<_, Option<Vec<u8>>>(4)?.map(Bytes::from),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Notes what was taken over, with the texts that nothing else may have as they were.
    pub(crate) fn end_imports(&self, taken: &[Import]) -> Result<()> {
        let copy = |import: &Import| Readable {
            key: import.key.clone(),
            copy: Some((import.shows, import.tag.clone())),
        };
        let copies: Vec<Readable> = taken.iter().map(copy).collect();
        self.run(|connection| {
            let transaction = connection.transaction()?;
            note_copies(&transaction, &copies)?;
            for Import { key, shows, text, .. } in taken {
                if let Some(text) = text.as_deref().filter(|_| *shows != Digest::HOLE) {
                    transaction
                        .prepare_cached("INSERT OR REPLACE INTO outside VALUES (?1, ?2, ?3)")?
                        .execute((&**key, shows.0, text))?;
                }
            }
            Ok(transaction.commit()?)
        })
    }

    /// Forgets what was about to be taken over and was not.
    pub(crate) fn forget_import(&self, key: &str) -> Result<()> {
        self.run(|connection| {
            connection.execute("DELETE FROM imports WHERE key = ?1", [key])?;
            Ok(())
        })
    }

    /// Returns the text that came from outside last, if the object was known to show this.
    pub fn outside(&self, key: &str, shows: Digest) -> Result<Option<Bytes>> {
        self.run(|connection| {
            let sql = "SELECT text FROM outside WHERE key = ?1 AND shows = ?2";
            let found = connection.query_row(sql, (key, shows.0), |row| row.get::<_, Vec<u8>>(0));
            Ok(found.optional()?.map(Bytes::from))
        })
    }

    /// Returns how many nodes may lack the readable copy that they should have.
    pub fn copies_due(&self) -> Result<u64> {
        self.run(|connection| {
            let count: i64 =
                connection.query_row("SELECT count(*) FROM copies_due", [], |row| row.get(0))?;
            Ok(count.cast_unsigned())
        })
    }

    /// Returns the nodes whose copy has been due since `before` at the latest, and since when.
    pub fn due(&self, before: Timestamp) -> Result<BTreeMap<NodeId, Timestamp>> {
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

/// Notes copies, which ends what was known of them before.
fn note_copies(transaction: &Transaction<'_>, copies: &[Readable]) -> Result<(), Fault> {
    for Readable { key, copy } in copies {
        let (digest, tag) = copy.as_ref().map(|(digest, tag)| (digest.0, tag.as_str())).unzip();
        transaction.execute("DELETE FROM outside WHERE key = ?1", [&**key])?;
        transaction.execute("DELETE FROM imports WHERE key = ?1", [&**key])?;
        transaction
            .prepare_cached("INSERT OR REPLACE INTO readable VALUES (?1, ?2, ?3, 0)")?
            .execute((&**key, digest, tag))?;
    }
    Ok(())
}
