//! Files of the host that are not the store's: the config file, what is imported and exported.
#![expect(
    clippy::disallowed_methods,
    reason = "these files belong to the person at the command line, not to the store"
)]

use std::ffi::OsString;
use std::fs::{self, File, FileTimes, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path as HostPath, PathBuf};
use std::time::{Duration, SystemTime};

use clap::builder::{PathBufValueParser, TypedValueParser};
use homefs_core::{Error, ErrorKind, Result, Timestamp};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_OMIT, utimensat};

/// Reads an argument that names a place of this host. The address of a remote would be taken for
/// directories such as `s3:` otherwise, which nobody means.
pub(crate) fn local_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if homefs_api::is_address(&path.to_string_lossy()) {
            return Err("it is an address, and this is for a path of this host");
        }
        Ok(path)
    })
}

/// Names what was attempted on which host file.
pub(crate) fn failed(what: &str, path: &HostPath, error: io::Error) -> Error {
    Error::io(what, error).with_path_text(path.display().to_string())
}

/// Reads a whole text file.
pub(crate) fn read_text(path: &HostPath) -> Result<String> {
    fs::read_to_string(path).map_err(|error| failed("read the file", path, error))
}

/// Reads a whole file.
pub(crate) fn read(path: &HostPath) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| failed("read the file", path, error))
}

/// Writes a whole file.
pub(crate) fn write(path: &HostPath, content: &[u8]) -> Result<()> {
    fs::write(path, content).map_err(|error| failed("write the file", path, error))
}

/// Opens a file or a directory for reading.
pub(crate) fn open(path: &HostPath) -> Result<File> {
    File::open(path).map_err(|error| failed("open the host file", path, error))
}

/// Creates or empties a file that only its user can read until its mode is set.
pub(crate) fn create(path: &HostPath) -> Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| failed("create the host file", path, error))
}

/// Opens a file to add to, which only its user can read.
pub(crate) fn append(path: &HostPath) -> Result<File> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| failed("open the file", path, error))
}

/// Tells what a path names, without following a last link; `None` if nothing.
pub(crate) fn metadata(path: &HostPath) -> Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("look at the host path", path, error)),
    }
}

/// Tells what a path names, which must be there.
pub(crate) fn existing(path: &HostPath) -> Result<Metadata> {
    metadata(path)?.ok_or_else(|| {
        Error::new(ErrorKind::NotFound, "no such file or directory on the host")
            .with_path_text(path.display().to_string())
    })
}

/// Returns the directory that a path leads to. A link at the top of a tree is a person's own way
/// to name it; links inside the tree are not followed.
pub(crate) fn follow(path: &HostPath) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| failed("follow the host path", path, error))
}

/// Lists the names in a directory, sorted.
pub(crate) fn names(dir: &HostPath) -> Result<Vec<OsString>> {
    let list = || -> io::Result<Vec<OsString>> {
        fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
    };
    let mut names = list().map_err(|error| failed("list the host directory", dir, error))?;
    names.sort();
    Ok(names)
}

/// Creates a directory and those above it.
pub(crate) fn make_dirs(dir: &HostPath) -> Result<()> {
    fs::create_dir_all(dir).map_err(|error| failed("create the host directory", dir, error))
}

/// Moves a file over whatever the target names.
pub(crate) fn rename(from: &HostPath, to: &HostPath) -> Result<()> {
    fs::rename(from, to).map_err(|error| failed("put the host file in place", to, error))
}

/// Returns where a link points.
pub(crate) fn read_link(path: &HostPath) -> Result<OsString> {
    let target = fs::read_link(path).map_err(|error| failed("read the host link", path, error))?;
    Ok(target.into_os_string())
}

/// Makes a link.
pub(crate) fn symlink(target: &str, path: &HostPath) -> Result<()> {
    std::os::unix::fs::symlink(target, path)
        .map_err(|error| failed("make the host link", path, error))
}

/// Removes a file or a link.
pub(crate) fn remove(path: &HostPath) -> Result<()> {
    fs::remove_file(path).map_err(|error| failed("remove the host file", path, error))
}

/// Sets permissions and modification time of a file or a directory.
pub(crate) fn set_attrs(path: &HostPath, mode: u32, modified: Timestamp) -> Result<()> {
    let set = || -> io::Result<()> {
        // The time first: a mode without the right to read would keep it from being set.
        let times = FileTimes::new().set_modified(system_time(modified));
        File::open(path)?.set_times(times)?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    };
    set().map_err(|error| failed("set mode and time of the host file", path, error))
}

/// Sets the modification time of a link, not of what it points to.
pub(crate) fn set_link_time(path: &HostPath, modified: Timestamp) -> Result<()> {
    let (seconds, nanos) =
        (modified.0.div_euclid(1_000_000_000), modified.0.rem_euclid(1_000_000_000));
    let times = Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec { tv_sec: seconds, tv_nsec: nanos },
    };
    utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|error| failed("set the time of the host link", path, error.into()))
}

/// Returns when the content last changed.
pub(crate) fn modified(metadata: &Metadata) -> Timestamp {
    Timestamp(metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec()))
}

/// Returns the permission bits.
pub(crate) fn mode(metadata: &Metadata) -> u32 {
    metadata.mode() & 0o7777
}

fn system_time(time: Timestamp) -> SystemTime {
    let distance = Duration::from_nanos(time.0.unsigned_abs());
    if time.0 >= 0 { SystemTime::UNIX_EPOCH + distance } else { SystemTime::UNIX_EPOCH - distance }
}
