//! Files that keep what they hold, because the remote does not have what a commit gives them.

use std::collections::BTreeMap;

use homefs_core::{Digest, NodeId, Result};

use super::Known;

impl Known {
    /// Notes files whose content is missing, each with the digest that stands for what it holds
    /// here instead.
    pub(crate) fn miss(&self, files: &BTreeMap<NodeId, Digest>) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        self.run(|connection| {
            let transaction = connection.transaction()?;
            for (node, kept) in files {
                let row = (node.to_bytes(), kept.0);
                transaction.execute("INSERT OR REPLACE INTO missing VALUES (?1, ?2)", row)?;
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

    /// Returns the files whose content was missing, each with what stands for what it held instead:
    /// one that holds something else by now misses nothing.
    pub(crate) fn missing(&self) -> Result<BTreeMap<NodeId, Digest>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT node, kept FROM missing")?;
            let rows = statement
                .query_map([], |row| Ok((NodeId::from_bytes(row.get(0)?), Digest(row.get(1)?))))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
