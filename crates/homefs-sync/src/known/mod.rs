//! What this machine knows of a space's remote: the last HEAD it has seen, and the sum of all
//! commits up to it.
//!
//! It is a file of its own beside the base. It says what the remote has, so losing it costs a look
//! at the remote, and what was about to be told to others; and it is never ahead of the journal:
//! what a pull changed is durable here before the commit that it came from is known.

mod conflicts;
mod contents;
mod missing;
mod note;
mod pins;
mod readable;
mod upgrade;
mod withheld;
#[cfg(any(test, feature = "testing"))]
pub mod work;

use std::collections::BTreeMap;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use homefs_core::{Error, ErrorKind, NodeId, Result, Tag, Version};
use homefs_store::database;
use homefs_store::descriptors::{self, Wakeful};
use homefs_store::fields::Fields;
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use self::contents::PackLocation;
pub use self::missing::Missing;
pub use self::note::Step;
pub use self::readable::Import;
use super::format::{Access, CommitId, Entry, Fetched, MachineId, MachineSeen};

/// The name of the file in a space's directory.
const FILE: &str = "remote.db";
/// The shape of the tables.
const FORMAT: i32 = 2;

/// What is known of the remote of one space.
pub struct RemoteTracking {
    file: PathBuf,
    /// `None` once it is closed.
    connection: Arc<Mutex<Option<Wakeful>>>,
}

/// What is open of it: the file, the log and the shared memory beside it.
const DESCRIPTORS: usize = 3;

/// A HEAD as it was read, and what the remote said of its state.
pub(crate) type SeenHead = (Vec<u8>, Tag);

/// A pull that is about to change the space, with everything that is needed to finish it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Pull {
    /// The number of its change here.
    pub number: u64,
    /// The HEAD that it takes over.
    pub head: SeenHead,
    /// What leads there from the last known commit.
    pub fetched: Vec<Fetched>,
}

/// How far this machine and the remote agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreed {
    /// The last HEAD that was looked at.
    pub head: Option<SeenHead>,
    /// The space's last version that this commit has.
    pub cursor: Version,
}

impl RemoteTracking {
    /// Opens the file in a space's directory, or makes it.
    pub fn open(dir: &HostPath) -> Result<Self> {
        Self::open_with(dir, OpenFlags::default()).map_err(Error::from)
    }

