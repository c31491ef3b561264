//! A base where nothing can be written: read where it lies, and folded into in memory.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path as HostPath, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::fault::Fault;
use super::schema;

/// Opens the file to be read.
pub(super) fn open(file: &HostPath) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri(file), flags)?;
    // The index of a log is in memory then, and need not be a file.
    connection.execute_batch(schema::ALONE)?;
    schema::check(&connection)?;
    Ok(connection)
}

/// Copies the file into memory, where records can be folded that it lacks.
pub(super) fn in_memory(file: &HostPath) -> Result<Connection, Fault> {
    let connection = schema::open(HostPath::new(":memory:"), Some(homefs_core::Timestamp(0)))?;
    connection.execute("ATTACH ?1 AS lying", [uri(file)])?;
    connection.execute_batch("PRAGMA lying.locking_mode = EXCLUSIVE")?;
    let names: Vec<String> = {
        let mut statement =
            connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
        let names = statement.query_map([], |row| row.get(0))?;
        names.collect::<Result<_, _>>()?
    };
    for name in names {
        connection.execute_batch(&format!(
            "DELETE FROM main.{name}; INSERT INTO main.{name} SELECT * FROM lying.{name};"
        ))?;
    }
    connection.execute_batch("DETACH lying")?;
    Ok(connection)
}

/// Names a file as one that nobody changes, with the log that a killed owner left beside it.
fn uri(file: &HostPath) -> String {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    let mut uri = String::from("file:");
    for &byte in file.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(byte));
            }
            // Writing into a text does not fail.
            other => drop(write!(uri, "%{other:02x}")),
        }
    }
    let has_log = PathBuf::from(log).metadata().is_ok_and(|meta| meta.len() > 0);
    // Without locks, which would have to be written; nobody can write anything.
    uri.push_str(if has_log { "?mode=ro&vfs=unix-none" } else { "?mode=ro&immutable=1" });
    uri
}
