//! Giving the disk back what the base no longer needs.
//!
//! `SQLite` keeps pages whose rows are gone for rows to come. They are given back in small steps,
//! each with its own checkpoint, so that it takes little room to make more. A base that an older
//! homefs made cannot do that, and is written anew once where that is worth it and there is room.

use homefs_core::Result;
use rusqlite::Connection;

pub use homefs_wire::records::Freeable;

use super::fault::Fault;
use super::{Base, checkpoint};

/// Pages that one step gives back.
const STEP_PAGES: u64 = 256;
/// Fewer free pages than this are left for rows to come, unless the disk is full.
const LEFT_PAGES: u64 = 1024;
/// The same where the disk is full.
const LEFT_PAGES_TIGHT: u64 = 16;

impl Base {
    /// Tells what holds room that can be given up.
    pub fn freeable(&self) -> Result<Freeable> {
        let sum = |connection: &Connection, condition: &str| -> Result<u64, Fault> {
            let sql = format!(
                "SELECT ifnull(sum(h.size), 0) FROM history h JOIN nodes n ON n.id = h.node
                 WHERE {condition}"
            );
            Ok(connection.query_row(&sql, [], |row| row.get::<_, i64>(0))?.cast_unsigned())
        };
        self.run("measure the past", |inner| {
            let is_older = "n.state = 0 AND h.version < n.content_version";
            Ok(Freeable {
                trash_bytes: sum(&inner.connection, "n.state = 1")?,
                history_bytes: sum(&inner.connection, is_older)?,
            })
        })
    }

    /// Gives pages back that no row needs: those that are many, or all where the room is needed.
    pub fn give_back_pages(&self, tight: bool) -> Result<()> {
        self.run("give pages back", |inner| {
            let connection = &inner.connection;
            let mut before = u64::MAX;
            loop {
                let (free, all) =
                    (number(connection, "freelist_count")?, number(connection, "page_count")?);
                let left = if tight { LEFT_PAGES_TIGHT } else { LEFT_PAGES.max(all / 4) };
                if free <= left || free >= before {
                    return Ok(());
                }
                before = free;
                if number(connection, "auto_vacuum")? == 0 {
                    return self.write_anew(connection, all);
                }
                step(connection)?;
                checkpoint(connection)?;
            }
        })
    }

    /// Writes the file anew, so that pages can be given back, if the disk has room for that.
    fn write_anew(&self, connection: &Connection, pages: u64) -> Result<(), Fault> {
        let bytes = pages.saturating_mul(number(connection, "page_size")?);
        let free = self.chunks.disk().space_bytes(&self.file).map_or(0, |(free, _)| free);
        if free / 4 < bytes {
            return Ok(());
        }
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM;")?;
        checkpoint(connection)
    }
}

/// Gives some pages back; they are so with the next checkpoint.
fn step(connection: &Connection) -> Result<(), Fault> {
    let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({STEP_PAGES})"))?;
    let mut given = statement.query([])?;
    while given.next()?.is_some() {}
    Ok(())
}

fn number(connection: &Connection, pragma: &str) -> Result<u64, Fault> {
    let number: i64 = connection.pragma_query_value(None, pragma, |row| row.get(0))?;
    Ok(number.cast_unsigned())
}
