//! Machines that share a remote.
#![expect(clippy::disallowed_methods, reason = "a store is on the host")]

mod desk;
mod simulation;

use std::sync::Arc;

use homefs_core::Timestamp;
use homefs_testkit::{MemoryServer, VirtualClock};

use desk::{Desk, at};

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
