//! A view by its nodes: the same door, for faces that know nodes instead of paths.

use std::sync::{Arc, Mutex};

use homefs_core::{ErrorKind, Result, SpaceName};
use homefs_view::{
    Components, Kind, MakeNode, Moment, NodeRef, Nodes, Observer, Range, RenameMode, Right, Seek,
    SetNode, Settings, Special, Store, Subject, Touched, View, Who, XattrMode,
};

use crate::common::{agent, files_with, open, parents, path, view_of};

fn make(kind: Kind) -> MakeNode<'static> {
    MakeNode { kind, mode: 0o644, uid: 7, gid: 8, target: "" }
}

fn find(nodes: &Nodes, at: &str) -> Result<NodeRef> {
    let mut node = nodes.root();
    for name in path(at).names() {
        node = nodes.lookup(&node, name)?.0;
    }
    Ok(node)
}

fn home() -> (tempfile::TempDir, Store, View) {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let view = view_of(&store, "me");
    (dir, store, view)
}

#[test]
fn what_has_no_name_any_more_lives_while_it_is_held() {
    let (_dir, _store, view) = home();
    let nodes = view.nodes();
    view.write(&path("/a.md"), b"first", &parents()).unwrap();
    let (node, stat) = nodes.lookup(&nodes.root(), "a.md").unwrap();
    assert_eq!(stat.size, 5);
    nodes.remove(&nodes.root(), "a.md", false).unwrap();
    assert_eq!(view.read(&path("/a.md")).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(nodes.stat(&node).unwrap().links, 0);
    assert_eq!(&nodes.read(&node, 0, 99).unwrap()[..], b"first");
    let version = view.stat(&path("/")).unwrap().version;
    nodes.write(&node, Some(5), b" and more").unwrap();
    nodes.set(&node, &SetNode { size: Some(9), mode: Some(0o600), ..SetNode::default() }).unwrap();
    assert_eq!(&nodes.read(&node, 0, 99).unwrap()[..], b"first and");
    assert_eq!(nodes.stat(&node).unwrap().mode, 0o600);
    // Nobody else can see it, so it is not recorded; and the trash has what had a name.
    assert_eq!(view.stat(&path("/")).unwrap().version, version);
    let again = nodes.link(&node, &nodes.root(), "b.md");
    assert_eq!(again.map(drop).unwrap_err().kind(), ErrorKind::NotFound);
    view.untrash(&path("/a.md"), None).unwrap();
    assert_eq!(&nodes.read(&node, 0, 99).unwrap()[..], b"first");
    assert_eq!(&view.read(&path("/a.md")).unwrap()[..], b"first");
    nodes.release(&node, 1);
}

#[test]
fn a_large_content_without_a_name_needs_no_memory() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { staging_bytes_max: 2 << 20, ..Settings::default() };
    let store = Store::open(dir.path(), settings, Components::host()).unwrap();
    let nodes = view_of(&store, "me").nodes();
    let (node, _) = nodes.make(&nodes.root(), "tmp", &make(Kind::File)).unwrap();
    nodes.remove(&nodes.root(), "tmp", false).unwrap();
    for part in 0..12_u64 {
        let bytes = vec![u8::try_from(part).unwrap() + 1; 1 << 20];
        nodes.write(&node, Some(part << 20), &bytes).unwrap();
        assert!(store.load().staging_bytes <= 4 << 20);
    }
    // Also after everything else that is not named was swept away.
    view_of(&store, "me").write(&path("/x"), b"x", &parents()).unwrap();
    view_of(&store, "me").purge(&path("/x")).unwrap();
    for part in 0..12_u64 {
        let read = nodes.read(&node, (part << 20) + 5, 3).unwrap();
        assert_eq!(&read[..], [u8::try_from(part).unwrap() + 1; 3]);
    }
    nodes.release(&node, 1);
    assert_eq!(store.load().staging_bytes, 0);
}

