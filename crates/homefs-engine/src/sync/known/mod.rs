//! What this machine knows of a space's remote: the last HEAD it has seen, and the sum of all
//! commits up to it.
//!
//! It is a file of its own beside the base. It says what the remote has, so losing it costs a look
//! at the remote, and what was about to be told to others; and it is never ahead of the journal:
//! what a pull changed is durable here before the commit that it came from is known.

mod conflicts;
mod contents;
mod note;
mod pins;
mod readable;

use std::collections::BTreeMap;
use std::path::Path as HostPath;

use homefs_core::{Error, ErrorKind, NodeId, Result, Tag, Version};
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use self::contents::Place;
pub(crate) use self::note::Step;
pub(crate) use self::readable::Import;
use super::format::{Access, CommitId, Entry, MachineId, MachineSeen};

/// The name of the file in a space's directory.
const FILE: &str = "remote.db";
/// The shape of the tables.
const FORMAT: i32 = 1;

/// What is known of the remote of one space.
pub(crate) struct Known(Mutex<Option<Connection>>);

/// A HEAD as it was read, and what the remote said of its state.
pub(crate) type SeenHead = (Vec<u8>, Tag);

/// How far this machine and the remote agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agreed {
    /// The last HEAD that was looked at.
    pub(crate) head: Option<SeenHead>,
    /// The space's last version that this commit has.
    pub(crate) cursor: Version,
}

impl Known {
    /// Opens the file in a space's directory, or makes it.
    pub(crate) fn open(dir: &HostPath) -> Result<Self> {
        Self::open_with(dir, OpenFlags::default()).map_err(failed)
    }

