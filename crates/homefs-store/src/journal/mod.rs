//! The append-only file of records that everything else is derived from.
//!
//! A [`Journal`] is a row of segment files. Appending copies a record into the newest one's memory
//! map under one lock; a thread syncs in groups, another keeps the next file ready. The choice a
//! reader may question: a record is found by walking the chain of checksums, there is no index and
//! no commit record, because the only reader that starts without a position is recovery.

mod append;
mod commit;
mod fork_mark;
mod format;
mod read;
mod recover;
mod reserve;
mod room;
mod salvage;
mod segment;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use homefs_core::{Disk, Error, ErrorKind, Result};
use parking_lot::{Condvar, Mutex};

use fork_mark::ForkMark;
use format::Mark;
use reserve::Reserve;
pub use reserve::{Effect, is_no_room};
pub use salvage::{beyond, check, salvage, write_new};
use segment::{Segment, Spare, Writer};

/// A place in the journal: bytes of records before it, counted since the journal began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub u64);

/// How a journal uses the disk.
#[derive(Clone, Copy, Debug)]
pub struct JournalSettings {
    /// Length of a segment file; 16 MiB, so that one is allocated in some milliseconds.
    pub segment_bytes: u64,
    /// The longest that a record waits to become durable; 50 ms.
    pub flush_interval: Duration,
    /// Most bytes not yet released; 512 MiB.
    pub bytes_max: u64,
    /// The longest that anyone waits for a release or for room; 10 s.
    pub wait_max: Duration,
    /// Room that is kept on the disk for what frees room; none.
    pub reserve_bytes: u64,
    /// Whether nothing can be written: records are read, and none is taken.
    pub read_only: bool,
}

impl Default for JournalSettings {
    fn default() -> Self {
        Self {
            segment_bytes: 16 << 20,
            flush_interval: Duration::from_millis(50),
            bytes_max: 512 << 20,
            wait_max: Duration::from_secs(10),
            reserve_bytes: 0,
            read_only: false,
        }
    }
}

/// Called before each sync of the journal, to sync what its records name.
pub(crate) type BeforeSync = Box<dyn Fn() -> io::Result<()> + Send + Sync>;

/// An open journal; only one process may have it open.
pub struct Journal {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// What the journal's threads share.
struct Shared {
    dir: PathBuf,
    disk: Arc<dyn Disk>,
    settings: JournalSettings,
    before_sync: BeforeSync,
    fork: ForkMark,
    reserve: Reserve,
    state: Mutex<JournalState>,
    // Whether the bytes not released are over their bound, for who asks before each append.
    crowded_out: AtomicBool,
    // How often files were released.
    releases: AtomicU64,
    // Wakes the thread that syncs, the one that makes room, whoever waits for either of them, and
    // whoever waits for records.
    sync_wanted: Condvar,
    room_wanted: Condvar,
    progress: Condvar,
    appended: Condvar,
    woken: Condvar,
}

/// What one lock guards. Invariant: `segments` are contiguous, `mark.first` is the start of the
/// first one, and `mark.first <= mark.synced <= end` once something was appended.
/// Called when what it waits for is durable, or cannot be.
pub(crate) type Caller = Box<dyn FnOnce(Result<()>) + Send>;

struct JournalState {
    buffer: Vec<u8>,
    segments: VecDeque<Arc<Segment>>,
    // `None` if the next append must start a segment, or go on in `resumable`.
    writer: Option<Writer>,
    resumable: Option<Arc<Segment>>,
    spares: Vec<Spare>,
    mark: Mark,
    end: Position,
    // Checksum of the record that ends at `end`.
    previous: u32,
    generation: u64,
    serial: u64,
    // Segments up to this generation are overwritten when they are released.
    scrub_generation: u64,
    // What barriers and releases ask of the syncing thread.
    barrier: Position,
    // Barriers asked for since the last sync began, and how many that one served.
    queued: usize,
    served: usize,
    gathering: bool,
    // Those who do not wait but want to be called, with what must be durable first.
    callers: Vec<(Position, Caller)>,
    release: Position,
    // The last segment that was released and whose file is recycled or gone, by its generation.
    reclaimed: u64,
    // What appends ask of the thread that makes room: a file of this length.
    room: Option<(u64, Effect)>,
    // Why there is none, and for what it was asked for.
    room_error: Option<(Effect, Error)>,
    // How often somebody waited for a release because the disk has no room, and up to which of
    // these times everything was released that can be.
    presses: u64,
    pressed_up_to: u64,
    // Files were created whose names are not durable yet.
    names_dirty: bool,
    watchers: usize,
    // Rises when watchers are to look around although nothing was appended.
    wakes: u64,
    closed: bool,
    failed: Option<Error>,
}

impl Journal {
    /// Opens the journal in `dir`, or starts one, and finds out which records survived.
    ///
    /// `before_sync` must not wait for anyone who waits for this journal.
    ///
    /// # Errors
    ///
    /// `Corrupt` if records are damaged or missing that had been synced, `Unsupported` if a newer
    /// homefs wrote them.
    pub fn open(
        dir: &HostPath,
        disk: Arc<dyn Disk>,
        settings: JournalSettings,
        before_sync: BeforeSync,
    ) -> Result<Self> {
        Self::open_visiting(dir, disk, settings, before_sync, &mut |_, _, _| Ok(true))
    }

