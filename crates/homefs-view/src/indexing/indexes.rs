//! The indexes of a store, as views ask for them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use homefs_core::{Embedder, Error, ErrorKind, Result, Role};
use homefs_search::embed::BuiltIn;
use homefs_search::recall::Counts;
use homefs_store::fold::Fold;
use homefs_store::ground::Ground;
use homefs_store::space::Space;
use homefs_store::spaces::Spaces;
use parking_lot::{Mutex, RwLock};

use super::embedding::Embedding;
use super::follower::save_reads;
use super::{IndexStatus, SpaceIndex};

/// The longest that a search waits for contents which only the remote has.
const FETCH_WAIT: Duration = Duration::from_secs(2);
/// Questions whose vectors are kept.
const ASKED_MAX: usize = 64;

/// The indexes of one store.
pub(crate) struct Indexing {
    pub(super) ground: Arc<Ground>,
    pub(super) spaces: Arc<Spaces>,
    pub(super) fold: Arc<Fold>,
    pub(super) embedder: RwLock<Option<Arc<dyn Embedder>>>,
    /// The length of the embedder's vectors; a service must be asked for it first.
    pub(super) dimensions: OnceLock<usize>,
    pub(super) stop: AtomicBool,
    pub(super) embedding: Embedding,
    /// Why the embedder failed last, until it works again.
    pub(super) failure: Mutex<Option<Error>>,
    /// Vectors of the last questions: agents ask the same again.
    asked: Mutex<VecDeque<QueryVector>>,
    /// Tokens of texts that were counted.
    pub(crate) counts: Counts,
}

/// A question, and its vector by an embedder.
struct QueryVector {
    embedder: String,
    text: String,
    vector: Vec<f32>,
}

impl Indexing {
    /// Prepares indexes whose docs have static vectors until an embedder is given.
    pub(crate) fn new(ground: Arc<Ground>, spaces: Arc<Spaces>, fold: Arc<Fold>) -> Self {
        Self {
            ground,
            spaces,
            fold,
            embedder: RwLock::default(),
            dimensions: OnceLock::new(),
            stop: AtomicBool::new(false),
            embedding: Embedding::default(),
            failure: Mutex::default(),
            asked: Mutex::default(),
            counts: Counts::default(),
        }
    }

    /// Keeps indexes up from now on, with vectors by an embedder.
    pub(crate) fn start(self: &Arc<Self>, embedder: Arc<dyn Embedder>) -> Result<()> {
        let mut given = self.embedder.write();
        if given.is_some() {
            return Err(Error::new(ErrorKind::AlreadyExists, "the indexes are kept up already"));
        }
        *given = Some(embedder.clone());
        drop(given);
        let failed = |cause| Error::io("start the index", cause);
        let (follower, embedding) = (self.clone(), self.clone());
        let thread = thread::Builder::new().name("homefs-index".into());
        thread.spawn(move || follower.run()).map_err(failed)?;
        let thread = thread::Builder::new().name("homefs-embed".into());
        thread.spawn(move || embedding.run_embedding(&*embedder)).map_err(failed)?;
        Ok(())
    }

    /// Returns the index of a space, brought up to everything acknowledged before the call.
    pub(crate) fn current(&self, space: &Space) -> Result<Arc<SpaceIndex>> {
        let was_open = SpaceIndex::opened(space).is_some();
        let index = SpaceIndex::of(space, &self.fold)?;
        if !was_open {
            // The thread may be asleep, and the docs may wait for the embedder.
            self.ground.journal.wake();
        }
        self.introduce(&index)?;
        index.absent.look_again(space);
        index.catch_up(space)?;
        // On a new machine the first question comes before the contents.
        if self.embedder.read().is_some() && index.absent.is_awaited() {
            self.ground.journal.wake();
            index.absent.wait(FETCH_WAIT);
            index.catch_up(space)?;
        }
        Ok(index)
    }

    /// Lets an index know the embedder, once that has told how long its vectors are.
    pub(super) fn introduce(&self, index: &SpaceIndex) -> Result<()> {
        match (&*self.embedder.read(), self.dimensions.get()) {
            (Some(embedder), Some(&dimensions)) => index.use_embedder(embedder.name(), dimensions),
            _ => Ok(()),
        }
    }

    /// Returns the vector of a question by an embedder of some name; none if it is not to be had, so
    /// that words must do.
    pub(crate) fn embed_query(&self, name: &str, text: &str) -> Option<Vec<f32>> {
        let known = |asked: &&QueryVector| asked.embedder == name && asked.text == text;
        if let Some(asked) = self.asked.lock().iter().find(known) {
            return Some(asked.vector.clone());
        }
        let given = self.embedder.read().clone().filter(|given| given.name() == name);
        let embedded = match given {
            Some(embedder) => embedder.embed(text, Role::Query),
            None => BuiltIn::named(name)?.embed(text, Role::Query),
        };
        match embedded {
            Ok(vector) => {
                let mut asked = self.asked.lock();
                asked.truncate(ASKED_MAX - 1);
                let (name, text) = (name.to_owned(), text.to_owned());
                asked.push_front(QueryVector { embedder: name, text, vector: vector.clone() });
                Some(vector)
            }
            Err(error) => {
                tracing::warn!(%error, "the question has no vector, words must do");
                *self.failure.lock() = Some(error);
                None
            }
        }
    }

    /// Tells how the open indexes are doing, and why the embedder fails if it does.
    pub(crate) fn status(&self) -> (Vec<IndexStatus>, Option<String>) {
        let open = self.spaces.open_now();
        let mut all: Vec<_> = open.iter().filter_map(|space| status(space)).collect();
        all.sort_by(|one, other| one.space.cmp(&other.space));
        (all, self.failure.lock().as_ref().map(Error::to_string))
    }

    /// Writes all indexes down for the last time. A thread may still be at the embedder, which
    /// nobody waits for; what it brings then is dropped.
    pub(crate) fn close(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.embedding.wake();
        self.ground.journal.wake();
        for space in self.spaces.open_now() {
            save_reads(&space, false);
            if let Some(index) = SpaceIndex::opened(&space)
                && let Err(error) = index.close(&space)
            {
                tracing::warn!(space = %space.name, %error, "the index is not written down");
            }
        }
    }
}

fn status(space: &Space) -> Option<IndexStatus> {
    let open = SpaceIndex::opened(space)?;
    let file_bytes = open.file_bytes();
    let index = open.index.read();
    Some(IndexStatus {
        space: space.name.clone(),
        files: index.file_count() as u64,
        docs: index.doc_count() as u64,
        waiting: index.waiting_count() as u64,
        embedder: index.embedder().to_owned(),
        memory_bytes: index.size_bytes() as u64,
        file_bytes,
        searches: open.searches.load(Ordering::Relaxed),
    })
}
