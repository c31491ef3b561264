//! Every kind of place keeps the promises of a remote.

use std::cell::Cell;

use homefs_core::{Remote, SystemClock};
use homefs_remote::{Bucket, Effort, Environment, RemoteAddress, probe};
use homefs_testkit::{S3Flaw, S3Server, remote_conformance};

use crate::common::{open, open_directory};

/// Runs the suite on a prefix of its own for each case.
fn check_s3(flaws: &[S3Flaw]) {
    let server = S3Server::start().expect("a port is free");
    server.set_flaws(flaws);
    let cases = Cell::new(0);
    remote_conformance(&|| {
        cases.set(cases.get() + 1);
        Box::new(open(&server, &format!("case-{}", cases.get())))
    });
}

#[test]
fn a_bucket_keeps_the_promises() {
    check_s3(&[]);
}

#[test]
fn a_bucket_that_says_412_for_a_missing_object_keeps_the_promises() {
    check_s3(&[S3Flaw::MissingIsPreconditionFailed]);
}

/// Runs the suite on a service that is not of the test kit: `HOMEFS_TEST_REMOTE` names an empty
/// prefix, `HOMEFS_TEST_ENDPOINT` its server, and the usual variables its credentials.
#[test]
#[expect(clippy::disallowed_methods, reason = "whether a service is at hand is up to the caller")]
fn a_service_keeps_the_promises() {
    let Ok(text) = std::env::var("HOMEFS_TEST_REMOTE") else { return };
    let cases = Cell::new(0);
    let next = || -> Box<dyn Remote> {
        cases.set(cases.get() + 1);
        let mut address: RemoteAddress = format!("{text}/{}", cases.get()).parse().unwrap();
        address.endpoint = std::env::var("HOMEFS_TEST_ENDPOINT").ok();
        Box::new(Bucket::open(&address).unwrap())
    };
    let found = probe(&*next(), 1, Effort::Thorough, &SystemClock).unwrap();
    assert!(found.several_writers(), "{found:?}");
    remote_conformance(&next);
}

#[test]
fn a_directory_keeps_the_promises() {
    let dir = tempfile::tempdir().unwrap();
    remote_conformance(&|| {
        let inside = tempfile::tempdir_in(&dir).unwrap().keep();
        Box::new(open_directory(&inside).unwrap())
    });
}

#[test]
fn memory_keeps_the_promises() {
    let address: RemoteAddress = "memory:".parse().unwrap();
    remote_conformance(&|| -> Box<dyn Remote> {
        Box::new(Bucket::open_in(&address, &Environment::default()).unwrap())
    });
}
