//! The S3 server fails as it is told to, and only then.

use std::thread;
use std::time::Duration;

use homefs_core::{Clock, SystemClock};
use homefs_testkit::{Fault, FaultKind, RemoteOperation, S3Server};
use object_store::{Error, PutMode};

use crate::s3_client::Client;

#[test]
fn a_fault_says_whether_the_put_happened_and_the_client_cannot_tell() {
    for kind in
        [FaultKind::Status(503), FaultKind::Status(500), FaultKind::Reset, FaultKind::Timeout]
    {
        for (fault, happens) in [(Fault::before(kind), false), (Fault::after(kind), true)] {
            let server = S3Server::start().unwrap();
            let client = Client::impatient(&server);
            server.fail(fault);
            client.put("a", "x", PutMode::Create).unwrap_err();
            assert_eq!(server.objects().contains_key("a"), happens, "{kind:?}");
            let again = client.put("a", "x", PutMode::Create);
            assert_eq!(again.is_ok(), !happens, "once only, and the condition holds: {kind:?}");
        }
    }
}

#[test]
fn ordered_statuses_are_exact() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    let ordered = [403, 404, 409, 412, 429, 500, 503];
    for status in ordered {
        server.fail(Fault::before(FaultKind::Status(status)));
        client.put("a", "x", PutMode::Create).unwrap_err();
    }
    let seen: Vec<_> = server.log().into_iter().filter_map(|seen| seen.status).collect();
    assert_eq!(seen, ordered);
    server.fail(Fault::before(FaultKind::Status(404)).on(RemoteOperation::Get));
    client.put("a", "x", PutMode::Create).unwrap();
    assert!(matches!(client.read("a"), Err(Error::NotFound { .. })));
    assert_eq!(client.read("a").unwrap(), "x");
}

#[test]
fn a_truncated_content_is_no_content() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    for size in [1, 10, 1000, 3_000_000] {
        let content = "x".repeat(size);
        server.put("a", content.clone());
        server.fail(Fault::after(FaultKind::Truncate).on(RemoteOperation::Get));
        client.read("a").unwrap_err();
        assert_eq!(client.read("a").unwrap(), content);
    }
}

#[test]
fn a_slow_content_is_whole() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    server.put("a", "0123456789".repeat(100));
    server.fail(Fault::after(FaultKind::Slow(Duration::from_millis(40))));
    let start = SystemClock.now();
    assert_eq!(client.read("a").unwrap(), "0123456789".repeat(100));
    assert!(SystemClock.now().since(start) >= Duration::from_millis(40));
}

#[test]
fn a_fault_chooses_operation_prefix_and_number() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    let fault = Fault::before(FaultKind::Status(503)).on(RemoteOperation::Put).below("packs/");
    server.fail(fault.skip(1).times(2));
    client.put("commits/1", "x", PutMode::Overwrite).unwrap();
    server.put("packs/1", "x");
    client.read("packs/1").unwrap();
    let put = |_| client.put("packs/2", "x", PutMode::Overwrite).is_ok();
    assert_eq!((0..4).map(put).collect::<Vec<_>>(), [true, false, false, true]);
    for (operation, request) in [
        (RemoteOperation::Delete, &(|| client.delete("packs/2").is_ok()) as &dyn Fn() -> bool),
        (RemoteOperation::List, &|| client.folder("packs").is_ok()),
        (RemoteOperation::Get, &|| client.read("packs/1").is_ok()),
    ] {
        server.fail(Fault::before(FaultKind::Reset).on(operation).below("packs/").until_healed());
        assert_eq!((request(), request()), (false, false), "{operation:?}");
        server.heal();
        assert!(request(), "{operation:?}");
    }
}

#[test]
fn latency_delays_every_request() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    server.latency(Duration::from_millis(30));
    let start = SystemClock.now();
    client.put("a", "x", PutMode::Create).unwrap();
    client.read("a").unwrap();
    assert!(SystemClock.now().since(start) >= Duration::from_millis(60));
    server.latency(Duration::ZERO);
    client.read("a").unwrap();
}

#[test]
fn what_is_too_much_at_once_is_refused() {
    let server = S3Server::start().unwrap();
    let client = Client::new(&server);
    server.latency(Duration::from_millis(200));
    server.throttle(2);
    let stored = thread::scope(|scope| {
        let put = |number: usize| {
            let client = &client;
            scope.spawn(move || client.put(&number.to_string(), "x", PutMode::Create).is_ok())
        };
        let puts: Vec<_> = (0..8).map(put).collect();
        puts.into_iter().map(|put| usize::from(put.join().unwrap())).sum::<usize>()
    });
    assert!((2..8).contains(&stored), "{stored} of 8 were stored");
    assert_eq!(server.objects().len(), stored);
    server.throttle(usize::MAX);
    client.put("again", "x", PutMode::Create).unwrap();
}

#[test]
fn a_server_that_owes_an_answer_can_be_dropped() {
    let server = S3Server::start().unwrap();
    let client = Client::impatient(&server);
    server.fail(Fault::before(FaultKind::Timeout));
    client.read("a").unwrap_err();
    drop(server);
    client.read("a").unwrap_err();
}
