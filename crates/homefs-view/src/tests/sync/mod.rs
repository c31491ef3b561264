//! Machines that share a remote.
#![expect(clippy::disallowed_methods, reason = "a store is on the host")]

mod copies;
mod desk;
mod full;
mod held;
mod lazy;
mod missing;
mod office;
mod purge;
mod quiet;
mod readable;
mod recovery;
mod simulation;
mod special;
mod steps;
mod sweep;

use std::sync::Arc;

use homefs_core::{AgentId, ErrorKind, Timestamp, Version};
use homefs_store::record::Change;
use homefs_testkit::{MemoryServer, VirtualClock};

use desk::{Desk, at};

use crate::{Grant, Quota, RecallOptions, Right, Subject, WriteOptions};
use homefs_sync::known::work;
use homefs_sync::local::{self, IncomingChange};
use homefs_sync::status::Direction;

fn desks(count: u64) -> (MemoryServer, Vec<Desk>) {
    let server = MemoryServer::new();
    let clock = Arc::new(VirtualClock::new(Timestamp(1_000_000_000_000)));
    let desks = (1..=count).map(|number| Desk::new(&server, number, &clock)).collect();
    (server, desks)
}

/// Makes rounds until nobody has news for anybody.
fn agree(desks: &[Desk]) {
    for _ in 0..10 {
        let rounds = desks.iter().map(|desk| desk.round().expect("the remote answers"));
        if rounds.map(|outcome| outcome.pulled + outcome.pushed).sum::<usize>() == 0 {
            for desk in desks {
                assert_eq!(desk.tree(), desks[0].tree());
            }
            return;
        }
    }
    panic!("they never agree");
}

#[test]
fn what_one_machine_writes_another_reads() {
    let (_server, desks) = desks(2);
    let [a, b] = &desks[..] else { panic!("two") };
    a.write("/notes/a.md", "first");
    a.write("/large", &"0123456789".repeat(300_000));
    a.view.symlink("a.md", &at("/notes/link")).unwrap();
    a.view.link(&at("/notes/a.md"), &at("/other.md")).unwrap();
    agree(&desks);
    assert_eq!(b.read("/notes/a.md"), "first");
    assert_eq!(b.read("/large").len(), 3_000_000);
    b.write("/notes/a.md", "second");
    b.view.remove(&at("/large"), false).unwrap();
    b.view.rename(&at("/notes"), &at("/papers"), crate::RenameMode::Replace).unwrap();
    agree(&desks);
    assert_eq!(a.read("/papers/a.md"), "second");
    assert_eq!(a.read("/other.md"), "second");
    assert!(a.view.stat(&at("/large")).is_err());
}

#[test]
fn both_machines_keep_their_words() {
    let (_server, desks) = desks(2);
    let [a, b] = &desks[..] else { panic!("two") };
    a.write("/n.md", "one\ntwo\nthree\n");
    agree(&desks);
    a.write("/n.md", "one by a\ntwo\nthree\n");
    b.write("/n.md", "one\ntwo\nthree\nfour by b\n");
    agree(&desks);
    assert_eq!(a.read("/n.md"), "one by a\ntwo\nthree\nfour by b\n");
}

#[test]
fn a_pull_that_merges_one_note_loads_what_changed() {
    let (_server, desks) = desks(2);
    let [a, b] = &desks[..] else { panic!("two") };
    for number in 0..1_000 {
        a.write(&format!("/notes/{}/{number}.md", number % 10), "one\ntwo\nthree\n");
    }
    agree(&desks);
    a.write("/notes/5/555.md", "one by a\ntwo\nthree\n");
    b.write("/notes/5/555.md", "one\ntwo\nthree by b\n");
    a.round().expect("the remote answers");
    work::take();
    let outcome = b.round().expect("the remote answers");
    let loaded = work::take();
    assert_eq!(b.read("/notes/5/555.md"), "one by a\ntwo\nthree by b\n");
    assert_eq!((outcome.pulled, outcome.pushed, outcome.conflicts), (1, 1, 0));
    // The note and the directories above it, each several times.
    assert!(loaded < 50, "{loaded} nodes were loaded");
}

