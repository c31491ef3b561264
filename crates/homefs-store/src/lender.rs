//! Contents that the remote has and this machine has not: who fetches them, and how often.
//!
//! A fetch takes as long as the network does, so nobody asks while holding the lock of a tree or a
//! base, and whoever wants what is being fetched already waits for that fetch.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use homefs_core::{Digest, Error, ErrorKind, Result};
use parking_lot::{Condvar, Mutex, RwLock};
use rustc_hash::FxHashMap;

/// Fetches absent contents of one space.
pub trait Lender: Send + Sync {
    /// Fetches an absent piece; may bring others along.
    fn fetch(&self, digest: Digest) -> Result<Vec<(Digest, Bytes)>>;

    /// Tells whether the remote has a piece.
    fn has(&self, digest: Digest) -> bool;
}

/// What is said of an absent content that nobody can fetch.
pub fn not_attached() -> Error {
    let message = "the content is in the remote, which is not attached";
    Error::new(ErrorKind::Unavailable, message)
}

/// The lender of a space, if it has one, and the fetches under way.
#[derive(Default)]
pub(crate) struct Loans {
    lender: RwLock<Option<Arc<dyn Lender>>>,
    fetches: Mutex<FxHashMap<Digest, Arc<Fetch>>>,
    /// How often something came.
    count: AtomicU64,
}

/// One fetch, and what came of it.
#[derive(Default)]
struct Fetch {
    answer: Mutex<Option<Result<Bytes>>>,
    answered: Condvar,
}

impl Loans {
    /// Sets who is asked from now on.
    pub(crate) fn set_lender(&self, lender: Option<Arc<dyn Lender>>) {
        *self.lender.write() = lender;
    }

    /// Returns who is asked.
    pub(crate) fn lender(&self) -> Option<Arc<dyn Lender>> {
        self.lender.read().clone()
    }

    /// Returns how often something came: what was absent before may be here by now.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Notes that something came.
    pub(crate) fn note(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Fetches an absent piece, once however many want it; `None` without a lender. Whoever
    /// fetches looks for it `here` once more, and gives what came to `keep`.
    pub(crate) fn fetch(
        &self,
        digest: Digest,
        here: impl FnOnce() -> Option<Bytes>,
        keep: impl FnOnce(&Bytes, &[(Digest, Bytes)]),
    ) -> Option<Result<Bytes>> {
        let lender = self.lender()?;
        let (fetch, is_first) = {
            let mut fetches = self.fetches.lock();
            let is_first = !fetches.contains_key(&digest);
            (fetches.entry(digest).or_default().clone(), is_first)
        };
        if !is_first {
            let mut answer = fetch.answer.lock();
            fetch.answered.wait_while(&mut answer, |answer| answer.is_none());
            return answer.clone();
        }
        let gone = Error::new(ErrorKind::Internal, "the fetch of a content ended early");
        let mut ending = Ending { loans: self, digest, fetch, answer: Err(gone) };
        ending.answer = match here() {
            Some(bytes) => Ok(bytes),
            None => ask(&*lender, digest, keep),
        };
        self.note();
        Some(ending.answer.clone())
    }
}

fn ask(
    lender: &dyn Lender,
    digest: Digest,
    keep: impl FnOnce(&Bytes, &[(Digest, Bytes)]),
) -> Result<Bytes> {
    let mut brought = lender.fetch(digest)?;
    brought.retain(|(digest, bytes)| Digest::of(bytes) == *digest);
    let Some(at) = brought.iter().position(|(brought, _)| *brought == digest) else {
        let message = format!("the remote does not give the content {digest}");
        return Err(Error::new(ErrorKind::Corrupt, message));
    };
    let (_, wanted) = brought.swap_remove(at);
    keep(&wanted, &brought);
    Ok(wanted)
}

/// Answers those who wait, also if the fetch panics.
struct Ending<'a> {
    loans: &'a Loans,
    digest: Digest,
    fetch: Arc<Fetch>,
    answer: Result<Bytes>,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        *self.fetch.answer.lock() = Some(self.answer.clone());
        self.loans.fetches.lock().remove(&self.digest);
        self.fetch.answered.notify_all();
    }
}
