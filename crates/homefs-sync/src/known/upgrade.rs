//! Bringing what format 1 knew of a remote up to date.

use rusqlite::Connection;

use super::{FORMAT, Fault, decode, encode};
use crate::format::{CommitId, Entry, EntryState, FirstEntry};

/// Makes the tables those of the newest format, in one transaction. A push or a pull that was under
/// way is forgotten: format 1 kept too little of it.
pub(super) fn upgrade(connection: &mut Connection) -> Result<(), Fault> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "ALTER TABLE head ADD COLUMN fields BLOB;
         UPDATE head SET pull = NULL;
         CREATE TABLE links (
             parent BLOB NOT NULL,
             name   TEXT NOT NULL,
             node   BLOB NOT NULL,
             PRIMARY KEY (parent, name)
         ) STRICT, WITHOUT ROWID;
         CREATE INDEX links_by_node ON links (node);
         DROP TABLE attempts;
         CREATE TABLE attempts (
             commit_id TEXT NOT NULL PRIMARY KEY,
             version   INTEGER NOT NULL,
             object    BLOB NOT NULL
         ) STRICT, WITHOUT ROWID;
         ALTER TABLE machines ADD COLUMN last BLOB NOT NULL DEFAULT x'00';",
    )?;
    debug_assert_eq!(encode(&Vec::<CommitId>::new())?, [0], "the default means that none is known");
    let entries = {
        let mut statement = transaction.prepare("SELECT entry FROM nodes")?;
        let mut rows = statement.query([])?;
        let mut entries: Vec<Entry> = Vec::new();
        while let Some(row) = rows.next()? {
            entries.push(decode::<FirstEntry>(row.get_ref(0)?.as_blob()?)?.into());
        }
        entries
    };
    for entry in &entries {
        let node = entry.node.to_bytes();
        transaction.execute("UPDATE nodes SET entry = ?2 WHERE id = ?1", (node, encode(entry)?))?;
        if let EntryState::Living(living) = &entry.state {
            for link in &living.links {
                let row = (link.parent.to_bytes(), &*link.name, node);
                transaction.execute("INSERT OR REPLACE INTO links VALUES (?1, ?2, ?3)", row)?;
            }
        }
    }
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(())
}
