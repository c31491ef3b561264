//! Files that programs save by making new ones: what people know of them goes on.

use std::sync::Arc;
use std::time::Duration;

use homefs_core::{HostDisk, Timestamp};
use homefs_testkit::VirtualClock;
use homefs_view::{
    Components, Kind, MakeNode, Moment, Nodes, RenameMode, SearchOptions, SetMeta, SetNode,
    Settings, Store, View,
};

use crate::common::{parents, path, view_of};

/// A call that programs make, on names in the root.
#[derive(Clone, Copy, Debug)]
enum Call {
    /// Empties a file, or makes it, and writes.
    Write(&'static str, &'static str),
    Rename(&'static str, &'static str),
    Exchange(&'static str, &'static str),
    Link(&'static str, &'static str),
    Remove(&'static str),
    /// Lets seconds go by.
    Wait(u64),
}
use Call::{Exchange, Link, Remove, Rename, Wait, Write};

/// What a program does with `note.md`, which has the editions `one` and `two`.
struct Case {
    what: &'static str,
    calls: &'static [Call],
    /// The editions that `note.md` then has, oldest first.
    log: &'static [&'static str],
    /// What is then in the trash.
    trash: &'static [&'static str],
}

/// Cases in which the file goes on.
const SAVES: &[Case] = &[
    Case {
        what: "sed -i, rsync, LibreOffice: a new file is renamed over the old",
        calls: &[Write("new", "three"), Rename("new", "note.md")],
        log: &["one", "two", "three"],
        trash: &[],
    },
    Case {
        what: "two saves in a row",
        calls: &[
            Write("new", "three"),
            Rename("new", "note.md"),
            Write("new", "four"),
            Rename("new", "note.md"),
        ],
        log: &["one", "two", "three", "four"],
        trash: &[],
    },
    Case {
        what: "VS Code: the file itself is written",
        calls: &[Write("note.md", "three")],
        log: &["one", "two", "three"],
        trash: &[],
    },
    Case {
        what: "vim: the old file is renamed away and goes when the new one is written",
        calls: &[Rename("note.md", "note.md~"), Write("note.md", "three"), Remove("note.md~")],
        log: &["one", "two", "three"],
        trash: &[],
    },
    Case {
        what: "vim where `note.md~` is taken",
        calls: &[
            Write("note.md~", "mine"),
            Rename("note.md", "note.mz~"),
            Write("note.md", "three"),
            Remove("note.mz~"),
        ],
        log: &["one", "two", "three"],
        trash: &[],
    },
    Case {
        what: "Emacs: the backup stays, and is replaced by the next one",
        calls: &[
            Rename("note.md", "note.md~"),
            Write("note.md", "three"),
            Wait(60),
            Rename("note.md", "note.md~"),
            Write("note.md", "four"),
        ],
        log: &["one", "two", "three", "four"],
        trash: &[],
    },
    Case {
        what: "sed -i.bak: both are renamed",
        calls: &[Write("new", "three"), Rename("note.md", "note.md.bak"), Rename("new", "note.md")],
        log: &["one", "two", "three"],
        trash: &[],
    },
    Case {
        what: "GLib: the backup is a link",
        calls: &[Write("new", "three"), Link("note.md", "note.md~"), Rename("new", "note.md")],
        log: &["one", "two", "three"],
        trash: &[],
    },
    Case {
        what: "patch: the old file is renamed to `.orig`",
        calls: &[
            Write("new", "three"),
            Rename("note.md", "note.md.orig"),
            Rename("new", "note.md"),
        ],
        log: &["one", "two", "three"],
        trash: &[],
    },
    Case {
        what: "Helix: the backup has letters of its own",
        calls: &[
            Rename("note.md", "note.mdx7Qa2b.bck"),
            Write("note.md", "three"),
            Remove("note.mdx7Qa2b.bck"),
        ],
        log: &["one", "two", "three"],
        trash: &[],
    },
];

