//! Nodes whose contents stay on this machine.

use std::collections::BTreeSet;

use homefs_core::{NodeId, Result};

use super::RemoteTracking;

impl RemoteTracking {
    /// Keeps the contents of a node and all below on this machine, or no longer.
    pub fn pin(&self, node: NodeId, pinned: bool) -> Result<()> {
        self.run(|connection| {
            let sql = if pinned {
                "INSERT OR IGNORE INTO pins VALUES (?1)"
            } else {
                "DELETE FROM pins WHERE node = ?1"
            };
            connection.execute(sql, [node.to_bytes()])?;
            Ok(())
        })
    }

    /// Returns the nodes that are pinned.
    pub fn pins(&self) -> Result<BTreeSet<NodeId>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT node FROM pins")?;
            let rows = statement.query_map([], |row| row.get(0).map(NodeId::from_bytes))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
