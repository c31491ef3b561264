//! One opened data directory and its threads.

mod remote;

use std::io;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use homefs_core::{Disk, Embedder, Error, ErrorKind, Result};
use homefs_store::attached::OpenSource;
use homefs_store::backlog::{Backlogs, Behind, chunks_survived};
use homefs_store::bell::Bell;
use homefs_store::fold::Fold;
use homefs_store::ground::{ChunkStores, Components, Ground, Settings};
use homefs_store::journal::{Journal, JournalSettings, Position};
use homefs_store::lock::{SharedLock, StoreLock};
use homefs_store::record::Record;
use homefs_store::space::Space;
use homefs_store::spaces::Spaces;
use homefs_sync::{Follower, Patterns};
use parking_lot::{Mutex, RwLock};

use crate::indexing::Indexing;
use crate::status::{Load, Status};
use crate::view::{View, Who};

/// The format of a store's directory that this program writes.
pub(crate) const FORMAT: u32 = 3;
/// The oldest that it reads; the directory is marked anew when it is opened.
const FORMAT_OLDEST: u32 = 2;
/// The file that names the format.
pub(crate) const FORMAT_FILE: &str = "format";
/// The folder of the journal, and of one that a repair has not put in use yet.
pub(crate) const JOURNAL: &str = "journal";
pub(crate) const MENDED_JOURNAL: &str = "journal.mended";

/// An open store. Clones share it; the last one dropped closes it.
#[derive(Clone)]
pub struct Store {
    handle: Arc<Handle>,
}

/// Closes the store when the last [`Store`] is dropped; views do not keep it open.
struct Handle {
    inner: Arc<Inner>,
}

/// What views and followers share.
pub(crate) struct Inner {
    pub(crate) dir: PathBuf,
    pub(crate) ground: Arc<Ground>,
    pub(crate) spaces: Arc<Spaces>,
    pub(crate) fold: Arc<Fold>,
    pub(crate) indexing: Arc<Indexing>,
    /// What follows the remote, if one is attached.
    follower: RwLock<Option<Arc<Follower>>>,
    /// Rung when the journal syncs what changed.
    pub(crate) bell: Arc<Bell>,
    closed: AtomicBool,
    thread: Mutex<Option<JoinHandle<()>>>,
    lock: Mutex<Option<Lock>>,
}

/// What keeps others from changing a store meanwhile, held until it is dropped.
#[expect(dead_code, reason = "held")]
enum Lock {
    Owned(StoreLock),
    Shared(SharedLock),
}

impl Lock {
    /// Takes the lock of a store of a format, and marks the store if it is new; shares the lock
    /// where nothing can be written.
    fn take(dir: &HostPath, disk: &dyn Disk, format: Option<u32>) -> Result<Self> {
        let read_only = disk.is_read_only(dir).map_err(|cause| Error::io("look at", cause))?;
        if read_only && format.is_some() {
            check_newest(format)?;
            return SharedLock::take(dir).map(Self::Shared);
        }
        disk.create_dir_all(dir).map_err(|cause| Error::io("make the store", cause))?;
        disk.make_private(dir).map_err(|cause| match cause.kind() {
            io::ErrorKind::PermissionDenied => Error::new(
                ErrorKind::Denied,
                "the directory belongs to another user, and others can get into it: that user \
                 should run `chmod -R go= ` on it, or choose another with --store",
            ),
            _ => Error::io("take the store from other users", cause),
        })?;
        let lock = StoreLock::take(dir)?;
        mark_format(dir, disk)?;
        Ok(Self::Owned(lock))
    }
}

