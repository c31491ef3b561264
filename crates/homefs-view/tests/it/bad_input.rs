//! Bad input: refused with what and where, never a panic, and nothing else suffers.
#![expect(clippy::disallowed_methods, reason = "the tests damage the files of a store")]

use std::fs;
use std::io::{Read, stdin};
use std::os::unix::fs::PermissionsExt;
use std::thread;

use homefs_core::limits::{FILE_BYTES_MAX, NAME_BYTES_MAX, PATH_BYTES_MAX, XATTR_BYTES_MAX};
use homefs_core::{ErrorKind, Path, Result};
use homefs_view::{Components, Cursor, Edit, GrepOptions, Moment, SetAttrs, Settings, Store};

use crate::common::{open, parents, path, view_of};
use crate::kills::{Child, say, told};

#[track_caller]
fn refused<T: std::fmt::Debug>(answer: &Result<T>, kind: ErrorKind) {
    assert_eq!(answer.as_ref().err().map(homefs_core::Error::kind), Some(kind), "{answer:?}");
}

fn try_open(dir: &std::path::Path) -> Result<Store> {
    Store::open(dir, Settings::default(), Components::host())
}

#[test]
fn names_that_no_node_can_have_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let view = view_of(&store, "me");
    let (long, longest) = ("x".repeat(NAME_BYTES_MAX + 1), "x".repeat(NAME_BYTES_MAX));
    for bad in ["", ".", "..", "a/b", "/", "a\0b", &long] {
        refused(&Path::root().join(bad), ErrorKind::Invalid);
    }
    for bad in ["", "/a//b", "/./a", "/a/..", "/a\0", &format!("/{long}")] {
        refused(&Path::parse(bad), ErrorKind::Invalid);
    }
    refused(&Path::parse(&"/x".repeat(PATH_BYTES_MAX)), ErrorKind::Invalid);
    view.write(&path(&format!("/{longest}")), b"long", &parents()).unwrap();
    // A link's target is text of any kind; following it is where it must be a path.
    for bad in ["", "a\0b"] {
        refused(&view.symlink(bad, &path("/refused")), ErrorKind::Invalid);
    }
    view.symlink(&long, &path("/leads-to-long")).unwrap();
    refused(&view.read(&path("/leads-to-long")), ErrorKind::Invalid);
    view.symlink("loop", &path("/loop")).unwrap();
    refused(&view.read(&path("/loop")), ErrorKind::Invalid);
    for reserved in ["/.homefs", "/shared"] {
        let answer = view.write(&path(reserved), b"x", &parents());
        assert!(answer.is_err(), "{reserved}: {answer:?}");
    }
    for bad in ["plain", "user.", "user.\0", &format!("user.{long}")] {
        let xattrs = [(bad.into(), Some(bytes::Bytes::new()))].into();
        let set = SetAttrs { xattrs, ..SetAttrs::default() };
        refused(&view.set_attrs(&path("/loop"), &set), ErrorKind::Invalid);
    }
    let value = Some(bytes::Bytes::from(vec![0; XATTR_BYTES_MAX + 1]));
    let set = SetAttrs { xattrs: [("user.x".into(), value)].into(), ..SetAttrs::default() };
    refused(&view.set_attrs(&path("/loop"), &set), ErrorKind::LimitExceeded);
}

