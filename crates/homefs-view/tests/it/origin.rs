//! A request that is repeated is answered once, whatever happened in between.

use std::io::{Read, stdin};
use std::path::Path as HostPath;

use homefs_core::{AgentId, ClientId, ErrorKind, Path, Result, Version};
use homefs_search::index::Handle;
use homefs_view::{
    Components, Edit, Moment, Origin, Quota, RenameMode, Right, SetAttrs, Settings, Store, Subject,
    View, Who, WriteOptions,
};

use crate::kills::{Child, say, told};

/// One mutating request.
type Request = fn(&View) -> Result<Version>;

/// Every request that changes one thing, each on a path of its own.
const REQUESTS: [(&str, Request); 24] = [
    ("write", |view| view.write(&path("/new"), b"new", &options())),
    ("write, create only", |view| {
        let options = WriteOptions { create_only: true, ..options() };
        view.write(&path("/only"), b"only", &options)
    }),
    ("write, large", |view| view.write(&path("/new-large"), &large(1), &options())),
    ("append", |view| view.append(&path("/append"), b"more", &options())),
    ("append, large", |view| view.append(&path("/append-large"), &large(2), &options())),
    ("append to large", |view| view.append(&path("/large-append"), b"more", &options())),
    ("edit", |view| {
        let edit = Edit::Replace { old: "old".into(), new: "edited".into() };
        view.edit(&path("/edit"), &edit, &options())
    }),
    ("write_at", |view| view.write_at(&path("/range"), 1, b"ange")),
    ("write_at, large", |view| view.write_at(&path("/range-large"), 50_000, &large(3))),
    ("truncate", |view| view.truncate(&path("/truncate"), 2)),
    ("set_attrs", |view| {
        let attrs = SetAttrs { mode: Some(0o600), ..SetAttrs::default() };
        view.set_attrs(&path("/attrs"), &attrs)
    }),
    ("make_dir", |view| view.make_dir(&path("/dir"), false)),
    ("make_dir, a space", |view| view.make_dir(&path("/shared/fresh"), false)),
    ("symlink", |view| view.symlink("edit", &path("/symlink"))),
    ("link", |view| view.link(&path("/link"), &path("/link-2"))),
    ("remove", |view| view.remove(&path("/remove"), false)),
    ("rename", |view| view.rename(&path("/rename"), &path("/renamed"), RenameMode::NoReplace)),
    ("copy", |view| view.copy(&path("/tree"), &path("/tree-2"), true)),
    ("copy, across", |view| view.copy(&path("/tree"), &path("/shared/team/tree"), true)),
    ("restore", |view| view.restore(&path("/restore"), Moment::Version(first_of(view)))),
    ("untrash", |view| view.untrash(&path("/untrash"), None)),
    ("grant", |view| view.grant(&path("/shared/team"), &other(), Right::Read)),
    ("revoke", |view| view.revoke(&path("/shared/team/x"), &other())),
    ("set_quota", |view| {
        view.set_quota(&path("/shared/team"), Quota { nodes: Some(1000), bytes: None })
    }),
];

fn path(text: &str) -> Path {
    Path::parse(text).expect("a plain path")
}

fn options() -> WriteOptions {
    WriteOptions { parents: true, ..WriteOptions::default() }
}

fn large(byte: u8) -> Vec<u8> {
    vec![byte; 150_000]
}

fn other() -> Subject {
    Subject::Agent(AgentId::new("other").expect("a plain name"))
}

fn first_of(view: &View) -> Version {
    view.log(&path("/restore"), None, 100).expect("it has versions").last().expect("one").version
}

fn open(dir: &HostPath) -> (Store, View) {
    // Nothing settles by itself, so that every record is one that a request made.
    let settings = Settings { settle_ms: 3_600_000, segment_bytes: 1 << 20, ..Settings::default() };
    let store = Store::open(dir, settings, Components::host()).expect("the store opens");
    let agent = AgentId::new("me").expect("a plain name");
    let view = store.view(&Who { agent, operator: true, all: false }).expect("the home opens");
    (store, view)
}

fn by(view: &View, client: usize, number: u64) -> View {
    view.with_origin(Origin { client: ClientId(client as u64), number })
}

