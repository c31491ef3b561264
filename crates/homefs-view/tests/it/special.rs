//! Special bits and devices: operators give them, and nobody else.

use homefs_core::{ErrorKind, Result};
use homefs_view::{
    Edit, Kind, MakeNode, Moment, NodeRef, Nodes, Range, RenameMode, SetAttrs, SetMeta, SetNode,
    Special, Store, TimeTo, View, Who, WriteOptions,
};

use crate::common::{agent, open, parents, path, view_of};

fn operator_of(store: &Store) -> View {
    let who = Who { agent: agent("me"), operator: true, all: false };
    store.view(&who).expect("an operator has a home")
}

fn mode_at(view: &View, at: &str) -> u32 {
    view.stat(&path(at)).expect("it is there").mode
}

fn chmod(view: &View, at: &str, mode: u32) {
    let set = SetAttrs { mode: Some(mode), ..SetAttrs::default() };
    view.set_attrs(&path(at), &set).expect("chmod succeeds");
}

fn find(nodes: &Nodes, name: &str) -> NodeRef {
    nodes.lookup(&nodes.root(), name).expect("it is there").0
}

fn make(nodes: &Nodes, name: &str, kind: Kind, mode: u32) -> Result<()> {
    let make = MakeNode { kind, mode, uid: 7, gid: 8, target: "" };
    nodes.make(&nodes.root(), name, &make).map(drop)
}

/// Every way to make something with special bits, called `x` then; `tool` is an operator's and has
/// them, and so has `removed`, which is in the trash.
type Way = fn(&View) -> Result<()>;
const WAYS: &[(&str, Way)] = &[
    ("write", |view| {
        let options = WriteOptions { mode: Some(0o7755), ..WriteOptions::default() };
        view.write(&path("/x"), b"text", &options).map(drop)
    }),
    ("write much", |view| {
        let options = WriteOptions { mode: Some(0o7755), ..WriteOptions::default() };
        view.write(&path("/x"), &vec![b'x'; 100_000], &options).map(drop)
    }),
    ("write with a time", |view| {
        let modified = Some(view.stat(&path("/tool"))?.modified);
        let options = WriteOptions { mode: Some(0o7755), modified, ..WriteOptions::default() };
        view.write(&path("/x"), b"text", &options).map(drop)
    }),
    ("chmod", |view| {
        view.write(&path("/x"), b"text", &parents())?;
        let set = SetAttrs { mode: Some(0o7755), ..SetAttrs::default() };
        view.set_attrs(&path("/x"), &set).map(drop)
    }),
    ("chmod of a directory", |view| {
        view.make_dir(&path("/x"), false)?;
        let set = SetAttrs { mode: Some(0o7755), ..SetAttrs::default() };
        view.set_attrs(&path("/x"), &set).map(drop)
    }),
    ("copy", |view| view.copy(&path("/tool"), &path("/x"), false).map(drop)),
    ("untrash", |view| view.untrash(&path("/removed"), Some(&path("/x"))).map(drop)),
    ("mknod", |view| make(&view.nodes(), "x", Kind::File, 0o7755)),
    ("mkdir", |view| make(&view.nodes(), "x", Kind::Directory, 0o7755)),
    ("mkfifo", |view| make(&view.nodes(), "x", Kind::Special(Special::Fifo), 0o7755)),
    ("setattr", |view| {
        let nodes = view.nodes();
        make(&nodes, "x", Kind::File, 0o644)?;
        let set = SetNode { mode: Some(0o7755), ..SetNode::default() };
        nodes.set(&find(&nodes, "x"), &set).map(drop)
    }),
];

#[test]
fn only_an_operator_gives_special_bits() {
    for (way, act) in WAYS {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let (mine, operator) = (view_of(&store, "me"), operator_of(&store));
        let views = [(&mine, 0o755), (&operator.plain(), 0o755), (&operator, 0o7755)];
        for (view, expected) in views {
            for name in ["/tool", "/removed"] {
                operator.write(&path(name), b"text", &parents()).unwrap();
                chmod(&operator, name, 0o7755);
            }
            operator.remove(&path("/removed"), false).unwrap();
            act(view).unwrap();
            assert_eq!(mode_at(&mine, "/x"), expected, "{way}");
            operator.purge(&path("/x")).unwrap();
        }
    }
}

