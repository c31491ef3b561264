//! Files that are left out of pushes, because their contents are lost here and nowhere else.

use std::collections::BTreeSet;

use homefs_core::{NodeId, Result};

use super::RemoteTracking;

impl RemoteTracking {
    /// Notes which files are left out, in place of those that were.
    pub(crate) fn withhold(&self, nodes: &BTreeSet<NodeId>) -> Result<()> {
        // Nearly always none are and none were, and a change costs a sync.
        if self.withheld()? == *nodes {
            return Ok(());
        }
        self.run(|connection| {
            let transaction = connection.unchecked_transaction()?;
            transaction.execute("DELETE FROM withheld", [])?;
            for node in nodes {
                transaction.execute("INSERT INTO withheld VALUES (?1)", [node.to_bytes()])?;
            }
            Ok(transaction.commit()?)
        })
    }

    /// Returns the files that are left out.
    pub(crate) fn withheld(&self) -> Result<BTreeSet<NodeId>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT node FROM withheld")?;
            let rows = statement.query_map([], |row| row.get(0).map(NodeId::from_bytes))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
