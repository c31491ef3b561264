//! Conflicts that are open.

use homefs_core::Result;

use super::{RemoteTracking, decode, encode};
use crate::format::{Noted, OpenConflict};

impl RemoteTracking {
    /// Keeps conflicts that a merge found, until a commit tells of them.
    pub fn found(&self, conflicts: &[OpenConflict]) -> Result<()> {
        self.run(|connection| {
            for conflict in conflicts {
                connection.execute(
                    "INSERT OR IGNORE INTO conflicts VALUES (?1, ?2, 0)",
                    (conflict.number.cast_signed(), encode(conflict)?),
                )?;
            }
            Ok(())
        })
    }

    /// Closes a conflict, and tells whether there was one.
    pub fn resolve(&self, number: u64) -> Result<bool> {
        self.run(|connection| {
            let number = number.cast_signed();
            // One that no commit has need not be told of.
            let mine = connection
                .execute("DELETE FROM conflicts WHERE number = ?1 AND told = 0", [number])?;
            let told = connection.execute(
                "UPDATE conflicts SET conflict = NULL, told = 0
                 WHERE number = ?1 AND conflict IS NOT NULL",
                [number],
            )?;
            Ok(mine + told > 0)
        })
    }

    /// Returns the conflicts that are open.
    pub fn conflicts(&self) -> Result<Vec<OpenConflict>> {
        self.run(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT conflict FROM conflicts WHERE conflict IS NOT NULL")?;
            let mut rows = statement.query([])?;
            let mut conflicts = Vec::new();
            while let Some(row) = rows.next()? {
                conflicts.push(decode(row.get_ref(0)?.as_blob()?)?);
            }
            Ok(conflicts)
        })
    }

    /// Returns what no commit has told yet.
    pub(crate) fn untold_conflicts(&self) -> Result<Vec<Noted>> {
        self.run(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT number, conflict FROM conflicts WHERE told = 0")?;
            let mut rows = statement.query([])?;
            let mut noted = Vec::new();
            while let Some(row) = rows.next()? {
                noted.push(match row.get_ref(1)?.as_blob_or_null()? {
                    Some(conflict) => Noted::Found(Box::new(decode(conflict)?)),
                    None => Noted::Resolved(row.get::<_, i64>(0)?.cast_unsigned()),
                });
            }
            Ok(noted)
        })
    }
}
