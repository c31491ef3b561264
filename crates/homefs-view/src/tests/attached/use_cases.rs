//! What people do with a source.

use std::collections::BTreeMap;

use homefs_core::ErrorKind;

use super::{Desk, names, path, picture, put, text};
use crate::{Edit, Kind, MakeNode, RenameMode, SetAttrs, SourceChangeKind, WriteOptions};

#[test]
fn a_folder_is_seen_below_its_path() {
    let desk = Desk::new();
    desk.put("a.md", "alpha");
    desk.put("sub/b.md", "beta");
    desk.attach("/docs", false);
    let view = desk.view();
    assert_eq!(names(&view, "/docs"), ["a.md", "sub"]);
    assert_eq!(text(&view, "/docs/sub/b.md"), "beta");
    assert_eq!(&view.read_at(&path("/docs/a.md"), 1, 3).unwrap()[..], b"lph");
    let stat = view.stat(&path("/docs/a.md")).unwrap();
    assert_eq!((stat.kind, stat.size), (Kind::File, 5));
    let walked = view.walk(&path("/"), None, 100).unwrap().items;
    let walked: Vec<_> = walked.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(walked, ["/docs", "/docs/a.md", "/docs/sub", "/docs/sub/b.md"]);
    let found = view.find(&path("/"), "b.*", None, 100).unwrap().items;
    assert_eq!(found[0].path.as_str(), "/docs/sub/b.md");
    let sources = view.sources().unwrap();
    assert_eq!((sources.len(), sources[0].path.as_str()), (1, "/docs"));
}

#[test]
fn writes_stay_in_the_home_and_outlive_the_process() {
    let mut desk = Desk::new();
    for name in ["whole.md", "edit.md", "append.md", "range.md", "mode.md", "gone.md", "moved.md"] {
        desk.put(&format!("deep/er/{name}"), "one\ntwo\n");
    }
    let before = picture(&desk.folder(""));
    desk.attach("/docs", false);
    let view = desk.view();
    let at = |name: &str| path(&format!("/docs/deep/er/{name}"));
    let options = WriteOptions::default();
    let inode = view.stat(&at("range.md")).unwrap().node;
    view.write(&at("whole.md"), b"new", &options).unwrap();
    let edit = Edit::Replace { old: "one".into(), new: "1".into() };
    view.edit(&at("edit.md"), &edit, &options).unwrap();
    view.append(&at("append.md"), b"three\n", &options).unwrap();
    view.write_at(&at("range.md"), 4, b"TWO").unwrap();
    let mode = SetAttrs { mode: Some(0o600), ..SetAttrs::default() };
    view.set_attrs(&at("mode.md"), &mode).unwrap();
    view.remove(&at("gone.md"), false).unwrap();
    view.rename(&at("moved.md"), &path("/mine.md"), RenameMode::Replace).unwrap();
    view.write(&at("added.md"), b"added", &options).unwrap();
    let check = |desk: &Desk| {
        let view = desk.view();
        let in_docs = |name: &str| text(&view, at(name).as_str());
        assert_eq!(in_docs("whole.md"), "new");
        assert_eq!(in_docs("edit.md"), "1\ntwo\n");
        assert_eq!(in_docs("append.md"), "one\ntwo\nthree\n");
        assert_eq!(in_docs("range.md"), "one\nTWO\n");
        assert_eq!(in_docs("mode.md"), "one\ntwo\n");
        assert_eq!(view.stat(&at("mode.md")).unwrap().mode, 0o600);
        assert_eq!(text(&view, "/mine.md"), "one\ntwo\n");
        assert_eq!(view.stat(&at("range.md")).unwrap().node, inode, "it is the same file");
        let left = ["added.md", "append.md", "edit.md", "mode.md", "range.md", "whole.md"];
        assert_eq!(names(&view, "/docs/deep/er"), left);
        assert_eq!(picture(&desk.folder("")), before, "the source is as it was");
    };
    check(&desk);
    desk.reopen();
    check(&desk);
    assert_eq!(desk.store.as_ref().unwrap().verify().unwrap(), []);
}

