//! What a remote really honours: there are servers that ignore conditions and say nothing, and
//! others that honour them only while nobody else writes.

mod race;

use bytes::Bytes;
use homefs_core::{Clock, Condition, ErrorKind, Remote, RemoteAnswer, RemoteRequest, Result, Tag};
use serde::{Deserialize, Serialize};

use self::race::Course;
pub use self::race::{Effort, Races};

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
    /// How races between puts that expect no object ended; none if conditions are ignored anyway.
    pub creates: Races,
    /// How races between puts that expect a state ended; none if conditions are ignored anyway.
    pub replaces: Races,
}

impl Capabilities {
    /// Tells whether several machines can write here without losing each other's changes.
    pub fn several_writers(&self) -> bool {
        self.in_turn() && self.simultaneous()
    }

    /// Tells whether conditions hold for writers that come one after the other.
    pub fn in_turn(&self) -> bool {
        self.absent && self.unchanged && self.unchanged_missing
    }

    /// Tells whether no race showed that conditions do not hold for writers that come together.
    pub fn simultaneous(&self) -> bool {
        self.creates.broken + self.replaces.broken == 0
    }

    /// Returns how many races there were, and how many of them ended as none may.
    pub fn races(&self) -> Races {
        Races {
            run: self.creates.run + self.replaces.run,
            broken: self.creates.broken + self.replaces.broken,
        }
    }

    /// Says what several machines would lose here, if anything.
    pub fn danger(&self) -> Option<String> {
        if !self.in_turn() {
            let what = "the server ignores the conditions of a put, so that two machines would \
                        overwrite each other's changes";
            return Some(what.to_owned());
        }
        let Races { run, broken } = self.races();
        (broken > 0).then(|| {
            format!(
                "the server does not keep the conditions of a put when two arrive together \
                 ({broken} of {run} races): of two machines that sync in the same moment both \
                 would be told that they succeeded, and the edits of one would be lost"
            )
        })
    }
}

/// Finds out what a remote honours, with objects under `.homefs` that it removes again.
///
/// `id` is drawn at random, so that machines that probe at the same time do not meet.
///
/// # Errors
///
/// Whatever keeps the remote from storing, reading or removing an object at all.
pub fn probe(
    remote: &dyn Remote,
    id: u64,
    effort: Effort,
    clock: &dyn Clock,
) -> Result<Capabilities> {
    let key = format!(".homefs/probe-{id:016x}");
    let mut found = probe_in_turn(remote, key.clone())?;
    // Where conditions are ignored anyway, a race would tell nothing more.
    if found.in_turn() {
        (found.creates, found.replaces) = Course { remote, key, effort, clock }.run()?;
    }
    Ok(found)
}

/// Asks one thing after the other.
fn probe_in_turn(remote: &dyn Remote, key: String) -> Result<Capabilities> {
    let probe = Probe { remote, key };
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
            ..Capabilities::default()
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