#[test]
fn words_that_mean_nothing_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let view = view_of(&store, "me");
    let note = path("/note");
    view.write(&note, b"one one\n", &parents()).unwrap();
    refused(&view.find(&Path::root(), "[", None, 10), ErrorKind::Invalid);
    refused(&view.walk(&Path::root(), Some("a//b"), 10), ErrorKind::Invalid);
    refused(&view.trash(Some("nonsense"), 10), ErrorKind::Invalid);
    refused(&"nonsense".parse::<Cursor>(), ErrorKind::Invalid);
    for (old, new) in [("", "x"), ("one", "x"), ("two", "x")] {
        let edit = Edit::Replace { old: old.into(), new: new.into() };
        refused(&view.edit(&note, &edit, &parents()), ErrorKind::Invalid);
    }
    for old in ["", "two"] {
        let edit = Edit::ReplaceAll { old: old.into(), new: "x".into() };
        refused(&view.edit(&note, &edit, &parents()), ErrorKind::Invalid);
    }
    view.write(&path("/many"), &vec![b'e'; 1 << 20], &parents()).unwrap();
    let edit = Edit::ReplaceAll { old: "e".into(), new: "x".repeat(1 << 10) };
    refused(&view.edit(&path("/many"), &edit, &parents()), ErrorKind::LimitExceeded);
    let edit = Edit::Insert { line: 2, text: String::new() };
    refused(&view.edit(&note, &edit, &parents()), ErrorKind::Invalid);
    view.write(&path("/binary"), &[0xFF, 0xFE], &parents()).unwrap();
    let edit = Edit::Insert { line: 0, text: "x".into() };
    refused(&view.edit(&path("/binary"), &edit, &parents()), ErrorKind::Invalid);
    refused(&view.diff(&path("/binary"), Moment::Now, Moment::Now), ErrorKind::Invalid);
    assert_eq!(&view.read(&note).unwrap()[..], b"one one\n");
}

#[test]
fn the_deepest_tree_is_gone_through_on_a_small_stack() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let view = view_of(&store, "me");
    let deepest = path(&"/d".repeat(PATH_BYTES_MAX / 2));
    view.make_dir(&deepest, true).unwrap();
    let levels = deepest.names().count();
    let walk = move || {
        let root = Path::root();
        assert_eq!(view.walk(&root, None, 10_000).unwrap().items.len(), levels);
        assert_eq!(view.find(&root, "d", None, 10_000).unwrap().items.len(), levels);
        let page = view.walk(&root, None, 1500).unwrap();
        let rest = view.walk(&root, page.next.as_deref(), 1500).unwrap();
        assert_eq!((page.items.len(), rest.items.len(), rest.next), (1500, levels - 1500, None));
        assert_eq!(view.grep("x", &GrepOptions::default()).unwrap().lines, []);
    };
    let thread = thread::Builder::new().stack_size(1 << 20).spawn(walk).unwrap();
    thread.join().unwrap();
}

#[test]
fn absurd_offsets_are_refused_and_large_ones_are_holes() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let view = view_of(&store, "me");
    let file = path("/file");
    view.write(&file, b"small", &parents()).unwrap();
    for offset in [u64::MAX, u64::MAX - 1, FILE_BYTES_MAX, i64::MAX as u64] {
        refused(&view.write_at(&file, offset, b"xx"), ErrorKind::Invalid);
        assert!(view.read_at(&file, offset, usize::MAX).unwrap().is_empty());
    }
    for size in [FILE_BYTES_MAX + 1, u64::MAX] {
        refused(&view.truncate(&file, size), ErrorKind::Invalid);
    }
    assert_eq!(&view.read_at(&file, 3, usize::MAX).unwrap()[..], b"ll");
    assert_eq!(&view.read(&file).unwrap()[..], b"small");
    // The largest file there can be costs what was written into it.
    view.truncate(&file, FILE_BYTES_MAX).unwrap();
    view.write_at(&file, FILE_BYTES_MAX - 3, b"end").unwrap();
    for settled in [false, true] {
        assert_eq!(view.stat(&file).unwrap().size, FILE_BYTES_MAX);
        assert_eq!(&view.read_at(&file, FILE_BYTES_MAX - 4, 10).unwrap()[..], b"\0end");
        assert_eq!(&view.read_at(&file, 3, 4).unwrap()[..], b"ll\0\0");
        if !settled {
            view.log(&file, None, 1).unwrap();
        }
    }
    // But what is read at once has to be in memory.
    refused(&view.read_at(&file, 0, usize::MAX), ErrorKind::LimitExceeded);
    refused(&view.read(&file), ErrorKind::LimitExceeded);
    let version = view.stat(&file).unwrap().version;
    let past = view.read_past(&file, Moment::Version(version), 0, usize::MAX);
    refused(&past, ErrorKind::LimitExceeded);
    refused(&view.append(&file, b"x", &parents()), ErrorKind::Invalid);
    refused(&view.append(&file, &vec![1; 100_000], &parents()), ErrorKind::Invalid);
    store.close().unwrap();
    let store = open(dir.path());
    let view = view_of(&store, "me");
    assert_eq!(&view.read_at(&file, FILE_BYTES_MAX - 4, 10).unwrap()[..], b"\0end");
}