impl Store {
    /// Opens the store in a directory, making it if need be.
    ///
    /// # Errors
    ///
    /// `Unavailable` if another process, or this one, has it open; `Corrupt` if what was durable
    /// is damaged; `Unsupported` if a newer homefs wrote it.
    pub fn open(dir: &HostPath, settings: Settings, components: Components) -> Result<Self> {
        // Refused before anything is made.
        Patterns::new(&settings.readable)?;
        let place = dir.display().to_string();
        let at = |error: Error| error.with_path_text(place.clone());
        let disk = components.disk.clone();
        disk.check_links(dir)
            .map_err(|cause| at(Error::io("trust the way to the store", cause)))?;
        // Also before the lock, which is a file in the directory.
        let format = read_format(dir, &*disk).map_err(at)?;
        let lock = Lock::take(dir, &*disk, format).map_err(at)?;
        let read_only = matches!(lock, Lock::Shared(_));
        let chunk_stores = Arc::new(ChunkStores::default());
        let (synced_first, adopting) = (chunk_stores.clone(), chunk_stores.clone());
        let bell = Arc::new(Bell::default());
        let changed = bell.clone();
        let mut backlogs = Backlogs::new();
        let mut last = Position::default();
        let (spaces_dir, chunk_disk) = (dir.join("spaces"), disk.clone());
        let journal = Journal::open_visiting(
            &dir.join(JOURNAL),
            disk,
            JournalSettings {
                segment_bytes: settings.segment_bytes,
                flush_interval: Duration::from_millis(settings.flush_interval_ms),
                bytes_max: settings.journal_bytes_max,
                reserve_bytes: settings.reserve_bytes,
                read_only,
                ..JournalSettings::default()
            },
            Box::new(move || {
                changed.ring();
                synced_first.sync()
            }),
            &mut |position, payload, synced| {
                let survived = synced
                    || chunks_survived(payload, &backlogs, &spaces_dir, &chunk_disk, &adopting)?;
                let start = std::mem::replace(&mut last, position);
                if survived {
                    let backlog = backlogs.entry(Record::space_of(payload)?).or_default();
                    backlog.push(start, position, payload);
                }
                Ok(survived)
            },
        )?;
        let ground = Arc::new(Ground::new(journal, chunk_stores, settings, components));
        let behind: Behind =
            backlogs.into_iter().map(|(name, backlog)| (name, Arc::new(backlog))).collect();
        let spaces = Arc::new(Spaces::new(spaces_dir, ground.clone(), behind.clone()));
        let age_max = Duration::from_secs(ground.settings.source_age_max_seconds);
        spaces.source_door.set_spaces(&spaces, age_max, &ground.clock);
        let fold = Arc::new(Fold::new(ground.clone(), spaces.clone(), behind));
        let indexing = Indexing::new(ground.clone(), spaces.clone(), fold.clone());
        let folding = fold.clone();
        let thread = thread::Builder::new().name("homefs-fold".into()).spawn(move || folding.run());
        let thread = thread.map_err(|cause| Error::io("start the fold", cause))?;
        let inner = Inner {
            dir: dir.to_owned(),
            ground,
            spaces,
            fold,
            indexing: Arc::new(indexing),
            follower: RwLock::default(),
            bell,
            closed: AtomicBool::new(false),
            thread: Mutex::new(Some(thread)),
            lock: Mutex::new(Some(lock)),
        };
        Ok(Self { handle: Arc::new(Handle { inner: Arc::new(inner) }) })
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.handle.inner
    }

    /// Tells whether the store is where nothing can be written, so that it can only be read.
    pub fn is_read_only(&self) -> bool {
        self.inner().ground.journal.is_read_only()
    }

    /// Opens the store as an agent sees it.
    pub fn view(&self, who: &Who) -> Result<View> {
        self.inner().check_open()?;
        View::new(self.inner().clone(), who)
    }

    /// Keeps the indexes of spaces up in the background from now on, with vectors by an embedder.
    pub fn start_indexing(&self, embedder: Arc<dyn Embedder>) -> Result<()> {
        self.inner().indexing.start(embedder)
    }

    /// Lets sources be opened by this from now on.
    pub fn set_source_opener(&self, opener: Arc<dyn OpenSource>) {
        self.inner().spaces.source_door.set_opener(opener);
    }

    /// Tells how the store is doing.
    pub fn status(&self) -> Status {
        self.inner().status()
    }

    /// Tells what all homes cost together.
    pub fn load(&self) -> Load {
        self.inner().load()
    }

    /// Settles, folds, syncs, and lets the store go. Everything acknowledged is safe even where
    /// this fails: it stays in the journal.
    pub fn close(&self) -> Result<()> {
        self.inner().close()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Err(error) = self.inner.close() {
            tracing::error!(%error, "close the store");
        }
    }
}

