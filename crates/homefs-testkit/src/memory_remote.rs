//! A remote in memory that several machines share, without threads and without a clock.
//!
//! The same requests in the same order give the same answers, so that a simulation can be run
//! again from its seed. Equal bytes have equal tags here, as they do on S3: code that takes an
//! equal tag for "nobody wrote" fails on it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Range};
use std::sync::Arc;

use bytes::Bytes;
use homefs_core::{
    Condition, Digest, Error, ErrorCode, ErrorKind, REMOTE_CONTENT_BYTES_MAX,
    REMOTE_PAGE_OBJECTS_MAX, Remote, RemoteAnswer, RemoteCounters, RemoteObject, RemoteRequest,
    Result, Tag, Timestamp, check_key,
};
use parking_lot::Mutex;

use crate::faults::{Fault, FaultKind, Faults, RemoteOperation};

/// The server: what all machines see. Clones share it.
#[derive(Clone, Default)]
pub struct MemoryServer(Arc<Mutex<ServerState>>);

/// The server as one machine reaches it.
pub struct MemoryRemote {
    server: MemoryServer,
    machine: String,
    counters: Mutex<RemoteCounters>,
}

/// One request that the server has dealt with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryExchange {
    /// The machine that asked.
    pub machine: String,
    /// What it asked.
    pub operation: RemoteOperation,
    /// The key, or the prefix to list.
    pub key: String,
    /// Whether the server did it, whatever it answered.
    pub happened: bool,
    /// The error that the machine got.
    pub error: Option<ErrorKind>,
}

#[derive(Default)]
struct ServerState {
    objects: BTreeMap<String, Object>,
    now: Timestamp,
    faults: Faults,
    disconnected: BTreeSet<String>,
    log: Vec<MemoryExchange>,
    // The state of the generator that shuffles batches; `None` runs them in order.
    shuffle: Option<u64>,
}

struct Object {
    content: Bytes,
    tag: Tag,
    modified: Timestamp,
}

impl MemoryServer {
    /// Makes an empty server.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the server as `machine` reaches it.
    pub fn remote(&self, machine: impl Into<String>) -> MemoryRemote {
        MemoryRemote { server: self.clone(), machine: machine.into(), counters: Mutex::default() }
    }

    /// Gives the time to what is stored from here on.
    pub fn set_now(&self, now: Timestamp) {
        self.0.lock().now = now;
    }

    /// Runs the requests of each batch in an order that follows from `seed` from here on.
    pub fn shuffle(&self, seed: u64) {
        self.0.lock().shuffle = Some(seed);
    }

    /// Orders a fault. Rules for the same request are used up in the order they came. Nothing
    /// takes time here: a slow answer is an answer, and every other fault without a status is
    /// `Unavailable`.
    pub fn fail(&self, fault: Fault) {
        self.0.lock().faults.add(fault);
    }

    /// Forgets every fault that has not happened yet.
    pub fn heal(&self) {
        self.0.lock().faults.heal();
    }

    /// Takes the server out of a machine's reach: its requests are `Unavailable` without effect.
    pub fn disconnect(&self, machine: impl Into<String>) {
        self.0.lock().disconnected.insert(machine.into());
    }

    /// Undoes [`MemoryServer::disconnect`].
    pub fn connect(&self, machine: &str) {
        self.0.lock().disconnected.remove(machine);
    }

    /// Writes an object behind the machines' backs.
    pub fn put(&self, key: impl Into<String>, content: impl Into<Bytes>) {
        self.0.lock().store(key.into(), content.into());
    }

    /// Removes an object behind the machines' backs.
    pub fn remove(&self, key: &str) {
        self.0.lock().objects.remove(key);
    }

    /// Returns every object.
    pub fn objects(&self) -> BTreeMap<String, Bytes> {
        let state = self.0.lock();
        state.objects.iter().map(|(key, object)| (key.clone(), object.content.clone())).collect()
    }

    /// Returns every request since the start, or since the log was last cleared.
    pub fn log(&self) -> Vec<MemoryExchange> {
        self.0.lock().log.clone()
    }

    /// Clears the log.
    pub fn clear_log(&self) {
        self.0.lock().log.clear();
    }
}

impl Remote for MemoryRemote {
    fn run(&self, requests: Vec<RemoteRequest>) -> Vec<Result<RemoteAnswer>> {
        let mut state = self.server.0.lock();
        let mut counters = self.counters.lock();
        let mut answers: Vec<_> = requests.iter().map(|_| None).collect();
        for place in state.order(requests.len()) {
            let answer = state.meet(&self.machine, &requests[place]);
            counters.count_request(&requests[place]);
            counters.count_answer(&answer);
            answers[place] = Some(answer);
        }
        answers.into_iter().map(|answer| answer.expect("the order names every place")).collect()
    }

    fn describe(&self) -> String {
        format!("memory:{}", self.machine)
    }

    fn counters(&self) -> RemoteCounters {
        *self.counters.lock()
    }
}

