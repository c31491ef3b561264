//! Where contents are in the remote.

use std::collections::BTreeSet;

use homefs_core::{Digest, Result, Timestamp};
use rusqlite::OptionalExtension;

use super::{RemoteTracking, decode, encode};
use crate::format::{PackId, PackTable, Piece};

/// A pack, and where in it something is.
pub type PackLocation = (PackId, Piece);

impl RemoteTracking {
    /// Tells whether the remote has a content or a piece of one.
    pub fn has(&self, digest: Digest) -> Result<bool> {
        Ok(self.place(digest)?.is_some())
    }

    /// Returns the pack that has a piece, and where.
    pub fn place(&self, digest: Digest) -> Result<Option<PackLocation>> {
        self.run(|connection| {
            let found = connection
                .prepare_cached("SELECT pack, start, len FROM contents WHERE digest = ?1")?
                .query_row([digest.0], |row| {
                    let pack = PackId(Digest(row.get(0)?));
                    Ok((pack, Piece { digest, offset: row.get(1)?, len: row.get(2)? }))
                });
            Ok(found.optional()?)
        })
    }

    /// Returns where all pieces are; those of one pack if it is given.
    pub fn packs(&self, pack: Option<PackId>) -> Result<Vec<PackTable>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT pack, digest, start, len FROM contents
                 WHERE ?1 IS NULL OR pack = ?1 ORDER BY pack, start",
            )?;
            let mut rows = statement.query([pack.map(|pack| pack.0.0)])?;
            let mut packs: Vec<PackTable> = Vec::new();
            while let Some(row) = rows.next()? {
                let digest = Digest(row.get(1)?);
                let piece = Piece { digest, offset: row.get(2)?, len: row.get(3)? };
                let pack = PackId(Digest(row.get(0)?));
                match packs.last_mut() {
                    Some(last) if last.pack == pack => last.pieces.push(piece),
                    _ => packs.push(PackTable { pack, pieces: vec![piece] }),
                }
            }
            Ok(packs)
        })
    }

    /// Forgets pieces that are not in a pack.
    pub(crate) fn forget_pieces(&self, pack: PackId, pieces: &[Piece]) -> Result<()> {
        self.run(|connection| {
            let transaction = connection.transaction()?;
            for piece in pieces {
                let row = (piece.digest.0, pack.0.0);
                transaction.execute("DELETE FROM contents WHERE digest = ?1 AND pack = ?2", row)?;
            }
            Ok(transaction.commit()?)
        })
    }

    /// Notes which pieces the tree names; the others are unused from now on, if they were not
    /// before. Returns the unused ones, each with since when.
    pub(crate) fn mark_unused(
        &self,
        used: &BTreeSet<Digest>,
        now: Timestamp,
    ) -> Result<Vec<(Digest, Timestamp)>> {
        self.run(|connection| {
            let transaction = connection.transaction()?;
            let mut changed = Vec::new();
            let mut unused = Vec::new();
            {
                let mut statement =
                    transaction.prepare_cached("SELECT digest, unused FROM contents")?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    let digest = Digest(row.get(0)?);
                    let before: Option<i64> = row.get(1)?;
                    let since = (!used.contains(&digest)).then(|| before.unwrap_or(now.0));
                    if since != before {
                        changed.push((digest, since));
                    }
                    unused.extend(since.map(|since| (digest, Timestamp(since))));
                }
            }
            for (digest, since) in changed {
                transaction
                    .prepare_cached("UPDATE contents SET unused = ?2 WHERE digest = ?1")?
                    .execute((digest.0, since))?;
            }
            transaction.commit()?;
            Ok(unused)
        })
    }

    /// Returns the contents that were purged and did not come back.
    pub fn purged(&self) -> Result<Vec<Digest>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT digest FROM purged")?;
            let rows = statement.query_map([], |row| row.get(0).map(Digest))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the number of the last commit with a purge; 0 if there was none.
    pub(crate) fn last_purge(&self) -> Result<u64> {
        self.run(|connection| {
            let seq: i64 = connection.query_row("SELECT purged FROM head", [], |row| row.get(0))?;
            Ok(seq.cast_unsigned())
        })
    }

    /// Remembers packs that are about to be sent, or that were.
    pub(crate) fn upload(&self, packs: &[PackTable], there: bool) -> Result<()> {
        self.run(|connection| {
            let transaction = connection.transaction()?;
            for table in packs {
                transaction.execute(
                    "INSERT OR REPLACE INTO uploads VALUES (?1, ?2, ?3)",
                    (table.pack.0.0, encode(&table.pieces)?, there),
                )?;
            }
            Ok(transaction.commit()?)
        })
    }

    /// Returns the packs that were sent for a commit that is not HEAD yet, and whether each is
    /// known to be there.
    pub(crate) fn uploads(&self) -> Result<Vec<(PackTable, bool)>> {
        self.run(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT pack, pieces, there FROM uploads")?;
            let mut rows = statement.query([])?;
            let mut uploads = Vec::new();
            while let Some(row) = rows.next()? {
                let pieces = decode(row.get_ref(1)?.as_blob()?)?;
                let table = PackTable { pack: PackId(Digest(row.get(0)?)), pieces };
                uploads.push((table, row.get(2)?));
            }
            Ok(uploads)
        })
    }

    /// Forgets a pack that was to be sent.
    pub(crate) fn forget_upload(&self, pack: PackId) -> Result<()> {
        self.run(|connection| {
            connection.execute("DELETE FROM uploads WHERE pack = ?1", [pack.0.0])?;
            Ok(())
        })
    }
}