/// Makes what the requests change.
fn prepare(view: &View) {
    for name in ["append", "append-large", "edit", "range", "truncate", "attrs", "link"] {
        view.write(&path(name), b"old text", &options()).expect("a write");
    }
    for name in ["large-append", "range-large"] {
        view.write(&path(name), &large(0), &options()).expect("a write");
    }
    for name in ["remove", "rename", "tree/a/b", "tree/c", "restore", "restore", "untrash"] {
        view.write(&path(name), name.as_bytes(), &options()).expect("a write");
    }
    view.remove(&path("/untrash"), false).expect("a removal");
    view.make_dir(&path("/shared/team"), false).expect("a space");
    view.grant(&path("/shared/team/x"), &other(), Right::Read).expect("a grant");
}

/// Makes every request, each as the fifth of a client of its own.
fn make_all(view: &View) -> Vec<Version> {
    let made = REQUESTS
        .iter()
        .enumerate()
        .map(|(client, (name, request))| request(&by(view, client, 5)).expect(name));
    made.collect()
}

/// Repeats every request: each must get its first answer, and nothing may change.
fn repeat_all(view: &View, first: &[Version]) {
    for (client, (name, request)) in REQUESTS.iter().enumerate() {
        let before = view.cursor().expect("a cursor");
        let again = request(&by(view, client, 5));
        assert_eq!(again.expect(name), first[client], "{name}");
        assert_eq!(view.cursor().expect("a cursor"), before, "{name} changed something again");
        let late = request(&by(view, client, 4)).expect_err(name);
        assert_eq!(late.kind(), ErrorKind::Conflict, "{name}: {late}");
    }
    let read = |name: &str| view.read(&path(name)).expect(name);
    assert_eq!(read("/append"), "old textmore");
    assert_eq!(read("/append-large").len(), 8 + 150_000);
    assert_eq!(read("/large-append").len(), 150_000 + 4);
    assert_eq!(read("/range-large").len(), 200_000);
    assert_eq!(read("/edit"), "edited text");
    // A copy across spaces is many changes, and all of them are made.
    assert_eq!(read("/shared/team/tree/a/b"), "tree/a/b");
    assert_eq!(read("/shared/team/tree/c"), "tree/c");
}

#[test]
fn a_repeated_request_gets_its_first_answer() {
    let dir = tempfile::tempdir().unwrap();
    let (_store, view) = open(dir.path());
    prepare(&view);
    let first = make_all(&view);
    repeat_all(&view, &first);
}

#[test]
fn a_repeat_is_known_after_folding_and_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let (store, view) = open(dir.path());
    prepare(&view);
    let first = make_all(&view);
    // The history of a file is in the base: asking for it folds everything.
    first_of(&view);
    repeat_all(&view, &first);
    store.close().unwrap();
    let (_store, view) = open(dir.path());
    repeat_all(&view, &first);
}

/// The child that is killed: makes every request, and says the answers.
#[test]
fn child() {
    let Some((dir, _)) = told() else { return };
    let (_store, view) = open(&dir);
    prepare(&view);
    let mut first = make_all(&view);
    // An unsettled write keeps the journal, and the later request of its client is folded.
    let client = REQUESTS.len();
    by(&view, client, 1).write_at(&path("/range"), 2, b"n").unwrap();
    first.push(by(&view, client, 2).append(&path("/append"), b"", &options()).unwrap());
    first_of(&view);
    say(&first.iter().map(Version::to_string).collect::<Vec<_>>().join(" "));
    // Ends with the parent, if that does not end it before.
    drop(stdin().read(&mut [0]));
}

#[test]
fn a_repeat_is_known_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Child::start("origin::child", dir.path(), "");
    let answers = child.hear().expect("the child answers");
    child.kill();
    let first: Vec<_> = answers.split(' ').map(|text| Version(text.parse().unwrap())).collect();
    let (_store, view) = open(dir.path());
    let again = by(&view, REQUESTS.len(), 2).append(&path("/append"), b"", &options());
    assert_eq!(again.unwrap(), first[REQUESTS.len()]);
    // A copy settles what it may have to share, so settle before.
    view.log(&path("/range"), None, 1).unwrap();
    repeat_all(&view, &first);
}

#[test]
fn clients_do_not_know_of_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let (_store, view) = open(dir.path());
    let lines = path("/lines");
    for (client, number) in [(1, 7), (2, 7), (1, 7), (2, 3), (3, 1), (1, 9), (1, 8), (1, 9)] {
        let line = format!("{client}-{number}\n");
        let done = by(&view, client, number).append(&lines, line.as_bytes(), &options());
        let late = matches!((client, number), (2, 3) | (1, 8));
        assert_eq!(done.map_err(|error| error.kind()).err(), late.then_some(ErrorKind::Conflict));
    }
    assert_eq!(view.read(&lines).unwrap(), "1-7\n2-7\n3-1\n1-9\n");
}