#[test]
fn special_bits_do_not_go_to_another_space_with_a_copy() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let (mine, operator) = (view_of(&store, "me"), operator_of(&store));
    mine.make_dir(&path("/shared/tools"), false).unwrap();
    mine.write(&path("/d/tool"), b"text", &parents()).unwrap();
    chmod(&operator, "/d/tool", 0o6755);
    chmod(&operator, "/d", 0o3755);
    mine.copy(&path("/d"), &path("/shared/tools/d"), true).unwrap();
    let modes = ["/shared/tools/d", "/shared/tools/d/tool"].map(|at| mode_at(&mine, at));
    assert_eq!(modes, [0o755, 0o755]);
}

#[test]
fn only_an_operator_makes_devices() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let (mine, operator) = (view_of(&store, "me"), operator_of(&store));
    let check_denied = |done: Result<()>, what: &str| {
        let denied = done.expect_err(what);
        assert_eq!(denied.kind(), ErrorKind::Denied, "{what}: {denied}");
        assert!(denied.to_string().contains("--operator"), "{what}: {denied}");
    };
    for device in [Special::Character(0x0103), Special::Block(0x0801)].map(Kind::Special) {
        check_denied(make(&mine.nodes(), "null", device, 0o666), "mknod");
        check_denied(make(&operator.plain().nodes(), "null", device, 0o666), "mknod");
        make(&operator.nodes(), "null", device, 0o666).unwrap();
        check_denied(mine.copy(&path("/null"), &path("/copy"), false).map(drop), "copy");
        // It is what it is, wherever it is moved, and may go.
        mine.rename(&path("/null"), &path("/moved"), RenameMode::Replace).unwrap();
        chmod(&mine, "/moved", 0o600);
        assert_eq!(mine.stat(&path("/moved")).unwrap().kind, device);
        mine.remove(&path("/moved"), false).unwrap();
        check_denied(mine.untrash(&path("/moved"), None).map(drop), "untrash");
        operator.untrash(&path("/moved"), None).unwrap();
        assert_eq!(mine.stat(&path("/moved")).unwrap().kind, device);
        operator.remove(&path("/moved"), false).unwrap();
    }
    for harmless in [Special::Fifo, Special::Socket].map(Kind::Special) {
        make(&mine.nodes(), "pipe", harmless, 0o644).unwrap();
        mine.remove(&path("/pipe"), false).unwrap();
    }
}

/// Every way to give `/tool` another content or owner.
const WRITES: &[(&str, Way)] = &[
    ("write", |view| view.write(&path("/tool"), b"mine", &parents()).map(drop)),
    ("append", |view| view.append(&path("/tool"), b"mine", &parents()).map(drop)),
    ("append much", |view| view.append(&path("/tool"), &[b'x'; 100_000], &parents()).map(drop)),
    ("write a range", |view| view.write_at(&path("/tool"), 1, b"mine").map(drop)),
    ("truncate", |view| view.truncate(&path("/tool"), 1).map(drop)),
    ("edit", |view| {
        let edit = Edit::Replace { old: "second".into(), new: "mine".into() };
        view.edit(&path("/tool"), &edit, &parents()).map(drop)
    }),
    ("restore", |view| {
        view.restore(&path("/tool"), Moment::Version(homefs_core::Version(1))).map(drop)
    }),
    ("copy over it", |view| view.copy(&path("/other"), &path("/tool"), false).map(drop)),
    ("chown", |view| {
        let set = SetAttrs { uid: Some(4711), ..SetAttrs::default() };
        view.set_attrs(&path("/tool"), &set).map(drop)
    }),
    ("chgrp with chmod", |view| {
        let set = SetAttrs { gid: Some(4711), mode: Some(0o7755), ..SetAttrs::default() };
        view.set_attrs(&path("/tool"), &set).map(drop)
    }),
    ("write to a node", |view| {
        let nodes = view.nodes();
        nodes.write(&find(&nodes, "tool"), Some(0), b"mine").map(drop)
    }),
    ("cut a node", |view| {
        let nodes = view.nodes();
        let set = SetNode { size: Some(2), ..SetNode::default() };
        nodes.set(&find(&nodes, "tool"), &set).map(drop)
    }),
    ("punch a hole", |view| {
        let nodes = view.nodes();
        nodes.allocate(&find(&nodes, "tool"), 0, 2, Range::Punch)
    }),
];

