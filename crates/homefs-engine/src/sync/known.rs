//! What this machine knows of a space's remote: the last HEAD it has seen, every node as that
//! commit has it, and where contents are.
//!
//! It is a file of its own beside the base. It only says what the remote has, so losing it costs a
//! look at the remote and nothing else; and it is never ahead of the journal: what a pull changed
//! is durable here before the commit that it came from is known.

use std::collections::BTreeMap;
use std::path::Path as HostPath;

use homefs_core::{Digest, Error, ErrorKind, NodeId, Result, Tag, Version};
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::format::{CommitId, Entry, PackId, PackTable, Piece};

/// The name of the file in a space's directory.
const FILE: &str = "remote.db";
/// The shape of the tables.
const FORMAT: i32 = 1;

const SCHEMA: &str = "
-- The last HEAD, and the last version of the space that its commit has; exactly one row.
CREATE TABLE head (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    seen    BLOB,
    cursor  INTEGER NOT NULL
) STRICT;
INSERT INTO head VALUES (1, NULL, 0);
-- Every node as the last known commit has it, the gone ones too.
CREATE TABLE nodes (id BLOB NOT NULL PRIMARY KEY, entry BLOB NOT NULL) STRICT, WITHOUT ROWID;
-- Where small contents are; chunks and leaves have no pack.
CREATE TABLE contents (
    digest BLOB NOT NULL PRIMARY KEY,
    pack   BLOB,
    start  INTEGER NOT NULL,
    len    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Commits that were sent but not known to be HEAD, with the version that each has.
CREATE TABLE attempts (
    commit_id TEXT NOT NULL PRIMARY KEY,
    version   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// What is known of the remote of one space.
pub(crate) struct Known(Mutex<Connection>);

/// How far this machine and the remote agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agreed {
    /// The last HEAD that was looked at, and what the remote said of its state.
    pub(crate) head: Option<(Vec<u8>, Tag)>,
    /// The space's last version that this commit has.
    pub(crate) cursor: Version,
}

/// News of the remote, noted all at once.
#[derive(Default)]
pub(crate) struct News<'a> {
    pub(crate) agreed: Agreed,
    pub(crate) entries: Vec<&'a Entry>,
    pub(crate) packs: Vec<&'a PackTable>,
    /// Chunks and leaves that are now there.
    pub(crate) pieces: Vec<Digest>,
}

