//! The remote in memory keeps the promises of every backend, and fails as it is told to.

use std::time::Duration;

use homefs_core::{
    Condition, ErrorKind, Remote, RemoteAnswer, RemoteCounters, RemoteRequest, Result, Tag,
    Timestamp,
};
use homefs_testkit::remote_conformance;
use homefs_testkit::{Fault, FaultKind, MemoryRemote, MemoryServer, RemoteOperation};

#[test]
fn it_keeps_the_promises_of_every_backend() {
    remote_conformance(&|| Box::new(MemoryServer::new().remote("a")));
}

#[test]
fn it_keeps_them_in_any_order() {
    for seed in 0..5 {
        let make = || {
            let server = MemoryServer::new();
            server.shuffle(seed);
            Box::new(server.remote("a")) as Box<dyn Remote>
        };
        remote_conformance(&make);
    }
}

fn put(key: &str, content: &'static str) -> RemoteRequest {
    let content = content.into();
    RemoteRequest::Put { key: key.to_owned(), content, condition: Condition::Any }
}

fn get(key: &str) -> RemoteRequest {
    RemoteRequest::Get { key: key.to_owned(), range: None, unless: None }
}

fn run(remote: &MemoryRemote, request: RemoteRequest) -> Result<RemoteAnswer> {
    (remote as &dyn Remote).run_one(request)
}

fn kind(answer: &Result<RemoteAnswer>) -> Option<ErrorKind> {
    answer.as_ref().err().map(homefs_core::Error::kind)
}

