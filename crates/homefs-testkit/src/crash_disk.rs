//! A disk in memory that forgets what was not synced, and fails when it is told to.
//!
//! The present content of a file is an anonymous file of the kernel, so that maps, reads and
//! writes agree as they do on a real disk; what is durable is a plain copy of it.
#![expect(unsafe_code, reason = "mapping a file is unsafe: another process could truncate it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use homefs_core::{Disk, DiskFile, DiskMap};
use memmap2::MmapMut;
use parking_lot::{Mutex, MutexGuard};

/// What a power loss keeps or loses as a whole.
const SECTOR_BYTES: usize = 512;

/// A disk in memory that loses what a real one may lose.
///
/// The code under test gets a [`CrashDisk::process`], which a crash ends together with every
/// file opened through it; the test keeps the disk itself. Clones share one disk.
#[derive(Clone)]
pub struct CrashDisk {
    state: Arc<Mutex<DiskState>>,
    // The epoch in which calls are allowed; `None` for the test's own handle, which survives.
    epoch: Option<u64>,
}

struct DiskState {
    // Rises with every crash, so that what was opened before is known to be dead.
    epoch: u64,
    names: BTreeMap<PathBuf, Arc<Content>>,
    durable_names: BTreeMap<PathBuf, Arc<Content>>,
    // Changes of names since their directory was last synced, oldest first.
    pending: Vec<NameChange>,
    // Directories are durable at once: no code under test depends on losing them.
    directories: BTreeSet<PathBuf>,
    calls: u64,
    failure: Option<(u64, io::ErrorKind)>,
    syncs_fail: bool,
    maps: bool,
    capacity_bytes: u64,
}

#[derive(Clone)]
struct NameChange {
    directory: PathBuf,
    gone: Option<PathBuf>,
    there: Option<(PathBuf, Arc<Content>)>,
}

struct Content {
    current: File,
    // Room that the file has without holding anything.
    reserved: AtomicU64,
    durable: Mutex<Vec<u8>>,
}

impl Default for CrashDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl CrashDisk {
    /// Makes an empty disk without a bound, whose files can be mapped.
    pub fn new() -> Self {
        let state = DiskState {
            epoch: 0,
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            pending: Vec::new(),
            directories: BTreeSet::new(),
            calls: 0,
            failure: None,
            syncs_fail: false,
            maps: true,
            capacity_bytes: u64::MAX,
        };
        Self { state: Arc::new(Mutex::new(state)), epoch: None }
    }

    /// Returns the disk as one process sees it: until the next crash.
    #[must_use]
    pub fn process(&self) -> Arc<dyn Disk> {
        Arc::new(self.bound(&self.state.lock()))
    }

    /// Ends the process that uses the disk: what was written stays, what it opened is dead.
    pub fn crash_process(&self) {
        let mut state = self.state.lock();
        state.revive(|content| Content {
            // A map from before the crash must not reach the file any more, so it is copied.
            current: anonymous_file(&content.bytes()),
            reserved: AtomicU64::new(content.reserved.load(Ordering::Relaxed)),
            durable: Mutex::new(content.durable.lock().clone()),
        });
    }

    /// Takes the power away: each sector that changed since its file was synced, and each change
    /// of a name since its directory was synced, is kept or lost as `seed` says. Names in one
    /// directory are lost from the newest back. What was opened before is dead.
    pub fn crash_power(&self, seed: u64) {
        let mut random = Random(seed);
        let mut state = self.state.lock();
        let pending = std::mem::take(&mut state.pending);
        let mut lost = BTreeSet::new();
        let mut names = std::mem::take(&mut state.durable_names);
        for change in pending {
            if !lost.contains(&change.directory) && random.coin() {
                change.apply(&mut names);
            } else {
                lost.insert(change.directory);
            }
        }
        state.names = names;
        state.revive(|content| {
            let survived = surviving(&content.durable.lock(), &content.bytes(), &mut random);
            Content {
                current: anonymous_file(&survived),
                reserved: AtomicU64::new(content.reserved.load(Ordering::Relaxed)),
                durable: Mutex::new(survived),
            }
        });
        state.durable_names = state.names.clone();
    }

    /// Makes the `nth` call from now on fail once; 1 is the next one.
    pub fn fail_call(&self, nth: u64, kind: io::ErrorKind) {
        let mut state = self.state.lock();
        state.failure = Some((state.calls + nth, kind));
    }

    /// Makes every sync of a file or a directory fail, or none.
    pub fn fail_all_syncs(&self, fail: bool) {
        self.state.lock().syncs_fail = fail;
    }

    /// Returns how many calls were made.
    pub fn calls(&self) -> u64 {
        self.state.lock().calls
    }

    /// Bounds the sum of the lengths of all files.
    pub fn set_capacity_bytes(&self, bytes: u64) {
        self.state.lock().capacity_bytes = bytes;
    }

    /// Says whether files can be mapped from now on.
    pub fn set_maps(&self, maps: bool) {
        self.state.lock().maps = maps;
    }

