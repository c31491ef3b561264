//! Many homes in one process: few descriptors, and a kill that leaves a lot to be folded.

use std::path::Path as HostPath;

use homefs_core::{ErrorKind, Version};
use homefs_view::{Store, View};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::common::{open, parents, path, view_of};
use crate::kills::{Child, say, told};

/// Descriptors that a child may have, and homes that it has open all at once.
#[expect(clippy::disallowed_methods, reason = "a longer run is asked for by the environment")]
fn crowd() -> (u64, usize) {
    let is_extended = std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1");
    if is_extended { (256, 2_000) } else { (64, 200) }
}

/// Homes with changes that are not folded when a child is killed.
const BEHIND: usize = 200;

/// Lets this process have few descriptors.
fn bound_descriptors(count: u64) {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let few = Rlimit { current: Some(count), maximum };
    setrlimit(Resource::Nofile, few).expect("a limit can be lowered");
}

/// Writes a note into each home, and keeps all of them open.
fn write_notes(store: &Store, homes: usize) -> Vec<View> {
    let write = |number: usize| {
        let view = view_of(store, &format!("agent-{number}"));
        let text = format!("the note of {number}");
        view.write(&path("/notes/one.md"), text.as_bytes(), &parents()).expect("there is room");
        view
    };
    (0..homes).map(write).collect()
}

fn check_note(view: &View, number: usize) {
    let note = view.read(&path("/notes/one.md")).expect("it was written");
    assert_eq!(note, format!("the note of {number}"));
}

/// Hears everything that a child says.
fn hear_all(test: &str, store: &HostPath, argument: &str) -> Vec<String> {
    let mut child = Child::start(test, store, argument);
    std::iter::from_fn(|| child.hear()).collect()
}

#[test]
fn many_homes_live_with_few_descriptors() {
    let (descriptors, homes) = crowd();
    if let Some((dir, _)) = told() {
        bound_descriptors(descriptors);
        let store = open(&dir);
        let views = write_notes(&store, homes);
        // From the first on, so that each was let go by those that came after it.
        views.iter().enumerate().for_each(|(number, view)| check_note(view, number));
        let log = views[0].log(&path("/notes/one.md"), None, 10).expect("the past can be read");
        assert_eq!(log.len(), 1);
        drop(views);
        store.close().expect("the store closes");
        return say("well");
    }
    let dir = tempfile::tempdir().expect("a directory");
    let test = "many::many_homes_live_with_few_descriptors";
    assert_eq!(hear_all(test, dir.path(), ""), ["well"]);
    // What a closed store leaves to the next run is all there.
    let store = open(dir.path());
    for number in [0, 1, homes / 2, homes - 1] {
        check_note(&view_of(&store, &format!("agent-{number}")), number);
    }
}

#[test]
fn after_a_kill_the_first_call_waits_for_its_own_home_alone() {
    let test = "many::after_a_kill_the_first_call_waits_for_its_own_home_alone";
    if let Some((dir, _)) = told() {
        let store = open(&dir);
        let _views = write_notes(&store, BEHIND);
        say("written");
        loop {
            std::thread::park();
        }
    }
    let dir = tempfile::tempdir().expect("a directory");
    let mut child = Child::start(test, dir.path(), "");
    assert_eq!(child.hear().as_deref(), Some("written"));
    child.kill();
    // Runs as short as those of a command, each of which reads the past of one home, and leaves the
    // others to the next one.
    for run in 0..3 {
        let store = open(dir.path());
        let view = view_of(&store, "agent-7");
        check_note(&view, 7);
        let log = view.log(&path("/notes/one.md"), None, 10).expect("the past can be read");
        assert_eq!(log.len(), 1);
        view.append(&path("/notes/two.md"), b"line\n", &parents()).expect("there is room");
        assert!(store.load().unfolded_bytes > 0, "run {run}: everything was folded first");
        store.close().expect("the store closes");
    }
    let store = open(dir.path());
    assert_eq!(store.verify().expect("the check works"), []);
    assert_eq!(store.load().unfolded_bytes, 0);
    let view = view_of(&store, "agent-7");
    assert_eq!(view.read(&path("/notes/two.md")).expect("it is there"), "line\nline\nline\n");
    (0..BEHIND).for_each(|number| check_note(&view_of(&store, &format!("agent-{number}")), number));
    assert!(view.stat(&path("/notes/two.md")).expect("it is there").version > Version(1));
}

#[test]
fn too_many_open_files_are_not_taken_for_damage() {
    let test = "many::too_many_open_files_are_not_taken_for_damage";
    if let Some((dir, _)) = told() {
        let store = open(&dir);
        bound_descriptors(0);
        let error = store.verify().expect_err("no file can be opened");
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        bound_descriptors(256);
        assert_eq!(store.verify().expect("the check works"), []);
        return say("well");
    }
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    write_notes(&store, 1);
    store.close().expect("the store closes");
    assert_eq!(hear_all(test, dir.path(), ""), ["well"]);
}