#[test]
fn a_node_stays_itself_through_renames() {
    let (_dir, _store, view) = home();
    let nodes = view.nodes();
    view.write(&path("/d/a.md"), b"text", &parents()).unwrap();
    view.write(&path("/e/b.md"), b"other", &parents()).unwrap();
    let (d, e) = (find(&nodes, "/d").unwrap(), find(&nodes, "/e").unwrap());
    let a = find(&nodes, "/d/a.md").unwrap();
    nodes.rename((&d, "a.md"), (&e, "c.md"), RenameMode::NoReplace).unwrap();
    assert_eq!(nodes.path(&a).unwrap(), path("/e/c.md"));
    let taken = nodes.rename((&e, "c.md"), (&e, "b.md"), RenameMode::NoReplace);
    assert_eq!(taken.unwrap_err().kind(), ErrorKind::AlreadyExists);
    nodes.rename((&e, "c.md"), (&e, "b.md"), RenameMode::Exchange).unwrap();
    assert_eq!(&view.read(&path("/e/b.md")).unwrap()[..], b"text");
    let into_itself = nodes.rename((&nodes.root(), "e"), (&e, "x"), RenameMode::Replace);
    assert_eq!(into_itself.unwrap_err().kind(), ErrorKind::Invalid);
    let busy = nodes.remove(&nodes.root(), "e", true);
    assert_eq!(busy.unwrap_err().kind(), ErrorKind::NotEmpty);
    nodes.remove(&nodes.root(), "d", true).unwrap();
    let in_removed = nodes.make(&d, "x", &make(Kind::File));
    assert_eq!(in_removed.map(drop).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn special_nodes_groups_and_attributes_are_kept() {
    let (_dir, store, _) = home();
    let view = store.view(&Who { agent: agent("me"), operator: true, all: false }).unwrap();
    let nodes = view.nodes();
    let device = Kind::Special(Special::Character(0x0105));
    nodes.make(&nodes.root(), "null", &make(device)).unwrap();
    assert_eq!(view.stat(&path("/null")).unwrap().kind, device);
    assert_eq!(view.read(&path("/null")).unwrap_err().kind(), ErrorKind::Invalid);
    let (d, _) = nodes.make(&nodes.root(), "d", &make(Kind::Directory)).unwrap();
    nodes.set(&d, &SetNode { mode: Some(0o2755), gid: Some(42), ..SetNode::default() }).unwrap();
    let (_, file) = nodes.make(&d, "f", &make(Kind::File)).unwrap();
    let (_, below) = nodes.make(&d, "below", &make(Kind::Directory)).unwrap();
    assert_eq!((file.uid, file.gid, file.mode), (7, 42, 0o644));
    assert_eq!((below.gid, below.mode), (42, 0o2644));
    let f = find(&nodes, "/d/f").unwrap();
    nodes.set_xattr(&f, "user.a", Some(b"1"), XattrMode::Create).unwrap();
    for (mode, name, kind) in [
        (XattrMode::Create, "user.a", ErrorKind::AlreadyExists),
        (XattrMode::Replace, "user.b", ErrorKind::NotFound),
        (XattrMode::Any, "trusted.a", ErrorKind::Invalid),
    ] {
        let refused = nodes.set_xattr(&f, name, Some(b"2"), mode);
        assert_eq!(refused.unwrap_err().kind(), kind, "{name}");
    }
    assert_eq!(nodes.xattr(&f, "user.a").unwrap().as_deref(), Some(&b"1"[..]));
}

#[test]
fn holes_are_punched_kept_and_found() {
    const MIB: u64 = 1 << 20;
    let (dir, store, view) = home();
    let nodes = view.nodes();
    let (node, _) = nodes.make(&nodes.root(), "f", &make(Kind::File)).unwrap();
    nodes.write(&node, Some(0), &vec![1; 4 << 20]).unwrap();
    nodes.allocate(&node, MIB + 10, 2 * MIB, Range::Punch).unwrap();
    let check = |nodes: &Nodes, node: &NodeRef| {
        let read = nodes.read(node, 0, 5 << 20).unwrap();
        let expected = |at: u64| u8::from(!(MIB + 10..3 * MIB + 10).contains(&at));
        assert_eq!(read.len(), 4 << 20);
        assert!((0..).zip(read.iter()).all(|(at, byte)| *byte == expected(at)));
        assert_eq!(nodes.seek(node, 0, Seek::Hole).unwrap(), Some(MIB + 4096));
        assert_eq!(nodes.seek(node, MIB + 4095, Seek::Data).unwrap(), Some(MIB + 4095));
        assert_eq!(nodes.seek(node, MIB + 4096, Seek::Data).unwrap(), Some(3 * MIB));
        assert_eq!(nodes.seek(node, 3 * MIB, Seek::Hole).unwrap(), Some(4 * MIB));
        assert_eq!(nodes.seek(node, 4 * MIB, Seek::Data).unwrap(), None);
    };
    check(&nodes, &node);
    store.close().unwrap();
    let store = open(dir.path());
    let nodes = view_of(&store, "me").nodes();
    let node = find(&nodes, "/f").unwrap();
    check(&nodes, &node);
    nodes.allocate(&node, 6 * MIB, MIB, Range::Reserve).unwrap();
    nodes.allocate(&node, 0, 8 * MIB, Range::Zero).unwrap();
    assert_eq!(nodes.stat(&node).unwrap().size, 8 * MIB);
    assert_eq!(nodes.seek(&node, 0, Seek::Data).unwrap(), None);
    assert!(nodes.read(&node, 0, 8 << 20).unwrap().iter().all(|byte| *byte == 0));
}

/// Every way to change something, with a node and the directory that holds it.
type Change = fn(&Nodes, &NodeRef, &NodeRef) -> Result<()>;
const CHANGES: &[(&str, Change)] = &[
    ("make", |nodes, _, above| nodes.make(above, "new", &make(Kind::File)).map(drop)),
    ("remove", |nodes, _, above| nodes.remove(above, "a.md", false)),
    ("rename", |nodes, _, above| {
        nodes.rename((above, "a.md"), (above, "new"), RenameMode::Replace)
    }),
    ("link", |nodes, node, above| nodes.link(node, above, "new").map(drop)),
    ("write", |nodes, node, _| nodes.write(node, Some(0), b"x").map(drop)),
    ("set", |nodes, node, _| {
        nodes.set(node, &SetNode { mode: Some(0), ..SetNode::default() }).map(drop)
    }),
    ("set_xattr", |nodes, node, _| {
        nodes.set_xattr(node, "user.x", Some(b"x"), XattrMode::Any).map(drop)
    }),
    ("allocate", |nodes, node, _| nodes.allocate(node, 0, 9, Range::Zero)),
    ("copy", |nodes, node, _| nodes.copy((node, 0), (node, 1), 1).map(drop)),
];

#[test]
fn the_guard_stands_before_nodes_as_before_paths() {
    let (_dir, store, owner) = home();
    owner.make_dir(&path("/shared/lab"), false).unwrap();
    owner.write(&path("/shared/lab/open/a.md"), b"to be read", &parents()).unwrap();
    owner.write(&path("/shared/lab/hidden/b.md"), b"classified", &parents()).unwrap();
    let reader = view_of(&store, "reader").nodes();
    assert_eq!(find(&reader, "/shared").map(drop).unwrap_err().kind(), ErrorKind::NotFound);
    let (at, subject) = (path("/shared/lab/open"), Subject::Agent(agent("reader")));
    owner.grant(&at, &subject, Right::Read).unwrap();
    let above = find(&reader, "/shared/lab/open").unwrap();
    let node = find(&reader, "/shared/lab/open/a.md").unwrap();
    assert_eq!(&reader.read(&node, 0, 99).unwrap()[..], b"to be read");
    let lab = find(&reader, "/shared/lab").unwrap();
    let names = |nodes: &Nodes, node| {
        let entries = nodes.list(node)?;
        Ok::<_, homefs_core::Error>(entries.into_iter().map(|entry| entry.name).collect::<Vec<_>>())
    };
    assert_eq!(names(&reader, &lab).unwrap(), ["open".into()]);
    let hidden = reader.lookup(&lab, "hidden").map(drop).unwrap_err();
    let missing = reader.lookup(&lab, "nothing").map(drop).unwrap_err();
    assert_eq!((hidden.kind(), hidden.message()), (missing.kind(), missing.message()));
    for (name, change) in CHANGES {
        let refused = change(&reader, &node, &above).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Denied, "{name}");
    }
    // Who has a node in hand when the grant ends has nothing.
    owner.revoke(&at, &subject).unwrap();
    assert!(reader.read(&node, 0, 99).is_err());
    assert!(reader.stat(&node).is_err());
    assert!(names(&reader, &above).is_err());
    assert!(reader.xattrs(&node).is_err());
    for (name, change) in CHANGES {
        assert!(change(&reader, &node, &above).is_err(), "{name}");
    }
    let across = owner.nodes();
    let open = find(&across, "/shared/lab/open").unwrap();
    let moved = across.rename((&open, "a.md"), (&across.root(), "a.md"), RenameMode::Replace);
    assert_eq!(moved.unwrap_err().kind(), ErrorKind::Unsupported);
}

#[derive(Default)]
struct Ears(Mutex<Vec<(SpaceName, Vec<Touched>, bool)>>);

impl Observer for Ears {
    fn told(&self, space: &SpaceName, touched: &[Touched], wait: bool) {
        self.0.lock().expect("nobody panics with it").push((space.clone(), touched.to_vec(), wait));
    }
}

impl Ears {
    fn take(&self) -> Vec<(SpaceName, Vec<Touched>, bool)> {
        std::mem::take(&mut *self.0.lock().expect("nobody panics with it"))
    }
}

#[test]
fn an_observer_hears_of_what_others_change_and_of_nothing_else() {
    let (_dir, _store, view) = home();
    let (nodes, other) = (view.nodes(), view.nodes());
    let ears = Arc::new(Ears::default());
    nodes.observe(ears.clone());
    view.write(&path("/a.md"), b"text", &parents()).unwrap();
    let stat = view.stat(&path("/a.md")).unwrap();
    let root = view.stat(&path("/")).unwrap().node;
    let heard = ears.take();
    assert_eq!(heard.len(), 1);
    let (space, touched, wait) = &heard[0];
    assert_eq!((space, *wait), (&stat.space, true));
    assert!(touched.contains(&Touched::Name(root, "a.md".into())));
    assert!(touched.contains(&Touched::Node(stat.node)));
    // What it does itself it knows, and settling changes nothing that can be seen.
    let node = find(&nodes, "/a.md").unwrap();
    nodes.write(&node, None, b" more").unwrap();
    nodes.settle(&node).unwrap();
    view.read(&path("/a.md")).unwrap();
    assert_eq!(ears.take(), []);
    // Another face like it must not be kept waiting.
    other.set(&find(&other, "/a.md").unwrap(), &SetNode::default()).unwrap();
    assert!(matches!(&ears.take()[..], [(_, _, false)]));
    view.make_dir(&path("/shared/lab"), false).unwrap();
    view.grant(&path("/shared/lab"), &Subject::Agent(agent("b")), Right::Read).unwrap();
    assert!(ears.take().iter().all(|(_, touched, _)| touched.contains(&Touched::Access)));
    drop(nodes);
    view.write(&path("/a.md"), b"unheard", &parents()).unwrap();
    assert_eq!(ears.take(), []);
}

#[test]
fn an_unsettled_file_with_two_names_is_removed_whole() {
    let (_dir, _store, view) = home();
    let nodes = view.nodes();
    let (d, _) = nodes.make(&nodes.root(), "d", &make(Kind::Directory)).unwrap();
    let (f, _) = nodes.make(&d, "f", &make(Kind::File)).unwrap();
    nodes.link(&f, &d, "g").unwrap();
    nodes.write(&f, Some(0), b"unsettled").unwrap();
    view.remove(&path("/d"), true).unwrap();
    assert_eq!(view.stat(&path("/d")).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(view.spaces().unwrap()[0].usage.nodes, 0);
    view.untrash(&path("/d"), None).unwrap();
    let names = view.list(&path("/d"), None, 9).unwrap().items;
    assert_eq!(&view.read(&path("/d").join(&names[0].name).unwrap()).unwrap()[..], b"unsettled");
}

#[test]
fn a_save_that_begins_anew_leaves_what_it_replaces_as_a_version() {
    let (_dir, _store, view) = home();
    let nodes = view.nodes();
    let (note, _) = nodes.make(&nodes.root(), "note.md", &make(Kind::File)).unwrap();
    let (cut, large) = (SetNode { size: Some(0), ..SetNode::default() }, vec![7; 200_000]);
    let saves: [&[u8]; 4] = [b"one", b"two", &large, b"four"];
    for (number, save) in saves.iter().enumerate() {
        nodes.set(&note, &cut).unwrap();
        let (first, rest) = save.split_at(2);
        nodes.write(&note, Some(0), first).unwrap();
        nodes.write(&note, Some(2), rest).unwrap();
        if number == 2 {
            // By a path it is the same.
            view.truncate(&path("/note.md"), 0).unwrap();
        }
    }
    let log = view.log(&path("/note.md"), None, 10).unwrap();
    let past = log.iter().rev().map(|edition| {
        let moment = Moment::Version(edition.version);
        view.read_past(&path("/note.md"), moment, 0, 1_000_000).unwrap()
    });
    let past: Vec<_> = past.filter(|content| !content.is_empty()).collect();
    assert!(past == saves, "{} versions", past.len());
}

#[test]
fn what_the_kernel_removes_name_by_name_comes_back_together() {
    let (_dir, _store, view) = home();
    let nodes = view.nodes();
    let tree = |text: &str| {
        for name in ["/d/a", "/d/e/b", "/d/e/c"] {
            view.write(&path(name), text.as_bytes(), &parents()).unwrap();
        }
    };
    // As `rm -rf` does it.
    let remove = |tree: &[(&str, &str)]| {
        for (directory, name) in tree {
            nodes
                .remove(&find(&nodes, directory).unwrap(), name, *name == "d" || *name == "e")
                .unwrap();
        }
    };
    let all = [("/d", "a"), ("/d/e", "b"), ("/d/e", "c"), ("/d", "e"), ("/", "d")];
    tree("first");
    remove(&all);
    // What had the names before does not come back.
    tree("second");
    view.remove(&path("/d/e/c"), false).unwrap();
    view.write(&path("/d/e/c"), b"third", &parents()).unwrap();
    remove(&all);
    view.untrash(&path("/d"), None).unwrap();
    assert_eq!(&view.read(&path("/d/a")).unwrap()[..], b"second");
    assert_eq!(&view.read(&path("/d/e/b")).unwrap()[..], b"second");
    assert_eq!(&view.read(&path("/d/e/c")).unwrap()[..], b"third");
    // What was removed at once comes back alone.
    view.remove(&path("/d/e/b"), false).unwrap();
    view.remove(&path("/d"), true).unwrap();
    view.untrash(&path("/d"), None).unwrap();
    let names = view.list(&path("/d/e"), None, 9).unwrap().items;
    assert_eq!(names.iter().map(|entry| &*entry.name).collect::<Vec<_>>(), ["c"]);
}

#[test]
fn a_purge_takes_what_was_removed_from_there_before() {
    let (dir, store, view) = home();
    for (name, text) in [("/p/a", "secret-1"), ("/p/a", "secret-2"), ("/p/d/b", "secret-3")] {
        view.write(&path(name), text.as_bytes(), &parents()).unwrap();
        view.remove(&path(name), false).unwrap();
    }
    view.write(&path("/p/c"), b"secret-4", &parents()).unwrap();
    view.write(&path("/p-not"), b"kept", &parents()).unwrap();
    view.remove(&path("/p-not"), false).unwrap();
    let purged = view.purge(&path("/p")).unwrap();
    assert_eq!((purged.nodes, purged.bytes), (6, 4 * 8));
    let left = view.trash(None, 10).unwrap().items;
    assert_eq!(left.iter().map(|trashed| trashed.path.as_str()).collect::<Vec<_>>(), ["/p-not"]);
    store.close().unwrap();
    assert_eq!(files_with(dir.path(), b"secret-"), Vec::<String>::new());
    assert_ne!(files_with(dir.path(), b"kept"), Vec::<String>::new());
}
