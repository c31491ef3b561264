//! Servers that others wrote keep the promises too, or are found out.

use std::cell::Cell;

use homefs_core::{Remote, SystemClock};
use homefs_remote::{Bucket, Capabilities, Effort, RemoteAddress, probe};
use homefs_testkit::{
    AZURITE, FAKE_GCS, ForeignServer, MINIO, MOTO, RCLONE, SEAWEEDFS, ServerKind,
    remote_conformance_without,
};

/// What servers cannot do: the server, the case, and why.
const CANNOT: &[(&str, &str, &str)] = &[
    ("Azurite", "an_empty_object_is_an_object", "a range of an empty object is `bytes 0--1/0`"),
    ("Azurite", "a_range_without_bytes_is_invalid", "answers one beyond the end instead of 416"),
    ("Azurite", "strange_keys_are_kept_as_given", "takes a\\b for a/b, as Azure does"),
    ("SeaweedFS", "strange_keys_are_kept_as_given", "lists a\\b as a/b"),
    ("SeaweedFS", "a_listing_goes_on_after_any_text", "seeks by folders, where a/ is before a-"),
];

/// What takes seconds on a slow server, and so is left to an extended run.
const LONG: &[&str] = &["pages_have_every_key_once", "exactly_one_page_has_no_more"];

/// Opens a prefix in the server's bucket.
fn open(server: &ForeignServer, prefix: &str) -> Bucket {
    let address: RemoteAddress = server.address(prefix).parse().expect("it is an address");
    let address = address.with_endpoint(server.endpoint());
    let key = server.key().iter().copied().collect();
    Bucket::open_in(&address, &key).expect("nothing is sent yet")
}

/// Starts a server and probes it; nothing if its program is missing, which was said then.
fn probed(kind: &ServerKind) -> Option<(ForeignServer, Capabilities)> {
    let server = ForeignServer::start(kind).expect("it starts")?;
    let effort = if is_extended() { Effort::Thorough } else { Effort::Quick };
    let found = probe(&open(&server, "probe"), 1, effort, &SystemClock).expect("it answers");
    Some((server, found))
}

/// Probes a server and runs the suite on a prefix of its own for each case.
fn check(kind: &ServerKind) {
    let Some((server, found)) = probed(kind) else { return };
    assert!(found.several_writers() && found.unless && found.listing, "{found:?}");
    let cannot = CANNOT.iter().filter(|(name, ..)| *name == kind.name).map(|(_, case, _)| *case);
    let long = LONG.iter().copied().filter(|_| !is_extended());
    let cases = Cell::new(0);
    remote_conformance_without(&cannot.chain(long).collect::<Vec<_>>(), &|| -> Box<dyn Remote> {
        cases.set(cases.get() + 1);
        Box::new(open(&server, &format!("case-{}", cases.get())))
    });
}

/// Tells whether long tests are wanted.
#[expect(clippy::disallowed_methods, reason = "how long to test is up to the caller")]
fn is_extended() -> bool {
    std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1")
}

#[test]
fn moto_keeps_the_promises() {
    check(&MOTO);
}

#[test]
fn seaweedfs_keeps_the_promises() {
    if is_extended() {
        check(&SEAWEEDFS);
    }
}

#[test]
fn minio_keeps_the_promises() {
    if is_extended() {
        check(&MINIO);
    }
}

#[test]
fn azurite_keeps_the_promises() {
    if is_extended() {
        check(&AZURITE);
    }
}

/// It takes uploads of Google's JSON interface only, and homefs speaks the XML one, so it cannot
/// judge. Should that change, it belongs to those above.
#[test]
fn fake_gcs_server_takes_no_puts() {
    if !is_extended() {
        return;
    }
    let Some(server) = ForeignServer::start(&FAKE_GCS).expect("it starts") else { return };
    let found = probe(&open(&server, "probe"), 1, Effort::Quick, &SystemClock);
    let error = found.expect_err("no put is taken");
    assert!(error.message().contains("answered 400"), "{error}");
}

#[test]
fn rclone_is_refused_to_several_writers() {
    let Some((_server, found)) = probed(&RCLONE) else { return };
    assert!(!found.several_writers(), "{found:?}");
}
