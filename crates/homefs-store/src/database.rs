//! The files of databases.

use std::io;
use std::path::Path as HostPath;

use homefs_core::{Disk, HostDisk};

/// Makes an empty file for a database, if there is none: one that `SQLite` makes can be read by
/// other users, and what `SQLite` puts beside a file has the file's mode.
pub fn make(file: &HostPath) -> io::Result<()> {
    match HostDisk.create(file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}