#[test]
fn a_missing_directory_is_made_and_a_wrong_one_refused() {
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("not/there/yet");
    drop(open(&deep));
    assert!(deep.join("format").exists());
    let file = dir.path().join("file");
    fs::write(&file, "not a store").unwrap();
    assert!(try_open(&file).is_err());
    assert!(try_open(&file.join("below")).is_err());
    let foreign = dir.path().join("foreign");
    fs::create_dir_all(&foreign).unwrap();
    fs::write(foreign.join("format"), "something else\n").unwrap();
    refused(&try_open(&foreign).map(drop), ErrorKind::Corrupt);
}

#[test]
fn a_directory_that_cannot_be_written_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let locked = dir.path().join("locked");
    fs::create_dir_all(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        println!("skipped: this user, perhaps root, writes whatever the permissions say");
        return;
    }
    for at in [locked.clone(), locked.join("store")] {
        refused(&try_open(&at).map(drop), ErrorKind::Denied);
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    drop(open(&locked));
}

#[test]
fn a_newer_format_is_refused_with_what_and_where() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for name in ["me", "other"] {
        view_of(&store, name).write(&path("/note"), b"kept", &parents()).unwrap();
    }
    store.close().unwrap();
    drop(store);
    let check = |file: &std::path::Path, newer: &[u8]| {
        let sound = fs::read(file).unwrap();
        fs::write(file, newer).unwrap();
        let answer = try_open(dir.path()).map(drop);
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error:?}");
        assert!(error.message().contains("99"), "{error}");
        assert!(
            error.path().is_some_and(|path| dir.path().starts_with(path)
                || std::path::Path::new(path).starts_with(dir.path())),
            "{error}"
        );
        fs::write(file, sound).unwrap();
    };
    check(&dir.path().join("format"), b"homefs store 99\n");
    let segments = fs::read_dir(dir.path().join("journal")).unwrap();
    let segment = segments
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "seg"));
    let segment = segment.expect("a journal has a segment");
    let mut newer = fs::read(&segment).unwrap();
    newer[8..12].copy_from_slice(&99u32.to_le_bytes());
    let checksum = crc32fast::hash(&newer[..40]);
    newer[40..44].copy_from_slice(&checksum.to_le_bytes());
    check(&segment, &newer);
    // A base is of one space: the others go on.
    let base = dir.path().join("spaces/agents/me/base.db");
    let connection = rusqlite::Connection::open(&base).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let store = open(dir.path());
    let who = view_of(&store, "other").who().clone();
    let refusal = store.view(&homefs_view::Who { agent: crate::common::agent("me"), ..who });
    let error = refusal.map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error:?}");
    assert!(error.message().contains("99") && error.path().is_some(), "{error}");
    assert_eq!(&view_of(&store, "other").read(&path("/note")).unwrap()[..], b"kept");
}

/// Holds a store until it is told to let go; only a child of the test below does anything.
#[test]
fn holder() {
    let Some((dir, _)) = told() else { return };
    let store = open(&dir);
    say(&std::process::id().to_string());
    stdin().read_exact(&mut [0]).ok();
    drop(store);
}

#[test]
fn a_store_that_is_open_is_refused_and_its_owner_named() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let error = try_open(dir.path()).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("this process"), "{error}");
    // The refusal did not let the lock go.
    refused(&try_open(dir.path()).map(drop), ErrorKind::Unavailable);
    drop(store);
    let mut child = Child::start("bad_input::holder", dir.path(), "");
    let pid = child.hear().expect("the child has opened the store");
    let error = try_open(dir.path()).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains(&pid), "{error}");
    child.kill();
    drop(open(dir.path()));
}
