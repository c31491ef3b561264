//! What all spaces of one store stand on: its journal, clock, disk, settings and ids.

use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};
use std::time::Duration;

use homefs_core::{Clock, Disk, HostDisk, NodeId, SystemClock, Timestamp};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::base::Retention;
use crate::chunks::Chunks;
use crate::ids::Ids;
use crate::journal::Journal;
use crate::observers::Observers;

/// Bounds and intervals of a store, as a user may set them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Milliseconds after which an acknowledged write survives power loss too.
    pub flush_interval_ms: u64,
    /// Size of a new journal segment in bytes.
    pub segment_bytes: u64,
    /// Most journal bytes that are not folded yet; a writer waits beyond.
    pub journal_bytes_max: u64,
    /// Bytes of the disk that are kept for removing what is in the way when it is full.
    pub reserve_bytes: u64,
    /// Most bytes of folded file contents kept in memory.
    pub memory_bytes_max: u64,
    /// Most bytes of unsettled range writes kept in memory before they are settled early.
    pub staging_bytes_max: u64,
    /// Milliseconds of quiet after which range writes settle into a version.
    pub settle_ms: u64,
    /// Most versions kept of one file.
    pub history_versions_max: u32,
    /// Days after which an old version is dropped.
    pub history_days_max: u32,
    /// Days after which a removed file can no longer be brought back.
    pub trash_days_max: u32,
    /// Most spaces kept open at once.
    pub spaces_open_max: usize,
    /// Most bytes of contents kept here that the remote has too.
    pub local_bytes_max: u64,
    /// Most bytes that are fetched for the index of a space by itself.
    pub index_fetch_bytes_max: u64,
    /// Patterns of the files of which people find readable copies in the remote, with blanks
    /// between them.
    pub readable: String,
    /// Folders of the host below which agents may attach folders, with colons between them; an
    /// operator may attach any.
    pub source_roots: String,
    /// Seconds after which it is looked whether a source still shows what it showed, and after which
    /// a page of a collection that does not name its state is fetched again when it is read.
    pub source_age_max_seconds: u64,
    /// Looks a minute at the remote for each space that somebody uses.
    pub looks_per_minute: u32,
    /// Most looks a minute at the remote for all other spaces together.
    pub idle_looks_per_minute: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            flush_interval_ms: 50,
            segment_bytes: 16 << 20,
            journal_bytes_max: 256 << 20,
            reserve_bytes: 4 << 20,
            memory_bytes_max: 128 << 20,
            staging_bytes_max: 64 << 20,
            settle_ms: 1000,
            history_versions_max: 100,
            history_days_max: 90,
            trash_days_max: 30,
            spaces_open_max: 1024,
            local_bytes_max: 10 << 30,
            index_fetch_bytes_max: 16 << 20,
            readable: "*.md *.markdown *.mdx *.txt".to_owned(),
            source_roots: String::new(),
            source_age_max_seconds: 60,
            looks_per_minute: 240,
            idle_looks_per_minute: 60,
        }
    }
}

impl Settings {
    /// Returns what history keeps.
    pub fn retention(&self) -> Retention {
        const DAY: Duration = Duration::from_hours(24);
        Retention {
            versions_max: self.history_versions_max,
            history_age_max: DAY * self.history_days_max,
            trash_age_max: DAY * self.trash_days_max,
        }
    }

    /// Returns how long range writes must be quiet.
    pub fn settle_after(&self) -> Duration {
        Duration::from_millis(self.settle_ms)
    }
}

/// What a store is made of besides its settings; tests put in their own.
#[derive(Clone)]
pub struct Components {
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Keeps journal and chunks.
    pub disk: Arc<dyn Disk>,
    /// What node ids are drawn from: random for each opened store.
    pub seed: u64,
}

impl Components {
    /// The clock, the disk and the randomness of this machine.
    pub fn host() -> Self {
        let mut seed = [0; 8];
        // The random source of the kernel is initialised long before a store is opened, and a
        // short read is topped up by the process id and the clock below.
        let filled = rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty());
        let mut seed = u64::from_le_bytes(seed);
        if filled != Ok(8) {
            let now = SystemClock.now().0.cast_unsigned();
            seed ^= now.rotate_left(17) ^ u64::from(std::process::id());
        }
        Self { clock: Arc::new(SystemClock), disk: Arc::new(HostDisk), seed }
    }
}

/// The ground of all spaces of one store.
pub struct Ground {
    /// Where every change is written first.
    pub journal: Journal,
    /// What time it is, and how much has passed.
    pub clock: Arc<dyn Clock>,
    /// The file system below.
    pub disk: Arc<dyn Disk>,
    /// How the store is to be.
    pub settings: Settings,
    /// Owner of new nodes on the host.
    pub uid: u32,
    /// Their group on the host.
    pub gid: u32,
    /// Faces that hear of changes.
    pub observers: Observers,
    /// Small contents of all spaces that are in memory, in bytes.
    pub resident_bytes: AtomicU64,
    seed: u64,
    ids: Ids,
    chunk_stores: Arc<ChunkStores>,
}

/// The chunk stores whose files are synced before the records that name them: those of open spaces,
/// and those of the last run until that is done.
#[derive(Default)]
pub struct ChunkStores {
    open: Mutex<Vec<Weak<Chunks>>>,
    adopted: Mutex<Vec<Arc<Chunks>>>,
}

impl ChunkStores {
    /// Makes all stored chunks durable.
    pub fn sync(&self) -> io::Result<()> {
        let mut adopted = self.adopted.lock();
        let open: Vec<_> = {
            let mut stores = self.open.lock();
            stores.retain(|store| store.strong_count() > 0);
            stores.iter().filter_map(Weak::upgrade).collect()
        };
        let mut all = adopted.iter().chain(&open);
        all.try_for_each(|chunks| chunks.sync().map_err(io::Error::other))?;
        adopted.clear();
        Ok(())
    }

    /// Syncs the chunks of a space, too, that nobody has open.
    pub(crate) fn adopt(&self, chunks: &Arc<Chunks>) {
        self.adopted.lock().push(chunks.clone());
    }
}

impl Ground {
    /// Puts the parts together.
    pub fn new(
        journal: Journal,
        chunk_stores: Arc<ChunkStores>,
        settings: Settings,
        components: Components,
    ) -> Self {
        Self {
            journal,
            chunk_stores,
            clock: components.clock,
            disk: components.disk,
            settings,
            uid: rustix::process::getuid().as_raw(),
            gid: rustix::process::getgid().as_raw(),
            observers: Observers::default(),
            resident_bytes: AtomicU64::new(0),
            seed: components.seed,
            ids: Ids::new(components.seed),
        }
    }

    /// Lets the journal sync a space's chunks before its own records.
    pub(crate) fn sync_with_journal(&self, chunks: &Arc<Chunks>) {
        self.chunk_stores.open.lock().push(Arc::downgrade(chunks));
    }

    /// Returns the number that was drawn for this opened store, and for no other.
    pub fn drawn(&self) -> u64 {
        self.seed
    }

    /// Returns an id, for a node that is made at `time`, that no other node on any machine has.
    pub fn new_node(&self, time: Timestamp) -> NodeId {
        self.ids.draw(time)
    }

    /// Returns a number that was never drawn before, here or elsewhere.
    pub fn draw(&self) -> u128 {
        self.ids.draw(self.clock.now()).0
    }
}
