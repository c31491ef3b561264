//! Backups that end early, and directories that are no stores.
#![expect(clippy::disallowed_methods, reason = "the tests look at the files of stores")]

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use homefs_core::{AgentId, Disk, DiskFile, DiskMap, ErrorKind, HostDisk};
use homefs_view::{Components, Settings, Store, View, Who, WriteOptions, repair, restore_store};
use tempfile::TempDir;

use crate::common::{parents, path};

/// A disk on which nothing works any more after some calls, as if the process had been killed.
#[derive(Clone)]
struct DyingDisk(Arc<AtomicI64>);

struct DyingFile(DyingDisk, Box<dyn DiskFile>);

impl DyingDisk {
    fn new() -> Self {
        Self(Arc::new(AtomicI64::new(i64::MAX)))
    }

    fn die_after(&self, calls: i64) {
        self.0.store(calls, Ordering::Relaxed);
    }

    fn call(&self) -> io::Result<()> {
        let left = self.0.fetch_sub(1, Ordering::Relaxed);
        if left > 0 { Ok(()) } else { Err(io::Error::other("the process was killed")) }
    }

    fn file(&self, file: Box<dyn DiskFile>) -> Box<dyn DiskFile> {
        Box::new(DyingFile(self.clone(), file))
    }
}

impl Disk for DyingDisk {
    fn create_dir_all(&self, dir: &HostPath) -> io::Result<()> {
        self.call().and_then(|()| HostDisk.create_dir_all(dir))
    }

    fn list(&self, dir: &HostPath) -> io::Result<Vec<String>> {
        self.call().and_then(|()| HostDisk.list(dir))
    }

    fn create(&self, path: &HostPath) -> io::Result<Box<dyn DiskFile>> {
        self.call().and_then(|()| Ok(self.file(HostDisk.create(path)?)))
    }

    fn open(&self, path: &HostPath) -> io::Result<Box<dyn DiskFile>> {
        self.call().and_then(|()| Ok(self.file(HostDisk.open(path)?)))
    }

    fn exists(&self, path: &HostPath) -> io::Result<bool> {
        self.call().and_then(|()| HostDisk.exists(path))
    }

    fn rename(&self, from: &HostPath, to: &HostPath) -> io::Result<()> {
        self.call().and_then(|()| HostDisk.rename(from, to))
    }

    fn remove(&self, path: &HostPath) -> io::Result<()> {
        self.call().and_then(|()| HostDisk.remove(path))
    }

    fn remove_dir_all(&self, dir: &HostPath) -> io::Result<()> {
        self.call().and_then(|()| HostDisk.remove_dir_all(dir))
    }

    fn sync_dir(&self, dir: &HostPath) -> io::Result<()> {
        self.call().and_then(|()| HostDisk.sync_dir(dir))
    }

    fn space_bytes(&self, path: &HostPath) -> io::Result<(u64, u64)> {
        HostDisk.space_bytes(path)
    }
}

impl DiskFile for DyingFile {
    fn len(&self) -> io::Result<u64> {
        self.1.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.1.read_at(offset, buffer)
    }

    fn write_at(&self, offset: u64, content: &[u8]) -> io::Result<()> {
        self.0.call().and_then(|()| self.1.write_at(offset, content))
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        self.1.allocate(len)
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        self.0.call().and_then(|()| self.1.reserve(len))
    }

    fn sync(&self) -> io::Result<()> {
        self.0.call().and_then(|()| self.1.sync())
    }

    fn map(&self) -> io::Result<Option<Box<dyn DiskMap>>> {
        self.1.map()
    }
}

fn open(dir: &HostPath, disk: Arc<dyn Disk>) -> homefs_core::Result<(Store, View)> {
    let settings = Settings { segment_bytes: 1 << 20, ..Settings::default() };
    let store = Store::open(dir, settings, Components { disk, ..Components::host() })?;
    let agent = AgentId::new("me").expect("a plain name");
    let view = store.view(&Who { agent, operator: false, all: false })?;
    Ok((store, view))
}

fn host() -> Arc<dyn Disk> {
    Arc::new(HostDisk)
}

/// Everything below a directory, with the contents of files.
fn picture(dir: &HostPath) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(above) = waiting.pop() {
        for entry in fs::read_dir(above).expect("a directory") {
            let path = entry.expect("an entry").path();
            found.insert(path.clone(), fs::read(&path).ok());
            if path.is_dir() {
                waiting.push(path);
            }
        }
    }
    found
}

/// Checks that a directory is refused as a store in every way, and left as it is.
#[track_caller]
fn check_refused(dir: &HostPath) {
    let before = picture(dir);
    let place = dir.display().to_string();
    let error = open(dir, host()).err().expect("it is no store");
    assert_eq!(error.kind(), ErrorKind::NotEmpty, "{error}");
    assert_eq!(error.path(), Some(&*place));
    let error = repair(dir, &Components::host()).expect_err("it is no store");
    assert_eq!((error.kind(), error.path()), (ErrorKind::NotEmpty, Some(&*place)), "{error}");
    let target = TempDir::new().expect("room");
    let error = restore_store(dir, &target.path().join("new"), &Components::host());
    assert_eq!(error.expect_err("it is no backup").kind(), ErrorKind::Invalid);
    assert!(picture(dir) == before, "{place} was written to");
}

