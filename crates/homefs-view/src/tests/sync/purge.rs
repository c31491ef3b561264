//! Purges reach the remote and every machine.

use std::io::BufRead as _;

use homefs_core::{Digest, ErrorKind};
use homefs_sync::PurgedThere;
use homefs_testkit::{Fault, FaultKind, MemoryServer, RemoteOperation};

use super::desk::{Desk, at};
use super::simulation::Dice;
use super::{agree, desks};
use crate::{Kind, Moment, RenameMode, WriteOptions};

/// What fails now and then.
const OPERATIONS: [RemoteOperation; 3] =
    [RemoteOperation::Delete, RemoteOperation::Get, RemoteOperation::Put];

/// What every secret begins with.
fn marker() -> Vec<u8> {
    (1_u8..=2).flat_map(|part| Digest::of(&[part]).0).collect()
}

/// Returns bytes that compression leaves as they are, so that they can be searched for.
fn secret(name: &str, len: usize) -> Vec<u8> {
    let digests = (0_u32..).flat_map(|part| Digest::of(format!("{name} {part}").as_bytes()).0);
    marker().into_iter().chain(digests).take(len).collect()
}

fn write(desk: &Desk, path: &str, content: &[u8]) {
    let options = WriteOptions { parents: true, ..WriteOptions::default() };
    desk.view.write(&at(path), content, &options).expect("it can be written");
}

/// Tells whether bytes have a secret among them.
fn has(mut bytes: &[u8]) -> bool {
    let wanted = marker();
    // This search is fast in a debug build too.
    while bytes.skip_until(wanted[0]).expect("a slice can be read") > 0 {
        if bytes.starts_with(&wanted[1..]) {
            return true;
        }
    }
    false
}

/// Tells whether the bucket has a secret.
fn is_there(server: &MemoryServer) -> bool {
    server.objects().values().any(|object| has(object))
}

/// Tells whether a machine has a secret in any file.
fn is_here(desk: &Desk) -> bool {
    desk.files().iter().any(|file| has(file))
}

#[test]
fn a_purge_leaves_nothing_in_the_remote_and_on_other_machines() {
    let (server, mut desks) = desks(2);
    let (small, large) = (secret("small", 500), secret("large", 200_000));
    write(&desks[0], "/d/small", &small);
    write(&desks[0], "/d/large", &large);
    desks[0].write("/with-it", "in the same pack");
    agree(&desks);
    let [a, b] = &desks[..] else { panic!("two") };
    b.write("/from-b", "known to all");
    assert_eq!(b.view.read(&at("/d/large")).unwrap(), large);
    agree(&desks);
    assert!(is_there(&server) && is_here(a) && is_here(b));

    a.view.purge(&at("/d")).unwrap();
    assert_eq!(a.pair.receipt().unwrap().commit, None, "the remote has it still");
    a.round().unwrap();
    let receipt = a.pair.receipt().unwrap();
    assert_eq!(receipt.waiting, ["machine-2"]);
    assert!(receipt.commit.is_some());
    assert!(!is_there(&server) && !is_here(a) && is_here(b));

    b.round().unwrap();
    assert!(!is_here(b));
    a.round().unwrap();
    let done = PurgedThere { commit: receipt.commit, waiting: Vec::new() };
    assert_eq!(a.pair.receipt().unwrap(), done);
    let clock = std::sync::Arc::new(homefs_testkit::VirtualClock::new(homefs_core::Timestamp(0)));
    desks.push(Desk::new(&server, 3, &clock));
    agree(&desks);
    assert_eq!(desks[2].read("/with-it"), "in the same pack");
    let trash = desks[1].view.trash(None, 10).unwrap().items;
    assert!(trash.iter().all(|trashed| trashed.kind != Kind::File.word()), "{trash:?}");
}

