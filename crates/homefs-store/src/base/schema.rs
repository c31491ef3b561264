//! The file of a base: how it is made, known again and opened.

use std::path::Path as HostPath;

use homefs_core::{Error, ErrorKind, NodeId, Timestamp};
use rusqlite::{Connection, OpenFlags};

use super::fault::Fault;

/// Marks the file as a base of homefs: `hmfs`.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"hmfs");
/// The format that this program writes, and the newest that it reads.
const FORMAT: i32 = 8;
/// The oldest format that this program reads, and makes into the newest.
const FORMAT_OLDEST: i32 = 2;
/// Memory for pages: a negative number is in KiB.
pub(super) const CACHE: i32 = -4096;
/// The same while a batch is folded.
pub(super) const CACHE_FOLDING: i32 = -32768;
/// How a file is used that nobody else uses.
pub(super) const ALONE: &str = "PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cell_size_check = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;";
/// Statements kept prepared; more than this module has.
const STATEMENTS_MAX: usize = 64;

/// Opens the file; with `created`, makes it if it is not there, with an empty root directory made
/// then.
pub(super) fn open(file: &HostPath, created: Option<Timestamp>) -> Result<Connection, Fault> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, created.is_some());
    let mut connection = Connection::open_with_flags(file, flags)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // The owner holds the store's lock, so nobody else needs the file, and WAL then needs no
    // shared memory. A commit survives power loss only from the next checkpoint on, which is
    // enough: the journal keeps what was folded until then.
    connection.execute_batch(ALONE)?;
    let format = format(&connection)?;
    if format.is_none() {
        if created.is_none() {
            return Err(Fault::Damaged("the file was a base of homefs and is empty".into()));
        }
        // Room that is no longer needed can be given back, and has to be asked for before the
        // first table is made.
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    }
    // Who folds also checkpoints, so that the journal can let go; doing it unasked in a commit
    // would only copy pages more often.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = NORMAL;
         PRAGMA secure_delete = ON;
         PRAGMA wal_autocheckpoint = 0;",
    )?;
    connection.pragma_update(None, "cache_size", CACHE)?;
    match (format, created) {
        (None, Some(created)) => create(&mut connection, created)?,
        (Some(format), _) if format < FORMAT => upgrade(&mut connection, format)?,
        _ => {}
    }
    Ok(connection)
}

/// Returns the format of a base; `None` of a file that is empty still.
fn format(connection: &Connection) -> Result<Option<i32>, Fault> {
    let application_id: i32 = pragma(connection, "application_id")?;
    let format: i32 = pragma(connection, "user_version")?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application_id == 0 && format == 0 && tables == 0 {
        return Ok(None);
    }
    if application_id != APPLICATION_ID {
        return Err(Fault::Damaged("the file is not a base of homefs".into()));
    }
    if !(FORMAT_OLDEST..=FORMAT).contains(&format) {
        return Err(Fault::Told(Error::new(
            ErrorKind::Unsupported,
            format!("the base has format {format}, and this program reads format {FORMAT}"),
        )));
    }
    Ok(Some(format))
}

/// Refuses what cannot be read as it is.
pub(super) fn check(connection: &Connection) -> Result<(), Fault> {
    match format(connection)? {
        Some(FORMAT) => Ok(()),
        _ => Err(Fault::Told(Error::new(
            ErrorKind::ReadOnly,
            "the base is of an older format, and cannot be brought up to date where nothing can \
             be written",
        ))),
    }
}

/// Makes the tables and the root in one transaction, so that half a base is an empty file.
fn create(connection: &mut Connection, created: Timestamp) -> Result<(), Fault> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(include_str!("schema.sql"))?;
    transaction.execute("INSERT INTO meta VALUES (1, 0, 0, 0, NULL, NULL)", [])?;
    transaction.execute("INSERT INTO lived VALUES (1, 0, NULL, NULL)", [])?;
    transaction.execute(
        "INSERT INTO nodes VALUES
             (?1, 1, 493, ?3, ?4, 1, ?2, ?2, ?2, ?2, NULL, '',
              NULL, 0, NULL, NULL, 0, 0, NULL, 0, NULL, NULL)",
        (
            NodeId::ROOT.to_bytes(),
            created.0,
            // Whoever makes a space can use it through a mount.
            rustix::process::getuid().as_raw(),
            rustix::process::getgid().as_raw(),
        ),
    )?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(())
}

/// Makes a base of an older format one of the newest, in one transaction.
fn upgrade(connection: &mut Connection, format: i32) -> Result<(), Fault> {
    let transaction = connection.transaction()?;
    if format < 3 {
        transaction.execute_batch(
            "ALTER TABLE history ADD COLUMN machine TEXT;
             ALTER TABLE pieces ADD COLUMN remote INTEGER NOT NULL DEFAULT 0;
             CREATE INDEX blobs_absent ON blobs (digest) WHERE length(bytes) = 0;
             CREATE TABLE purged (
                 digest  BLOB    NOT NULL PRIMARY KEY,
                 version INTEGER NOT NULL
             ) STRICT, WITHOUT ROWID;",
        )?;
    }
    if format < 4 {
        transaction.execute_batch(
            "CREATE TABLE hidden (
                 parent BLOB NOT NULL,
                 name   TEXT NOT NULL,
                 PRIMARY KEY (parent, name)
             ) STRICT, WITHOUT ROWID;",
        )?;
    }
    if format < 5 {
        transaction.execute_batch(
            "ALTER TABLE nodes ADD COLUMN lineage BLOB;
             CREATE INDEX nodes_by_lineage ON nodes (lineage) WHERE lineage IS NOT NULL;",
        )?;
    }
    if format < 6 {
        // Nothing is known of ages: they begin now.
        transaction.execute_batch(
            "CREATE TABLE lived (
                 one   INTEGER PRIMARY KEY CHECK (one = 1),
                 time  INTEGER NOT NULL,
                 at    INTEGER,
                 doubt BLOB
             ) STRICT;
             INSERT INTO lived VALUES (1, 0, NULL, NULL);
             CREATE TABLE ages (
                 lived   INTEGER PRIMARY KEY,
                 version INTEGER NOT NULL
             ) STRICT;",
        )?;
    }
    if format < 7 {
        transaction.execute_batch(
            "CREATE TABLE put_away (
                 parent BLOB    NOT NULL,
                 name   TEXT    NOT NULL,
                 node   BLOB    NOT NULL PRIMARY KEY,
                 time   INTEGER NOT NULL
             ) STRICT, WITHOUT ROWID;",
        )?;
    }
    // 0 says that nobody knows.
    transaction.execute_batch("ALTER TABLE hidden ADD COLUMN time INTEGER NOT NULL DEFAULT 0;")?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(())
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