#[test]
fn what_was_removed_stays_removed_and_what_is_made_there_is_new() {
    let mut desk = Desk::new();
    desk.put("dir/a", "a");
    desk.put("dir/sub/b", "b");
    desk.put("file", "f");
    desk.attach("/docs", false);
    let view = desk.view();
    view.remove(&path("/docs/dir"), true).unwrap();
    view.remove(&path("/docs/file"), false).unwrap();
    assert!(names(&view, "/docs").is_empty());
    view.untrash(&path("/docs/file"), None).unwrap();
    view.untrash(&path("/docs/dir"), None).unwrap();
    assert_eq!(text(&view, "/docs/dir/sub/b") + &text(&view, "/docs/file"), "bf");
    let error = view.untrash(&path("/docs/never"), None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    view.remove(&path("/docs/dir"), true).unwrap();
    view.remove(&path("/docs/file"), false).unwrap();
    view.make_dir(&path("/docs/dir"), false).unwrap();
    assert!(names(&view, "/docs/dir").is_empty(), "nothing of the source shows in it");
    put(&view, "/docs/dir/sub/c", "c");
    put(&view, "/docs/file", "mine");
    desk.reopen();
    let view = desk.view();
    assert_eq!(names(&view, "/docs"), ["dir", "file"]);
    assert_eq!(names(&view, "/docs/dir/sub"), ["c"]);
    view.remove(&path("/docs/file"), false).unwrap();
    assert_eq!(names(&view, "/docs"), ["dir"]);
}

#[test]
fn changes_tell_what_was_done_and_can_be_given_up() {
    let desk = Desk::new();
    for name in ["dir/same", "dir/changed", "dir/removed", "gone/x"] {
        desk.put(name, name);
    }
    desk.attach("/docs", false);
    let view = desk.view();
    put(&view, "/docs/dir/changed", "new");
    put(&view, "/docs/new/file", "new");
    view.remove(&path("/docs/dir/removed"), false).unwrap();
    view.remove(&path("/docs/gone"), true).unwrap();
    let changes = view.source_changes(&path("/docs")).unwrap();
    let changes: Vec<_> =
        changes.iter().map(|change| (change.path.as_str(), change.change)).collect();
    let expected = [
        ("/docs/dir/changed", SourceChangeKind::Changed),
        ("/docs/dir/removed", SourceChangeKind::Removed),
        ("/docs/gone", SourceChangeKind::Removed),
        ("/docs/new", SourceChangeKind::Added),
        ("/docs/new/file", SourceChangeKind::Added),
    ];
    assert_eq!(changes, expected);
    view.discard_source_changes(&path("/docs")).unwrap();
    assert_eq!(view.source_changes(&path("/docs")).unwrap(), []);
    assert_eq!(names(&view, "/docs"), ["dir", "gone"]);
    assert_eq!(text(&view, "/docs/dir/changed"), "dir/changed");
    assert_eq!(text(&view, "/docs/dir/removed"), "dir/removed");
}

#[test]
fn read_only_refuses_every_change() {
    let desk = Desk::new();
    desk.put("dir/a", "a");
    desk.attach("/docs", true);
    let view = desk.view();
    put(&view, "/own", "own");
    let at = path("/docs/dir/a");
    let options = WriteOptions::default();
    let to = path("/elsewhere");
    let mode = SetAttrs { mode: Some(0o600), ..SetAttrs::default() };
    let refused = [
        view.write(&at, b"x", &options),
        view.write(&path("/docs/new"), b"x", &options),
        view.append(&at, b"x", &options),
        view.write_at(&at, 0, b"x"),
        view.truncate(&at, 0),
        view.remove(&at, false),
        view.remove(&path("/docs/dir"), true),
        view.make_dir(&path("/docs/new"), false),
        view.symlink("x", &path("/docs/link")),
        view.link(&at, &to),
        view.rename(&at, &to, RenameMode::Replace),
        view.rename(&path("/own"), &path("/docs/own"), RenameMode::Replace),
        view.set_attrs(&at, &mode),
    ];
    for (number, refused) in refused.into_iter().enumerate() {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::ReadOnly, "change {number}");
    }
    view.copy(&path("/docs"), &path("/copy"), true).unwrap();
    assert_eq!(text(&view, "/copy/dir/a"), "a");
    view.rename(&path("/docs"), &path("/papers"), RenameMode::Replace).unwrap();
    assert_eq!(text(&view, "/papers/dir/a"), "a", "the attachment moves with its directory");
}

#[test]
fn detaching_keeps_what_is_the_homes_own() {
    let mut desk = Desk::new();
    desk.put("dir/a", "a");
    desk.put("dir/b", "b");
    desk.attach("/docs", false);
    let view = desk.view();
    put(&view, "/docs/dir/a", "mine");
    view.remove(&path("/docs/dir/b"), false).unwrap();
    let removed = view.remove(&path("/docs"), true).unwrap_err();
    assert_eq!(removed.kind(), ErrorKind::NotEmpty);
    view.detach_source(&path("/docs")).unwrap();
    assert_eq!(names(&view, "/docs/dir"), ["a"]);
    assert_eq!(text(&view, "/docs/dir/a"), "mine");
    desk.reopen();
    let view = desk.view();
    assert_eq!(names(&view, "/docs/dir"), ["a"]);
    assert!(view.sources().unwrap().is_empty());
    view.remove(&path("/docs"), true).unwrap();
    desk.attach("/docs", false);
    assert_eq!(names(&view, "/docs/dir"), ["a", "b"], "a new attachment hides nothing");
}

