//! The lock of a store: one process owns it, whatever forks, dies or opens it twice.
//!
//! A POSIX record lock belongs to the process: a forked child does not have it, and the kernel
//! drops it when the process dies. It also does not stop the same process from taking it again,
//! and closing any descriptor of the file drops it; so open stores are listed per process, and
//! the file is opened nowhere else.
#![expect(clippy::disallowed_methods, reason = "a lock is a property of a host file")]

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path as HostPath;

use homefs_core::{Error, ErrorKind, Result};
use parking_lot::Mutex;
use rustix::fs::FlockOperation;

/// Directories, by process, device and inode, of the stores that this process has open. The
/// process is part of it because a forked child inherits the list but not the locks.
static OPEN_HERE: Mutex<BTreeSet<(u32, u64, u64)>> = Mutex::new(BTreeSet::new());

/// The held lock of a store; dropping it lets the store go.
pub struct StoreLock {
    // Held open: closing it is what releases the lock. `None` only while dropping.
    file: Option<File>,
    identity: (u32, u64, u64),
}

impl StoreLock {
    /// Takes the lock of a store's directory.
    pub fn take(dir: &HostPath) -> Result<Self> {
        let place = dir.display().to_string();
        let failed =
            |what: &str, cause: io::Error| Error::io(what, cause).with_path_text(place.clone());
        let meta = dir.metadata().map_err(|cause| failed("open the store's directory", cause))?;
        let identity = (std::process::id(), meta.dev(), meta.ino());
        let mut open_here = OPEN_HERE.lock();
        if open_here.contains(&identity) {
            return Err(owned(std::process::id(), &place));
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(dir.join("lock"))
            .map_err(|cause| failed("open the store's lock", cause))?;
        match rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => {
                let mut text = String::new();
                file.read_to_string(&mut text).map_err(|cause| failed("read the lock", cause))?;
                return Err(owned(text.trim().parse().unwrap_or(0), &place));
            }
            Err(cause) => return Err(failed("lock the store", cause.into())),
        }
        // Told to whoever finds the store owned; padded so that a shorter id overwrites a longer.
        let text = format!("{:<10}\n", std::process::id());
        file.write_all_at(text.as_bytes(), 0).map_err(|cause| failed("write the lock", cause))?;
        open_here.insert(identity);
        Ok(Self { file: Some(file), identity })
    }
}

/// What keeps a store that can only be read from being changed meanwhile.
pub struct SharedLock(#[expect(dead_code, reason = "held open")] Option<File>);

impl SharedLock {
    /// Shares the lock of a store's directory with others that only read.
    ///
    /// # Errors
    ///
    /// `Unavailable` if a process owns the store: it may change while it is read.
    pub fn take(dir: &HostPath) -> Result<Self> {
        let place = dir.display().to_string();
        let failed =
            |what: &str, cause: io::Error| Error::io(what, cause).with_path_text(place.clone());
        let mut file = match File::open(dir.join("lock")) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self(None)),
            // Of another user, who may be told from one that is gone by the socket alone.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return if dir.join("socket").exists() {
                    Err(failed("tell whether the store is in use", error))
                } else {
                    Ok(Self(None))
                };
            }
            Err(error) => return Err(failed("open the store's lock", error)),
        };
        match rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => Ok(Self(Some(file))),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => {
                let mut text = String::new();
                file.read_to_string(&mut text).map_err(|cause| failed("read the lock", cause))?;
                Err(owned(text.trim().parse().unwrap_or(0), &place))
            }
            Err(cause) => Err(failed("share the store's lock", cause.into())),
        }
    }
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        // The file is closed before anybody else here can take the lock: closed later, it would
        // take that lock away again.
        let mut open_here = OPEN_HERE.lock();
        drop(self.file.take());
        open_here.remove(&self.identity);
    }
}

fn owned(pid: u32, place: &str) -> Error {
    let who =
        if pid == std::process::id() { "this process".into() } else { format!("process {pid}") };
    Error::new(ErrorKind::Unavailable, format!("the store is open in {who}")).with_path_text(place)
}
