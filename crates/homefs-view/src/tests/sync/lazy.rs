//! A machine that is new: it sees everything at once and fetches what it reads.

use std::sync::Arc;

use homefs_core::{Path, Timestamp};
use homefs_sync::status::Direction;
use homefs_testkit::{MemoryServer, VirtualClock};

use super::desk::{Desk, at};
use super::simulation::Dice;
use super::{agree, desks};

/// A machine that has seen nothing yet.
fn new_machine(server: &MemoryServer) -> Desk {
    Desk::new(server, 9, &Arc::new(VirtualClock::new(Timestamp(3_000_000_000_000))))
}

/// How many requests the server had from a machine.
fn requests(server: &MemoryServer, desk: &Desk) -> usize {
    server.log().iter().filter(|exchange| exchange.machine == desk.name()).count()
}

#[test]
fn a_new_machine_lists_many_files_after_few_requests_and_reads_with_one_more() {
    let (server, desks) = desks(1);
    for number in 0..10_000 {
        desks[0].write(&format!("/{}/{number}.md", number % 100), &format!("note {number}"));
        if number % 1_200 == 0 {
            desks[0].round().expect("the remote answers");
        }
    }
    desks[0].write("/large", &"0123456789".repeat(300_000));
    desks[0].round().expect("the remote answers");
    desks[0].write("/last", "makes an index");
    desks[0].round().expect("the remote answers");

    let fresh = new_machine(&server);
    fresh.pair.round(Direction::Pull).expect("the remote answers");
    let folders = fresh.view.list(&Path::root(), None, 1_000).expect("it is there").items;
    assert_eq!(folders.len(), 102);
    for number in 0..100 {
        let folder = at(&format!("/{number}"));
        assert_eq!(fresh.view.list(&folder, None, 1_000).expect("it is there").items.len(), 100);
    }
    let listed = requests(&server, &fresh);
    assert!(listed <= 10, "{listed} requests");

    // What comes along is kept once the base has the names.
    fresh.pair.settle().expect("the host has room");
    assert_eq!(fresh.read("/7/7.md"), "note 7");
    assert_eq!(requests(&server, &fresh), listed + 1);
    // A second one from its pack brings all of that pack along.
    assert_eq!(fresh.read("/8/8.md"), "note 8");
    assert_eq!(requests(&server, &fresh), listed + 2);
    for number in 9..99 {
        assert_eq!(fresh.read(&format!("/{number}/{number}.md")), format!("note {number}"));
    }
    assert_eq!(requests(&server, &fresh), listed + 2);
    assert_eq!(fresh.read("/large").len(), 3_000_000);
    // What is here is not fetched again, not even by a process that starts anew.
    let before = requests(&server, &fresh);
    let mut fresh = fresh;
    fresh.crash();
    assert_eq!(fresh.read("/7/7.md"), "note 7");
    assert_eq!(fresh.read("/large").len(), 3_000_000);
    assert_eq!(requests(&server, &fresh), before);
}

#[test]
fn what_is_not_here_can_be_changed_and_merged() {
    let (server, mut desks) = desks(1);
    desks[0].write("/n.md", "one\ntwo\nthree\n");
    for round in 0..10 {
        desks[0].write("/other", &format!("round {round}"));
        desks[0].round().expect("the remote answers");
    }
    desks.push(new_machine(&server));
    desks[1].round().expect("the remote answers");
    desks[0].write("/n.md", "one by a\ntwo\nthree\n");
    let append = crate::WriteOptions::default();
    desks[1].view.append(&at("/n.md"), b"four by b\n", &append).expect("it is there");
    agree(&desks);
    assert_eq!(desks[0].read("/n.md"), "one by a\ntwo\nthree\nfour by b\n");
}

#[test]
fn without_the_remote_what_is_not_here_is_said_to_be_there() {
    let (server, desks) = desks(1);
    for round in 0..10 {
        desks[0].write("/n.md", &format!("round {round}"));
        desks[0].round().expect("the remote answers");
    }
    let fresh = new_machine(&server);
    fresh.round().expect("the remote answers");
    server.disconnect(fresh.name());
    let failed = fresh.view.read(&at("/n.md")).unwrap_err();
    assert_eq!(failed.kind(), homefs_core::ErrorKind::Unavailable);
    server.connect(&fresh.name());
    assert_eq!(fresh.read("/n.md"), "round 9");
}

/// Returns bytes that no packing makes shorter.
fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut dice = Dice(seed);
    std::iter::repeat_with(|| u8::try_from(dice.roll(256)).expect("a byte")).take(len).collect()
}

#[test]
fn a_clone_brings_small_contents_and_nothing_that_lies_between() {
    let (server, desks) = desks(1);
    let options = crate::WriteOptions { parents: true, ..crate::WriteOptions::default() };
    for number in 0..100 {
        desks[0].write(&format!("/notes/{number}.md"), &format!("note {number}"));
    }
    for number in 0..12 {
        let large = noise(number, 2 << 20);
        desks[0].view.write(&at(&format!("/large/{number}")), &large, &options).expect("room");
    }
    desks[0].round().expect("the remote answers");
    let fresh = new_machine(&server);
    fresh.pair.round(Direction::Pull).expect("the remote answers");
    let received = || fresh.pair.remote.counters().received_bytes;
    assert!(received() < 4 << 20, "{} bytes for 24 MiB", received());
    // They are here.
    let before = received();
    assert_eq!(fresh.read("/notes/7.md"), "note 7");
    assert_eq!(received(), before);
    // A large one costs little more than itself.
    assert!(fresh.view.read(&at("/large/3")).expect("it is there") == noise(3, 2 << 20));
    assert!(received() - before < 24 << 20, "{} bytes", received() - before);
}

#[test]
fn notes_beside_each_other_come_together_and_no_large_file_with_them() {
    let (server, desks) = desks(1);
    let options = crate::WriteOptions { parents: true, ..crate::WriteOptions::default() };
    for number in 0..200 {
        desks[0].write(&format!("/notes/{number}.md"), &format!("note {number} ").repeat(100));
    }
    for number in 0..12 {
        let large = noise(number, 2 << 20);
        desks[0].view.write(&at(&format!("/large/{number}")), &large, &options).expect("room");
    }
    for round in 0..10 {
        desks[0].write("/other", &format!("round {round}, so that there is an index"));
        desks[0].round().expect("the remote answers");
    }
    let fresh = new_machine(&server);
    fresh.pair.round(Direction::Pull).expect("the remote answers");
    fresh.pair.settle().expect("the host has room");
    let (before, asked) = (fresh.pair.remote.counters().received_bytes, requests(&server, &fresh));
    for number in 0..200 {
        let expected = format!("note {number} ").repeat(100);
        assert_eq!(fresh.read(&format!("/notes/{number}.md")), expected);
    }
    let received = fresh.pair.remote.counters().received_bytes - before;
    assert!(received < 2 << 20, "{received} bytes");
    let asked = requests(&server, &fresh) - asked;
    assert!(asked <= 80, "{asked} requests");
}