impl Inner {
    /// Refuses what comes after closing, or in a forked child.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Closed, "the store is closed"));
        }
        self.ground.journal.check_here()
    }

    fn close(&self) -> Result<()> {
        // A forked child has neither the lock nor the threads.
        if self.ground.journal.check_here().is_err() || self.closed.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        self.spaces.source_door.revalidation.close();
        // First, and without waiting for it: the network may hang.
        if let Some(follower) = self.take_follower() {
            follower.stop();
        }
        // Not a failure of what was asked for: the journal has what the bases lack.
        if let Err(error) = self.fold_everything() {
            tracing::warn!(%error, "what the journal has is folded when the store is opened next");
        }
        self.indexing.close();
        self.fold.stop();
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!("the fold panicked");
        }
        self.spaces.close();
        let closed = self.ground.journal.close();
        drop(self.lock.lock().take());
        closed
    }

    fn fold_everything(&self) -> Result<()> {
        if self.ground.journal.is_read_only() {
            return Ok(());
        }
        if !self.fold.is_nearly_done()? {
            // It is safe in the journal, and the next run has a backlog.
            return self.ground.journal.barrier(self.ground.journal.end());
        }
        // Folding opens spaces that were not, with what the last run left unsettled in them; and
        // what settles there while it folds is still to be folded itself.
        loop {
            for space in self.spaces.open_now() {
                space.settle_due(None)?;
            }
            self.fold.checkpoint()?;
            let holds = |space: &Arc<Space>| {
                space.failed.get().is_none() && space.held_position().is_some()
            };
            if !self.spaces.open_now().iter().any(holds) && self.fold.lag().0 == 0 {
                break;
            }
        }
        // With an empty segment left behind, the next open has nothing to read. Where the disk
        // has no room for one, it has a little to read.
        let journal = &self.ground.journal;
        if let Err(error) = journal.roll().and_then(|()| journal.release(journal.end())) {
            tracing::warn!(%error, "the journal keeps what is folded");
        }
        Ok(())
    }
}

/// What the format file of this program's stores says.
pub(crate) fn format_text() -> String {
    format!("homefs store {FORMAT}\n")
}

/// What a store that is being made may have before its format.
const BEFORE_FORMAT: [&str; 2] = ["lock", "format.draft"];

/// Returns the format of a store; `None` if the directory is empty or not there.
///
/// # Errors
///
/// For a directory that is neither empty nor a store, or of another format than this program
/// reads, and for one that a repair left half mended. Nothing is changed.
pub(crate) fn read_format(dir: &HostPath, disk: &dyn Disk) -> Result<Option<u32>> {
    let names = disk.list(dir).map_err(|cause| Error::io("look into the store", cause))?;
    let has = |name: &str| names.iter().any(|known| known == name);
    if !has(FORMAT_FILE) {
        let foreign = names.iter().find(|name| !BEFORE_FORMAT.contains(&name.as_str()));
        let Some(foreign) = foreign else { return Ok(None) };
        // Another process may have made the store while the names were listed.
        let is_made = disk.exists(&dir.join(FORMAT_FILE));
        if !is_made.map_err(|cause| Error::io("look for the format", cause))? {
            return Err(not_a_store(foreign));
        }
    }
    if has(MENDED_JOURNAL) && !has(JOURNAL) {
        let message = "a repair of the journal was interrupted: run it again";
        return Err(Error::new(ErrorKind::Corrupt, message));
    }
    let path = dir.join(FORMAT_FILE);
    let content = disk.read(&path).map_err(|cause| Error::io("read the format", cause))?;
    let text = String::from_utf8_lossy(&content);
    let number =
        text.trim().strip_prefix("homefs store ").and_then(|rest| rest.parse::<u32>().ok());
    match number {
        Some(FORMAT_OLDEST..=FORMAT) => Ok(number),
        Some(newer) if newer > FORMAT => Err(Error::new(
            ErrorKind::Unsupported,
            format!("the store has format {newer}, this homefs knows {FORMAT}: upgrade homefs"),
        )),
        Some(older) => Err(Error::new(
            ErrorKind::Unsupported,
            format!(
                "the store has format {older}, from before homefs 0.1: this one knows {FORMAT}"
            ),
        )),
        None => Err(Error::new(
            ErrorKind::Corrupt,
            format!("the file `{FORMAT_FILE}` does not name the format of a homefs store"),
        )),
    }
}

/// What is said of a directory that has other files.
fn not_a_store(name: &str) -> Error {
    let message = format!(
        "the directory is neither a store nor empty, and nothing in it was touched: it has \
         {name:?} and no file `{FORMAT_FILE}`; name another directory"
    );
    Error::new(ErrorKind::NotEmpty, message)
}

/// Refuses a store of an older format where it cannot be marked anew.
fn check_newest(format: Option<u32>) -> Result<()> {
    if format == Some(FORMAT) {
        return Ok(());
    }
    let message = "the store is of an older format, and cannot be brought up to date where nothing \
                   can be written";
    Err(Error::new(ErrorKind::ReadOnly, message))
}

/// Marks a new store, or one of an older format, before anything is written that an older homefs
/// would not understand.
pub(crate) fn mark_format(dir: &HostPath, disk: &dyn Disk) -> Result<()> {
    if read_format(dir, disk)? == Some(FORMAT) {
        return Ok(());
    }
    disk.replace(&dir.join(FORMAT_FILE), format_text().as_bytes())
        .map_err(|cause| Error::io("write the format", cause))
}