impl Known {
    /// Opens the file in a space's directory, or makes it.
    pub(crate) fn open(dir: &HostPath) -> Result<Self> {
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(dir.join(FILE))?;
            connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")?;
            let format: i32 =
                connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
            if format == 0 {
                connection.execute_batch(&format!(
                    "BEGIN; {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;"
                ))?;
            }
            Ok(connection)
        };
        open().map(|connection| Self(Mutex::new(connection))).map_err(failed)
    }

    /// Returns how far this machine and the remote agree.
    pub(crate) fn agreed(&self) -> Result<Agreed> {
        let row = self.0.lock().query_row("SELECT seen, cursor FROM head", [], |row| {
            Ok((row.get::<_, Option<Vec<u8>>>(0)?, row.get::<_, i64>(1)?))
        });
        let (seen, cursor) = row.map_err(failed)?;
        let head = seen.map(|seen| decode(&seen)).transpose()?;
        Ok(Agreed { head, cursor: Version(cursor.cast_unsigned()) })
    }

    /// Returns a node as the last known commit has it.
    pub(crate) fn entry(&self, node: NodeId) -> Result<Option<Entry>> {
        let found = self.0.lock().query_row(
            "SELECT entry FROM nodes WHERE id = ?1",
            [node.to_bytes()],
            |row| row.get::<_, Vec<u8>>(0),
        );
        found.optional().map_err(failed)?.map(|entry| decode(&entry)).transpose()
    }

    /// Returns every node of the last known commit.
    pub(crate) fn entries(&self) -> Result<BTreeMap<NodeId, Entry>> {
        let connection = self.0.lock();
        let mut statement = connection.prepare_cached("SELECT entry FROM nodes").map_err(failed)?;
        let rows = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).map_err(failed)?;
        let mut entries = BTreeMap::new();
        for row in rows {
            let entry: Entry = decode(&row.map_err(failed)?)?;
            entries.insert(entry.node, entry);
        }
        Ok(entries)
    }

    /// Returns where all small contents are.
    pub(crate) fn packs(&self) -> Result<Vec<PackTable>> {
        let connection = self.0.lock();
        let mut statement = connection
            .prepare_cached(
                "SELECT pack, digest, start, len FROM contents
                 WHERE pack IS NOT NULL ORDER BY pack, start",
            )
            .map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        let mut packs: Vec<PackTable> = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || -> rusqlite::Result<(PackId, Piece)> {
                let digest = Digest(row.get(1)?);
                let piece = Piece { digest, offset: row.get(2)?, len: row.get(3)? };
                Ok((PackId(Digest(row.get(0)?)), piece))
            };
            let (pack, piece) = read().map_err(failed)?;
            match packs.last_mut() {
                Some(last) if last.pack == pack => last.pieces.push(piece),
                _ => packs.push(PackTable { pack, pieces: vec![piece] }),
            }
        }
        Ok(packs)
    }

    /// Tells whether the remote has a content or a piece.
    pub(crate) fn has(&self, digest: Digest) -> Result<bool> {
        let found =
            self.0
                .lock()
                .query_row("SELECT 1 FROM contents WHERE digest = ?1", [digest.0], |_| Ok(()));
        Ok(found.optional().map_err(failed)?.is_some())
    }

    /// Returns the pack that has a small content, and where.
    pub(crate) fn place(&self, digest: Digest) -> Result<Option<(PackId, Piece)>> {
        let found = self.0.lock().query_row(
            "SELECT pack, start, len FROM contents WHERE digest = ?1 AND pack IS NOT NULL",
            [digest.0],
            |row| Ok((row.get::<_, [u8; 32]>(0)?, row.get(1)?, row.get(2)?)),
        );
        let found = found.optional().map_err(failed)?;
        Ok(found.map(|(pack, offset, len)| (PackId(Digest(pack)), Piece { digest, offset, len })))
    }

    /// Remembers that a commit is about to be sent, before it is.
    pub(crate) fn attempt(&self, commit: CommitId, version: Version) -> Result<()> {
        let done = self.0.lock().execute(
            "INSERT OR REPLACE INTO attempts VALUES (?1, ?2)",
            (commit.to_string(), version.0.cast_signed()),
        );
        done.map(drop).map_err(failed)
    }

    /// Returns the version that a commit of this machine has, if it is one that was sent.
    pub(crate) fn attempted(&self, commit: CommitId) -> Result<Option<Version>> {
        let found = self.0.lock().query_row(
            "SELECT version FROM attempts WHERE commit_id = ?1",
            [commit.to_string()],
            |row| row.get::<_, i64>(0),
        );
        Ok(found.optional().map_err(failed)?.map(|version| Version(version.cast_unsigned())))
    }

    /// Notes news, all or nothing. The attempts are over: whichever was HEAD is known by now.
    pub(crate) fn note(&self, news: &News<'_>) -> Result<()> {
        let mut connection = self.0.lock();
        let transaction = connection.transaction().map_err(failed)?;
        for entry in &news.entries {
            transaction
                .prepare_cached("INSERT OR REPLACE INTO nodes VALUES (?1, ?2)")
                .map_err(failed)?
                .execute((entry.node.to_bytes(), encode(entry)?))
                .map_err(failed)?;
        }
        let mut put = transaction
            .prepare_cached("INSERT OR IGNORE INTO contents VALUES (?1, ?2, ?3, ?4)")
            .map_err(failed)?;
        for table in &news.packs {
            for piece in &table.pieces {
                put.execute((piece.digest.0, Some(table.pack.0.0), piece.offset, piece.len))
                    .map_err(failed)?;
            }
        }
        for piece in &news.pieces {
            put.execute((piece.0, None::<[u8; 32]>, 0, 0)).map_err(failed)?;
        }
        drop(put);
        let seen = news.agreed.head.as_ref().map(encode).transpose()?;
        let cursor = news.agreed.cursor.0.cast_signed();
        transaction
            .execute("UPDATE head SET seen = ?1, cursor = ?2", (seen, cursor))
            .and_then(|_| transaction.execute("DELETE FROM attempts", []))
            .map_err(failed)?;
        transaction.commit().map_err(failed)
    }
}

fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|error| {
        Error::new(ErrorKind::Internal, "cannot keep what is known of the remote")
            .with_source(error)
    })
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| {
        Error::new(ErrorKind::Corrupt, "what is known of the remote is not readable")
            .with_source(error)
    })
}

fn failed(error: rusqlite::Error) -> Error {
    Error::new(ErrorKind::Unavailable, "cannot keep what is known of the remote").with_source(error)
}
