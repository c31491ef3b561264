//! A place where copies are kept, as a seam: a bucket, a directory, or memory in a test.
//!
//! Calls block and are batched, so that whoever syncs stays a plain state machine while a backend
//! sends the requests of one batch in parallel, in whatever way suits it.

use std::ops::Range;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result, Timestamp};

/// Longest key of an object, the remote's own prefix included, as in S3.
pub const REMOTE_KEY_BYTES_MAX: usize = 1024;
/// Largest content of one request; larger objects are read by ranges.
pub const REMOTE_CONTENT_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Most objects in one page of a listing, as in S3.
pub const REMOTE_PAGE_OBJECTS_MAX: usize = 1000;

/// A place where copies are kept.
///
/// Objects appear whole and at once: whoever gets one sees all of one put or nothing of it.
/// A get or a listing after a put that was answered sees it.
pub trait Remote: Send + Sync {
    /// Runs the requests, in parallel and in any order where the backend can, and returns their
    /// answers in the order of the requests. Nothing is tried twice.
    ///
    /// What the kinds of error mean here:
    ///
    /// - `NotFound`: a get of an object that is not there.
    /// - `Conflict`: the condition of a put does not hold; nothing was stored.
    /// - `Denied`: the credentials are missing, wrong or lack the right.
    /// - `Unavailable`: no answer, or none that counts; **a put or delete may have happened**.
    /// - `Invalid`: the key, the range or the configuration is wrong; a missing bucket too.
    /// - `LimitExceeded`: a bound of this machine, such as [`REMOTE_CONTENT_BYTES_MAX`], or a
    ///   bucket that is full.
    /// - `ReadOnly`: this machine only reads here, see [`Self::is_read_only`].
    fn run(&self, requests: Vec<RemoteRequest>) -> Vec<Result<RemoteAnswer>>;

    /// Returns the address as a person would write it, never with secrets.
    fn describe(&self) -> String;

    /// Returns what was asked and moved since the remote was opened.
    fn counters(&self) -> RemoteCounters;

    /// Tells whether this machine only reads here: then every put and delete is `ReadOnly`.
    fn is_read_only(&self) -> bool {
        false
    }
}

impl dyn Remote + '_ {
    /// Runs a single request.
    pub fn run_one(&self, request: RemoteRequest) -> Result<RemoteAnswer> {
        let answer = self.run(vec![request]).pop();
        answer.unwrap_or_else(|| Err(Error::new(ErrorKind::Internal, "the remote did not answer")))
    }
}

/// One request.
///
/// Keys are below the remote's prefix: see [`check_key`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteRequest {
    /// Reads an object.
    Get {
        /// The key of the object.
        key: String,
        /// The bytes to read, or all. It ends with the object if it reaches beyond; one that is
        /// empty or starts at or after the end is `Invalid`, the latter
        /// with the code `BeyondEnd`.
        range: Option<Range<u64>>,
        /// Answers [`RemoteAnswer::Unchanged`] while the object has this tag.
        unless: Option<Tag>,
    },
    /// Stores a whole object.
    Put {
        /// The key of the object.
        key: String,
        /// All its bytes.
        content: Bytes,
        /// What must hold, decided by the remote in the same step that stores.
        condition: Condition,
    },
    /// Removes an object; one that is not there is no error.
    Delete {
        /// The key of the object.
        key: String,
    },
    /// Lists objects in the order of their keys' bytes, one page.
    List {
        /// What the keys start with, as text: `a/b` finds `a/b`, `a/bc` and `a/b/c`.
        prefix: String,
        /// Leaves out this key and those before it: the last one of the page before.
        after: Option<String>,
    },
}

/// What must hold for a put to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing: the put replaces whatever is there.
    Any,
    /// There is no such object.
    Absent,
    /// The object is there and still has this tag.
    Unchanged(Tag),
}

