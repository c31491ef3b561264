//! The probe finds out what a remote really honours and leaves nothing behind.

use std::time::Duration;

use homefs_core::{ErrorKind, Remote};
use homefs_remote::{Bucket, Capabilities, Environment, RemoteAddress, probe};
use homefs_testkit::{Fault, FaultKind, RemoteOperation, S3Flaw, S3Server};

use crate::common::{address, open, open_directory, right_key};

const ALL: Capabilities = Capabilities {
    absent: true,
    unchanged: true,
    unchanged_missing: true,
    unless: true,
    listing: true,
};

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
    let without_absent = Capabilities { absent: false, ..ALL };
    check(&[S3Flaw::IgnoresIfNoneMatch], without_absent);
    let without_unchanged = Capabilities { unchanged: false, unchanged_missing: false, ..ALL };
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
