//! Room on the disk that is kept for what frees room.
//!
//! A record is acknowledged before the base has it, and the base needs room to take it; and to
//! remove something is a record too. So the journal keeps a file that holds nothing but room: a
//! little for what frees, and for what is not folded yet as much again as it has, twice. A segment
//! is made only if that much can be kept, hence a disk is found full before what was acknowledged
//! could not be folded, whoever fills it. When the disk is full nevertheless the reserve is spent:
//! from then on nothing is appended but what frees room, until the reserve can be had again.

use std::io;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use homefs_core::{Disk, DiskFile, Error, ErrorCode, ErrorKind, Result};
use parking_lot::Mutex;

/// The name of the file in the journal's directory.
const NAME: &str = "reserve";
/// Room for each byte that is not folded: one where its content comes to lie, one for its rows.
const FOLD_FACTOR: u64 = 2;
/// Less than this is not kept where there is not enough.
const LEAST_PART: u64 = 64 << 10;

/// The reserve of one journal.
pub(super) struct Reserve {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    /// What is kept though nothing waits to be folded; 0 for a journal without a reserve.
    least_bytes: u64,
    /// `None` until there is one.
    file: Mutex<Option<Box<dyn DiskFile>>>,
    spent: AtomicBool,
    /// How many are using the room that was given away; changed under the lock of the file.
    users: AtomicUsize,
}

/// The room of a reserve while it is used: nothing is kept again until this is dropped.
pub(super) struct Use<'r>(&'r Reserve);

impl Drop for Use<'_> {
    fn drop(&mut self) {
        let _file = self.0.file.lock();
        self.0.users.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Reserve {
    /// Prepares a reserve; it is had with the first [`Reserve::cover`].
    pub(super) fn new(dir: &HostPath, disk: Arc<dyn Disk>, least_bytes: u64) -> Self {
        let (path, file) = (dir.join(NAME), Mutex::new(None));
        let (spent, users) = (AtomicBool::new(false), AtomicUsize::new(0));
        Self { path, disk, least_bytes, file, spent, users }
    }

    /// Tells whether the room is given away.
    pub(super) fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed)
    }

    /// Keeps room for so many bytes that are to be folded, no more and no less.
    ///
    /// # Errors
    ///
    /// If the disk has no such room, or it is being used. What was kept before stays.
    pub(super) fn cover(&self, unfolded_bytes: u64) -> io::Result<()> {
        if self.least_bytes == 0 {
            return Ok(());
        }
        let mut file = self.file.lock();
        if self.users.load(Ordering::Relaxed) > 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let opened = self.open(&mut file)?;
        let wanted = self.wanted(unfolded_bytes);
        if opened.len()? != wanted {
            opened.reserve(wanted)?;
        }
        self.spent.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Keeps what room there is, of a disk that has not enough, from whoever else would take it;
    /// nothing but what frees room is appended.
    pub(super) fn cover_partly(&self, unfolded_bytes: u64) -> io::Result<()> {
        if self.least_bytes == 0 {
            return Ok(());
        }
        self.spent.store(true, Ordering::Relaxed);
        let mut file = self.file.lock();
        if self.users.load(Ordering::Relaxed) > 0 {
            return Ok(());
        }
        let opened = self.open(&mut file)?;
        let mut bytes = opened.len()?;
        let mut more = self.wanted(unfolded_bytes).saturating_sub(bytes);
        while more >= LEAST_PART {
            match opened.reserve(bytes + more) {
                Ok(()) => bytes += more,
                Err(_) => more /= 2,
            }
        }
        Ok(())
    }

    /// Gives the room away, to what frees room; nothing else is appended from now on. Tells whether
    /// there was any.
    pub(super) fn spend(&self) -> bool {
        if self.least_bytes == 0 {
            return false;
        }
        self.spent.store(true, Ordering::Relaxed);
        let Some(file) = &*self.file.lock() else { return false };
        let had_some = file.is_empty().is_ok_and(|empty| !empty);
        if let Err(error) = file.reserve(0) {
            tracing::warn!(%error, "the reserve of the journal is not given away");
        }
        had_some
    }

    /// Lets nobody keep what is given away while it is used.
    pub(super) fn begin_use(&self) -> Use<'_> {
        let _file = self.file.lock();
        self.users.fetch_add(1, Ordering::Relaxed);
        Use(self)
    }

    fn wanted(&self, unfolded_bytes: u64) -> u64 {
        self.least_bytes + unfolded_bytes.saturating_mul(FOLD_FACTOR)
    }

    fn open<'f>(&self, file: &'f mut Option<Box<dyn DiskFile>>) -> io::Result<&'f dyn DiskFile> {
        let opened = match file.take() {
            Some(opened) => opened,
            None if self.disk.exists(&self.path)? => self.disk.open(&self.path)?,
            None => self.disk.create(&self.path)?,
        };
        Ok(&**file.insert(opened))
    }
}

/// What is said to a change for which there is no room.
const NO_ROOM: &str =
    "no space left on the disk: nothing was changed, and only what frees room can be";

/// Tells whether an error says that there is no room.
pub fn is_no_room(error: &Error) -> bool {
    error.code() == Some(ErrorCode::NoRoom)
}

/// Turns the failure to find room into what a change is told.
pub(super) fn refused(cause: io::Error) -> Error {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            let error = Error::new(ErrorKind::LimitExceeded, NO_ROOM);
            error.with_code(ErrorCode::NoRoom).with_source(cause)
        }
        _ => Error::io("keep room for what is to be folded", cause),
    }
}

/// Whether a record frees room, so that it may use the reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It makes the space larger, or leaves it as large.
    Keeps,
    /// It lets something go.
    Frees,
}

impl Reserve {
    /// Refuses a record for which there is no room, trying first whether there is again.
    pub(super) fn check(&self, effect: Effect, unfolded_bytes: u64) -> Result<()> {
        if effect == Effect::Frees || !self.is_spent() {
            return Ok(());
        }
        self.cover(unfolded_bytes).map_err(refused)
    }
}
