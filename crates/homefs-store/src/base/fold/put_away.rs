//! Files that a program put away a moment ago, for the next process: where each command is one of
//! its own, the save that began with `mv note.md note.md~` ends in another.

use homefs_core::Timestamp;
use rusqlite::Connection;

use super::super::fault::Fault;
use super::super::rows;
use crate::put_away::{Away, PutAway};
use crate::record::{Change, Record};

/// Returns the files that were put away as of the last folded record.
pub(in crate::base) fn read(connection: &Connection) -> Result<PutAway, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT parent, name, node, time FROM put_away ORDER BY time")?;
    let mut found = statement.query([])?;
    let mut put_away = PutAway::default();
    while let Some(row) = found.next()? {
        let (parent, node) = (rows::id(row, 0)?, rows::id(row, 2)?);
        let (name, time) = (row.get::<_, Box<str>>(1)?.into(), Timestamp(row.get(3)?));
        put_away.push(Away { parent, name, node, time });
    }
    Ok(put_away)
}

/// Notes what records put away and what went on; most do neither, and then nothing is written.
pub(super) fn fold(connection: &Connection, records: &[&Record]) -> Result<(), Fault> {
    let Some(last) = records.last() else { return Ok(()) };
    let before = read(connection)?;
    let mut put_away = before.clone();
    for record in records {
        put_away.note(&record.changes, record.time);
        for change in &record.changes {
            if let Change::Succeed { old, .. } = change {
                put_away.forget(*old);
            }
        }
    }
    put_away.forget_old(last.time);
    if put_away == before {
        return Ok(());
    }
    connection.prepare_cached("DELETE FROM put_away")?.execute([])?;
    let mut insert =
        connection.prepare_cached("INSERT OR REPLACE INTO put_away VALUES (?1, ?2, ?3, ?4)")?;
    for Away { parent, name, node, time } in put_away.iter() {
        insert.execute((parent.to_bytes(), &**name, node.to_bytes(), time.0))?;
    }
    Ok(())
}
