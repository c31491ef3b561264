//! What is noted about files, and files that expire.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{ErrorKind, HostDisk, Path, Timestamp};
use homefs_testkit::VirtualClock;
use homefs_view::{
    Action, Components, Metadata, SetAttrs, SetMeta, Settings, Store, View, WriteOptions,
};

use crate::common::{open, parents, path, view_of};

/// 2026-01-31T12:00:00Z
const NOON: Timestamp = Timestamp(1_769_860_800 * 1_000_000_000);

/// A store whose clock stands still.
fn still() -> (tempfile::TempDir, Arc<VirtualClock>, Store, View) {
    let dir = tempfile::tempdir().expect("a directory");
    let clock = Arc::new(VirtualClock::new(NOON));
    let components = Components { clock: clock.clone(), disk: Arc::new(HostDisk), seed: 1 };
    let store = Store::open(dir.path(), Settings::default(), components).expect("it opens");
    let view = view_of(&store, "me");
    (dir, clock, store, view)
}

fn expire(view: &View, at: &str, ttl: &str) {
    view.set_meta(&path(at), &SetMeta::one("ttl", ttl)).expect("a time to live");
}

#[test]
fn metadata_is_one_thing_in_every_face() {
    let (_dir, _clock, _store, me) = still();
    let note = path("/note.md");
    me.write(&note, b"one", &parents()).unwrap();
    let values = [("importance", "0.90"), ("title", "A note"), ("ttl", "7d"), ("mood", "calm")];
    let values = values.map(|(key, value)| (key.to_owned(), Some(value.to_owned())));
    let set = SetMeta {
        values: values.into(),
        add_tags: vec!["#b".into(), "a".into()],
        ..SetMeta::default()
    };
    let version = me.set_meta(&note, &set).unwrap();
    let expected = Metadata {
        path: note.clone(),
        importance: Some(0.9),
        tags: vec!["a".into(), "b".into()],
        expires: Some(Timestamp(NOON.0 + 7 * 86_400 * 1_000_000_000)),
        source: None,
        title: Some("A note".into()),
        other: [("mood".to_owned(), "calm".to_owned())].into(),
    };
    assert_eq!(me.meta(&note).unwrap(), expected);
    // Setting what is set already is no change.
    assert_eq!(me.set_meta(&note, &SetMeta::one("tags", "b a")).unwrap(), version);
    assert_eq!(me.stat(&note).unwrap().version, version);
    let xattrs = me.xattrs(&note).unwrap();
    assert_eq!(&xattrs["user.homefs.importance"][..], b"0.9");
    assert_eq!(&xattrs["user.homefs.tags"][..], b"a,b");
    assert_eq!(&xattrs["user.homefs.ttl"][..], b"2026-02-07T12:00:00Z");
    let xattr = |name: &str, value: Option<&str>| {
        let value = value.map(|value| Bytes::copy_from_slice(value.as_bytes()));
        let set = SetAttrs { xattrs: [(name.into(), value)].into(), ..SetAttrs::default() };
        me.set_attrs(&note, &set)
    };
    xattr("user.homefs.ttl", None).unwrap();
    xattr("user.homefs.tags", Some("z y")).unwrap();
    let refused = xattr("user.homefs.importance", Some("2")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    me.symlink("note.md", &path("/link")).unwrap();
    let now = me.meta(&path("/link")).unwrap();
    assert_eq!((now.expires, now.tags), (None, vec!["y".to_owned(), "z".to_owned()]));
}

#[test]
fn writing_a_file_keeps_its_metadata_and_its_time_to_live() {
    let (_dir, clock, _store, me) = still();
    let note = path("/note.md");
    me.write(&note, b"one", &parents()).unwrap();
    me.set_meta(&note, &SetMeta::one("tags", "kept")).unwrap();
    expire(&me, "/note.md", "1h");
    let before = me.meta(&note).unwrap();
    clock.advance(Duration::from_mins(30));
    me.write(&note, b"two", &parents()).unwrap();
    me.append(&note, b"three", &parents()).unwrap();
    me.write(&note, &vec![1; 100_000], &parents()).unwrap();
    me.write_at(&note, 7, b"x").unwrap();
    assert_eq!(me.meta(&note).unwrap(), before);
    clock.advance(Duration::from_mins(30));
    assert_eq!(me.read(&note).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn an_expired_file_is_gone_at_once_and_can_be_brought_back() {
    let (_dir, clock, _store, me) = still();
    let note = path("/notes/note.md");
    me.write(&note, b"one", &parents()).unwrap();
    me.link(&note, &path("/other")).unwrap();
    expire(&me, "/other", "2026-01-31T12:00:01Z");
    assert_eq!(me.stat(&note).unwrap().expires, Some(Timestamp(NOON.0 + 1_000_000_000)));
    clock.advance(Duration::from_secs(1));
    for gone in ["/other", "/notes/note.md"] {
        assert_eq!(me.stat(&path(gone)).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(me.meta(&path(gone)).unwrap_err().kind(), ErrorKind::NotFound);
    }
    let shown = me.walk(&Path::root(), None, 10).unwrap().items;
    assert_eq!(shown.iter().map(|found| found.path.as_str()).collect::<Vec<_>>(), ["/notes"]);
    assert_eq!(me.find(&Path::root(), "*.md", None, 10).unwrap().items, []);
    let trash = me.trash(None, 10).unwrap().items;
    assert_eq!(trash.len(), 1);
    assert_eq!(trash[0].agent.as_str(), "homefs");
    let removed = trash[0].path.clone();
    me.untrash(&removed, None).unwrap();
    assert_eq!(&me.read(&removed).unwrap()[..], b"one");
    assert_eq!(me.meta(&removed).unwrap().expires, None);
    // What was removed before its time keeps it.
    expire(&me, removed.as_str(), "1h");
    me.remove(&removed, false).unwrap();
    me.untrash(&removed, None).unwrap();
    assert!(me.meta(&removed).unwrap().expires.is_some());
}

#[test]
fn the_name_of_an_expired_file_is_free() {
    let (_dir, clock, store, me) = still();
    for at in ["/a", "/b", "/d/c"] {
        me.write(&path(at), b"old", &parents()).unwrap();
        expire(&me, at, "1s");
    }
    me.write(&path("/new"), b"new", &parents()).unwrap();
    clock.advance(Duration::from_secs(1));
    let fresh = WriteOptions { create_only: true, ..WriteOptions::default() };
    me.write(&path("/a"), b"new", &fresh).unwrap();
    me.rename(&path("/new"), &path("/b"), homefs_view::RenameMode::NoReplace).unwrap();
    me.remove(&path("/d"), false).unwrap();
    assert_eq!(&me.read(&path("/a")).unwrap()[..], b"new");
    assert!(me.meta(&path("/a")).unwrap().lines().iter().all(|(_, value)| value.is_empty()));
    assert_eq!(me.trash(None, 10).unwrap().items.len(), 4);
    assert_eq!(store.verify().unwrap(), []);
}

#[test]
fn a_file_is_swept_when_its_time_comes() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let me = view_of(&store, "me");
    me.write(&path("/note.md"), b"short", &parents()).unwrap();
    let cursor = me.cursor().unwrap();
    expire(&me, "/note.md", "300ms");
    let mut cursor = cursor;
    loop {
        let watched = me.watch(&Path::root(), &cursor, Duration::from_secs(30), 10).unwrap();
        assert_ne!(watched.events, [], "nothing was swept in time");
        if let Some(gone) = watched.events.iter().find(|event| event.action == Action::Removed) {
            assert_eq!((gone.path.as_str(), gone.agent.as_str()), ("/note.md", "homefs"));
            return;
        }
        cursor = watched.cursor;
    }
}