impl ServerState {
    /// Returns the order in which the requests of a batch run.
    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut places: Vec<usize> = (0..count).collect();
        if let Some(state) = &mut self.shuffle {
            for last in (1..count).rev() {
                places.swap(last, random_below(state, last + 1));
            }
        }
        places
    }

    /// Deals with a request of a machine, faults included, and logs it.
    fn meet(&mut self, machine: &str, request: &RemoteRequest) -> Result<RemoteAnswer> {
        let (operation, key) = operation_and_key(request);
        let fault = if self.disconnected.contains(machine) {
            Some(Fault::before(FaultKind::Reset))
        } else {
            self.faults.meet(machine, operation, key)
        };
        let happened = fault.as_ref().is_none_or(|fault| fault.takes_effect);
        let done = happened.then(|| self.run(request));
        let failure = fault.and_then(|fault| failure(fault.kind, request));
        let answer = match (failure, done) {
            (Some(kind), _) => Err(Error::new(kind, "a fault that was ordered")),
            (None, Some(done)) => done,
            // A slow answer without an effect is one that never comes.
            (None, None) => Err(Error::new(ErrorKind::Unavailable, "no answer came")),
        };
        self.log.push(MemoryExchange {
            machine: machine.to_owned(),
            operation,
            key: key.to_owned(),
            happened,
            error: answer.as_ref().err().map(Error::kind),
        });
        answer.map_err(|error| error.with_path_text(key))
    }

    /// Does what a request asks.
    fn run(&mut self, request: &RemoteRequest) -> Result<RemoteAnswer> {
        match request {
            RemoteRequest::Get { key, range, unless } => {
                check_key(key)?;
                self.get(key, range.as_ref(), unless.as_ref())
            }
            RemoteRequest::Put { key, content, condition } => {
                check_key(key)?;
                if content.len() > REMOTE_CONTENT_BYTES_MAX {
                    return Err(Error::new(ErrorKind::LimitExceeded, "the content is too large"));
                }
                self.check(key, condition)?;
                Ok(RemoteAnswer::Stored { tag: self.store(key.clone(), content.clone()) })
            }
            RemoteRequest::Delete { key } => {
                check_key(key)?;
                self.objects.remove(key);
                Ok(RemoteAnswer::Deleted)
            }
            RemoteRequest::List { prefix, after } => Ok(self.list(prefix, after.as_deref())),
        }
    }

    fn get(
        &self,
        key: &str,
        range: Option<&Range<u64>>,
        unless: Option<&Tag>,
    ) -> Result<RemoteAnswer> {
        let missing = || Error::new(ErrorKind::NotFound, "there is no such object");
        let object = self.objects.get(key).ok_or_else(missing)?;
        if unless == Some(&object.tag) {
            return Ok(RemoteAnswer::Unchanged);
        }
        let content = match range {
            None => object.content.clone(),
            Some(range) => {
                let size = object.content.len() as u64;
                if range.is_empty() || range.start >= size {
                    let error = Error::new(ErrorKind::Invalid, "the object has no such range");
                    return Err(error.with_code(ErrorCode::BeyondEnd));
                }
                let place = |at: u64| usize::try_from(at).expect("content in memory is that long");
                object.content.slice(place(range.start)..place(range.end.min(size)))
            }
        };
        Ok(RemoteAnswer::Object { content, tag: object.tag.clone(), modified: object.modified })
    }

    /// Checks the condition of a put.
    fn check(&self, key: &str, condition: &Condition) -> Result<()> {
        let present = self.objects.get(key).map(|object| &object.tag);
        let holds = match condition {
            Condition::Any => true,
            Condition::Absent => present.is_none(),
            Condition::Unchanged(tag) => present == Some(tag),
        };
        let conflict = || Error::new(ErrorKind::Conflict, "the object is not as was expected");
        if holds { Ok(()) } else { Err(conflict()) }
    }

    fn store(&mut self, key: String, content: Bytes) -> Tag {
        let tag = Tag::new(Digest::of(&content).to_string());
        let object = Object { content, tag: tag.clone(), modified: self.now };
        self.objects.insert(key, object);
        tag
    }

    fn list(&self, prefix: &str, after: Option<&str>) -> RemoteAnswer {
        let start = match after {
            Some(after) if after >= prefix => Bound::Excluded(after),
            _ => Bound::Included(prefix),
        };
        let found = self.objects.range::<str, _>((start, Bound::Unbounded));
        let mut found = found.take_while(|(key, _)| key.starts_with(prefix));
        let page = found.by_ref().take(REMOTE_PAGE_OBJECTS_MAX);
        let objects = page.map(|(key, object)| object.listed(key)).collect();
        RemoteAnswer::Listed { objects, more: found.next().is_some() }
    }
}

impl Object {
    fn listed(&self, key: &str) -> RemoteObject {
        RemoteObject {
            key: key.to_owned(),
            size_bytes: self.content.len() as u64,
            tag: self.tag.clone(),
            modified: self.modified,
        }
    }
}

/// Returns what a request asks, and of which key.
fn operation_and_key(request: &RemoteRequest) -> (RemoteOperation, &str) {
    match request {
        RemoteRequest::Get { key, .. } => (RemoteOperation::Get, key),
        RemoteRequest::Put { key, .. } => (RemoteOperation::Put, key),
        RemoteRequest::Delete { key } => (RemoteOperation::Delete, key),
        RemoteRequest::List { prefix, .. } => (RemoteOperation::List, prefix),
    }
}

/// Returns the kind of error that a backend makes of a fault, if it makes one.
fn failure(kind: FaultKind, request: &RemoteRequest) -> Option<ErrorKind> {
    let is_put = matches!(request, RemoteRequest::Put { .. });
    match kind {
        FaultKind::Slow(_) => None,
        FaultKind::Status(401 | 403) | FaultKind::Refusal(401 | 403, _) => Some(ErrorKind::Denied),
        FaultKind::Status(404) if !is_put => Some(ErrorKind::NotFound),
        FaultKind::Status(404 | 409 | 412) if is_put => Some(ErrorKind::Conflict),
        _ => Some(ErrorKind::Unavailable),
    }
}

/// Returns the next number of the generator, below `bound`.
fn random_below(state: &mut u64, bound: usize) -> usize {
    // SplitMix64: its numbers are even enough to shuffle and its state is one word.
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    usize::try_from(mixed % bound as u64).expect("less than a length")
}