    /// As [`Journal::open`], and shows every record that survived on the way: they are read then
    /// anyway. `visit` is told whether a record is known to be synced, and answers whether what
    /// it names survived too; if not, the journal ends before it.
    pub fn open_visiting(
        dir: &HostPath,
        disk: Arc<dyn Disk>,
        settings: JournalSettings,
        before_sync: BeforeSync,
        visit: &mut recover::Visit<'_>,
    ) -> Result<Self> {
        let fork = ForkMark::new()?;
        disk.create_dir_all(dir)
            .map_err(|e| segment::io_error(dir, "create the journal's directory", e))?;
        let mut state =
            JournalState::new(recover::recover(dir, &*disk, settings.read_only, visit)?);
        if settings.read_only {
            // As durable as it will ever be.
            state.mark.synced = state.end;
            state.failed = Some(read_only());
        }
        let reserve_bytes = if settings.read_only { 0 } else { settings.reserve_bytes };
        let reserve = Reserve::new(dir, disk.clone(), reserve_bytes);
        if reserve.cover(state.held_bytes()).is_err()
            && let Err(error) = reserve.cover_partly(state.held_bytes())
        {
            // What the store has can be read all the same.
            tracing::warn!(%error, "no room is kept for what frees room");
        }
        let shared = Arc::new(Shared {
            dir: dir.to_owned(),
            disk,
            settings,
            before_sync,
            fork,
            reserve,
            crowded_out: AtomicBool::new(state.held_bytes() > settings.bytes_max),
            releases: AtomicU64::new(0),
            state: Mutex::new(state),
            sync_wanted: Condvar::new(),
            room_wanted: Condvar::new(),
            progress: Condvar::new(),
            appended: Condvar::new(),
            woken: Condvar::new(),
        });
        let journal = Self { shared, threads: Mutex::default() };
        journal.start("homefs-journal", Shared::sync_until_closed)?;
        journal.start("homefs-room", Shared::make_room_until_closed)?;
        Ok(journal)
    }

    fn start(&self, name: &str, work: fn(&Shared)) -> Result<()> {
        let shared = self.shared.clone();
        let thread = thread::Builder::new().name(name.into()).spawn(move || work(&shared));
        let thread = thread.map_err(|e| Error::io("start a thread of the journal", e))?;
        self.threads.lock().push(thread);
        Ok(())
    }