#[test]
fn wrong_places_and_directories_are_refused() {
    let desk = Desk::new();
    desk.put("dir/sub/a", "a");
    desk.attach("/docs", false);
    let view = desk.view();
    put(&view, "/full/file", "x");
    let folder = desk.folder("");
    let address = folder.to_str().unwrap();
    let settings = BTreeMap::new();
    for (at, address, kind) in [
        ("/", address, ErrorKind::Invalid),
        ("/full", address, ErrorKind::NotEmpty),
        ("/full/file", address, ErrorKind::NotADirectory),
        ("/docs", address, ErrorKind::AlreadyExists),
        ("/docs/dir", address, ErrorKind::AlreadyExists),
        ("/new", "/no/such/folder", ErrorKind::Unavailable),
    ] {
        let error = view.attach_source(&path(at), address, &settings, false).unwrap_err();
        assert_eq!(error.kind(), kind, "{at}: {error}");
    }
    let to = path("/moved");
    let moved = view.rename(&path("/docs/dir"), &to, RenameMode::Replace).unwrap_err();
    assert_eq!(moved.kind(), ErrorKind::Unsupported);
    put(&view, "/docs/dir/own", "x");
    let moved = view.rename(&path("/docs/dir"), &to, RenameMode::Replace).unwrap_err();
    assert_eq!(moved.kind(), ErrorKind::Unsupported, "also if a part is the home's own");
    let error = view.detach_source(&path("/docs/dir")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn links_of_a_source_lead_into_the_home_only() {
    let desk = Desk::new();
    desk.put("a", "of the source");
    desk.put("../secret", "of the host");
    for (name, target) in [("up", "../secret"), ("host", "/etc/passwd"), ("inside", "a")] {
        std::os::unix::fs::symlink(target, desk.folder(name)).unwrap();
    }
    desk.attach("/docs", false);
    let view = desk.view();
    assert_eq!(view.read(&path("/docs/up")).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(view.read(&path("/docs/host")).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(text(&view, "/docs/inside"), "of the source");
    assert_eq!(view.read_link(&path("/docs/host")).unwrap(), "/etc/passwd");
    put(&view, "/secret", "of the home");
    assert_eq!(text(&view, "/docs/up"), "of the home");
    put(&view, "/docs/inside", "changed");
    assert_eq!(text(&view, "/docs/a"), "changed");
}

#[test]
fn what_changes_at_the_source_is_seen() {
    let desk = Desk::new();
    desk.put("a", "one");
    desk.attach("/docs", false);
    let view = desk.view();
    assert_eq!(text(&view, "/docs/a"), "one");
    desk.put("a", "longer than before");
    desk.put("b", "new");
    view.refresh_source(&path("/docs")).unwrap();
    assert_eq!(names(&view, "/docs"), ["a", "b"]);
    assert_eq!(view.stat(&path("/docs/a")).unwrap().size, 18);
    assert_eq!(text(&view, "/docs/a"), "longer than before");
}

#[test]
fn a_face_by_nodes_sees_and_changes_the_same() {
    let desk = Desk::new();
    desk.put("dir/a", "alpha");
    desk.attach("/docs", false);
    let nodes = desk.view().nodes();
    let root = nodes.root();
    let (docs, _) = nodes.lookup(&root, "docs").unwrap();
    let (dir, _) = nodes.lookup(&docs, "dir").unwrap();
    let (a, stat) = nodes.lookup(&dir, "a").unwrap();
    assert_eq!(stat.size, 5);
    assert_eq!(&nodes.read(&a, 0, 100).unwrap()[..], b"alpha");
    nodes.write(&a, Some(0), b"A").unwrap();
    assert_eq!(&nodes.read(&a, 0, 100).unwrap()[..], b"Alpha", "by the same node");
    let make = MakeNode { kind: Kind::File, mode: 0o644, uid: 0, gid: 0, target: "" };
    nodes.make(&dir, "new", &make).unwrap();
    nodes.remove(&dir, "a", false).unwrap();
    assert_eq!(&nodes.read(&a, 0, 100).unwrap()[..], b"Alpha", "what is open stays");
    assert_eq!(names(&desk.view(), "/docs/dir"), ["new"]);
    let error = nodes.rename((&docs, "dir"), (&root, "x"), RenameMode::Replace).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    desk.put("dir/b", "beta");
    desk.view().refresh_source(&path("/docs")).unwrap();
    let (b, _) = nodes.lookup(&dir, "b").unwrap();
    nodes.remove(&dir, "b", false).unwrap();
    assert_eq!(&nodes.read(&b, 0, 100).unwrap()[..], b"beta", "an open file of the source too");
    nodes.write(&b, Some(0), b"B").unwrap();
    assert_eq!(&nodes.read(&b, 0, 100).unwrap()[..], b"Beta");
}

#[test]
fn a_source_in_a_deep_directory_is_found_by_a_new_process() {
    let mut desk = Desk::new();
    desk.put("page", "words");
    // As deep as a path goes, less what is below it.
    let deep = "/d".repeat(2000);
    desk.attach(&deep, false);
    // In a directory that is not in memory then.
    desk.reopen();
    assert_eq!(text(&desk.view(), &format!("{deep}/page")), "words");
}

#[test]
fn a_folder_that_is_deeper_than_is_shown_can_be_walked() {
    let desk = Desk::new();
    desk.put(&format!("{}page", "d/".repeat(1000)), "words");
    desk.attach("/docs", false);
    let view = desk.view();
    let walked = view.walk(&path("/docs"), None, 10_000).expect("it ends");
    assert_eq!(walked.items.len(), 256);
}