/// Ways to change `/tool` that leave what it holds to whom it belongs.
const OTHERS: &[(&str, Way)] = &[
    ("tag", |view| view.set_meta(&path("/tool"), &SetMeta::one("tags", "a")).map(drop)),
    ("rename", |view| {
        view.rename(&path("/tool"), &path("/y"), RenameMode::Replace)?;
        view.rename(&path("/y"), &path("/tool"), RenameMode::Replace).map(drop)
    }),
    ("link", |view| view.link(&path("/tool"), &path("/y")).map(drop)),
    ("touch", |view| {
        let nodes = view.nodes();
        let set = SetNode { modified: Some(TimeTo::Now), ..SetNode::default() };
        nodes.set(&find(&nodes, "tool"), &set).map(drop)
    }),
];

#[test]
fn whoever_gives_a_file_another_content_or_owner_takes_its_special_bits() {
    let ways = WRITES.iter().map(|way| (way, 0o755)).chain(OTHERS.iter().map(|way| (way, 0o7755)));
    for ((way, act), expected) in ways {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let (mine, operator) = (view_of(&store, "me"), operator_of(&store));
        operator.write(&path("/tool"), b"first text", &parents()).unwrap();
        operator.write(&path("/tool"), b"second text", &parents()).unwrap();
        operator.write(&path("/other"), b"other text", &parents()).unwrap();
        chmod(&operator, "/tool", 0o7755);
        let before = mine.stat(&path("/tool")).unwrap();
        act(&mine).unwrap();
        let after = mine.stat(&path("/tool")).unwrap();
        assert_eq!(after.mode, expected, "{way}");
        assert!(after.changed >= before.changed && after.modified >= before.modified, "{way}");
        // What settles later, and what is read back, says the same.
        store.close().unwrap();
        let store = open(dir.path());
        assert_eq!(mode_at(&view_of(&store, "me"), "/tool"), expected, "{way}, opened again");
    }
}

#[test]
fn what_an_operator_gave_stays_when_the_content_settles() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let operator = operator_of(&store);
    operator.write(&path("/tool"), b"text", &parents()).unwrap();
    chmod(&operator, "/tool", 0o6755);
    operator.write_at(&path("/tool"), 2, b"more").unwrap();
    // Asking for the history settles.
    operator.log(&path("/tool"), None, 10).unwrap();
    assert_eq!(mode_at(&operator, "/tool"), 0o6755);
    store.close().unwrap();
    assert_eq!(mode_at(&view_of(&open(dir.path()), "me"), "/tool"), 0o6755);
}

#[test]
fn a_directory_keeps_its_special_bits_whoever_works_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let (mine, operator) = (view_of(&store, "me"), operator_of(&store));
    operator.make_dir(&path("/d"), false).unwrap();
    chmod(&operator, "/d", 0o3777);
    mine.write(&path("/d/a"), b"text", &parents()).unwrap();
    mine.remove(&path("/d/a"), false).unwrap();
    mine.set_meta(&path("/d"), &SetMeta::one("tags", "a")).unwrap();
    assert_eq!(mode_at(&mine, "/d"), 0o3777);
    mine.make_dir(&path("/d/below"), false).unwrap();
    assert_eq!(mode_at(&mine, "/d/below"), 0o755);
    chmod(&mine, "/d", 0o755);
    assert_eq!(mode_at(&mine, "/d"), 0o755);
}