    /// Appends the record that `fill` writes into an empty buffer, and returns where it ends.
    ///
    /// The record survives the death of this process when this returns. `fill` must not use the
    /// journal.
    ///
    /// # Errors
    ///
    /// `LimitExceeded` if the disk is full or the record too long, `Closed` after
    /// [`Journal::close`] or a failed sync.
    pub fn append(
        &self,
        effect: Effect,
        fill: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<Position> {
        self.shared.append(effect, fill)
    }

    /// Waits until every record up to `up_to` survives power loss.
    pub fn barrier(&self, up_to: Position) -> Result<()> {
        self.shared.barrier(up_to)
    }

    /// As [`Journal::barrier`], for one who cannot wait: calls back, perhaps at once, and from
    /// the thread that syncs, which must not be kept.
    pub fn barrier_then(&self, up_to: Position, caller: Caller) {
        self.shared.barrier_then(up_to, caller);
    }

    /// Returns where the oldest record that can be read begins.
    pub fn first(&self) -> Position {
        self.shared.state.lock().mark.first
    }

    /// Returns where the newest record ends.
    pub fn end(&self) -> Position {
        self.shared.state.lock().end
    }

    /// Returns up to where records survive power loss.
    pub fn synced(&self) -> Position {
        self.shared.state.lock().mark.synced
    }

    /// Gives up the records up to `up_to`, which are kept elsewhere durably: whole segments before
    /// it are used again or removed, and that is done when this returns.
    pub fn release(&self, up_to: Position) -> Result<()> {
        self.shared.release(up_to)
    }

    /// Waits while too many bytes are not released; to be called before an append, without locks.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the bytes not released stay at their bound.
    pub(crate) fn admit(&self) -> Result<()> {
        self.shared.admit()
    }

    /// Tells whether whoever is admitted has to wait.
    pub fn is_full(&self) -> bool {
        self.shared.crowded_out.load(Ordering::Relaxed)
    }

    /// Tells whether the disk is full: the reserve is spent, and only what frees room is appended.
    pub fn is_out_of_room(&self) -> bool {
        self.shared.reserve.is_spent()
    }

    /// Refuses what needs room if there is none; for what is stored before its record.
    pub fn check_room(&self) -> Result<()> {
        if self.is_read_only() {
            return Err(read_only());
        }
        let held = || self.shared.state.lock().held_bytes();
        if self.is_out_of_room() {
            self.shared.reserve.check(Effect::Keeps, held())
        } else {
            Ok(())
        }
    }

    /// Does what lets something go, or what was acknowledged: again with the room that is kept for
    /// it, where the disk is full.
    pub fn with_reserve<T>(&self, work: impl Fn() -> Result<T>) -> Result<T> {
        match work() {
            Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                // Whatever was given away already may have been kept again meanwhile.
                let _using = self.shared.reserve.begin_use();
                self.shared.spend_reserve();
                work()
            }
            done => done,
        }
    }

    /// Keeps as much room as what the journal has needs; tells whether there is so much.
    pub(crate) fn keep_reserve(&self) -> bool {
        let (reserve, held) = (&self.shared.reserve, self.shared.state.lock().held_bytes());
        let covered = reserve.cover(held).is_ok();
        if !covered
            && reserve.is_spent()
            && let Err(error) = reserve.cover_partly(held)
        {
            tracing::warn!(%error, "no room is kept for what frees room");
        }
        covered
    }

    /// Tells whether it is time to release: a quarter of the bound is reached, or somebody waits
    /// for room.
    pub(crate) fn is_crowded(&self) -> bool {
        let state = self.shared.state.lock();
        state.is_pressed() || state.held_bytes() > self.shared.settings.bytes_max / 4
    }

    /// Tells whether somebody waits for a release because the disk has no room.
    pub(crate) fn is_pressed(&self) -> bool {
        self.shared.state.lock().is_pressed()
    }