    /// Returns the present content of every file, for tests that damage them.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state.lock();
        state.names.iter().map(|(path, content)| (path.clone(), content.bytes())).collect()
    }

    /// Returns another disk with a copy of everything below `from`, which is below `to` there.
    #[must_use]
    pub fn copied(&self, from: &HostPath, to: &HostPath) -> Self {
        let copy = Self::new();
        let moved = |path: &HostPath| path.strip_prefix(from).map(|rest| to.join(rest)).ok();
        for (path, bytes) in self.files() {
            if let Some(path) = moved(&path) {
                copy.plant(&path, &bytes);
            }
        }
        let directories = self.state.lock().directories.clone();
        copy.state.lock().directories = directories.iter().filter_map(|path| moved(path)).collect();
        copy
    }

    /// Puts a file there as if it had always been there.
    pub fn plant(&self, path: &HostPath, bytes: &[u8]) {
        let content = Arc::new(Content::new(bytes));
        let mut state = self.state.lock();
        state.names.insert(path.to_owned(), content.clone());
        state.durable_names.insert(path.to_owned(), content);
    }

    fn bound(&self, state: &DiskState) -> Self {
        Self { state: self.state.clone(), epoch: Some(state.epoch) }
    }

    fn call(&self) -> io::Result<MutexGuard<'_, DiskState>> {
        let mut state = self.state.lock();
        if self.epoch.is_some_and(|epoch| epoch != state.epoch) {
            return Err(io::Error::other("the process that opened this has crashed"));
        }
        state.calls += 1;
        match state.failure {
            Some((at, kind)) if at == state.calls => {
                state.failure = None;
                Err(io::Error::new(kind, "the disk fails this call"))
            }
            _ => Ok(state),
        }
    }

    fn handle(&self, state: &DiskState, content: Arc<Content>) -> Box<dyn DiskFile> {
        Box::new(CrashFile { disk: self.bound(state), content })
    }
}

impl DiskState {
    /// Replaces every content, the same one under each of its names, and starts a new epoch.
    fn revive(&mut self, mut fresh: impl FnMut(&Content) -> Content) {
        let mut replaced: Vec<(Arc<Content>, Arc<Content>)> = Vec::new();
        let mut replace = |content: &mut Arc<Content>| {
            let known = replaced.iter().position(|(old, _)| Arc::ptr_eq(old, content));
            let index = known.unwrap_or_else(|| {
                replaced.push((content.clone(), Arc::new(fresh(content))));
                replaced.len() - 1
            });
            *content = replaced[index].1.clone();
        };
        self.names.values_mut().for_each(&mut replace);
        self.durable_names.values_mut().for_each(&mut replace);
        for change in &mut self.pending {
            change.there.iter_mut().for_each(|(_, content)| replace(content));
        }
        self.epoch += 1;
    }

    fn change(&mut self, gone: Option<&HostPath>, there: Option<(&HostPath, Arc<Content>)>) {
        let path = there.as_ref().map(|(path, _)| *path).or(gone);
        let change = NameChange {
            directory: path.and_then(HostPath::parent).unwrap_or(HostPath::new("")).to_owned(),
            gone: gone.map(ToOwned::to_owned),
            there: there.map(|(path, content)| (path.to_owned(), content)),
        };
        change.clone().apply(&mut self.names);
        self.pending.push(change);
    }

    fn find(&self, path: &HostPath) -> io::Result<Arc<Content>> {
        self.names.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn check_sync(&self) -> io::Result<()> {
        if self.syncs_fail { Err(io::Error::other("the disk fails to sync")) } else { Ok(()) }
    }

    fn used_bytes(&self) -> u64 {
        self.names.values().map(|content| content.used_bytes()).sum()
    }
}

impl NameChange {
    fn apply(self, names: &mut BTreeMap<PathBuf, Arc<Content>>) {
        if let Some(gone) = self.gone {
            names.remove(&gone);
        }
        names.extend(self.there);
    }
}

impl Content {
    fn new(bytes: &[u8]) -> Self {
        let durable = Mutex::new(bytes.to_vec());
        Self { current: anonymous_file(bytes), reserved: AtomicU64::new(0), durable }
    }

    fn len(&self) -> u64 {
        self.current.metadata().map_or(0, |meta| meta.len())
    }

    fn used_bytes(&self) -> u64 {
        self.len().max(self.reserved.load(Ordering::Relaxed))
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(self.len()).expect("a test file fits in memory")];
        self.current.read_exact_at(&mut bytes, 0).expect("a file in memory reads");
        bytes
    }
}

fn anonymous_file(bytes: &[u8]) -> File {
    let file = rustix::fs::memfd_create("crash-disk", rustix::fs::MemfdFlags::CLOEXEC)
        .expect("the kernel makes anonymous files");
    let file = File::from(file);
    file.write_all_at(bytes, 0).expect("a file in memory writes");
    file
}

