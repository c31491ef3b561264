//! Files that keep what they hold, because the remote does not have what a commit gives them.

use std::collections::BTreeMap;

use homefs_core::{Digest, NodeId, Result};

use super::RemoteTracking;
use crate::format::Content;

/// What a file misses, and holds instead, each by what stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What a commit gave it, which is nowhere.
    pub told: Digest,
    /// What it holds instead.
    pub kept: Digest,
}

impl Missing {
    /// Tells whether a file that is to hold `told` holds `now` in its place: one that was given
    /// something else since, here or elsewhere, misses nothing.
    pub fn holds(self, told: &Content, now: &Content) -> bool {
        told.identity() == Some(self.told) && now.identity() == Some(self.kept)
    }
}

impl RemoteTracking {
    /// Notes files whose content is missing.
    pub(crate) fn miss(&self, files: &BTreeMap<NodeId, Missing>) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        self.run(|connection| {
            let transaction = connection.transaction()?;
            for (node, missing) in files {
                let row = (node.to_bytes(), missing.told.0, missing.kept.0);
                transaction.execute("INSERT OR REPLACE INTO missing VALUES (?1, ?2, ?3)", row)?;
            }
            Ok(transaction.commit()?)
        })
    }

    /// Notes that a file misses nothing any more.
    pub(crate) fn found_content(&self, node: NodeId) -> Result<()> {
        self.run(|connection| {
            connection.execute("DELETE FROM missing WHERE node = ?1", [node.to_bytes()])?;
            Ok(())
        })
    }

    /// Returns the files whose content was missing when it was told of.
    pub fn missing(&self) -> Result<BTreeMap<NodeId, Missing>> {
        self.run(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT node, told, kept FROM missing")?;
            let rows = statement.query_map([], |row| {
                let (told, kept) = (Digest(row.get(1)?), Digest(row.get(2)?));
                Ok((NodeId::from_bytes(row.get(0)?), Missing { told, kept }))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
