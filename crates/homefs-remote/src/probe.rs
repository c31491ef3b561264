//! What a remote really honours: there are servers that ignore conditions and say nothing.

use bytes::Bytes;
use homefs_core::{Condition, ErrorKind, Remote, RemoteAnswer, RemoteRequest, Result, Tag};
use serde::{Deserialize, Serialize};

/// What a remote honours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is the answer to a question of its own")]
pub struct Capabilities {
    /// A put that expects no object is refused when there is one, and happens otherwise.
    pub absent: bool,
    /// A put that expects a state is refused in another state, and happens in that one.
    pub unchanged: bool,
    /// A put that expects a state is refused when there is no object.
    pub unchanged_missing: bool,
    /// A get of an object that has not changed says so, and one that has changed is read.
    pub unless: bool,
    /// A listing has every object with the tag that a get brings.
    pub listing: bool,
}

impl Capabilities {
    /// Tells whether several machines can write here without losing each other's changes.
    pub fn several_writers(&self) -> bool {
        self.absent && self.unchanged && self.unchanged_missing
    }
}

/// Finds out what a remote honours, with two objects under `.homefs` that it removes again.
///
/// `id` is drawn at random, so that machines that probe at the same time do not meet.
///
/// # Errors
///
/// Whatever keeps the remote from storing, reading or removing an object at all.
pub fn probe(remote: &dyn Remote, id: u64) -> Result<Capabilities> {
    let probe = Probe { remote, key: format!(".homefs/probe-{id:016x}") };
    let found = probe.run();
    // What stays behind after a failure would be found by every later listing.
    let removed = [&probe.key, &probe.missing()]
        .map(|key| remote.run_one(RemoteRequest::Delete { key: key.clone() }));
    let found = found?;
    removed.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(found)
}

struct Probe<'a> {
    remote: &'a dyn Remote,
    key: String,
}

impl Probe<'_> {
    fn run(&self) -> Result<Capabilities> {
        let key = &self.key;
        let created = self.put(key, "1", Condition::Absent)?.is_some();
        // A server that refuses the condition as such still shows what else it can.
        let first = self.put_any(key, "2")?;
        let created_again = self.put(key, "3", Condition::Absent)?.is_some();
        let second = self.put_any(key, "4")?;
        let stale = self.put(key, "5", Condition::Unchanged(first.clone()))?.is_some();
        let current = if stale { self.put_any(key, "6")? } else { second };
        let replaced = self.put(key, "7", Condition::Unchanged(current))?;
        let last = match &replaced {
            Some(tag) => tag.clone(),
            None => self.put_any(key, "8")?,
        };
        let resurrected = self.put(&self.missing(), "9", Condition::Unchanged(first.clone()))?;
        let seen_unchanged = matches!(self.get(&last)?, RemoteAnswer::Unchanged);
        let seen_changed = matches!(self.get(&first)?, RemoteAnswer::Object { .. });
        Ok(Capabilities {
            absent: created && !created_again,
            unchanged: replaced.is_some() && !stale,
            unchanged_missing: resurrected.is_none(),
            unless: seen_unchanged && seen_changed,
            listing: self.listed(&last)?,
        })
    }

    /// Returns the key of an object that is not there.
    fn missing(&self) -> String {
        format!("{}-missing", self.key)
    }

    /// Puts an object; nothing if the remote refuses the condition, or does not know it.
    fn put(&self, key: &str, text: &'static str, condition: Condition) -> Result<Option<Tag>> {
        let content = Bytes::from_static(text.as_bytes());
        let request = RemoteRequest::Put { key: key.to_owned(), content, condition };
        match self.remote.run_one(request) {
            Ok(RemoteAnswer::Stored { tag }) => Ok(Some(tag)),
            Ok(_) => Ok(None),
            Err(error) if matches!(error.kind(), ErrorKind::Conflict | ErrorKind::Unsupported) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Puts an object whatever is there.
    fn put_any(&self, key: &str, text: &'static str) -> Result<Tag> {
        let content = Bytes::from_static(text.as_bytes());
        let condition = Condition::Any;
        let request = RemoteRequest::Put { key: key.to_owned(), content, condition };
        match self.remote.run_one(request)? {
            RemoteAnswer::Stored { tag } => Ok(tag),
            answer => Err(unexpected(&answer)),
        }
    }

    /// Gets the object unless it has this tag.
    fn get(&self, unless: &Tag) -> Result<RemoteAnswer> {
        let (key, unless) = (self.key.clone(), Some(unless.clone()));
        self.remote.run_one(RemoteRequest::Get { key, range: None, unless })
    }

    /// Tells whether a listing has the object with this tag.
    fn listed(&self, tag: &Tag) -> Result<bool> {
        let list = RemoteRequest::List { prefix: self.key.clone(), after: None };
        match self.remote.run_one(list)? {
            RemoteAnswer::Listed { objects, .. } => {
                Ok(objects.iter().any(|object| object.key == self.key && object.tag == *tag))
            }
            answer => Err(unexpected(&answer)),
        }
    }
}

fn unexpected(answer: &RemoteAnswer) -> homefs_core::Error {
    let message = format!("the remote gave the answer to another request: {answer:?}");
    homefs_core::Error::new(ErrorKind::Internal, message)
}