/// Returns what is left of `current` after a power loss, given what was synced.
fn surviving(durable: &[u8], current: &[u8], random: &mut Random) -> Vec<u8> {
    let mut survived = durable.to_vec();
    if durable.len() != current.len() && random.coin() {
        survived.resize(current.len(), 0);
    }
    for (old, new) in survived.chunks_mut(SECTOR_BYTES).zip(current.chunks(SECTOR_BYTES)) {
        let count = old.len().min(new.len());
        if old[..count] != new[..count] && random.coin() {
            old[..count].copy_from_slice(&new[..count]);
        }
    }
    survived
}

/// The splitmix64 generator: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn coin(&mut self) -> bool {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) & 1 == 1
    }
}

impl Disk for CrashDisk {
    fn create_dir_all(&self, dir: &HostPath) -> io::Result<()> {
        let mut state = self.call()?;
        state.directories.extend(dir.ancestors().map(ToOwned::to_owned));
        Ok(())
    }

    fn list(&self, dir: &HostPath) -> io::Result<Vec<String>> {
        let state = self.call()?;
        let paths = state.names.keys().chain(&state.directories);
        let inside = paths.filter(|path| path.parent() == Some(dir));
        let names = inside.filter_map(|path| path.file_name());
        Ok(names.map(|name| name.to_string_lossy().into_owned()).collect())
    }

    fn create(&self, path: &HostPath) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.call()?;
        if state.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let content = Arc::new(Content::new(&[]));
        state.change(None, Some((path, content.clone())));
        Ok(self.handle(&state, content))
    }

    fn open(&self, path: &HostPath) -> io::Result<Box<dyn DiskFile>> {
        let state = self.call()?;
        Ok(self.handle(&state, state.find(path)?))
    }

    fn exists(&self, path: &HostPath) -> io::Result<bool> {
        let state = self.call()?;
        Ok(state.names.contains_key(path) || state.directories.contains(path))
    }

    fn rename(&self, from: &HostPath, to: &HostPath) -> io::Result<()> {
        let mut state = self.call()?;
        let content = state.find(from)?;
        state.change(Some(from), Some((to, content)));
        Ok(())
    }

    fn remove(&self, path: &HostPath) -> io::Result<()> {
        let mut state = self.call()?;
        state.find(path)?;
        state.change(Some(path), None);
        Ok(())
    }

    fn remove_dir_all(&self, dir: &HostPath) -> io::Result<()> {
        let mut state = self.call()?;
        state.directories.retain(|path| !path.starts_with(dir));
        let below = state.names.keys().filter(|path| path.starts_with(dir));
        for path in below.cloned().collect::<Vec<_>>() {
            state.change(Some(&path), None);
        }
        Ok(())
    }

    fn sync_dir(&self, dir: &HostPath) -> io::Result<()> {
        let mut state = self.call()?;
        state.check_sync()?;
        let pending = std::mem::take(&mut state.pending);
        for change in pending {
            if change.directory == dir {
                change.apply(&mut state.durable_names);
            } else {
                state.pending.push(change);
            }
        }
        Ok(())
    }

    fn space_bytes(&self, _path: &HostPath) -> io::Result<(u64, u64)> {
        let state = self.call()?;
        Ok((state.capacity_bytes.saturating_sub(state.used_bytes()), state.capacity_bytes))
    }
}

struct CrashFile {
    disk: CrashDisk,
    content: Arc<Content>,
}

impl CrashFile {
    fn write(&self, state: &DiskState, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let more = (offset + bytes.len() as u64).saturating_sub(self.content.len());
        if more > 0 && state.used_bytes() + more > state.capacity_bytes {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.content.current.write_all_at(bytes, offset)
    }
}

impl DiskFile for CrashFile {
    fn len(&self) -> io::Result<u64> {
        let _state = self.disk.call()?;
        Ok(self.content.used_bytes())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let _state = self.disk.call()?;
        self.content.current.read_exact_at(buffer, offset)
    }

    fn write_at(&self, offset: u64, content: &[u8]) -> io::Result<()> {
        let state = self.disk.call()?;
        self.write(&state, offset, content)
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        let state = self.disk.call()?;
        self.write(&state, 0, &vec![0; usize::try_from(len).map_err(io::Error::other)?])
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        let state = self.disk.call()?;
        let more = len.saturating_sub(self.content.used_bytes());
        if more > 0 && state.used_bytes() + more > state.capacity_bytes {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.content.reserved.store(len, Ordering::Relaxed);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let state = self.disk.call()?;
        state.check_sync()?;
        *self.content.durable.lock() = self.content.bytes();
        Ok(())
    }

    fn map(&self) -> io::Result<Option<Box<dyn DiskMap>>> {
        let state = self.disk.call()?;
        if !state.maps {
            return Ok(None);
        }
        // SAFETY: the file is anonymous and never becomes shorter, so no access can fault.
        let map = unsafe { MmapMut::map_mut(&self.content.current)? };
        Ok(Some(Box::new(CrashMap { map })))
    }
}

struct CrashMap {
    map: MmapMut,
}

impl DiskMap for CrashMap {
    fn bytes(&mut self) -> &mut [u8] {
        &mut self.map
    }
}