    /// Opens the file in a space's directory if there is one.
    pub(crate) fn open_existing(dir: &HostPath) -> Result<Option<Self>> {
        match Self::open_with(dir, OpenFlags::default() - OpenFlags::SQLITE_OPEN_CREATE) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => Ok(None),
            known => known.map(Some).map_err(failed),
        }
    }

    fn open_with(dir: &HostPath, flags: OpenFlags) -> rusqlite::Result<Self> {
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(dir.join(FILE), flags)?;
            connection.execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;",
            )?;
            let format: i32 =
                connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
            if format == 0 {
                let schema = include_str!("schema.sql");
                connection.execute_batch(&format!(
                    "BEGIN; {schema} PRAGMA user_version = {FORMAT}; COMMIT;"
                ))?;
            }
            // A table that came later, and that nobody misses who does not know it.
            connection.execute_batch(include_str!("imports.sql"))?;
            Ok(connection)
        };
        open().map(|connection| Self(Mutex::new(Some(connection))))
    }

    /// Lets the file go, whoever still holds this; later calls fail with `Closed`.
    pub(crate) fn close(&self) {
        drop(self.0.lock().take());
    }

    /// Forgets everything about the remote, as for another one; what is pinned stays pinned.
    pub(crate) fn forget(&self) -> Result<()> {
        self.run(|connection| {
            connection.execute_batch(
                "BEGIN;
                 UPDATE head SET seen = NULL, cursor = 0, access = NULL, purged = 0, pull = NULL;
                 DELETE FROM nodes; DELETE FROM contents; DELETE FROM uploads;
                 DELETE FROM attempts; DELETE FROM machines; DELETE FROM purged;
                 DELETE FROM conflicts; DELETE FROM readable; DELETE FROM copies_due;
                 DELETE FROM imports;
                 COMMIT;",
            )?;
            Ok(())
        })
    }

    /// Returns how far this machine and the remote agree.
    pub(crate) fn agreed(&self) -> Result<Agreed> {
        self.run(|connection| {
            let row = connection.query_row("SELECT seen, cursor FROM head", [], |row| {
                Ok((row.get::<_, Option<Vec<u8>>>(0)?, row.get::<_, i64>(1)?))
            });
            let (seen, cursor) = row?;
            let head = seen.map(|seen| decode(&seen)).transpose()?;
            Ok(Agreed { head, cursor: Version(cursor.cast_unsigned()) })
        })
    }

    /// Returns a node as the last known commit has it.
    pub(crate) fn entry(&self, node: NodeId) -> Result<Option<Entry>> {
        self.run(|connection| {
            let found = connection
                .prepare_cached("SELECT entry FROM nodes WHERE id = ?1")?
                .query_row([node.to_bytes()], |row| row.get::<_, Vec<u8>>(0));
            Ok(found.optional()?.map(|entry| decode(&entry)).transpose()?)
        })
    }

    /// Returns every node of the last known commit.
    pub(crate) fn entries(&self) -> Result<BTreeMap<NodeId, Entry>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT entry FROM nodes")?;
            let mut rows = statement.query([])?;
            let mut entries = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let entry: Entry = decode(row.get_ref(0)?.as_blob()?)?;
                entries.insert(entry.node, entry);
            }
            Ok(entries)
        })
    }

    /// Returns access to the space, as the last known commit has it.
    pub(crate) fn access(&self) -> Result<Access> {
        self.run(|connection| {
            let access: Option<Vec<u8>> =
                connection.query_row("SELECT access FROM head", [], |row| row.get(0))?;
            Ok(access.map(|access| decode(&access)).transpose()?.unwrap_or_default())
        })
    }

    /// Returns the machines that pushed.
    pub(crate) fn machines(&self) -> Result<BTreeMap<MachineId, MachineSeen>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT id, name, seq FROM machines")?;
            let rows = statement.query_map([], |row| {
                let id = MachineId(row.get::<_, i64>(0)?.cast_unsigned());
                let name = row.get::<_, String>(1)?.into();
                let seq = row.get::<_, i64>(2)?.cast_unsigned();
                Ok((id, MachineSeen { name, seq }))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Remembers that a HEAD is about to be taken over by a change of this number, before it is.
    pub(crate) fn begin_pull(&self, number: u64, head: &SeenHead) -> Result<()> {
        self.run(|connection| {
            connection.execute("UPDATE head SET pull = ?1", [encode(&(number, head))?])?;
            Ok(())
        })
    }

    /// Returns the pull that was under way, if it was not noted.
    pub(crate) fn pull(&self) -> Result<Option<(u64, SeenHead)>> {
        self.run(|connection| {
            let pull: Option<Vec<u8>> =
                connection.query_row("SELECT pull FROM head", [], |row| row.get(0))?;
            Ok(pull.map(|pull| decode(&pull)).transpose()?)
        })
    }

    /// Remembers that a commit is about to be sent, before it is.
    pub(crate) fn attempt(&self, commit: CommitId, version: Version) -> Result<()> {
        self.run(|connection| {
            let row = (commit.to_string(), version.0.cast_signed());
            connection.execute("INSERT OR REPLACE INTO attempts VALUES (?1, ?2)", row)?;
            Ok(())
        })
    }

    /// Tells whether a commit that was sent may be HEAD, or become it, without this machine's
    /// having heard of it.
    pub(crate) fn is_attempting(&self) -> Result<bool> {
        self.run(|connection| {
            let sql = "SELECT EXISTS (SELECT 1 FROM attempts)";
            Ok(connection.query_row(sql, [], |row| row.get(0))?)
        })
    }

    /// Returns the version that a commit of this machine has, if it is one that was sent.
    pub(crate) fn attempted(&self, commit: CommitId) -> Result<Option<Version>> {
        self.run(|connection| {
            let found = connection.query_row(
                "SELECT version FROM attempts WHERE commit_id = ?1",
                [commit.to_string()],
                |row| row.get::<_, i64>(0),
            );
            Ok(found.optional()?.map(|version| Version(version.cast_unsigned())))
        })
    }

    /// Runs `work` alone on the connection.
    fn run<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, Fault>) -> Result<T> {
        let mut connection = self.0.lock();
        let closed = || Error::new(ErrorKind::Closed, "the store is closed");
        work(connection.as_mut().ok_or_else(closed)?).map_err(|fault| match fault {
            Fault::Told(error) => error,
            Fault::Sqlite(error) => failed(error),
        })
    }
}

/// Why something about the remote could not be kept or found.
enum Fault {
    Told(Error),
    Sqlite(rusqlite::Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Told(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<rusqlite::types::FromSqlError> for Fault {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
        Self::Sqlite(error.into())
    }
}

fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
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
