//! Folders in which others mean harm: whatever is there, and whatever they do to it meanwhile, a
//! read ends, costs little, and is of the folder.
#![expect(clippy::disallowed_methods, reason = "a folder of the host")]

use std::fs::{self, File, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path as HostPath;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use homefs_core::{
    Clock, ErrorKind, Path, SOURCE_READ_BYTES_MAX, Source, SourceKind, SourceTarget, SystemClock,
};
use homefs_remote::{FolderSource, FolderTarget};
use rustix::fs::{CWD, FileType, Mode, OFlags, makedev, mkdirat, mknodat, openat};

use super::conformance::path;

fn open(dir: &HostPath) -> Arc<dyn Source> {
    Arc::new(FolderSource::open(&dir.canonicalize().expect("it is there")).expect("it is there"))
}

#[test]
fn what_waits_or_never_ends_is_not_opened() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let _listener = UnixListener::bind(at("socket")).unwrap();
    mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let mut odd = vec!["pipe", "socket"];
    for (name, minor) in [("zero", 5), ("full", 7)] {
        // Only root makes devices, and not everywhere.
        if mknodat(CWD, at(name), FileType::CharacterDevice, Mode::RWXU, makedev(1, minor)).is_ok()
        {
            odd.push(name);
        }
    }
    let source = open(dir.path());
    let page = source.list_all(&Path::root()).unwrap();
    assert_eq!((page.entries.len(), page.unshown.len()), (0, odd.len()));
    for name in odd {
        let below = path(&format!("/{name}"));
        assert_eq!(source.read(&below, 0, 9).unwrap_err().kind(), ErrorKind::Unsupported, "{name}");
        assert_eq!(source.stat(&below).unwrap_err().kind(), ErrorKind::Unsupported, "{name}");
        assert!(source.list(&below, None).is_err(), "{name}");
        assert!(source.read(&below.join("x").unwrap(), 0, 9).is_err(), "{name}");
    }
}

