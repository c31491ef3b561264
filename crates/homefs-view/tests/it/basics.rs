//! What a view does, one behaviour at a time.

use homefs_core::{AgentId, ErrorKind, Path};
use homefs_view::{Components, Edit, Moment, RenameMode, Settings, Store, View, Who, WriteOptions};

fn path(text: &str) -> Path {
    Path::parse(text).expect("the test names real paths")
}

fn open(dir: &std::path::Path) -> (Store, View) {
    let store = Store::open(dir, Settings::default(), Components::host()).expect("the store opens");
    let who = Who { agent: AgentId::new("me").expect("a good name"), operator: false, all: false };
    let view = store.view(&who).expect("the home opens");
    (store, view)
}

fn parents() -> WriteOptions {
    WriteOptions { parents: true, ..WriteOptions::default() }
}

#[test]
fn a_written_file_is_there_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let (store, view) = open(dir.path());
    view.write(&path("/notes/a.md"), b"hello", &parents()).unwrap();
    assert_eq!(&view.read(&path("/notes/a.md")).unwrap()[..], b"hello");
    store.close().unwrap();
    assert_eq!(view.read(&path("/notes/a.md")).unwrap_err().kind(), ErrorKind::Closed);
    let (_store, view) = open(dir.path());
    assert_eq!(&view.read(&path("/notes/a.md")).unwrap()[..], b"hello");
    let names: Vec<_> =
        view.list(&Path::root(), None, 10).unwrap().items.into_iter().map(|e| e.name).collect();
    assert_eq!(names, [Box::from("notes")]);
}

#[test]
fn many_files_are_read_up_to_the_first_that_is_not_for_many() {
    let dir = tempfile::tempdir().unwrap();
    let (store, view) = open(dir.path());
    let write = |name: &str, len: usize| view.write(&path(name), &vec![7; len], &parents());
    for (name, len) in [("/a", 1), ("/b", 0), ("/c", 64 << 10), ("/d", (64 << 10) + 1)] {
        write(name, len).unwrap();
    }
    view.symlink("a", &path("/l")).unwrap();
    view.make_dir(&path("/dir"), false).unwrap();
    let lens = |names: &[&str]| -> Vec<usize> {
        let paths: Vec<Path> = names.iter().map(|name| path(name)).collect();
        view.read_many(&paths).unwrap().iter().map(bytes::Bytes::len).collect()
    };
    let none: [usize; 0] = [];
    assert_eq!(lens(&[]), none);
    assert_eq!(lens(&["/a", "/b", "/l", "/c", "/a"]), [1, 0, 1, 64 << 10, 1]);
    for other in ["/d", "/dir", "/missing", "/a/b"] {
        assert_eq!(lens(&["/a", other, "/b"]), [1], "{other}");
        assert_eq!(lens(&[other, "/b"]), none, "{other}");
    }
    // They fit into 128 KiB together, with nothing that comes after them.
    assert_eq!(lens(&["/c", "/c", "/b", "/a", "/b"]), [64 << 10, 64 << 10, 0]);
    store.close().unwrap();
    assert_eq!(lens(&["/a"]), none);
}

#[test]
fn a_file_is_found_by_a_name_that_nobody_looked_at() {
    let dir = tempfile::tempdir().unwrap();
    let (store, view) = open(dir.path());
    view.write(&path("/deep/er/b"), b"text", &parents()).unwrap();
    view.link(&path("/deep/er/b"), &path("/a")).unwrap();
    store.close().unwrap();
    let (_store, view) = open(dir.path());
    let cursor = view.cursor().unwrap();
    view.remove(&path("/a"), false).unwrap();
    let watched = view.watch(&Path::root(), &cursor, std::time::Duration::ZERO, 10).unwrap();
    assert!(watched.events.iter().any(|event| event.path == path("/deep/er/b")), "{watched:?}");
}

#[test]
fn history_lists_reads_and_restores() {
    let dir = tempfile::tempdir().unwrap();
    let (_store, view) = open(dir.path());
    let note = path("/a.md");
    let first = view.write(&note, b"one\n", &parents()).unwrap();
    view.edit(&note, &Edit::Replace { old: "one".into(), new: "two".into() }, &parents()).unwrap();
    assert_eq!(view.log(&note, None, 10).unwrap().len(), 2);
    assert_eq!(&view.read_past(&note, Moment::Version(first), 0, 100).unwrap()[..], b"one\n");
    assert!(
        view.diff(&note, Moment::Version(first), Moment::Now).unwrap().contains("-one\n+two\n")
    );
    view.restore(&note, Moment::Version(first)).unwrap();
    assert_eq!(&view.read(&note).unwrap()[..], b"one\n");
    view.remove(&note, false).unwrap();
    assert_eq!(view.trash(None, 10).unwrap().items.len(), 1);
    view.untrash(&note, None).unwrap();
    assert_eq!(&view.read(&note).unwrap()[..], b"one\n");
    view.rename(&note, &path("/b.md"), RenameMode::Replace).unwrap();
    assert_eq!(view.log(&path("/b.md"), None, 10).unwrap().len(), 4);
}

#[test]
fn a_large_file_is_written_patched_and_read() {
    let dir = tempfile::tempdir().unwrap();
    let (store, view) = open(dir.path());
    let big = path("/big.bin");
    let mut model: Vec<u8> = (0..3_000_000u32).map(|i| (i % 251) as u8).collect();
    view.write(&big, &model, &parents()).unwrap();
    assert!(view.read(&big).unwrap() == model);
    view.write_at(&big, 1_048_570, &[7; 20]).unwrap();
    model[1_048_570..1_048_590].fill(7);
    assert!(view.read(&big).unwrap() == model);
    view.append(&big, &vec![9; 100_000], &parents()).unwrap();
    model.extend(vec![9; 100_000]);
    view.append(&big, &[8; 10], &parents()).unwrap();
    model.extend([8; 10]);
    view.truncate(&big, 2_000_000).unwrap();
    model.truncate(2_000_000);
    view.truncate(&big, 2_500_000).unwrap();
    model.resize(2_500_000, 0);
    assert!(view.read(&big).unwrap() == model);
    store.close().unwrap();
    let (_store, view) = open(dir.path());
    assert!(view.read(&big).unwrap() == model);
    assert!(view.log(&big, None, 10).unwrap().len() >= 2);
}

#[test]
fn range_writes_that_fill_the_journal_settle_and_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings {
        journal_bytes_max: 4 << 20,
        segment_bytes: 1 << 20,
        settle_ms: 3_600_000,
        ..Settings::default()
    };
    let store = Store::open(dir.path(), settings, Components::host()).unwrap();
    let who = Who { agent: AgentId::new("me").unwrap(), operator: false, all: false };
    let view = store.view(&who).unwrap();
    let file = path("/ranges");
    view.write(&file, b"", &parents()).unwrap();
    for part in 0..300_u64 {
        view.write_at(&file, part % 20 * 65_536, &vec![7; 65_536]).unwrap();
    }
    assert!(view.read(&file).unwrap() == vec![7; 20 * 65_536]);
}
