//! A store that an earlier version wrote opens and reads.
#![expect(clippy::disallowed_methods, reason = "the test copies the files of a store")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use homefs_core::{ClientId, Error, ErrorKind, HostDisk, Path, Timestamp, Version};
use homefs_testkit::VirtualClock;
use homefs_view::{
    Components, Grant, Kind, Moment, Origin, Quota, Right, SetAttrs, SetMeta, Settings, Store,
    Subject, View, Who, WriteOptions,
};

use crate::common::{agent, parents, path, view_of};

/// The largest that the files may be, so that they are no burden to who clones the repository.
const BYTES_MAX: u64 = 300 << 10;

/// The store's directory as format 2 has it, the owner having been killed.
fn golden() -> PathBuf {
    HostPath::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/store-2")
}

/// Opens a store; each time needs another seed, as node ids are made from it.
fn open(dir: &HostPath, seed: u64) -> Store {
    let clock = Arc::new(VirtualClock::new(Timestamp(1_700_000_000_000_000_000)));
    let components = Components { clock, disk: Arc::new(HostDisk), seed };
    let settings = Settings { segment_bytes: 16 << 10, ..Settings::default() };
    Store::open(dir, settings, components).expect("the store opens")
}

fn origin() -> Origin {
    Origin { client: ClientId(7), number: 3 }
}

/// More than fits into a record.
fn large() -> Vec<u8> {
    (0..70_000u32).map(|at| (at / 7 % 251) as u8).collect()
}

/// Writes everything that a store can hold: first what is folded, then what only the journal has.
fn write(dir: &HostPath, to: &HostPath) {
    let store = open(dir, 1);
    let me = view_of(&store, "me");
    me.write(&path("/notes/day.md"), b"one\n", &parents()).expect("a write");
    me.write(&path("/notes/day.md"), b"one\ntwo\n", &parents()).expect("a write");
    me.write(&path("/large.bin"), &large(), &parents()).expect("a write");
    me.symlink("notes/day.md", &path("/link")).expect("a link");
    me.link(&path("/notes/day.md"), &path("/other name")).expect("a name");
    let xattrs = [("user.colour".into(), Some(bytes::Bytes::from("blue")))].into();
    let set = SetAttrs { mode: Some(0o600), xattrs, ..SetAttrs::default() };
    me.set_attrs(&path("/notes/day.md"), &set).expect("attributes");
    for (key, value) in [("tags", "b a"), ("ttl", "2199-01-31T12:00:00Z")] {
        me.set_meta(&path("/notes/day.md"), &SetMeta::one(key, value)).expect("metadata");
    }
    me.write(&path("/gone.md"), b"removed", &parents()).expect("a write");
    me.remove(&path("/gone.md"), false).expect("a removal");
    me.make_dir(&path("/shared/lab"), false).expect("a space");
    me.grant(&path("/shared/lab/in"), &Subject::Group(agent("team")), Right::Write)
        .expect("a grant");
    me.with_origin(origin()).write(&path("/once"), b"once", &parents()).expect("a write");
    let operator = store.view(&Who { agent: agent("op"), operator: true, all: true });
    let operator = operator.expect("an operator");
    operator.set_member(&agent("team"), &agent("pat"), true).expect("a member");
    let quota = Quota { bytes: Some(1 << 20), nodes: None };
    operator.set_quota(&path("/agents/me"), quota).expect("a quota");
    store.close().expect("it closes");
    let store = open(dir, 2);
    let me = view_of(&store, "me");
    me.write(&path("/journalled.md"), b"not folded", &parents()).expect("a write");
    me.write_at(&path("/large.bin"), 3, b"not settled").expect("a range write");
    me.barrier().expect("a barrier");
    copy(dir, to);
}

fn copy(from: &HostPath, to: &HostPath) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else if entry.file_name() != "lock" {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

fn bytes_in(dir: &HostPath) -> u64 {
    let entries = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| match entry.path() {
            path if path.is_dir() => bytes_in(&path),
            path => path.metadata().expect("a file").len(),
        })
        .sum()
}