#[track_caller]
fn check_whole(dir: &HostPath, large: &[u8]) {
    let (store, view) = open(dir, host()).expect("it is a store");
    assert_eq!(&view.read(&path("/d/small.md")).expect("it is there")[..], b"small");
    assert!(view.read(&path("/large.bin")).expect("it is there") == large);
    assert_eq!(store.verify().expect("a check"), []);
}

#[test]
fn a_backup_that_is_killed_at_any_step_is_none_or_a_whole_one() {
    let dir = TempDir::new().unwrap();
    let large: Vec<u8> = (0..40_000u32).flat_map(u32::to_le_bytes).collect();
    let disk = DyingDisk::new();
    let (store, view) = open(dir.path(), Arc::new(disk.clone())).unwrap();
    view.write(&path("/d/small.md"), b"small", &parents()).unwrap();
    view.write(&path("/large.bin"), &large, &WriteOptions::default()).unwrap();
    store.close().unwrap();
    let mut killed = 0;
    for step in 0.. {
        let (store, _view) = open(dir.path(), Arc::new(disk.clone())).unwrap();
        let place = TempDir::new().unwrap();
        let (to, unfinished) = (place.path().join("copy"), place.path().join("copy.unfinished"));
        disk.die_after(step);
        let saved = store.backup(&to);
        disk.die_after(i64::MAX);
        drop(store);
        if unfinished.join("format").exists() {
            check_whole(&unfinished, &large);
        } else if unfinished.exists() && fs::read_dir(&unfinished).unwrap().next().is_some() {
            check_refused(&unfinished);
        }
        if to.exists() {
            check_whole(&to, &large);
        } else {
            killed += 1;
            assert!(saved.is_err());
            assert!(restore_store(&to, &place.path().join("new"), &Components::host()).is_err());
            // What was left does not stop the next one.
            let (store, _view) = open(dir.path(), host()).unwrap();
            store.backup(&to).unwrap();
            assert!(!unfinished.exists());
            check_whole(&to, &large);
        }
        if saved.is_ok() {
            break;
        }
    }
    assert!(killed > 10, "{killed}");
}

#[test]
fn a_restored_store_that_is_killed_at_any_step_is_none_or_a_whole_one() {
    let place = TempDir::new().unwrap();
    let backup = place.path().join("backup");
    let large: Vec<u8> = (0..40_000u32).flat_map(u32::to_le_bytes).collect();
    {
        let (store, view) = open(&place.path().join("store"), host()).unwrap();
        view.write(&path("/d/small.md"), b"small", &parents()).unwrap();
        view.write(&path("/large.bin"), &large, &WriteOptions::default()).unwrap();
        store.backup(&backup).unwrap();
    }
    for step in 0.. {
        let to = place.path().join(format!("restored-{step}"));
        let disk = DyingDisk::new();
        disk.die_after(step);
        let components = Components { disk: Arc::new(disk), ..Components::host() };
        let restored = restore_store(&backup, &to, &components);
        if to.exists() {
            check_whole(&to, &large);
        } else {
            assert!(restored.is_err());
            restore_store(&backup, &to, &Components::host()).unwrap();
        }
        if restored.is_ok() {
            assert!(step > 10, "{step}");
            break;
        }
    }
}

#[test]
fn a_directory_that_is_neither_a_store_nor_empty_is_left_alone() {
    let place = TempDir::new().unwrap();
    // A folder of Chroma, a project, half a backup of an older homefs.
    for (folder, file) in
        [("chroma", "chroma.sqlite3"), ("project", "src/main.rs"), ("half", "spaces/agents/me/x")]
    {
        let file = place.path().join(folder).join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "somebody's").unwrap();
        check_refused(&place.path().join(folder));
    }
    let empty = place.path().join("empty");
    fs::create_dir(&empty).unwrap();
    open(&empty, host()).unwrap();
}

#[test]
fn a_store_that_lost_its_format_file_is_mended() {
    let dir = TempDir::new().unwrap();
    let (store, view) = open(dir.path(), host()).unwrap();
    view.write(&path("/note.md"), b"kept", &WriteOptions::default()).unwrap();
    store.close().unwrap();
    drop((store, view));
    let format = dir.path().join("format");
    let damages: [fn(&HostPath) -> io::Result<()>; 2] =
        [|file| fs::remove_file(file), |file| fs::write(file, "something else")];
    for damage in damages {
        damage(&format).unwrap();
        assert!(open(dir.path(), host()).is_err());
        let findings = repair(dir.path(), &Components::host()).unwrap();
        assert_eq!(findings.len(), 1, "{findings:?}");
        let (_store, view) = open(dir.path(), host()).unwrap();
        assert_eq!(&view.read(&path("/note.md")).unwrap()[..], b"kept");
    }
}
