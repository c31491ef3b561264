//! Conflicts, as agents on two machines see and resolve them.

use std::sync::Arc;

use homefs_core::ErrorKind;
use homefs_testkit::{MemoryServer, VirtualClock};
use homefs_view::{
    AttachOptions, Components, Conflict, Right, Settings, Side, Store, Subject, SyncOptions, View,
};
use tempfile::TempDir;

use crate::common::{agent, open, parents, path, view_of};

/// One machine.
struct Desk {
    store: Store,
    view: View,
    dir: TempDir,
}

impl Desk {
    fn new(server: &MemoryServer, name: &str) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        // The clock stands still, so nothing happens that nobody asks for.
        let clock = Arc::new(VirtualClock::default());
        let components = Components { clock, ..Components::host() };
        let store =
            Store::open(dir.path(), Settings::default(), components).expect("a new store opens");
        let options = AttachOptions { machine_name: name.into(), home_at_prefix: None };
        store.attach(Arc::new(server.remote(name)), &options).expect("it attaches");
        let view = view_of(&store, "me");
        Self { store, view, dir }
    }

    fn sync(&self) {
        self.store.sync(&SyncOptions::default()).expect("the remote answers");
    }

    fn write(&self, at: &str, text: &str) {
        self.view.write(&path(at), text.as_bytes(), &parents()).expect("it can be written");
    }

    fn read(&self, at: &str) -> String {
        let bytes = self.view.read(&path(at)).expect("it is there");
        String::from_utf8(bytes.to_vec()).expect("it is text")
    }

    fn conflict(&self) -> Conflict {
        let mut conflicts = self.view.conflicts().expect("they are listed");
        assert_eq!(conflicts.len(), 1, "{conflicts:?}");
        conflicts.remove(0)
    }
}

/// Makes two machines both change files, of which `b` merges.
fn meet(server: &MemoryServer, [a, b]: [&Desk; 2], places: &[&str], texts: [&str; 3]) {
    for at in places {
        a.write(at, texts[0]);
    }
    a.sync();
    b.sync();
    server.disconnect("b");
    for at in places {
        a.write(at, texts[1]);
        b.write(at, texts[2]);
    }
    a.sync();
    server.connect("b");
    b.sync();
    a.sync();
}

/// Two machines that both changed a file, of which `b` merged.
fn clash(at: &str, texts: [&str; 3]) -> [Desk; 2] {
    let server = MemoryServer::new();
    let (a, b) = (Desk::new(&server, "a"), Desk::new(&server, "b"));
    meet(&server, [&a, &b], &[at], texts);
    [a, b]
}