/// Cases in which the name means another file.
const OTHERS: &[Case] = &[
    Case {
        what: "logrotate: the old log is renamed, and a new one made",
        calls: &[Rename("note.md", "note.md.1"), Write("note.md", "three")],
        log: &["three"],
        trash: &[],
    },
    Case {
        what: "a new file long after the old one was renamed to a backup",
        calls: &[Rename("note.md", "note.md~"), Wait(3600), Write("note.md", "three")],
        log: &["three"],
        trash: &[],
    },
    Case {
        what: "a draft becomes final, and a new draft is made",
        calls: &[Rename("note.md", "final.md"), Wait(3600), Write("note.md", "three")],
        log: &["three"],
        trash: &[],
    },
    Case {
        what: "git checkout: the old file is removed, and a new one made",
        calls: &[Remove("note.md"), Write("note.md", "three")],
        log: &["three"],
        trash: &["/note.md"],
    },
    Case {
        what: "an older file takes the place",
        calls: &[
            Wait(1),
            Write("old.md", "older"),
            Wait(1),
            Write("note.md", "three"),
            Rename("old.md", "note.md"),
        ],
        log: &["older"],
        trash: &["/note.md"],
    },
    Case {
        what: "two files change their names",
        calls: &[Write("new", "three"), Exchange("new", "note.md")],
        log: &["three"],
        trash: &[],
    },
    Case {
        what: "the old file has another name that is no backup",
        calls: &[Link("note.md", "known.md"), Write("new", "three"), Rename("new", "note.md")],
        log: &["three"],
        trash: &[],
    },
    Case {
        what: "the backup goes before the new file is made",
        calls: &[Rename("note.md", "note.md~"), Remove("note.md~"), Write("note.md", "three")],
        log: &["three"],
        trash: &["/note.md~"],
    },
];

/// The doors of a home.
trait Door {
    fn call(&self, call: Call);
}

impl Door for View {
    fn call(&self, call: Call) {
        let at = |name: &str| path(&format!("/{name}"));
        let done = match call {
            Write(name, text) => self.write(&at(name), text.as_bytes(), &parents()),
            Rename(from, to) => self.rename(&at(from), &at(to), RenameMode::Replace),
            Exchange(from, to) => self.rename(&at(from), &at(to), RenameMode::Exchange),
            Link(from, to) => self.link(&at(from), &at(to)),
            Remove(name) => self.remove(&at(name), false),
            Wait(_) => unreachable!("time is not the door's"),
        };
        assert!(done.is_ok(), "{call:?}: {done:?}");
    }
}

impl Door for Nodes {
    fn call(&self, call: Call) {
        let root = self.root();
        let find = |name: &str| self.lookup(&root, name).map(|(node, _)| node);
        let done: homefs_core::Result<()> = match call {
            Write(name, text) => (|| {
                let make = MakeNode { kind: Kind::File, mode: 0o600, uid: 0, gid: 0, target: "" };
                let node = match find(name) {
                    Ok(node) => node,
                    Err(_) => self.make(&root, name, &make)?.0,
                };
                self.set(&node, &SetNode { size: Some(0), ..SetNode::default() })?;
                self.write(&node, Some(0), text.as_bytes())?;
                self.release(&node, 1);
                Ok(())
            })(),
            Rename(from, to) => self.rename((&root, from), (&root, to), RenameMode::Replace),
            Exchange(from, to) => self.rename((&root, from), (&root, to), RenameMode::Exchange),
            Link(from, to) => find(from).and_then(|node| self.link(&node, &root, to)).map(drop),
            Remove(name) => self.remove(&root, name, false),
            Wait(_) => unreachable!("time is not the door's"),
        };
        assert!(done.is_ok(), "{call:?}: {done:?}");
    }
}