#[test]
fn a_file_that_is_longer_than_any_disk_is_read_in_parts() {
    let dir = tempfile::tempdir().unwrap();
    let sparse = File::create(dir.path().join("sparse")).unwrap();
    let size = 10 << 40;
    sparse.set_len(size).unwrap();
    let source = open(dir.path());
    let file = path("/sparse");
    assert_eq!(source.stat(&file).unwrap().size_bytes, Some(size));
    for offset in [0, size / 2, size - 3, size, size + 1, u64::MAX] {
        let part = source.read(&file, offset, usize::MAX).unwrap();
        let left = usize::try_from(size.saturating_sub(offset)).unwrap();
        assert_eq!(part.len(), left.min(SOURCE_READ_BYTES_MAX), "{offset}");
    }
    assert_eq!(source.read_all(&file, 1000).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_read_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("file");
    let stop = AtomicBool::new(false);
    let source = open(dir.path());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for size in [3 << 20, 10, 0, 1 << 20] {
                    let file = OpenOptions::new().create(true).append(true).open(&place).unwrap();
                    file.set_len(size).unwrap();
                }
                fs::remove_file(&place).unwrap();
                symlink("/etc/passwd", &place).unwrap();
                fs::remove_file(&place).unwrap();
                fs::create_dir(&place).unwrap();
                fs::remove_dir(&place).unwrap();
                mknodat(CWD, &place, FileType::Fifo, Mode::RWXU, 0).unwrap();
                fs::remove_file(&place).unwrap();
            }
        });
        let begun = SystemClock.steady();
        for turn in 0_u64..3000 {
            match source.read(&path("/file"), turn % 7, 2 << 20) {
                Ok(part) => assert!(part.iter().all(|byte| *byte == 0), "it is of another file"),
                Err(error) => assert_ne!(error.kind(), ErrorKind::Internal, "{error}"),
            }
            if let Ok(page) = source.list(&Path::root(), None) {
                assert!(page.entries.len() <= 1);
            }
            if SystemClock.steady().since(begun).as_secs() >= 2 {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// Makes directories in one another, deeper than a path can say.
fn dig(dir: &HostPath, depth: usize) {
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    let mut at: OwnedFd = openat(CWD, dir, flags, Mode::empty()).expect("the host has room");
    for _ in 0..depth {
        mkdirat(&at, "d", Mode::RWXU).expect("the host has room");
        at = openat(&at, "d", flags, Mode::empty()).expect("the host has room");
    }
}

/// Removes them, from the top: each is moved up beside the one that it was in.
fn fill_in(dir: &HostPath) {
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    let top = openat(CWD, dir, flags, Mode::empty()).expect("the host has room");
    while let Ok(inner) = openat(&top, "d", flags, Mode::empty()) {
        let deeper = rustix::fs::renameat(&inner, "d", &top, "next");
        rustix::fs::unlinkat(&top, "d", rustix::fs::AtFlags::REMOVEDIR).expect("the host has room");
        if deeper.is_ok() {
            rustix::fs::renameat(&top, "next", &top, "d").expect("the host has room");
        }
    }
}

#[test]
fn what_is_deeper_than_a_path_is_neither_shown_nor_removed() {
    let dir = tempfile::tempdir().unwrap();
    dig(dir.path(), 5000);
    let source = open(dir.path());
    let mut at = Path::root();
    let mut depth = 0;
    while let Ok(next) = at.join("d") {
        // Each look walks the whole way.
        if depth % 256 == 0 {
            assert_eq!(source.stat(&next).unwrap().kind, SourceKind::Directory);
        }
        (at, depth) = (next, depth + 1);
    }
    assert_eq!(depth, 2048);
    assert!(source.list(&at, None).is_ok());
    let target = FolderTarget::open(&dir.path().canonicalize().unwrap()).unwrap();
    target.remove(&path("/d")).unwrap_err();
    assert!(source.stat(&path("/d/d/d")).is_ok());
    fill_in(dir.path());
}

#[test]
fn a_folder_that_is_swapped_for_a_link_is_not_followed() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let dir = dir.path().canonicalize().unwrap();
    fs::write(outside.path().join("secret"), "geheim").unwrap();
    fs::create_dir_all(dir.join("a/folder")).unwrap();
    let folder = dir.join("a/folder");
    FolderSource::open(&folder).unwrap();
    let refused = || {
        let kinds = [
            FolderSource::open(&folder).err().map(|error| error.kind()),
            FolderTarget::open(&folder).err().map(|error| error.kind()),
        ];
        assert_eq!(kinds, [Some(ErrorKind::NotADirectory); 2]);
    };
    fs::remove_dir(&folder).unwrap();
    symlink(outside.path(), &folder).unwrap();
    refused();
    fs::create_dir(outside.path().join("folder")).unwrap();
    fs::remove_file(&folder).unwrap();
    fs::remove_dir(dir.join("a")).unwrap();
    symlink(outside.path(), dir.join("a")).unwrap();
    refused();
}

#[test]
fn writing_back_follows_no_link() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("file"), "theirs").unwrap();
    symlink(outside.path(), dir.path().join("out")).unwrap();
    symlink(outside.path().join("file"), dir.path().join("file")).unwrap();
    let target = FolderTarget::open(&dir.path().canonicalize().unwrap()).unwrap();
    let write = |at: &str| {
        let mut parts = [Bytes::from_static(b"ours"), Bytes::new()].into_iter();
        target.write(&path(at), &mut || Ok(parts.next().expect("it stops at the end")))
    };
    write("/out/file").unwrap_err();
    write("/out/new").unwrap_err();
    target.make_dir(&path("/out/dir")).unwrap_err();
    target.remove(&path("/out/file")).unwrap_err();
    target.link(&path("/out/link"), "x").unwrap_err();
    write("/file").unwrap();
    target.remove(&path("/out")).unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("file")).unwrap(), "ours");
    assert_eq!(fs::read_to_string(outside.path().join("file")).unwrap(), "theirs");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}
