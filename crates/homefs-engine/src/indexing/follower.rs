//! The follower of all indexes: keeps them up, gives docs their vectors, writes indexes down.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use homefs_core::{Embedder, Error, ErrorKind, Result, Role, SpaceName, Version};
use homefs_search::embed::BuiltIn;
use homefs_search::recall::Counts;
use parking_lot::{Mutex, RwLock};

use super::{IndexStatus, SpaceIndex};
use crate::fold::Fold;
use crate::ground::Ground;
use crate::space::Space;
use crate::spaces::Spaces;

/// Changes are gathered this long, so that nobody who writes is disturbed for each of them.
const GATHER: Duration = Duration::from_millis(100);
/// With nothing to do, the follower looks around this often; changes wake it.
const IDLE: Duration = Duration::from_mins(1);
/// A space that changes is indexed after this, whether anybody searches it or not.
const PATIENCE: Duration = Duration::from_secs(1);
/// Indexes are written down this often while they change.
const SAVE: Duration = Duration::from_secs(2);
/// After a failure, the embedder is tried again after this, doubling up to the second.
const RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(2));
/// Docs that are embedded, and contents that are fetched, at once.
const BATCH: usize = 32;
/// Questions whose vectors are kept.
const ASKED_MAX: usize = 64;
/// The longest that one pass embeds.
const EMBED: Duration = Duration::from_millis(50);

/// The indexes of one store.
pub(crate) struct Indexing {
    ground: Arc<Ground>,
    spaces: Arc<Spaces>,
    fold: Arc<Fold>,
    embedder: RwLock<Option<Arc<dyn Embedder>>>,
    /// The length of the embedder's vectors; a service must be asked for it first.
    dimensions: OnceLock<usize>,
    stop: AtomicBool,
    /// Why the embedder failed last, until it works again.
    failure: Mutex<Option<Error>>,
    /// Vectors of the last questions: agents ask the same again.
    asked: Mutex<VecDeque<Asked>>,
    /// Tokens of texts that were counted.
    pub(crate) counts: Counts,
}

/// A question, and its vector by an embedder.
struct Asked {
    embedder: String,
    text: String,
    vector: Vec<f32>,
}