/// A home with `note.md`, its clock, and what is behind it.
struct Home {
    dir: tempfile::TempDir,
    clock: Arc<VirtualClock>,
    store: Store,
    view: View,
    seed: u64,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let clock = Arc::new(VirtualClock::new(Timestamp(1_769_860_800_000_000_000)));
        Self::open(dir, clock, 1)
    }

    fn open(dir: tempfile::TempDir, clock: Arc<VirtualClock>, seed: u64) -> Self {
        let components = Components { clock: clock.clone(), disk: Arc::new(HostDisk), seed };
        let store = Store::open(dir.path(), Settings::default(), components).expect("it opens");
        let view = view_of(&store, "me");
        Self { dir, clock, store, view, seed }
    }

    /// Closes the store and opens it again, as the next process does.
    fn reopen(self) -> Self {
        let Self { dir, clock, store, view, seed } = self;
        drop(view);
        store.close().expect("it closes");
        Self::open(dir, clock, seed + 1)
    }

    /// Makes the file, and notes something about it.
    fn note(&self, door: &dyn Door) {
        for text in ["one", "two"] {
            door.call(Write("note.md", text));
            // Settles it.
            self.view.log(&path("/note.md"), None, 9).expect("a history");
        }
        let values = [("importance", "0.9"), ("source", "a book"), ("ttl", "2199-01-31T12:00:00Z")];
        let values = values.map(|(key, value)| (key.to_owned(), Some(value.to_owned())));
        let values = SetMeta { values: values.into(), ..SetMeta::default() };
        let set = SetMeta { add_tags: vec!["kept".into()], ..values };
        self.view.set_meta(&path("/note.md"), &set).expect("metadata");
    }

    fn run(&self, door: &dyn Door, calls: &[Call]) {
        for &call in calls {
            match call {
                Wait(seconds) => self.clock.advance(Duration::from_secs(seconds)),
                call => door.call(call),
            }
        }
    }

    /// Returns the editions of a file, oldest first.
    fn log(&self, at: &str) -> Vec<String> {
        let read = |version| {
            let past = self.view.read_past(&path(at), Moment::Version(version), 0, 99);
            String::from_utf8(past.expect("an edition").into()).expect("a text")
        };
        let log = self.view.log(&path(at), None, 99).expect("a history");
        log.iter().rev().map(|edition| read(edition.version)).collect()
    }

    fn trash(&self) -> Vec<String> {
        let trash = self.view.trash(None, 99).expect("a trash").items;
        let mut paths: Vec<_> = trash.iter().map(|item| item.path.to_string()).collect();
        paths.dedup();
        paths
    }

    fn is_noted(&self, at: &str) -> bool {
        let meta = self.view.meta(&path(at)).expect("metadata");
        let all = (meta.tags.len(), meta.importance.is_some(), meta.source.is_some());
        assert!(
            all == (1, true, true) || all == (0, false, false),
            "{at} has some of it: {meta:?}"
        );
        assert_eq!(meta.expires.is_some(), meta.source.is_some());
        all.1
    }
}

fn check(case: &Case, goes_on: bool, door: fn(&View) -> Box<dyn Door>, which: &str) {
    let home = Home::new();
    let door = door(&home.view);
    home.note(&*door);
    home.run(&*door, case.calls);
    judge(&home, case, goes_on, which);
}

/// Checks a case in which each call is made by a process of its own, as commands are.
fn check_by_commands(case: &Case, goes_on: bool) {
    let mut home = Home::new();
    home.note(&home.view);
    for call in case.calls {
        home = home.reopen();
        home.run(&home.view, std::slice::from_ref(call));
    }
    judge(&home.reopen(), case, goes_on, "by commands");
}

fn judge(home: &Home, case: &Case, goes_on: bool, which: &str) {
    let told = format!("{}, {which}", case.what);
    assert_eq!(home.log("/note.md"), case.log, "{told}");
    assert_eq!(home.is_noted("/note.md"), goes_on, "{told}");
    assert_eq!(home.trash(), case.trash, "{told}");
    let present = home.view.read(&path("/note.md")).expect("a content");
    assert_eq!(Some(&*String::from_utf8_lossy(&present)), case.log.last().copied(), "{told}");
    assert_eq!(home.store.verify().expect("it can be checked"), [], "{told}");
}

#[test]
fn a_file_that_a_program_saves_goes_on() {
    for case in SAVES {
        check(case, true, |view| Box::new(view.clone()), "by paths");
        check(case, true, |view| Box::new(view.nodes()), "by nodes");
        check_by_commands(case, true);
    }
}

#[test]
fn a_name_that_means_another_file_begins_anew() {
    for case in OTHERS {
        check(case, false, |view| Box::new(view.clone()), "by paths");
        check(case, false, |view| Box::new(view.nodes()), "by nodes");
        check_by_commands(case, false);
    }
}