#[test]
fn machines_share_one_server() {
    let server = MemoryServer::new();
    let (a, b) = (server.remote("a"), server.remote("b"));
    server.set_now(Timestamp(7));
    let Ok(RemoteAnswer::Stored { tag }) = run(&a, put("x", "1")) else { panic!("not stored") };
    let modified = Timestamp(7);
    let object = RemoteAnswer::Object { content: "1".into(), tag, modified };
    assert_eq!(run(&b, get("x")).unwrap(), object);
    assert_eq!((a.counters().puts, b.counters().puts, b.counters().received_bytes), (1, 0, 1));
    let log = server.log();
    assert_eq!(log.iter().map(|seen| seen.machine.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    server.clear_log();
    assert!(server.log().is_empty());
}

#[test]
fn equal_bytes_have_equal_tags() {
    let server = MemoryServer::new();
    let remote = server.remote("a");
    let tag = |answer| match answer {
        Ok(RemoteAnswer::Stored { tag }) => tag,
        other => panic!("{other:?}"),
    };
    let first: Tag = tag(run(&remote, put("x", "1")));
    assert_ne!(tag(run(&remote, put("x", "2"))), first);
    assert_eq!(tag(run(&remote, put("x", "1"))), first);
}

#[test]
fn a_fault_says_whether_the_put_happened_and_the_client_cannot_tell() {
    for (fault, happened) in [
        (Fault::before(FaultKind::Reset), false),
        (Fault::after(FaultKind::Reset), true),
        (Fault::before(FaultKind::Status(503)), false),
        (Fault::after(FaultKind::Timeout), true),
    ] {
        let server = MemoryServer::new();
        let remote = server.remote("a");
        server.fail(fault);
        assert_eq!(kind(&run(&remote, put("x", "1"))), Some(ErrorKind::Unavailable));
        assert_eq!(server.objects().contains_key("x"), happened);
        assert_eq!(server.log()[0].happened, happened);
        assert_eq!(remote.counters().failures, 1);
        assert_eq!(kind(&run(&remote, put("x", "1"))), None, "once only");
    }
}

#[test]
fn a_status_becomes_the_kind_that_a_backend_makes_of_it() {
    let cases = [
        (put("x", "1"), 401, ErrorKind::Denied),
        (put("x", "1"), 403, ErrorKind::Denied),
        (put("x", "1"), 404, ErrorKind::Conflict),
        (put("x", "1"), 409, ErrorKind::Conflict),
        (put("x", "1"), 412, ErrorKind::Conflict),
        (put("x", "1"), 429, ErrorKind::Unavailable),
        (get("x"), 404, ErrorKind::NotFound),
        (get("x"), 500, ErrorKind::Unavailable),
    ];
    for (request, status, expected) in cases {
        let server = MemoryServer::new();
        server.put("x", "0");
        server.fail(Fault::before(FaultKind::Status(status)));
        assert_eq!(kind(&run(&server.remote("a"), request)), Some(expected), "{status}");
    }
    let server = MemoryServer::new();
    server.fail(Fault::after(FaultKind::Slow(Duration::from_hours(1))));
    assert!(run(&server.remote("a"), put("x", "1")).is_ok(), "nothing takes time here");
}

#[test]
fn a_fault_chooses_operation_prefix_machine_and_number() {
    let server = MemoryServer::new();
    let (a, b) = (server.remote("a"), server.remote("b"));
    let fault = Fault::before(FaultKind::Reset).on(RemoteOperation::Put).below("packs/").of("a");
    server.fail(fault.skip(1).times(2));
    assert_eq!(kind(&run(&a, put("commits/1", "x"))), None);
    assert_eq!(kind(&run(&b, put("packs/1", "x"))), None);
    assert_eq!(kind(&run(&a, get("packs/1"))), None);
    let failed: Vec<_> = (0..4).map(|_| run(&a, put("packs/2", "x")).is_err()).collect();
    assert_eq!(failed, [false, true, true, false]);
}

#[test]
fn an_outage_lasts_until_told() {
    let server = MemoryServer::new();
    let (a, b) = (server.remote("a"), server.remote("b"));
    server.disconnect("a");
    for _ in 0..3 {
        assert_eq!(kind(&run(&a, put("x", "1"))), Some(ErrorKind::Unavailable));
        assert_eq!(kind(&run(&b, get("x"))), Some(ErrorKind::NotFound));
    }
    server.connect("a");
    assert_eq!(kind(&run(&a, put("x", "1"))), None);
    server.fail(Fault::before(FaultKind::Status(503)).until_healed());
    for remote in [&a, &b, &a] {
        assert_eq!(kind(&run(remote, get("x"))), Some(ErrorKind::Unavailable));
    }
    server.heal();
    assert_eq!(kind(&run(&b, get("x"))), None);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let order = |seed| {
        let server = MemoryServer::new();
        server.shuffle(seed);
        let puts = (0..20).map(|number| put(&number.to_string(), "x")).collect();
        assert!(server.remote("a").run(puts).iter().all(Result::is_ok));
        server.log().into_iter().map(|seen| seen.key).collect::<Vec<_>>()
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

#[test]
fn a_hand_behind_the_machines_backs_is_seen() {
    let server = MemoryServer::new();
    let remote = server.remote("a");
    server.put("note.md", "edited outside");
    assert!(run(&remote, get("note.md")).is_ok());
    server.remove("note.md");
    assert_eq!(kind(&run(&remote, get("note.md"))), Some(ErrorKind::NotFound));
}

/// A backend that breaks a promise: it changes what is asked, or what is answered.
struct Broken {
    inner: MemoryRemote,
    request: fn(RemoteRequest) -> RemoteRequest,
    answers: fn(&mut Vec<Result<RemoteAnswer>>),
}

impl Remote for Broken {
    fn run(&self, requests: Vec<RemoteRequest>) -> Vec<Result<RemoteAnswer>> {
        let mut answers = self.inner.run(requests.into_iter().map(self.request).collect());
        (self.answers)(&mut answers);
        answers
    }

    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn counters(&self) -> RemoteCounters {
        self.inner.counters()
    }
}

/// Checks that the suite finds a backend broken, and names this case.
fn expect_broken(
    case: &str,
    request: fn(RemoteRequest) -> RemoteRequest,
    answers: fn(&mut Vec<Result<RemoteAnswer>>),
) {
    let make = || {
        let inner = MemoryServer::new().remote("a");
        Box::new(Broken { inner, request, answers }) as Box<dyn Remote>
    };
    let outcome = std::panic::catch_unwind(|| remote_conformance(&make));
    let message = outcome.expect_err(case).downcast::<String>().expect("a message");
    assert!(message.contains(case), "{case}: {message}");
}

#[test]
fn the_suite_finds_broken_promises() {
    let without_condition = |request| match request {
        RemoteRequest::Put { key, content, .. } => {
            RemoteRequest::Put { key, content, condition: Condition::Any }
        }
        other => other,
    };
    for case in ["absent_stores_once", "a_stale_tag_is_a_conflict", "one_of_several_writers_wins"] {
        expect_broken(case, without_condition, |_| ());
    }
    let without_tag = |request| match request {
        RemoteRequest::Get { key, range, .. } => RemoteRequest::Get { key, range, unless: None },
        other => other,
    };
    expect_broken("unless_saves_an_unchanged_object", without_tag, |_| ());
    let same = |request| request;
    expect_broken("answers_come_in_the_order_of_the_requests", same, |answers| answers.reverse());
    let last_page = |answers: &mut Vec<_>| {
        if let Some(Ok(RemoteAnswer::Listed { more, .. })) = answers.first_mut() {
            *more = false;
        }
    };
    expect_broken("pages_have_every_key_once", same, last_page);
}