#[test]
fn a_new_machine_and_one_that_forgot_get_everything() {
    let (server, mut desks) = desks(2);
    for round in 0..30 {
        desks[round % 2].write(&format!("/{}", round % 7), &format!("round {round}"));
        agree(&desks);
    }
    let clock = Arc::new(VirtualClock::new(Timestamp(2_000_000_000_000)));
    desks.push(Desk::new(&server, 3, &clock));
    agree(&desks);
    desks[0].forget();
    desks[1].write("/late", "late");
    agree(&desks);
}

#[test]
fn one_change_of_many_files_is_pushed() {
    let (_server, desks) = desks(2);
    for number in 0..1_500 {
        desks[0].write(&format!("/many/{number}"), "");
    }
    agree(&desks);
    desks[0].view.remove(&at("/many"), true).unwrap();
    agree(&desks);
    assert!(desks[1].tree().is_empty());
}

#[test]
fn rules_of_access_travel_and_both_sides_keep_theirs() {
    let (_server, desks) = desks(2);
    let rule = |agent: &str| Grant {
        subject: Subject::Agent(AgentId::new(agent).unwrap()),
        prefix: at("/notes"),
        right: Right::Read,
    };
    // A home takes no grants from its agent, but what travels is a space's affair.
    let set = |desk: &Desk, agent: &str, holds: bool| {
        let change = Change::Grant { grant: rule(agent), holds };
        let wanted = IncomingChange { access: vec![change], ..IncomingChange::default() };
        local::apply(&desk.pair, wanted, Version(0)).unwrap();
    };
    let rules = |desk: &Desk| {
        desk.pair.settle().unwrap();
        local::access(&desk.pair.space).unwrap().grants
    };
    set(&desks[0], "one", true);
    agree(&desks);
    assert_eq!(rules(&desks[1]), [rule("one")]);
    set(&desks[0], "two", true);
    set(&desks[1], "three", true);
    set(&desks[1], "one", false);
    agree(&desks);
    for desk in &desks {
        assert_eq!(rules(desk), [rule("three"), rule("two")]);
    }
}

#[test]
fn a_quota_does_not_keep_out_what_others_wrote() {
    let (_server, desks) = desks(2);
    let [a, b] = &desks[..] else { panic!("two") };
    a.write("/a", "a");
    agree(&desks);
    let quota = Quota { bytes: Some(6), nodes: None };
    let operator = crate::Who { agent: a.pair.agent.clone(), operator: true, all: false };
    a.store.view(&operator).unwrap().set_quota(&at("/"), quota).unwrap();
    agree(&desks);
    a.write("/b", "four");
    b.write("/c", "four");
    agree(&desks);
    assert_eq!(a.read("/c"), "four");
    let options = WriteOptions::default();
    let full = a.view.write(&at("/d"), b"d", &options).unwrap_err();
    assert_eq!(full.kind(), ErrorKind::LimitExceeded);
}

/// A way in which an editor changes one word of a file into others.
type Way<'w> = &'w dyn Fn(&Desk, &str, &str);

