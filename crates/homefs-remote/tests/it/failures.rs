//! Failures are told apart, come soon, and show no secrets.

use std::error::Error as StdError;
use std::net::TcpListener;
use std::time::Duration;

use homefs_core::{Condition, Error, ErrorKind, Remote, RemoteAnswer, RemoteRequest};
use homefs_remote::{Bucket, Environment, RemoteAddress};
use homefs_testkit::{Fault, FaultKind, RemoteOperation, S3Server};

use crate::common::{address, get, key, kind, list, one_of_each, open, put, right_key, run};
use crate::common::{stored, text};

/// Returns everything that an error could show.
fn shown(error: &Error) -> String {
    let mut shown = format!("{error} {error:?}");
    let mut cause: Option<&dyn StdError> = error.source();
    while let Some(inner) = cause {
        shown.push_str(&inner.to_string());
        cause = inner.source();
    }
    shown
}

#[test]
fn wrong_credentials_are_denied_and_named() {
    let server = S3Server::start().unwrap();
    for (id, secret) in [(S3Server::ACCESS_KEY, "geheim"), ("nobody", "geheim")] {
        let remote = Bucket::open_in(&address(&server, "p"), &key(id, secret)).unwrap();
        for answer in remote.run(one_of_each()) {
            let error = answer.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Denied, "{error}");
            assert!(error.message().contains("AWS_ACCESS_KEY_ID"), "{error}");
            assert!(!shown(&error).contains("geheim"), "{error:?}");
        }
        assert!(!format!("{remote:?} {}", remote.describe()).contains("geheim"));
    }
    assert!(server.objects().is_empty());
}

#[test]
fn secrets_are_not_shown_by_what_holds_them() {
    assert!(!format!("{:?}", key("id", "geheim")).contains("geheim"));
    let server = S3Server::start().unwrap();
    assert_eq!(open(&server, "a/b").describe(), format!("s3://{}/a/b", server.bucket()));
}

#[test]
fn the_server_of_the_address_goes_before_that_of_the_environment() {
    let server = S3Server::start().unwrap();
    let away = unused_endpoint();
    let environment = |endpoint: &str| -> Environment {
        let key = [
            ("AWS_ACCESS_KEY_ID", S3Server::ACCESS_KEY),
            ("AWS_SECRET_ACCESS_KEY", S3Server::SECRET_KEY),
        ];
        let names = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].map(|name| (name, endpoint));
        key.into_iter().chain(names).collect()
    };
    let mut address = address(&server, "p");
    stored(&Bucket::open_in(&address, &environment(&away)).unwrap(), "a", "x");
    address.endpoint = None;
    let remote = Bucket::open_in(&address, &environment(&server.endpoint())).unwrap();
    assert_eq!(text(&remote, "a").unwrap(), "x");
    let remote = Bucket::open_in(&address, &environment(&away)).unwrap();
    assert!(text(&remote, "a").unwrap_err().message().contains(&away));
}

#[test]
fn half_a_key_is_invalid() {
    let server = S3Server::start().unwrap();
    let half: Environment = [("AWS_ACCESS_KEY_ID", "id")].into_iter().collect();
    let error = Bucket::open_in(&address(&server, "p"), &half).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[test]
fn credentials_that_cannot_be_fetched_are_denied_without_a_request() {
    let server = S3Server::start().unwrap();
    let role = [("AWS_METADATA_ENDPOINT", unused_endpoint())].into_iter().collect();
    let remote = Bucket::open_in(&address(&server, "p"), &role).unwrap();
    for request in [get("a"), put("a", "x", Condition::Absent), list()] {
        let error = run(&remote, request).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Denied, "{error}");
        assert!(error.message().contains("no key in the environment"), "{error}");
    }
    assert!(server.log().is_empty());
}

/// Returns an endpoint where nobody listens.
fn unused_endpoint() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    format!("http://{}", listener.local_addr().expect("it is bound"))
}

#[test]
fn a_server_that_is_away_is_unavailable_and_named() {
    let server = S3Server::start().unwrap();
    let endpoint = unused_endpoint();
    let address = address(&server, "p").with_endpoint(endpoint.clone());
    let remote = Bucket::open_in(&address, &right_key()).unwrap();
    for answer in remote.run(one_of_each()) {
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert!(error.message().contains(&endpoint), "{error}");
        assert!(error.message().to_lowercase().contains("connection refused"), "{error}");
    }
    assert_eq!(remote.counters().failures, 6);
}

#[test]
fn google_and_azure_are_opened_with_their_own_variables() {
    // A key that asks for no token, as stand-ins for Google take it: tests do not leave the host.
    let account_key = r#"{"private_key": "Z2VoZWlt", "private_key_id": "", "client_email": "",
        "gcs_base_url": "http://127.0.0.1:1", "disable_oauth": true}"#;
    let google = [("GOOGLE_SERVICE_ACCOUNT_KEY", account_key)].into_iter().collect();
    let account = ("AZURE_STORAGE_ACCOUNT_NAME", "account");
    let azure = [account, ("AZURE_STORAGE_ACCOUNT_KEY", "Z2VoZWlt")].into_iter().collect();
    for (text, environment) in [("gs://bucket/p", google), ("az://container/p", azure)] {
        let address: RemoteAddress = text.parse().unwrap();
        let address = address.with_endpoint(unused_endpoint());
        let remote = Bucket::open_in(&address, &environment).unwrap();
        for answer in remote.run(one_of_each()) {
            let error = answer.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{text}: {error}");
            assert!(!shown(&error).contains("Z2VoZWlt"), "{error:?}");
        }
    }
}