#[test]
fn both_machines_list_a_conflict_until_one_resolves_it() {
    let [a, b] = clash("/n.md", ["one\n", "one by a\n", "one by b\n"]);
    let (by_a, by_b) = (a.conflict(), b.conflict());
    assert_eq!((by_a.machine.as_str(), by_a.path.as_str()), ("b", "/n.md"));
    assert_eq!((&by_a.number, &by_a.ours, &by_a.theirs), (&by_b.number, &by_b.theirs, &by_b.ours));
    let listed = String::from_utf8(a.view.read(&path("/:conflicts")).unwrap().to_vec()).unwrap();
    assert!(listed.contains("/n.md") && listed.contains("both changes are in it"), "{listed}");
    let merged = a.read("/n.md");
    a.view.resolve(&by_a.number, None).unwrap();
    let error = a.view.resolve(&by_a.number, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    a.sync();
    b.sync();
    assert_eq!(b.view.conflicts().unwrap(), []);
    assert_eq!(b.read("/n.md"), merged, "nothing was taken");
}

#[test]
fn a_side_can_be_taken_on_either_machine() {
    for (side, on_b, expected) in [
        (Side::Ours, true, "one by b\n"),
        (Side::Theirs, true, "one by a\n"),
        (Side::Ours, false, "one by a\n"),
        (Side::Theirs, false, "one by b\n"),
    ] {
        let desks = clash("/n.md", ["one\n", "one by a\n", "one by b\n"]);
        let [one, other] = if on_b { [&desks[1], &desks[0]] } else { [&desks[0], &desks[1]] };
        one.view.resolve(&one.conflict().number, Some(side)).unwrap();
        assert_eq!(one.read("/n.md"), expected);
        one.sync();
        other.sync();
        assert_eq!(other.read("/n.md"), expected);
        assert_eq!(other.view.conflicts().unwrap(), []);
    }
}

#[test]
fn conflicts_are_closed_by_number_path_and_pattern() {
    let mut left = vec!["/a.md", "/b.md", "/d/b.md", "/d/c.md", "/d/e/f.txt", "/d/e/g.md"];
    let server = MemoryServer::new();
    let (a, b) = (Desk::new(&server, "a"), Desk::new(&server, "b"));
    meet(&server, [&a, &b], &left, ["one\n", "one by a\n", "one by b\n"]);
    let paths = |conflicts: &[Conflict]| {
        let mut paths: Vec<_> = conflicts.iter().map(|one| one.path.to_string()).collect();
        paths.sort();
        paths
    };
    let listed = b.view.conflicts().unwrap();
    let first = listed.iter().find(|one| one.path.as_str() == "/b.md").unwrap();
    for (which, closed) in [
        ("/d/x", &[][..]),
        ("*.rs", &[]),
        ("0123456789abcdef", &[]),
        (first.number.as_str(), &["/b.md"]),
        ("d/*.md", &["/d/b.md", "/d/c.md"]),
        ("d/e", &["/d/e/f.txt", "/d/e/g.md"]),
        ("/", &["/a.md"]),
    ] {
        let found = match b.view.resolve(which, Some(Side::Ours)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            found => found.unwrap(),
        };
        assert_eq!(paths(&found), closed, "{which}");
        left.retain(|at| !closed.contains(at));
        assert_eq!(paths(&b.view.conflicts().unwrap()), left, "{which}");
        for at in closed {
            assert_eq!(b.read(at), "one by b\n");
        }
    }
}

#[test]
fn what_cannot_be_merged_is_named_with_its_place() {
    let [a, b] = clash("/d/picture", ["\0one", "\0by a", "\0by b"]);
    let conflict = a.conflict();
    let beside = conflict.beside.expect("it is beside");
    assert_eq!((a.read("/d/picture"), a.read(beside.as_str())), ("\0by a".into(), "\0by b".into()));
    assert!(beside.as_str().contains(&conflict.theirs.unwrap().digest), "{beside}");
    a.view.remove(&path("/d"), true).unwrap();
    assert_eq!(a.view.conflicts().unwrap(), [], "it is about nothing any more");
    a.sync();
    b.sync();
    assert_eq!(b.view.conflicts().unwrap(), []);
}

#[test]
fn a_conflict_is_listed_and_resolved_while_nothing_is_attached() {
    let [a, b] = clash("/n.md", ["one\n", "one by a\n", "one by b\n"]);
    let dir = b.dir;
    drop(b.view);
    b.store.close().unwrap();
    let store = open(dir.path());
    let view = view_of(&store, "me");
    let conflict = view.conflicts().unwrap().remove(0);
    let seen = a.conflict();
    let expected = Conflict { ours: seen.theirs.clone(), theirs: seen.ours.clone(), ..seen };
    assert_eq!(conflict, expected);
    let error = view.resolve(&conflict.number, Some(Side::Ours)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    view.resolve(&conflict.number, None).unwrap();
    assert_eq!(view.conflicts().unwrap(), []);
}

#[test]
fn a_hidden_conflict_does_not_exist() {
    let server = MemoryServer::new();
    let (a, b) = (Desk::new(&server, "a"), Desk::new(&server, "b"));
    a.view.make_dir(&path("/shared/lab"), false).unwrap();
    a.view.make_dir(&path("/shared/lab/open"), false).unwrap();
    for (name, at, right) in
        [("me", "/shared/lab", Right::Manage), ("reader", "/shared/lab/open", Right::Read)]
    {
        a.view.grant(&path(at), &Subject::Agent(agent(name)), right).unwrap();
    }
    let places = ["/shared/lab/hidden/n.md", "/shared/lab/open/n.md"];
    meet(&server, [&a, &b], &places, ["one\n", "one by a\n", "one by b\n"]);
    let all = b.view.conflicts().unwrap();
    assert_eq!(all.len(), 2);
    let reader = view_of(&b.store, "reader");
    let seen = reader.conflicts().unwrap();
    assert_eq!(
        seen.iter().map(|seen| seen.path.as_str()).collect::<Vec<_>>(),
        ["/shared/lab/open/n.md"]
    );
    let kind = |view: &View, number: &str| view.resolve(number, None).unwrap_err().kind();
    assert_eq!(kind(&reader, &seen[0].number), ErrorKind::Denied, "it may only read");
    let hidden = all.iter().find(|one| one.path.as_str().contains("hidden")).unwrap();
    assert_eq!(kind(&reader, &hidden.number), ErrorKind::NotFound);
}
