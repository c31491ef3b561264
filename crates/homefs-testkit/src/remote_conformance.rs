//! What every backend promises, as cases that any [`Remote`] can be put through.
//!
//! Not promised, and so not tried: an object beside others that it would be the folder of (`a`
//! beside `a/b`), which a directory cannot hold, and another tag when equal bytes are stored
//! again. Code that must notice such a put stores bytes that differ, as HEAD does with its id.

mod batches;
mod conditions;
mod keys;
mod objects;

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use homefs_core::{
    Condition, ErrorKind, Remote, RemoteAnswer, RemoteObject, RemoteRequest, Result, Tag,
};

/// A promise: its name, and what fails if it is broken.
type Case = (&'static str, fn(&dyn Remote));

/// Names functions as cases.
macro_rules! cases {
    ($($case:ident),* $(,)?) => { &[$((stringify!($case), $case)),*] };
}
use cases;

/// Tries every promise on a remote of its own. `make` returns one without objects; a new prefix in
/// the same bucket will do.
///
/// # Panics
/// If a promise is broken, after all were tried; the message names the cases.
pub fn remote_conformance(make: &dyn Fn() -> Box<dyn Remote>) {
    remote_conformance_without(&[], make);
}

/// As [`remote_conformance`], without the cases of these names.
///
/// # Panics
/// If a promise is broken, or there is no such case.
pub fn remote_conformance_without(left_out: &[&str], make: &dyn Fn() -> Box<dyn Remote>) {
    let tables = [conditions::CASES, objects::CASES, keys::CASES, batches::CASES].concat();
    for name in left_out {
        assert!(tables.iter().any(|(case, _)| case == name), "there is no case {name}");
    }
    let mut broken = Vec::new();
    for (name, case) in tables.into_iter().filter(|(name, _)| !left_out.contains(name)) {
        let remote = make();
        // A panic leaves nothing behind that another case would see.
        if catch_unwind(AssertUnwindSafe(|| case(&*remote))).is_err() {
            broken.push(format!("{name} ({})", remote.describe()));
        }
    }
    assert!(broken.is_empty(), "broken promises: {}", broken.join(", "));
}

/// Runs one request.
fn run(remote: &dyn Remote, request: RemoteRequest) -> Result<RemoteAnswer> {
    let mut answers = remote.run(vec![request]);
    assert_eq!(answers.len(), 1, "one request has one answer");
    answers.remove(0)
}

/// A get of a whole object.
fn get(key: &str) -> RemoteRequest {
    RemoteRequest::Get { key: key.to_owned(), range: None, unless: None }
}

/// A put.
fn put(key: &str, content: impl Into<Bytes>, condition: Condition) -> RemoteRequest {
    RemoteRequest::Put { key: key.to_owned(), content: content.into(), condition }
}

/// A deletion.
fn delete(key: &str) -> RemoteRequest {
    RemoteRequest::Delete { key: key.to_owned() }
}

/// Stores an object whatever is there, and returns its tag.
fn stored(remote: &dyn Remote, key: &str, content: impl Into<Bytes>) -> Tag {
    stored_tag(run(remote, put(key, content, Condition::Any)))
}

/// Returns the tag of a put that must have happened.
#[track_caller]
fn stored_tag(answer: Result<RemoteAnswer>) -> Tag {
    match answer {
        Ok(RemoteAnswer::Stored { tag }) => tag,
        other => unexpected("a stored object", &other),
    }
}

/// Returns the content and the tag of a get that must have found something.
#[track_caller]
fn object(answer: Result<RemoteAnswer>) -> (Bytes, Tag) {
    match answer {
        Ok(RemoteAnswer::Object { content, tag, .. }) => (content, tag),
        other => unexpected("an object", &other),
    }
}

/// Reads a whole object that must be there.
#[track_caller]
fn content(remote: &dyn Remote, key: &str) -> Bytes {
    object(run(remote, get(key))).0
}

/// Lists one page.
#[track_caller]
fn page(remote: &dyn Remote, prefix: &str, after: Option<&str>) -> (Vec<RemoteObject>, bool) {
    let after = after.map(str::to_owned);
    match run(remote, RemoteRequest::List { prefix: prefix.to_owned(), after }) {
        Ok(RemoteAnswer::Listed { objects, more }) => (objects, more),
        other => unexpected("a listing", &other),
    }
}

/// Lists the keys of one page.
#[track_caller]
fn keys(remote: &dyn Remote, prefix: &str, after: Option<&str>) -> Vec<String> {
    page(remote, prefix, after).0.into_iter().map(|object| object.key).collect()
}

/// Checks that a request failed in this way.
#[track_caller]
fn expect_error(answer: Result<RemoteAnswer>, kind: ErrorKind) {
    match answer {
        Err(error) => assert_eq!(error.kind(), kind, "{error}"),
        Ok(answer) => unexpected(kind.name(), &Ok(answer)),
    }
}

/// Fails with what came instead.
#[track_caller]
#[expect(clippy::panic, reason = "a broken promise fails the test that runs the suite")]
fn unexpected(wanted: &str, got: &Result<RemoteAnswer>) -> ! {
    panic!("{wanted} was expected, not {got:?}")
}
