//! What the tests share.

use homefs_core::{Condition, ErrorKind, Remote, RemoteAnswer, RemoteRequest, Result, Tag};
use homefs_remote::{Bucket, Environment, RemoteAddress};
use homefs_testkit::S3Server;

/// Returns the address of a prefix in the server's bucket.
pub(crate) fn address(server: &S3Server, prefix: &str) -> RemoteAddress {
    let text = format!("s3://{}/{prefix}", server.bucket());
    let address: RemoteAddress = text.parse().expect("it is an address");
    address.with_endpoint(server.endpoint())
}

/// Returns the variables that hold the right key of the server.
pub(crate) fn right_key() -> Environment {
    key(S3Server::ACCESS_KEY, S3Server::SECRET_KEY)
}

/// Returns the variables that hold a key.
pub(crate) fn key(id: &str, secret: &str) -> Environment {
    [("AWS_ACCESS_KEY_ID", id), ("AWS_SECRET_ACCESS_KEY", secret)].into_iter().collect()
}

/// Opens a prefix in the server's bucket.
pub(crate) fn open(server: &S3Server, prefix: &str) -> Bucket {
    Bucket::open_in(&address(server, prefix), &right_key()).expect("nothing is sent yet")
}

/// Opens a directory.
pub(crate) fn open_directory(dir: &std::path::Path) -> Result<Bucket> {
    let address: RemoteAddress = format!("file://{}", dir.display()).parse()?;
    Bucket::open_in(&address, &Environment::default())
}

/// Runs a request.
pub(crate) fn run(remote: &dyn Remote, request: RemoteRequest) -> Result<RemoteAnswer> {
    remote.run_one(request)
}

/// A get of a whole object.
pub(crate) fn get(key: &str) -> RemoteRequest {
    RemoteRequest::Get { key: key.to_owned(), range: None, unless: None }
}

/// A put.
pub(crate) fn put(key: &str, content: &str, condition: Condition) -> RemoteRequest {
    let content = content.to_owned().into();
    RemoteRequest::Put { key: key.to_owned(), content, condition }
}

/// A listing of everything.
pub(crate) fn list() -> RemoteRequest {
    RemoteRequest::List { prefix: String::new(), after: None }
}

/// One request of each kind.
pub(crate) fn one_of_each() -> Vec<RemoteRequest> {
    let delete = RemoteRequest::Delete { key: "a".to_owned() };
    let replace = put("a", "x", Condition::Unchanged(Tag::new("no-such-state")));
    let create = put("a", "x", Condition::Absent);
    vec![get("a"), put("a", "x", Condition::Any), create, replace, delete, list()]
}

/// Stores an object and returns its tag.
pub(crate) fn stored(remote: &dyn Remote, key: &str, content: &str) -> Tag {
    match run(remote, put(key, content, Condition::Any)).expect("the remote is well") {
        RemoteAnswer::Stored { tag } => tag,
        answer => unreachable!("a put is answered by {answer:?}"),
    }
}

/// Reads an object as text.
pub(crate) fn text(remote: &dyn Remote, key: &str) -> Result<String> {
    match run(remote, get(key))? {
        RemoteAnswer::Object { content, .. } => {
            Ok(String::from_utf8(content.to_vec()).expect("the tests store text"))
        }
        answer => unreachable!("a get is answered by {answer:?}"),
    }
}

/// Returns how a request failed.
pub(crate) fn kind(answer: &Result<RemoteAnswer>) -> Option<ErrorKind> {
    answer.as_ref().err().map(homefs_core::Error::kind)
}
