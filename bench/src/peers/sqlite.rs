//! `SQLite`, each insert a transaction of its own.

use std::path::Path;

use anyhow::Result;
use rusqlite::{Connection, params};

use super::{Key, Peer};

/// A database whose contents are kept by path.
pub(crate) struct Sqlite {
    connection: Connection,
}

/// A database whose contents are kept by number: the least that an insert can cost.
pub(crate) struct SqliteByNumber {
    connection: Connection,
}

impl Sqlite {
    /// Makes a database in a folder.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let schema = "create table file (path text primary key, content blob not null);";
        Ok(Self { connection: open(&folder.join("by-path.sqlite"), schema)? })
    }
}

impl SqliteByNumber {
    /// Makes a database in a folder.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let schema = "create table file (id integer primary key, content blob not null);";
        Ok(Self { connection: open(&folder.join("by-number.sqlite"), schema)? })
    }
}

impl Peer for Sqlite {
    fn name(&self) -> &'static str {
        "SQLite (WAL, NORMAL)"
    }

    fn put(&mut self, key: &Key, content: &[u8]) -> Result<()> {
        let insert = "insert into file (path, content) values (?1, ?2)";
        self.connection.prepare_cached(insert)?.execute(params![key.path, content])?;
        Ok(())
    }

    fn get(&mut self, key: &Key) -> Result<Vec<u8>> {
        let select = "select content from file where path = ?1";
        Ok(self.connection.prepare_cached(select)?.query_row([&key.path], |row| row.get(0))?)
    }
}

impl Peer for SqliteByNumber {
    fn name(&self) -> &'static str {
        "SQLite (WAL, NORMAL), by number"
    }

    fn put(&mut self, key: &Key, content: &[u8]) -> Result<()> {
        let insert = "insert into file (id, content) values (?1, ?2)";
        self.connection.prepare_cached(insert)?.execute(params![key.number, content])?;
        Ok(())
    }

    fn get(&mut self, key: &Key) -> Result<Vec<u8>> {
        let select = "select content from file where id = ?1";
        Ok(self.connection.prepare_cached(select)?.query_row([key.number], |row| row.get(0))?)
    }
}

fn open(path: &Path, schema: &str) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.execute_batch("pragma journal_mode = wal; pragma synchronous = normal;")?;
    connection.execute_batch(schema)?;
    Ok(connection)
}
