//! The probe finds out what a remote really honours and leaves nothing behind.

use std::time::Duration;

use homefs_core::{ErrorKind, Remote, Result, SystemClock};
use homefs_remote::{Bucket, Capabilities, Effort, Environment, Races, RemoteAddress};
use homefs_testkit::{Fault, FaultKind, RemoteOperation, S3Flaw, S3Server};

use crate::common::{address, open, open_directory, right_key};

const ALL: Capabilities = Capabilities {
    absent: true,
    unchanged: true,
    unchanged_missing: true,
    unless: true,
    listing: true,
    creates: Races { run: 40, broken: 0 },
    replaces: Races { run: 40, broken: 0 },
};

/// What a server has for which no race is worth while.
const UNRACED: Capabilities = Capabilities {
    creates: Races { run: 0, broken: 0 },
    replaces: Races { run: 0, broken: 0 },
    ..ALL
};

fn probe(remote: &dyn Remote, id: u64) -> Result<Capabilities> {
    homefs_remote::probe(remote, id, Effort::Quick, &SystemClock)
}

/// Probes a server with these flaws, which leaves no trace.
#[track_caller]
fn check(flaws: &[S3Flaw], expected: Capabilities) {
    let server = S3Server::start().expect("a port is free");
    server.set_flaws(flaws);
    let found = probe(&open(&server, "p"), 1).expect("the server is well");
    assert_eq!(found, expected);
    assert!(server.objects().is_empty(), "{:?}", server.objects().keys());
}

#[test]
fn a_good_server_is_recognised() {
    check(&[], ALL);
    check(&[S3Flaw::MissingIsPreconditionFailed], ALL);
    assert!(ALL.several_writers());
}

#[test]
fn a_server_that_ignores_conditions_is_recognised() {
    let without_absent = Capabilities { absent: false, ..UNRACED };
    check(&[S3Flaw::IgnoresIfNoneMatch], without_absent);
    let without_unchanged = Capabilities { unchanged: false, unchanged_missing: false, ..UNRACED };
    check(&[S3Flaw::IgnoresIfMatch], without_unchanged);
    let without_unless = Capabilities { unless: false, ..ALL };
    check(&[S3Flaw::IgnoresUnless], without_unless);
    assert!(!without_absent.several_writers() && !without_unchanged.several_writers());
    assert!(without_unless.several_writers());
}

#[test]
fn a_server_that_refuses_conditions_as_such_is_recognised() {
    let server = S3Server::start().unwrap();
    // The first put of the probe is one with a condition.
    server.fail(Fault::before(FaultKind::Status(501)).on(RemoteOperation::Put));
    assert!(!probe(&open(&server, "p"), 1).unwrap().several_writers());
}

/// Races on a server of which one in so many puts checks and writes in two steps, and returns what
/// is found.
fn raced(one_in: usize, effort: Effort) -> Capabilities {
    let server = S3Server::start().expect("a port is free");
    server.set_flaws(&[S3Flaw::ChecksThenWrites(one_in)]);
    let found = homefs_remote::probe(&open(&server, "p"), 1, effort, &SystemClock);
    assert!(server.objects().is_empty(), "{:?}", server.objects().keys());
    found.expect("the server is well")
}

#[test]
fn a_server_that_checks_and_writes_in_two_steps_is_recognised() {
    let found = raced(1, Effort::Quick);
    assert!(found.in_turn() && !found.simultaneous() && !found.several_writers(), "{found:?}");
    assert!(found.creates.broken > 0 && found.replaces.broken > 0, "{found:?}");
    let danger = found.danger().expect("there is one");
    assert!(danger.contains("when two arrive together") && danger.contains("lost"), "{danger}");
}

#[test]
fn a_server_that_lets_two_win_rarely_is_recognised_by_a_longer_race() {
    let found = raced(75, Effort::Thorough);
    assert_eq!(found.races().run, 800, "{found:?}");
    assert!(found.in_turn() && !found.several_writers(), "{found:?}");
}

#[test]
fn a_race_takes_no_more_requests_than_it_says() {
    for (effort, most, races) in [(Effort::Quick, 400, 80), (Effort::Thorough, 4000, 800)] {
        let server = S3Server::start().expect("a port is free");
        let found = homefs_remote::probe(&open(&server, "p"), 1, effort, &SystemClock);
        assert_eq!(found.expect("the server is well").races(), Races { run: races, broken: 0 });
        let requests: usize = server.counts().values().sum();
        assert!(requests < most, "{requests}");
    }
}

#[test]
fn a_server_that_throttles_is_not_refused_for_it() {
    let server = S3Server::start().unwrap();
    server.throttle(3);
    let found = probe(&open(&server, "p"), 1).unwrap();
    assert!(found.several_writers() && found.races().run > 0, "{found:?}");
}

#[test]
fn directories_and_memory_honour_everything() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(probe(&open_directory(dir.path()).unwrap(), 1).unwrap(), ALL);
    assert_eq!(dir.path().read_dir().unwrap().count(), 0);
    let address: RemoteAddress = "memory:".parse().unwrap();
    let memory = Bucket::open_in(&address, &Environment::default()).unwrap();
    assert_eq!(probe(&memory, 1).unwrap(), ALL);
}

#[test]
fn a_probe_that_fails_says_why_and_cleans_up() {
    let server = S3Server::start().unwrap();
    server.fail(Fault::after(FaultKind::Status(503)).on(RemoteOperation::Put).skip(2));
    let remote = open(&server, "p");
    assert_eq!(probe(&remote, 1).unwrap_err().kind(), ErrorKind::Unavailable);
    assert!(server.objects().is_empty(), "{:?}", server.objects().keys());
    assert!(remote.counters().failures > 0);
}

#[test]
fn a_server_that_never_answers_ends_the_probe() {
    let server = S3Server::start().unwrap();
    server.fail(Fault::before(FaultKind::Timeout).times(100));
    let mut address = address(&server, "p");
    address.deadline = Duration::from_millis(50);
    let remote = Bucket::open_in(&address, &right_key()).unwrap();
    assert_eq!(probe(&remote, 1).unwrap_err().kind(), ErrorKind::Unavailable);
}