    /// Returns how often somebody waited for that so far.
    pub(crate) fn presses(&self) -> u64 {
        self.shared.state.lock().presses
    }

    /// Lets those go on who waited when there were so many: what could be released is.
    pub(crate) fn end_presses(&self, up_to: u64) {
        self.shared.end_presses(up_to);
    }

    /// Returns how often room was released.
    pub(crate) fn releases(&self) -> u64 {
        self.shared.releases.load(Ordering::Relaxed)
    }

    /// Waits for a release after an append that found no room on the disk; tells whether there were
    /// more than before the append, so that there may be room. To be called without locks.
    pub(crate) fn wait_for_room(&self, before: u64) -> bool {
        self.shared.wait_for_release(before)
    }

    /// Refuses in a forked child.
    pub fn check_here(&self) -> Result<()> {
        self.shared.fork.check()
    }

    /// Starts a new, short segment, so that every record so far can be released and the next open
    /// has little to read.
    pub fn roll(&self) -> Result<()> {
        self.shared.roll()
    }

    /// Starts a new segment and erases what unused files still hold. The segments so far are
    /// overwritten, not used again, once they are released.
    pub fn scrub(&self) -> Result<()> {
        self.shared.scrub()
    }

    /// Syncs and stops; appends are refused from now on.
    pub fn close(&self) -> Result<()> {
        // The threads exist in the parent only.
        self.shared.fork.check()?;
        self.shared.state.lock().closed = true;
        self.shared.wake_all();
        for thread in self.threads.lock().drain(..) {
            if thread.join().is_err() {
                tracing::error!("a thread of the journal panicked");
            }
        }
        self.keep_reserve();
        let mut state = self.shared.state.lock();
        // Recovery would remove them, but then the next open would have to sync the directory.
        for spare in state.spares.drain(..) {
            self.shared.remove(&spare.path);
        }
        state.failed.clone().filter(|_| !self.is_read_only()).map_or(Ok(()), Err)
    }

    /// Tells whether nothing can be written.
    pub fn is_read_only(&self) -> bool {
        self.shared.settings.read_only
    }

    /// Returns why the journal takes no more changes, if a sync failed.
    pub fn poisoned(&self) -> Option<Error> {
        self.shared.state.lock().failed.clone()
    }
}

/// What is said to a change of a store that nobody may write to.
fn read_only() -> Error {
    let message = "the store is where nothing can be written, so that it can only be read";
    Error::new(ErrorKind::ReadOnly, message)
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.shared.fork.is_here()
            && let Err(error) = self.close()
        {
            tracing::error!(%error, "close the journal");
        }
    }
}

impl JournalState {
    fn new(recovered: recover::Recovered) -> Self {
        Self {
            buffer: Vec::new(),
            resumable: recovered.segments.back().cloned(),
            segments: recovered.segments,
            writer: None,
            spares: Vec::new(),
            mark: recovered.mark,
            end: recovered.end,
            previous: recovered.previous,
            generation: recovered.generation,
            serial: recovered.serial,
            scrub_generation: 0,
            barrier: Position(0),
            queued: 0,
            callers: Vec::new(),
            served: 0,
            gathering: false,
            release: recovered.mark.first,
            reclaimed: 0,
            room: None,
            room_error: None,
            presses: 0,
            pressed_up_to: 0,
            // The owner before may have died between creating a file and syncing its name.
            names_dirty: true,
            watchers: 0,
            wakes: 0,
            closed: false,
            failed: None,
        }
    }

    /// Refuses when no more changes are taken.
    fn check(&self) -> Result<()> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None if self.closed => Err(Error::new(ErrorKind::Closed, "the journal is closed")),
            None => Ok(()),
        }
    }

    fn held_bytes(&self) -> u64 {
        self.end.0 - self.mark.first.0
    }

    fn is_pressed(&self) -> bool {
        self.presses > self.pressed_up_to
    }
}
