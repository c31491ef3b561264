//! Chunks of large contents, one file each, named by the digest of what they hold.
//!
//! Writers store chunks before the record that names them, and equal chunks are stored once. So a
//! writer may find a chunk that the base is about to give up. Two rules make that safe:
//!
//! 1. [`Chunks::put`] counts a pin on the digest before it looks whether the file is there, and
//!    [`Chunks::remove`] looks for pins and removes the file under the lock that counts them.
//! 2. [`Pins`] are held until the record that names the chunks is folded. From then on rows of the
//!    base hold them; and the base removes a file only when no row names it.
//!
//! A file that lost its last pin is reported to the base as loose: if its record was never
//! appended, no row names it and the next checkpoint removes it.

mod content;
mod fetched;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::io;
use std::path::{Path as HostPath, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use bytes::Bytes;
use homefs_core::limits::{CHUNK_BYTES, INLINE_BYTES_MAX, LEAF_CHUNKS};
use homefs_core::{Digest, Disk, Error, ErrorKind, Result};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

pub use self::content::{ChunkWriter, overwrite, read_range};
use crate::base::Base;
use crate::lender::Loans;
use crate::record::Content;

/// Chunks kept in memory after they were read.
const RECENT_CHUNKS_MAX: usize = 16;

/// How contents are cut. Stores use [`Sizes::default`]; tests use less.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Largest content that stays in one piece; at most a chunk.
    pub(crate) inline_bytes_max: usize,
    /// Length of every chunk but the last of a content.
    pub chunk_bytes: usize,
    /// Most chunks named by one leaf.
    pub(crate) leaf_chunks: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            inline_bytes_max: INLINE_BYTES_MAX,
            chunk_bytes: CHUNK_BYTES,
            leaf_chunks: LEAF_CHUNKS,
        }
    }
}

/// The chunks and leaves of one space, at `<dir>/<two hex digits>/<digest>`.
pub struct Chunks {
    dir: PathBuf,
    disk: Arc<dyn Disk>,
    sizes: Sizes,
    state: Mutex<ChunkState>,
    /// Held while files are synced, so that nobody returns before what it wrote is durable.
    /// A failure stays: the host may have dropped the bytes, and asking again would say success.
    sync_failed: Mutex<Option<Error>>,
    /// Last read first.
    recent: Mutex<VecDeque<(Digest, Bytes)>>,
    draft_next: AtomicU64,
    /// Who fetches what is absent.
    loans: Loans,
    /// The base whose rows name the chunks.
    base: OnceLock<Weak<Base>>,
}

#[derive(Default)]
struct ChunkState {
    pins: FxHashMap<Digest, u32>,
    /// Lost their last pin since the base last asked.
    loose: Vec<Digest>,
    unsynced: FxHashSet<Digest>,
    /// Fetched and perhaps not durable.
    fetched: FxHashSet<Digest>,
}

impl Chunks {
    /// Uses the folder `dir`, which is made with the first chunk.
    pub fn new(dir: PathBuf, disk: Arc<dyn Disk>) -> Self {
        Self::with_sizes(dir, disk, Sizes::default())
    }

    /// Like [`Chunks::new`], with contents cut by `sizes`.
    pub(crate) fn with_sizes(dir: PathBuf, disk: Arc<dyn Disk>, sizes: Sizes) -> Self {
        Self {
            dir,
            disk,
            sizes,
            state: Mutex::default(),
            sync_failed: Mutex::default(),
            recent: Mutex::default(),
            draft_next: AtomicU64::new(0),
            loans: Loans::default(),
            base: OnceLock::new(),
        }
    }

    /// Returns the disk that holds the files.
    pub fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    /// Returns the length of every chunk but the last of a content.
    pub fn chunk_bytes(&self) -> u64 {
        self.sizes.chunk_bytes as u64
    }

