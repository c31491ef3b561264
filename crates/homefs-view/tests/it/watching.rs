//! Watching: what a watcher is told that comes back later.

use std::time::Duration;

use homefs_core::Path;
use homefs_view::{RenameMode, SetMeta, View, WriteOptions};

use crate::common::{open, parents, path, view_of};

type Change = fn(&View);

fn write(view: &View, at: &str, text: &str) {
    view.write(&path(at), text.as_bytes(), &parents()).expect("it may");
}

fn rename(view: &View, from: &str, to: &str) {
    view.rename(&path(from), &path(to), RenameMode::Replace).expect("it may");
}

#[test]
fn a_watcher_is_told_of_a_gap_only_if_something_cannot_be_told() {
    let cases: &[(&str, bool, Change)] = &[
        ("nothing", false, |_| {}),
        ("two new files", false, |me| {
            write(me, "/notes/b.md", "b");
            write(me, "/c.md", "c");
        }),
        ("a file that was written twice", false, |me| {
            write(me, "/notes/a.md", "1");
            write(me, "/notes/a.md", "2");
        }),
        ("a new file that was written twice", false, |me| {
            write(me, "/notes/b.md", "1");
            write(me, "/notes/b.md", "2");
        }),
        ("a file and a new one", false, |me| {
            write(me, "/notes/a.md", "1");
            write(me, "/notes/b.md", "2");
        }),
        ("a removed file", false, |me| {
            me.remove(&path("/notes/a.md"), false).expect("it may");
        }),
        ("what is noted", false, |me| {
            me.set_meta(&path("/notes/a.md"), &SetMeta::one("tags", "x")).expect("it may");
        }),
        ("another name", true, |me| rename(me, "/notes/a.md", "/notes/b.md")),
        ("another directory", true, |me| rename(me, "/notes", "/papers")),
        ("another name and more", true, |me| {
            rename(me, "/notes/a.md", "/b.md");
            write(me, "/b.md", "1");
            write(me, "/c.md", "2");
        }),
        ("saved as editors do", true, |me| {
            write(me, "/new", "1");
            rename(me, "/new", "/notes/a.md");
        }),
        ("erased", true, |me| {
            me.purge(&path("/notes/a.md")).expect("it may");
        }),
    ];
    for (what, gap, change) in cases {
        let dir = tempfile::tempdir().expect("a directory");
        let store = open(dir.path());
        let me = view_of(&store, "me");
        for at in ["/notes/a.md", "/other.md"] {
            me.write(&path(at), b"before", &parents()).expect("it may");
        }
        let since = me.cursor().expect("a cursor");
        change(&me);
        let (now, seen) = (me.cursor().expect("a cursor"), since != me.cursor().expect("one"));
        drop((me, store));
        // What memory knew is gone.
        let store = open(dir.path());
        let me = view_of(&store, "me");
        let watched = me.watch(&Path::root(), &since, Duration::ZERO, 100).expect("it is told");
        assert_eq!(watched.gap, *gap, "{what}: {watched:?}");
        assert_eq!(watched.cursor, now, "{what}");
        assert_eq!(!watched.events.is_empty(), seen, "{what}: {watched:?}");
        me.write(&path("/other.md"), b"after", &WriteOptions::default()).expect("it may");
        let next = me.watch(&Path::root(), &now, Duration::ZERO, 100).expect("it is told");
        assert!(!next.gap && next.events.len() == 1, "{what}: {next:?}");
    }
}