#[test]
fn editors_that_replace_a_file_merge_like_those_that_change_it() {
    let text = "# Plans\n\nalpha\n\nbeta\n\ngamma\n\ndelta\n\nomega\n";
    let save = |desk: &Desk, from: &str, to: &str, is_seen: bool| {
        let new = format!("/.{}", desk.name());
        desk.write(&new, &desk.read("/note.md").replace(from, to));
        if is_seen {
            desk.pair.round(Direction::Push).unwrap();
        }
        desk.view.rename(&at(&new), &at("/note.md"), crate::RenameMode::Replace).unwrap();
    };
    let replace = |desk: &Desk, from: &str, to: &str| save(desk, from, to, false);
    // A sync may come between the new file and its name.
    let replace_seen = |desk: &Desk, from: &str, to: &str| save(desk, from, to, true);
    let append = |desk: &Desk, _: &str, to: &str| {
        let line = format!("{to}\n");
        desk.view.append(&at("/note.md"), line.as_bytes(), &WriteOptions::default()).unwrap();
    };
    let in_place = |desk: &Desk, from: &str, to: &str| {
        let changed = desk.read("/note.md").replace(from, to);
        desk.write("/note.md", &changed);
    };
    // A backup stays beside the note, or goes; a sync may come in between.
    let backed_up = |desk: &Desk, from: &str, to: &str, stays: bool, is_seen: bool| {
        let changed = desk.read("/note.md").replace(from, to);
        let backup = at("/note.md~");
        desk.view.rename(&at("/note.md"), &backup, crate::RenameMode::Replace).unwrap();
        if is_seen {
            desk.pair.round(Direction::Push).unwrap();
        }
        desk.write("/note.md", &changed);
        if !stays {
            desk.view.remove(&backup, false).unwrap();
        }
    };
    let backup = |desk: &Desk, from: &str, to: &str| backed_up(desk, from, to, true, false);
    let backup_gone = |desk: &Desk, from: &str, to: &str| backed_up(desk, from, to, false, false);
    let backup_seen = |desk: &Desk, from: &str, to: &str| backed_up(desk, from, to, true, true);
    let ways: [Way<'_>; 7] =
        [&replace, &replace_seen, &append, &in_place, &backup, &backup_gone, &backup_seen];
    for (number, first) in ways.iter().enumerate() {
        for (other, second) in ways.iter().enumerate() {
            let (_server, desks) = desks(2);
            desks[0].write("/note.md", text);
            let xattrs = [("user.homefs.tags".into(), Some("kept".into()))].into();
            let tagged = crate::SetAttrs { xattrs, ..crate::SetAttrs::default() };
            desks[0].view.set_attrs(&at("/note.md"), &tagged).unwrap();
            agree(&desks);
            first(&desks[0], "alpha", "alpha changed");
            second(&desks[1], "omega", "omega changed");
            agree(&desks);
            let note = desks[0].read("/note.md");
            let both = note.contains("alpha changed\n") && note.contains("omega changed\n");
            assert!(both, "{number} and {other}: {note}\n{:?}", desks[0].tree().keys());
            for desk in &desks {
                let names: Vec<_> = desk.tree().into_keys().collect();
                let is_known =
                    |path: &homefs_core::Path| ["/note.md", "/note.md~"].contains(&path.as_str());
                assert!(names.iter().all(is_known), "{number} and {other}: {names:?}");
                let tags = desk.view.meta(&at("/note.md")).unwrap().tags;
                assert_eq!(tags, ["kept"], "{number} and {other}");
                let log = desk.view.log(&at("/note.md"), None, 10).unwrap();
                assert!(log.len() > 1, "{number} and {other}: {log:?}");
                assert_eq!(desk.store.verify().unwrap(), [], "{number} and {other}");
                assert_eq!(desk.pair.known.conflicts().unwrap(), [], "{number} and {other}");
            }
        }
    }
}

#[test]
fn machines_and_what_they_save_agree_on_a_handle() {
    let (_server, desks) = desks(2);
    let [a, b] = &desks[..] else { panic!("two") };
    a.write("/ann.md", "Ann drinks green tea, never coffee\n");
    agree(&desks);
    // As an editor saves, so that the file is another node of the same lineage.
    b.write("/new", "Ann drinks black tea, never coffee\n");
    b.view.rename(&at("/new"), &at("/ann.md"), crate::RenameMode::Replace).unwrap();
    assert_eq!(b.view.log(&at("/ann.md"), None, 9).unwrap().len(), 2);
    agree(&desks);
    let handles = [a, b].map(|desk| {
        let recalled = desk.view.recall("what does Ann drink?", &RecallOptions::default()).unwrap();
        recalled.memories[0].handle.clone()
    });
    assert_eq!(handles[0], handles[1]);
    for desk in [a, b] {
        assert_eq!(desk.read(&format!("/{}", handles[0])), "Ann drinks black tea, never coffee\n");
    }
}