#[test]
fn a_request_that_failed_can_be_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let (_store, view) = open(dir.path());
    let note = path("/note");
    let version = view.write(&note, b"one", &options()).unwrap();
    let view = by(&view, 1, 1);
    let wrong = WriteOptions { if_version: Some(Version(version.0 + 1)), ..options() };
    for content in [&b"two"[..], &large(2)] {
        let failed = view.write(&note, content, &wrong).unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Conflict);
        let failed = view.append(&note, content, &wrong).unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Conflict);
    }
    let right = WriteOptions { if_version: Some(version), ..options() };
    let done = view.write(&note, b"two", &right).unwrap();
    assert_eq!(view.write(&note, b"two", &right).unwrap(), done);
    assert_eq!(view.read(&note).unwrap(), "two");
}

#[test]
fn a_repeat_leaves_alone_what_others_wrote_meanwhile() {
    let dir = tempfile::tempdir().unwrap();
    let (_store, view) = open(dir.path());
    let file = path("/file");
    view.write(&file, &large(0), &options()).unwrap();
    let request = by(&view, 1, 1);
    // Several records: the first parts must not be written again either.
    let first = request.write_at(&file, 0, &large(1)).unwrap();
    view.write_at(&file, 10, b"other").unwrap();
    assert_eq!(request.write_at(&file, 0, &large(1)).unwrap(), first);
    assert_eq!(&view.read(&file).unwrap()[9..16], b"\x01other\x01");
}

#[test]
fn a_purge_with_an_origin_erases_what_lives_and_what_was_removed() {
    let dir = tempfile::tempdir().unwrap();
    let (_store, view) = open(dir.path());
    let file = path("/file");
    view.write(&file, b"one", &options()).unwrap();
    view.remove(&file, false).unwrap();
    view.write(&file, b"second", &options()).unwrap();
    let purged = by(&view, 1, 1).purge(&file).unwrap();
    assert_eq!((purged.nodes, purged.bytes), (2, 9));
    assert_eq!(view.trash(None, 10).unwrap().items, []);
    assert_eq!(by(&view, 1, 1).purge(&file).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_removal_by_handle_gets_its_first_answer_wherever_the_file_was() {
    let dir = tempfile::tempdir().unwrap();
    let (store, view) = open(dir.path());
    view.make_dir(&path("/shared/team"), false).unwrap();
    let ann = AgentId::new("ann").unwrap();
    view.grant(&path("/shared/team/open"), &Subject::Agent(ann.clone()), Right::Write).unwrap();
    let ann = store.view(&Who { agent: ann, operator: false, all: false }).unwrap();
    let cases = [(&view, "/note"), (&view, "/shared/team/note"), (&ann, "/shared/team/open/note")];
    for (client, (view, place)) in cases.into_iter().enumerate() {
        let request = by(view, client, 5);
        view.write(&path(place), b"a note\n", &options()).unwrap();
        let handle = Handle::of(view.stat(&path(place)).unwrap().node.0, u32::MAX);
        let handle = path(&format!("/{handle}"));
        let first = request.remove(&handle, false).expect(place);
        let before = view.cursor().unwrap();
        assert_eq!(request.remove(&handle, false).expect(place), first);
        assert_eq!(view.cursor().unwrap(), before, "{place}");
        let late = by(view, client, 4).remove(&handle, false).unwrap_err();
        assert_eq!(late.kind(), ErrorKind::Conflict, "{place}");
        // What was not removed by this request is nowhere.
        for other in [by(view, client, 6), by(view, client + 10, 5), view.clone()] {
            let nowhere = other.remove(&handle, false).unwrap_err();
            assert_eq!(nowhere.kind(), ErrorKind::NotFound, "{place}");
        }
    }
    // Nobody is told of a space that it does not see any more.
    view.write(&path("/shared/team/open/last"), b"a note\n", &options()).unwrap();
    let handle = Handle::of(view.stat(&path("/shared/team/open/last")).unwrap().node.0, u32::MAX);
    let handle = path(&format!("/{handle}"));
    by(&ann, 20, 1).remove(&handle, false).unwrap();
    view.revoke(&path("/shared/team/open"), &Subject::Agent(ann.who().agent.clone())).unwrap();
    let again = by(&ann, 20, 1).remove(&handle, false).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::NotFound);
}