    /// Stores a chunk or leaf and pins it. Zeros are a hole of any length and stored nowhere.
    pub fn put(&self, content: &[u8], pins: &mut Pins) -> Result<Digest> {
        if content.iter().all(|&byte| byte == 0) {
            return Ok(Digest::HOLE);
        }
        let digest = Digest::of(content);
        pins.add(digest);
        let path = self.path(digest);
        // A file that power loss left damaged under the right name must not be trusted, so its
        // bytes are compared, not only its name.
        let present = match self.disk.read(&path) {
            Ok(found) => found == content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(failed("read a chunk", &path, error)),
        };
        if !present {
            self.write(&path, content).map_err(|error| failed("store a chunk", &path, error))?;
        }
        // Also a file found here is synced again: an earlier process may have died before it did.
        self.state.lock().unsynced.insert(digest);
        Ok(digest)
    }

    /// Reads a chunk or leaf that this machine has.
    pub fn get_here(&self, digest: Digest) -> Result<Bytes> {
        if let Some(content) = self.recall(digest) {
            return Ok(content);
        }
        let path = self.path(digest);
        let content = match self.disk.read(&path) {
            Ok(content) => Bytes::from(content),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(corrupt("a chunk is missing", &path));
            }
            Err(error) => return Err(failed("read a chunk", &path, error)),
        };
        if Digest::of(&content) != digest {
            return Err(corrupt("a chunk does not hold what its name says", &path));
        }
        self.note_recent(digest, &content);
        Ok(content)
    }

    fn note_recent(&self, digest: Digest, content: &Bytes) {
        let mut recent = self.recent.lock();
        recent.truncate(RECENT_CHUNKS_MAX - 1);
        recent.push_front((digest, content.clone()));
    }

    /// Pins everything a record names: for a record that is read from the journal again, and for
    /// a content taken from elsewhere. What it names is made durable by the next sync.
    pub fn pin(self: &Arc<Self>, content: &Content) -> Result<Pins> {
        let mut pins = Pins::new(self);
        match content {
            Content::Inline(_) => {}
            Content::Blob { digest, .. } => pins.add(*digest),
            Content::Chunked { size, leaves } => {
                let count = self.chunk_count(*size);
                for (index, &leaf) in leaves.iter().enumerate() {
                    pins.add(leaf);
                    for chunk in self.leaf(leaf, self.leaf_len(count, index))? {
                        pins.add(chunk);
                    }
                }
                self.state.lock().unsynced.extend(&pins.digests);
            }
        }
        Ok(pins)
    }

    /// Tells whether a record that is not folded yet may name the digest.
    pub fn is_pinned(&self, digest: Digest) -> bool {
        self.state.lock().pins.contains_key(&digest)
    }

    /// Tells whether anything lost its last pin since the last call of [`Chunks::take_loose`].
    pub(crate) fn has_loose(&self) -> bool {
        !self.state.lock().loose.is_empty()
    }

    /// Returns what lost its last pin since the last call.
    pub(crate) fn take_loose(&self) -> Vec<Digest> {
        std::mem::take(&mut self.state.lock().loose)
    }

    /// Removes a file that no row of the base names, unless it is pinned.
    pub fn remove(&self, digest: Digest) -> Result<()> {
        // The lock is kept while the file goes, so that a writer that pins it now finds it gone.
        let state = self.state.lock();
        if state.pins.contains_key(&digest) {
            return Ok(());
        }
        self.recent.lock().retain(|(recent, _)| *recent != digest);
        let path = self.path(digest);
        match self.disk.remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failed("remove a chunk", &path, error))
            }
            _ => Ok(()),
        }
    }

    /// Makes everything stored so far survive power loss.
    ///
    /// # Errors
    /// After one failure every later call fails alike, since a repeat could claim what is not so.
    pub fn sync(&self) -> Result<()> {
        let mut sync_failed = self.sync_failed.lock();
        if let Some(error) = &*sync_failed {
            return Err(error.clone());
        }
        let unsynced = std::mem::take(&mut self.state.lock().unsynced);
        let synced = self.sync_files(&unsynced);
        if let Err(error) = &synced {
            self.state.lock().unsynced.extend(unsynced);
            *sync_failed = Some(error.clone());
        }
        synced
    }

    /// Lists every stored digest, in no order; other files are drafts of writers that died.
    pub fn list(&self) -> Result<Vec<Digest>> {
        let list = |dir: &HostPath| {
            self.disk.list(dir).map_err(|error| failed("list the chunks", dir, error))
        };
        let mut digests = Vec::new();
        for shard in list(&self.dir)?.iter().filter(|name| name.len() == 2) {
            digests.extend(list(&self.dir.join(shard))?.iter().filter_map(|name| parse(name)));
        }
        Ok(digests)
    }

    /// Makes every stored file survive power loss.
    pub fn sync_all(&self) -> Result<()> {
        self.sync_files(&self.list()?.into_iter().collect())
    }

    fn sync_files(&self, digests: &FxHashSet<Digest>) -> Result<()> {
        let mut dirs = BTreeSet::new();
        for &digest in digests {
            let path = self.path(digest);
            match self.disk.open(&path).and_then(|file| file.sync()) {
                // Nothing names it any more and it was removed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed("sync a chunk", &path, error)),
                Ok(()) => dirs.extend(path.ancestors().skip(1).take(3).map(HostPath::to_owned)),
            }
        }
        for dir in dirs {
            self.disk.sync_dir(&dir).map_err(|error| failed("sync the chunks", &dir, error))?;
        }
        Ok(())
    }

    /// Writes aside and renames, so that a name never stands for half a chunk.
    fn write(&self, path: &HostPath, content: &[u8]) -> io::Result<()> {
        if let Some(dir) = path.parent() {
            self.disk.create_dir_all(dir)?;
        }
        let number = self.draft_next.fetch_add(1, Ordering::Relaxed);
        let draft = self.dir.join(format!("draft-{number}"));
        if self.disk.exists(&draft)? {
            // Left by a process that died; this one gives every number once.
            self.disk.remove(&draft)?;
        }
        let written = self.disk.create(&draft).and_then(|file| file.write_at(0, content));
        if let Err(error) = written.and_then(|()| self.disk.rename(&draft, path)) {
            // The write has failed already; a draft that stays is overwritten by the next one.
            self.disk.remove(&draft).ok();
            return Err(error);
        }
        Ok(())
    }

    fn recall(&self, digest: Digest) -> Option<Bytes> {
        let mut recent = self.recent.lock();
        let place = recent.iter().position(|(recent, _)| *recent == digest)?;
        let found = recent.remove(place)?;
        let content = found.1.clone();
        recent.push_front(found);
        Some(content)
    }

    fn path(&self, digest: Digest) -> PathBuf {
        let name = digest.to_string();
        self.dir.join(&name[..2]).join(&name)
    }
}