fn check(store: &Store) {
    let me = view_of(store, "me");
    let read = |at: &str| me.read(&path(at)).map_err(|error: Error| error.kind());
    let mut expected = large();
    expected[3..14].copy_from_slice(b"not settled");
    let contents: BTreeMap<&str, &[u8]> = BTreeMap::from([
        ("/notes/day.md", &b"one\ntwo\n"[..]),
        ("/other name", b"one\ntwo\n"),
        ("/link", b"one\ntwo\n"),
        ("/journalled.md", b"not folded"),
        ("/once", b"once"),
        ("/large.bin", &expected),
    ]);
    for (at, content) in contents {
        let found = read(at).map(|found| found[..] == *content);
        assert_eq!(found, Ok(true), "{at}");
    }
    assert_eq!(read("/gone.md"), Err(ErrorKind::NotFound));
    let day = path("/notes/day.md");
    let stat = me.stat(&day).expect("it works as then");
    assert_eq!((stat.mode, stat.links, stat.size), (0o600, 2, 8));
    assert_eq!(&me.xattrs(&day).expect("it works as then")["user.colour"][..], b"blue");
    let metadata = me.meta(&day).expect("it works as then");
    assert_eq!(metadata.tags, ["a", "b"]);
    assert_eq!(metadata.expires, Some(Timestamp(7_229_217_600_000_000_000)));
    assert_eq!(me.stat(&path("/link")).expect("it works as then").kind, Kind::Link);
    let log = me.log(&day, None, 10).expect("it works as then");
    assert_eq!(
        log.iter().map(|edition| edition.version).collect::<Vec<_>>(),
        [Version(2), Version(1)]
    );
    assert_eq!(
        &me.read_past(&day, Moment::Version(Version(1)), 0, 99).expect("it works as then")[..],
        b"one\n"
    );
    let trash = me.trash(None, 10).expect("it works as then").items;
    assert_eq!(trash.iter().map(|trashed| &trashed.path).collect::<Vec<_>>(), [&path("/gone.md")]);
    me.untrash(&path("/gone.md"), None).expect("it works as then");
    assert_eq!(read("/gone.md").as_deref(), Ok(&b"removed"[..]));
    let team = Grant {
        subject: Subject::Group(agent("team")),
        prefix: path("/shared/lab/in"),
        right: Right::Write,
    };
    assert!(me.grants(&path("/shared/lab")).expect("it works as then").contains(&team));
    view_of(store, "pat")
        .write(&path("/shared/lab/in/x"), b"x", &parents())
        .expect("it works as then");
    let home = me
        .spaces()
        .expect("it works as then")
        .into_iter()
        .find(|info| info.path == Path::root())
        .expect("it works as then");
    assert_eq!(home.quota, Quota { bytes: Some(1 << 20), nodes: None });
    repeat(&me);
    assert_eq!(store.verify().expect("it works as then"), []);
}

/// A request that the store of then answered is not made again.
fn repeat(me: &View) {
    let before = me.stat(&path("/once")).expect("it works as then").version;
    let options = WriteOptions { create_only: true, ..WriteOptions::default() };
    let again = me
        .with_origin(origin())
        .write(&path("/once"), b"twice", &options)
        .expect("it works as then");
    assert_eq!(
        (again, &me.read(&path("/once")).expect("it works as then")[..]),
        (before, &b"once"[..])
    );
}

#[test]
fn a_store_of_format_2_opens_and_reads() {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let dir = tempfile::tempdir().unwrap();
        if golden().exists() {
            fs::remove_dir_all(golden()).unwrap();
        }
        write(dir.path(), &golden());
    }
    assert!(bytes_in(&golden()) <= BYTES_MAX, "{} bytes", bytes_in(&golden()));
    let dir = tempfile::tempdir().unwrap();
    copy(&golden(), dir.path());
    let store = open(dir.path(), 3);
    check(&store);
    store.close().unwrap();
}