/// What a remote answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteAnswer {
    /// What a get read.
    Object {
        /// The bytes of the range that was asked for.
        content: Bytes,
        /// The state of the object that they are from.
        tag: Tag,
        /// When that was stored, by the remote's clock.
        modified: Timestamp,
    },
    /// The object of a get still has the tag that the request named.
    Unchanged,
    /// The put happened.
    Stored {
        /// The state that it made.
        tag: Tag,
    },
    /// The object is gone.
    Deleted,
    /// One page of a listing.
    Listed {
        /// The objects, at most [`REMOTE_PAGE_OBJECTS_MAX`].
        objects: Vec<RemoteObject>,
        /// Whether another page follows.
        more: bool,
    },
}

/// One object of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteObject {
    /// Its key.
    pub key: String,
    /// Its length.
    pub size_bytes: u64,
    /// Its state: the same tag that a get would bring.
    pub tag: Tag,
    /// When it was stored, by the remote's clock.
    pub modified: Timestamp,
}

/// What a remote says of an object's present state: opaque, another one whenever the object
/// changes, except that equal bytes may have equal tags.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tag(Box<str>);

impl Tag {
    /// Takes a tag as the remote spells it.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// Returns it as the remote spells it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What was asked of a remote and moved, failed requests included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteCounters {
    /// Objects asked for, unchanged ones included.
    pub gets: u64,
    /// Objects sent.
    pub puts: u64,
    /// Objects removed.
    pub deletes: u64,
    /// Pages listed.
    pub lists: u64,
    /// Those of the above that ended in an error other than `NotFound` and `Conflict`.
    pub failures: u64,
    /// Bytes of content sent.
    pub sent_bytes: u64,
    /// Bytes of content received.
    pub received_bytes: u64,
}

impl RemoteCounters {
    /// Counts a request that is about to be sent.
    pub fn count_request(&mut self, request: &RemoteRequest) {
        match request {
            RemoteRequest::Get { .. } => self.gets += 1,
            RemoteRequest::Put { content, .. } => {
                self.puts += 1;
                self.sent_bytes += content.len() as u64;
            }
            RemoteRequest::Delete { .. } => self.deletes += 1,
            RemoteRequest::List { .. } => self.lists += 1,
        }
    }

    /// Counts what came back; that something is not there, or not as expected, is no failure.
    pub fn count_answer(&mut self, answer: &Result<RemoteAnswer>) {
        match answer {
            Ok(RemoteAnswer::Object { content, .. }) => self.received_bytes += content.len() as u64,
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Conflict) => {}
            Err(_) => self.failures += 1,
        }
    }
}

/// Checks a key: parts separated by `/`, none of them empty, `.` or `..`, and no control
/// characters, which some remotes cannot list. Backends check every request with it.
pub fn check_key(key: &str) -> Result<()> {
    if key.len() > REMOTE_KEY_BYTES_MAX {
        let message = format!("the key has more than {REMOTE_KEY_BYTES_MAX} bytes");
        return Err(Error::new(ErrorKind::LimitExceeded, message).with_path_text(key));
    }
    let strange = |part: &str| matches!(part, "" | "." | "..") || part.contains(char::is_control);
    if key.split('/').any(strange) {
        let message = "a key has no empty part, none that is . or .., and no control characters";
        return Err(Error::new(ErrorKind::Invalid, message).with_path_text(key));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_spelled_alike_everywhere() {
        for good in ["a", ".homefs/HEAD", "notes/über uns.md", "a/...", "a b%#?*"] {
            assert!(check_key(good).is_ok(), "{good}");
        }
        for bad in ["", "/", "/a", "a/", "a//b", ".", "a/../b", "a\nb", "a/\u{7f}"] {
            assert_eq!(check_key(bad).unwrap_err().kind(), ErrorKind::Invalid, "{bad:?}");
        }
        let long = "x".repeat(REMOTE_KEY_BYTES_MAX + 1);
        assert_eq!(check_key(&long).unwrap_err().kind(), ErrorKind::LimitExceeded);
    }
}