/// Keeps stored chunks from being removed. Dropping it releases them: a chunk that no row of the
/// base names by then is removed at the next checkpoint.
#[must_use = "a record that names the chunks needs them kept until it is folded"]
pub struct Pins {
    chunks: Arc<Chunks>,
    digests: Vec<Digest>,
}

impl Pins {
    /// Pins nothing yet.
    pub fn new(chunks: &Arc<Chunks>) -> Self {
        Self { chunks: Arc::clone(chunks), digests: Vec::new() }
    }

    /// Pins one digest; a hole needs none.
    pub fn add(&mut self, digest: Digest) {
        if digest != Digest::HOLE {
            *self.chunks.state.lock().pins.entry(digest).or_insert(0) += 1;
            self.digests.push(digest);
        }
    }
}

impl Drop for Pins {
    fn drop(&mut self) {
        let mut state = self.chunks.state.lock();
        for digest in &self.digests {
            let count = state.pins.get_mut(digest).expect("a pin is counted until it is dropped");
            *count -= 1;
            if *count == 0 {
                state.pins.remove(digest);
                state.loose.push(*digest);
            }
        }
    }
}

impl fmt::Debug for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pins").field(&self.digests).finish()
    }
}

/// Reads a digest from the name of its file.
fn parse(name: &str) -> Option<Digest> {
    let mut digest = [0; 32];
    if name.len() != 64 || !name.is_ascii() {
        return None;
    }
    for (index, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&name[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(Digest(digest))
}

fn failed(what: &str, path: &HostPath, cause: io::Error) -> Error {
    Error::io(what, cause).with_path_text(path.to_string_lossy())
}

fn corrupt(what: &str, path: &HostPath) -> Error {
    Error::new(ErrorKind::Corrupt, what).with_path_text(path.to_string_lossy())
}