#[test]
fn past_contents_are_purged_on_other_machines_too() {
    let (server, desks) = desks(2);
    let [a, b] = &desks[..] else { panic!("two") };
    let secret = secret("past", 500);
    write(a, "/note", &secret);
    agree(&desks);
    write(a, "/note", b"harmless");
    agree(&desks);
    let first = b.view.log(&at("/note"), None, 10).unwrap().pop().unwrap().version;
    let past = |desk: &Desk| desk.view.read_past(&at("/note"), Moment::Version(first), 0, 500);
    assert_eq!(past(b).unwrap(), secret);
    a.view.purge(&at("/note")).unwrap();
    write(a, "/note", b"anew");
    agree(&desks);
    assert!(!is_there(&server) && !is_here(a) && !is_here(b));
    assert_eq!(b.read("/note"), "anew");
}

#[test]
fn only_who_writes_it_again_brings_back_what_was_purged() {
    for is_written in [false, true] {
        let (server, desks) = desks(2);
        let [a, b] = &desks[..] else { panic!("two") };
        let secret = secret("again", 500);
        write(a, "/secret", &secret);
        agree(&desks);
        // Both are ahead, and neither knows of the other.
        b.view.rename(&at("/secret"), &at("/renamed"), RenameMode::Replace).unwrap();
        if is_written {
            write(b, "/mine", &secret);
        }
        a.view.purge(&at("/secret")).unwrap();
        a.round().unwrap();
        assert!(!is_there(&server));
        agree(&desks);
        assert_eq!(b.view.read(&at("/renamed")).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(a.view.read(&at("/mine")).ok().is_some(), is_written);
        assert_eq!(is_there(&server), is_written);
        assert_eq!(is_here(b), is_written);
    }
}

#[test]
fn what_was_sent_in_vain_goes_with_a_purge() {
    let (server, desks) = desks(2);
    let [a, b] = &desks[..] else { panic!("two") };
    let secret = secret("vain", 500);
    agree(&desks);
    write(b, "/secret", &secret);
    b.write("/beside", "in the same pack");
    let outage = Fault::before(FaultKind::Reset).on(RemoteOperation::Put).below(".homefs/HEAD");
    server.fail(outage.until_healed());
    b.round().unwrap_err();
    server.heal();
    assert!(is_there(&server), "the pack was sent");
    b.view.purge(&at("/secret")).unwrap();
    agree(&desks);
    assert!(!is_there(&server));
    assert_eq!(a.read("/beside"), "in the same pack");
}

/// Purges while the remote fails, and looks for what was purged when it has healed.
fn purge_with_faults(seed: u64) {
    let mut dice = Dice(seed);
    let (server, desks) = desks(3);
    let secrets: Vec<_> = (0..6).map(|number| secret(&format!("{seed} {number}"), 300)).collect();
    for step in 0..24 {
        let desk = dice.pick(&desks);
        let number = usize::try_from(dice.roll(6)).unwrap();
        match dice.roll(5) {
            0 | 1 => write(desk, &format!("/{number}"), &secrets[number]),
            2 => desk.write(&format!("/harmless-{}", dice.roll(4)), &format!("{step}")),
            _ => {
                let kind = *dice.pick(&[FaultKind::Reset, FaultKind::Status(503)]);
                let fault =
                    if dice.roll(2) == 0 { Fault::before(kind) } else { Fault::after(kind) };
                server.fail(fault.on(*dice.pick(&OPERATIONS)).skip(dice.roll(4)));
                desk.round().ok();
            }
        }
    }
    server.heal();
    agree(&desks);
    for number in 0..6 {
        let desk = dice.pick(&desks);
        desk.view.purge(&at(&format!("/{number}"))).ok();
        if dice.roll(2) == 0 {
            server.fail(Fault::after(FaultKind::Reset).skip(dice.roll(6)));
            desk.round().ok();
            server.heal();
        }
    }
    agree(&desks);
    desks[0].pair.sweep(false).unwrap();
    agree(&desks);
    assert!(!is_there(&server));
    for desk in &desks {
        assert!(!is_here(desk));
        assert_eq!(desk.pair.receipt().unwrap().waiting, [""; 0]);
    }
}

#[test]
fn a_purge_is_thorough_whatever_fails() {
    for seed in 0..8 {
        if let Err(panic) = std::panic::catch_unwind(|| purge_with_faults(seed)) {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(panic);
        }
    }
}