    /// Opens the file in a space's directory if there is one.
    pub fn open_existing(dir: &HostPath) -> Result<Option<Self>> {
        match Self::open_with(dir, OpenFlags::default() - OpenFlags::SQLITE_OPEN_CREATE) {
            Err(Fault::Sqlite(error))
                if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) =>
            {
                Ok(None)
            }
            known => known.map(Some).map_err(Error::from),
        }
    }

    fn open_with(dir: &HostPath, flags: OpenFlags) -> Result<Self, Fault> {
        let file = dir.join(FILE);
        descriptors::make_room(DESCRIPTORS);
        if flags.contains(OpenFlags::SQLITE_OPEN_CREATE) {
            database::make(&file).map_err(|cause| Error::io("make remote.db", cause))?;
        }
        let connection = Wakeful::new(open(&file, flags)?, DESCRIPTORS);
        Ok(Self { file, connection: descriptors::share(connection) })
    }

    /// Lets the file go, whoever still holds this; later calls fail with `Closed`.
    pub fn close(&self) {
        drop(self.connection.lock().take());
    }

    /// Forgets everything about the remote, as for another one; what is pinned stays pinned.
    pub fn forget(&self) -> Result<()> {
        self.run(|connection| {
            connection.execute_batch(
                "BEGIN;
                 UPDATE head SET seen = NULL, cursor = 0, access = NULL, purged = 0, pull = NULL,
                     fields = NULL;
                 DELETE FROM nodes; DELETE FROM links; DELETE FROM contents; DELETE FROM uploads;
                 DELETE FROM attempts; DELETE FROM machines; DELETE FROM purged;
                 DELETE FROM conflicts; DELETE FROM readable; DELETE FROM copies_due;
                 DELETE FROM imports; DELETE FROM withheld; DELETE FROM missing;
                 COMMIT;",
            )?;
            Ok(())
        })
    }

    /// Returns how far this machine and the remote agree.
    pub fn agreed(&self) -> Result<Agreed> {
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
    pub fn entry(&self, node: NodeId) -> Result<Option<Entry>> {
        self.run(|connection| {
            let found = connection
                .prepare_cached("SELECT entry FROM nodes WHERE id = ?1")?
                .query_row([node.to_bytes()], |row| row.get::<_, Vec<u8>>(0));
            Ok(found.optional()?.map(|entry| decode_entry(&entry)).transpose()?)
        })
    }

    /// Returns every node of the last known commit.
    pub fn entries(&self) -> Result<BTreeMap<NodeId, Entry>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT entry FROM nodes")?;
            let mut rows = statement.query([])?;
            let mut entries = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let entry = decode_entry(row.get_ref(0)?.as_blob()?)?;
                entries.insert(entry.node, entry);
            }
            Ok(entries)
        })
    }

    /// Returns access to the space, as the last known commit has it.
    pub fn access(&self) -> Result<Access> {
        self.run(|connection| {
            let access: Option<Vec<u8>> =
                connection.query_row("SELECT access FROM head", [], |row| row.get(0))?;
            Ok(access.map(|access| decode(&access)).transpose()?.unwrap_or_default())
        })
    }

    /// Returns the machines that pushed.
    pub fn machines(&self) -> Result<BTreeMap<MachineId, MachineSeen>> {
        self.run(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT id, name, seq, last FROM machines")?;
            let mut rows = statement.query([])?;
            let mut machines = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let id = MachineId(row.get::<_, i64>(0)?.cast_unsigned());
                let name = row.get::<_, String>(1)?.into();
                let seq = row.get::<_, i64>(2)?.cast_unsigned();
                let last = decode(row.get_ref(3)?.as_blob()?)?;
                machines.insert(id, MachineSeen { name, seq, last });
            }
            Ok(machines)
        })
    }

    /// Returns the node that has a name at the last known commit.
    pub fn named(&self, parent: NodeId, name: &str) -> Result<Option<NodeId>> {
        self.run(|connection| {
            let found = connection
                .prepare_cached("SELECT node FROM links WHERE parent = ?1 AND name = ?2")?
                .query_row((parent.to_bytes(), name), |row| row.get(0));
            Ok(found.optional()?.map(NodeId::from_bytes))
        })
    }

    /// Returns the nodes that have names in a directory at the last known commit.
    pub fn children(&self, parent: NodeId) -> Result<Vec<NodeId>> {
        self.run(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT node FROM links WHERE parent = ?1")?;
            let found = statement.query_map([parent.to_bytes()], |row| row.get(0))?;
            let nodes = found.map(|id| id.map(NodeId::from_bytes));
            Ok(nodes.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the fields of the newest index that later homefs understand.
    pub fn fields(&self) -> Result<Fields> {
        self.run(|connection| {
            let fields: Option<Vec<u8>> =
                connection.query_row("SELECT fields FROM head", [], |row| row.get(0))?;
            Ok(fields.map(|fields| decode(&fields)).transpose()?.unwrap_or_default())
        })
    }

    /// Remembers a pull before it changes anything.
    pub(crate) fn begin_pull(&self, pull: &Pull) -> Result<()> {
        self.run(|connection| {
            connection.execute("UPDATE head SET pull = ?1", [encode(pull)?])?;
            Ok(())
        })
    }

    /// Returns the pull that was under way, if it was not noted.
    pub fn pull(&self) -> Result<Option<Pull>> {
        self.run(|connection| {
            let pull: Option<Vec<u8>> =
                connection.query_row("SELECT pull FROM head", [], |row| row.get(0))?;
            Ok(pull.map(|pull| decode(&pull)).transpose()?)
        })
    }

    /// Remembers a commit that is about to be sent, before it is.
    pub fn attempt(&self, commit: CommitId, version: Version, object: &[u8]) -> Result<()> {
        self.run(|connection| {
            let row = (commit.to_string(), version.0.cast_signed(), object);
            connection.execute("INSERT OR REPLACE INTO attempts VALUES (?1, ?2, ?3)", row)?;
            Ok(())
        })
    }

    /// Returns the commits that were sent and may be HEAD, or become it.
    pub(crate) fn attempts(&self) -> Result<Vec<CommitId>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT commit_id FROM attempts")?;
            let mut rows = statement.query([])?;
            let mut attempts = Vec::new();
            while let Some(row) = rows.next()? {
                attempts.push(row.get_ref(0)?.as_str()?.parse()?);
            }
            Ok(attempts)
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

    /// Returns a commit of this machine, if it is one that was sent, and the version that it has.
    pub(crate) fn attempted(&self, commit: CommitId) -> Result<Option<(Version, Vec<u8>)>> {
        self.run(|connection| {
            let found = connection.query_row(
                "SELECT version, object FROM attempts WHERE commit_id = ?1",
                [commit.to_string()],
                |row| Ok((Version(row.get::<_, i64>(0)?.cast_unsigned()), row.get(1)?)),
            );
            Ok(found.optional()?)
        })
    }

    /// Runs `work` alone on the connection.
    fn run<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, Fault>) -> Result<T> {
        let mut connection = self.connection.lock();
        let closed = || Error::new(ErrorKind::Closed, "the store is closed");
        let connection = connection.as_mut().ok_or_else(closed)?;
        let flags = OpenFlags::default() - OpenFlags::SQLITE_OPEN_CREATE;
        connection
            .wake(|| open(&self.file, flags))
            .and_then(|()| work(connection))
            .map_err(Error::from)
    }
}

/// Opens the file, and makes its tables if it has none.
fn open(file: &HostPath, flags: OpenFlags) -> Result<Connection, Fault> {
    let mut connection = Connection::open_with_flags(file, flags)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;",
    )?;
    let format: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if format == 0 {
        let schema = include_str!("schema.sql");
        connection
            .execute_batch(&format!("BEGIN; {schema} PRAGMA user_version = {FORMAT}; COMMIT;"))?;
    } else if format < FORMAT {
        upgrade::upgrade(&mut connection)?;
    }
    // Tables that came later, and that nobody misses who does not know them.
    connection.execute_batch(include_str!("imports.sql"))?;
    connection.execute_batch(include_str!("withheld.sql"))?;
    connection.execute_batch(include_str!("missing.sql"))?;
    Ok(connection)
}

/// Why something about the remote could not be kept or found.
enum Fault {
    Told(Error),
    Sqlite(rusqlite::Error),
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Told(error) => error,
            Fault::Sqlite(error) => failed(error),
        }
    }
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

fn decode_entry(bytes: &[u8]) -> Result<Entry> {
    #[cfg(any(test, feature = "testing"))]
    work::count();
    decode(bytes)
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