#[test]
fn an_edition_that_settles_late_is_in_the_history_of_the_name() {
    let home = Home::new();
    home.note(&home.view);
    let nodes = home.view.nodes();
    nodes.call(Write("note.md", "three"));
    home.view.call(Write("new", "four"));
    home.view.call(Rename("new", "note.md"));
    // The content of the new file is stated once more, after what it replaces.
    assert_eq!(home.log("/note.md"), ["one", "two", "four", "three", "four"]);
    assert_eq!(home.trash(), [] as [&str; 0]);
}

#[test]
fn a_backup_is_a_file_of_its_own() {
    let home = Home::new();
    home.note(&home.view);
    home.run(&home.view, &[Rename("note.md", "note.md~"), Write("note.md", "three")]);
    assert_eq!(home.log("/note.md~"), ["two"]);
    home.view.call(Write("note.md~", "mine"));
    assert_eq!(home.log("/note.md~"), ["two", "mine"]);
    assert_eq!(home.log("/note.md"), ["one", "two", "three"]);
    home.view.call(Remove("note.md~"));
    assert_eq!(home.trash(), ["/note.md~"]);
    assert_eq!(home.store.verify().unwrap(), []);
}

#[test]
fn what_the_new_file_says_itself_counts() {
    let home = Home::new();
    home.note(&home.view);
    home.view.call(Write("new", "three"));
    home.view.set_meta(&path("/new"), &SetMeta::one("importance", "0.1")).unwrap();
    home.view.call(Rename("new", "note.md"));
    let meta = home.view.meta(&path("/note.md")).unwrap();
    assert_eq!((meta.importance, meta.source.as_deref()), (Some(0.1), Some("a book")));
}

#[test]
fn a_saved_file_is_compared_restored_and_purged_as_one() {
    let home = Home::new();
    home.note(&home.view);
    home.run(&home.view, &[Write("new", "three"), Rename("new", "note.md")]);
    let note = path("/note.md");
    let first = home.view.log(&note, None, 9).unwrap().last().unwrap().version;
    let diff = home.view.diff(&note, Moment::Version(first), Moment::Now).unwrap();
    assert!(diff.contains("-one") && diff.contains("+three"), "{diff}");
    home.view.restore(&note, Moment::Version(first)).unwrap();
    assert_eq!(home.log("/note.md"), ["one", "two", "three", "one"]);
    home.view.purge(&note).unwrap();
    assert_eq!(home.trash(), [] as [&str; 0]);
    assert!(home.view.log(&note, None, 9).is_err());
    assert_eq!(home.store.verify().unwrap(), []);
}

#[test]
fn a_saved_file_is_found_by_what_was_noted_and_leaves_when_its_time_is_over() {
    let home = Home::new();
    home.note(&home.view);
    home.view.set_meta(&path("/note.md"), &SetMeta::one("ttl", "7d")).unwrap();
    let found = || {
        let hits = home.view.search("tag:kept", &SearchOptions::default()).unwrap();
        hits.iter().map(|hit| hit.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(), ["/note.md"]);
    home.run(&home.view, &[Write("new", "three"), Rename("new", "note.md")]);
    assert_eq!(found(), ["/note.md"]);
    home.clock.advance(Duration::from_hours(8 * 24));
    assert!(home.view.stat(&path("/note.md")).is_err());
}

#[test]
fn a_large_file_goes_on_with_its_chunks() {
    let home = Home::new();
    let large = |letter: u8| vec![letter; 3 << 20];
    let write = |at: &str, letter| home.view.write(&path(at), &large(letter), &parents()).unwrap();
    write("/note.md", b'a');
    write("/new", b'b');
    home.view.call(Rename("new", "note.md"));
    home.view.call(Rename("note.md", "note.md~"));
    write("/note.md", b'c');
    home.view.call(Remove("note.md~"));
    let log = home.view.log(&path("/note.md"), None, 9).unwrap();
    for (edition, letter) in log.iter().rev().zip([b'a', b'b', b'c']) {
        let moment = Moment::Version(edition.version);
        let past = home.view.read_past(&path("/note.md"), moment, 0, 4 << 20).unwrap();
        assert_eq!(past, large(letter));
    }
    assert_eq!((log.len(), home.trash()), (3, Vec::new()));
    assert_eq!(home.store.verify().unwrap(), []);
}