/// What the thread remembers from pass to pass.
#[derive(Default)]
struct Memory {
    /// Spaces without an index, and since when they are known at which version.
    since: HashMap<SpaceName, (Version, Instant)>,
    saved: Option<Instant>,
    /// When the embedder may be asked again, and how long it rested.
    rest: Option<(Instant, Duration)>,
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
            failure: Mutex::default(),
            asked: Mutex::default(),
            counts: Counts::default(),
        }
    }

    /// Gives docs their vectors by an embedder, and starts the thread.
    pub(crate) fn start(self: &Arc<Self>, embedder: Arc<dyn Embedder>) -> Result<()> {
        let mut given = self.embedder.write();
        if given.is_some() {
            return Err(Error::new(ErrorKind::AlreadyExists, "the indexes are kept up already"));
        }
        *given = Some(embedder);
        drop(given);
        let follower = self.clone();
        let thread = thread::Builder::new().name("homefs-index".into());
        let started = thread.spawn(move || follower.run());
        started.map(drop).map_err(|cause| Error::io("start the index", cause))
    }

    /// Returns the index of a space, brought up to everything acknowledged before the call.
    pub(crate) fn current(&self, space: &Space) -> Result<Arc<SpaceIndex>> {
        let was_open = space.open_index().is_some();
        let index = space.index(&self.fold)?;
        if !was_open {
            // The thread may be asleep, and the docs may wait for the embedder.
            self.ground.journal.wake();
        }
        self.introduce(&index)?;
        index.catch_up(space)?;
        Ok(index)
    }

    /// Lets an index know the embedder, once that has told how long its vectors are.
    fn introduce(&self, index: &SpaceIndex) -> Result<()> {
        match (&*self.embedder.read(), self.dimensions.get()) {
            (Some(embedder), Some(&dimensions)) => index.use_embedder(embedder.name(), dimensions),
            _ => Ok(()),
        }
    }

    /// Returns the vector of a question by an embedder of some name; none if it is not to be had, so
    /// that words must do.
    pub(crate) fn embed_query(&self, name: &str, text: &str) -> Option<Vec<f32>> {
        let known = |asked: &&Asked| asked.embedder == name && asked.text == text;
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
                let (embedder, text) = (name.to_owned(), text.to_owned());
                asked.push_front(Asked { embedder, text, vector: vector.clone() });
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

    /// Writes all indexes down for the last time. The thread may still be at the embedder, which
    /// nobody waits for; it finds nothing to do then.
    pub(crate) fn close(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.ground.journal.wake();
        for space in self.spaces.open_now() {
            save_reads(&space, false);
            if let Some(index) = space.open_index()
                && let Err(error) = index.close(&space)
            {
                tracing::warn!(space = %space.name, %error, "the index is not written down");
            }
        }
    }

    fn run(&self) {
        step_back();
        let mut memory = Memory::default();
        while !self.stop.load(Ordering::Relaxed) {
            let journal = &self.ground.journal;
            // Both taken before looking: what comes after them ends the wait.
            let (seen, wakes) = (journal.end(), journal.wakes());
            if journal.poisoned().is_some() {
                return;
            }
            let is_busy = self.pass(&mut memory);
            if is_busy {
                journal.let_gather(wakes, GATHER);
            } else {
                let rest = memory.rest.map_or(IDLE, |(until, _)| {
                    until.saturating_duration_since(Instant::now()).max(GATHER)
                });
                journal.wait_unless_woken(seen, wakes, rest);
                journal.let_gather(journal.wakes(), GATHER);
            }
        }
    }

    /// Does a little of everything; tells whether there is more to do.
    fn pass(&self, memory: &mut Memory) -> bool {
        let mut is_busy = false;
        for space in self.spaces.open_now() {
            save_reads(&space, true);
            let index = match space.open_index() {
                Some(index) => index,
                None => match self.is_due(&space, memory) {
                    Due::Never => continue,
                    Due::Later => {
                        is_busy = true;
                        continue;
                    }
                    Due::Now => match space.index(&self.fold) {
                        Ok(index) => index,
                        Err(error) => {
                            tracing::warn!(space = %space.name, %error, "no index");
                            continue;
                        }
                    },
                },
            };
            match self.tend(&space, &index, memory) {
                Ok(more) => is_busy |= more,
                Err(error) => tracing::warn!(space = %space.name, %error, "the index lags"),
            }
        }
        is_busy | self.save(memory)
    }

    fn is_due(&self, space: &Space, memory: &mut Memory) -> Due {
        let version = space.tree.read().version;
        let now = Instant::now();
        let (first, since) = *memory.since.entry(space.name.clone()).or_insert((version, now));
        match () {
            () if version == first => {
                memory.since.insert(space.name.clone(), (first, now));
                Due::Never
            }
            () if now.duration_since(since) < PATIENCE => Due::Later,
            () => Due::Now,
        }
    }

    /// Keeps one index up, and gives some of its docs their vectors.
    fn tend(&self, space: &Space, index: &SpaceIndex, memory: &mut Memory) -> Result<bool> {
        index.catch_up(space)?;
        let fetched = index.fetch_some(space, BATCH);
        let start = Instant::now();
        if memory.rest.is_some_and(|(until, _)| until > start) {
            return Ok(fetched > 0);
        }
        let Some(embedder) = self.embedder.read().clone() else { return Ok(fetched > 0) };
        let mut embedded = BATCH;
        while embedded > 0 && start.elapsed() < EMBED && !self.stop.load(Ordering::Relaxed) {
            match self.embed_some(space, index, &*embedder) {
                Ok(some) => {
                    embedded = some;
                    memory.rest = None;
                    *self.failure.lock() = None;
                }
                Err(error) => {
                    let (first, most) = RETRY;
                    let rest = memory.rest.map_or(first, |(_, last)| (last * 2).min(most));
                    memory.rest = Some((Instant::now() + rest, rest));
                    tracing::warn!(%error, "the embedder failed, it will be asked again");
                    *self.failure.lock() = Some(error);
                    return Ok(fetched > 0);
                }
            }
        }
        Ok(fetched + embedded > 0)
    }

    fn embed_some(
        &self,
        space: &Space,
        index: &SpaceIndex,
        embedder: &dyn Embedder,
    ) -> Result<usize> {
        if self.dimensions.get().is_none() {
            let dimensions = embedder.dimensions()?;
            self.dimensions.get_or_init(|| dimensions);
        }
        self.introduce(index)?;
        index.embed_some(space, embedder, BATCH)
    }

    /// Writes down what changed, now and then; tells whether there is something left for later.
    fn save(&self, memory: &mut Memory) -> bool {
        let changed = |space: &Arc<Space>| {
            let index = space.open_index()?;
            let is_changed = index.index.read().is_changed();
            is_changed.then(|| (space.clone(), index))
        };
        let due: Vec<_> = self.spaces.open_now().iter().filter_map(changed).collect();
        if memory.saved.is_some_and(|saved| saved.elapsed() < SAVE) {
            return !due.is_empty();
        }
        for (space, index) in due {
            memory.saved = Some(Instant::now());
            if let Err(error) = index.save(&space) {
                tracing::warn!(space = %space.name, %error, "the index is not written down");
            }
        }
        false
    }
}

/// When a space gets an index by itself.
enum Due {
    /// Nothing has changed in it.
    Never,
    Later,
    Now,
}

/// Writes down which files were read, which nobody must wait or fail for.
fn save_reads(space: &Space, can_wait: bool) {
    if let Err(error) = space.save_reads(can_wait) {
        tracing::warn!(space = %space.name, %error, "nobody will know which files were read");
    }
}

fn status(space: &Space) -> Option<IndexStatus> {
    let open = space.open_index()?;
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

/// Lets every other thread go first: those who write and search are waited for.
fn step_back() {
    let me = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(me), 10) {
        tracing::debug!(%error, "the index runs as fast as everybody else");
    }
}