#[test]
fn a_missing_bucket_is_not_an_empty_one() {
    let server = S3Server::start().unwrap();
    let remote = open(&server, "p");
    server.delete_bucket();
    let requests =
        vec![get("a"), put("a", "x", Condition::Any), put("a", "x", Condition::Absent), list()];
    for answer in remote.run(requests) {
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(error.message().contains("create it"), "{error}");
    }
}

#[test]
fn no_answer_that_counts_is_unavailable() {
    let server = S3Server::start().unwrap();
    let mut address = address(&server, "p");
    address.deadline = Duration::from_millis(200);
    let remote = Bucket::open_in(&address, &right_key()).unwrap();
    for fault in
        [FaultKind::Status(503), FaultKind::Status(429), FaultKind::Reset, FaultKind::Timeout]
    {
        for request in one_of_each() {
            server.fail(Fault::before(fault));
            let answer = run(&remote, request);
            assert_eq!(kind(&answer), Some(ErrorKind::Unavailable), "{fault:?} {answer:?}");
        }
    }
    assert!(server.objects().is_empty());
}

#[test]
fn a_content_that_is_cut_short_is_not_taken_for_whole() {
    let server = S3Server::start().unwrap();
    let remote = open(&server, "p");
    stored(&remote, "a", &"x".repeat(10_000));
    let part = RemoteRequest::Get { key: "a".to_owned(), range: Some(10..5_000), unless: None };
    for request in [get("a"), part, list()] {
        server.fail(Fault::before(FaultKind::Truncate));
        assert_eq!(kind(&run(&remote, request)), Some(ErrorKind::Unavailable));
    }
    assert_eq!(text(&remote, "a").unwrap().len(), 10_000);
}

#[test]
fn a_put_with_a_lost_answer_is_sent_once_and_is_not_a_conflict() {
    let server = S3Server::start().unwrap();
    let remote = open(&server, "p");
    let tag = stored(&remote, "head", "old");
    for fault in [FaultKind::Status(500), FaultKind::Status(503), FaultKind::Reset] {
        server.put("p/head", "old");
        server.remove("p/new");
        server.clear_log();
        let conditions = [("head", Condition::Unchanged(tag.clone())), ("new", Condition::Absent)];
        for (name, condition) in conditions {
            server.fail(Fault::after(fault).on(RemoteOperation::Put));
            let answer = run(&remote, put(name, "won", condition));
            assert_eq!(kind(&answer), Some(ErrorKind::Unavailable), "{fault:?}");
            assert_eq!(text(&remote, name).unwrap(), "won");
        }
        assert_eq!(server.counts()[&RemoteOperation::Put], 2, "{fault:?}");
    }
}

#[test]
fn a_failure_does_not_touch_the_other_requests_of_its_batch() {
    let server = S3Server::start().unwrap();
    let remote = open(&server, "p");
    server.fail(Fault::before(FaultKind::Reset).below("p/k3"));
    let puts = (0..8).map(|number| put(&format!("k{number}"), "x", Condition::Any)).collect();
    let failed: Vec<bool> = remote.run(puts).iter().map(Result::is_err).collect();
    assert_eq!(failed, [false, false, false, true, false, false, false, false]);
}

#[test]
fn a_batch_takes_one_round_trip_per_32_requests() {
    let server = S3Server::start().unwrap();
    server.throttle(32);
    server.latency(Duration::from_millis(20));
    let remote = open(&server, "p");
    let puts = (0..100).map(|number| put(&format!("k{number}"), "x", Condition::Any)).collect();
    assert!(remote.run(puts).iter().all(Result::is_ok), "never more than 32 are under way");
    assert_eq!(server.objects().len(), 100);
}

#[test]
fn requests_and_bytes_are_counted() {
    let server = S3Server::start().unwrap();
    let remote = open(&server, "p");
    let tag = stored(&remote, "a", "12345");
    assert_eq!(text(&remote, "a").unwrap(), "12345");
    let unchanged = RemoteRequest::Get { key: "a".to_owned(), range: None, unless: Some(tag) };
    assert_eq!(run(&remote, unchanged).unwrap(), RemoteAnswer::Unchanged);
    assert_eq!(kind(&run(&remote, get("b"))), Some(ErrorKind::NotFound));
    run(&remote, list()).unwrap();
    let counters = remote.counters();
    assert_eq!((counters.gets, counters.puts, counters.lists, counters.deletes), (3, 1, 1, 0));
    assert_eq!((counters.sent_bytes, counters.received_bytes, counters.failures), (5, 5, 0));
    assert_eq!(server.log().len(), 5);
}
