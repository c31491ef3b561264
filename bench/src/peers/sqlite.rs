//! SQLite, each insert a transaction of its own.

use std::path::Path;

use anyhow::Result;
use rusqlite::{Connection, params};

use super::Peer;

/// An open database.
pub(crate) struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    /// Makes a database in a folder.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let connection = Connection::open(folder.join("peer.sqlite"))?;
        connection.execute_batch(
            "pragma journal_mode = wal; pragma synchronous = normal;
             create table file (id integer primary key, content blob not null);",
        )?;
        Ok(Self { connection })
    }
}

impl Peer for Sqlite {
    fn name(&self) -> &'static str {
        "SQLite (WAL, NORMAL)"
    }

    fn put(&mut self, key: u64, content: &[u8]) -> Result<()> {
        let mut insert =
            self.connection.prepare_cached("insert into file (id, content) values (?1, ?2)")?;
        insert.execute(params![key.cast_signed(), content])?;
        Ok(())
    }

    fn get(&mut self, key: u64) -> Result<Vec<u8>> {
        let mut select = self.connection.prepare_cached("select content from file where id = ?1")?;
        Ok(select.query_row([key.cast_signed()], |row| row.get(0))?)
    }
}
