//! The thread that gives docs their vectors.
//!
//! It lets every other thread go first, and nobody waits for it: a doc has a vector already, if not
//! the best.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use homefs_core::{Embedder, Error, Result};
use homefs_store::priority;
use homefs_store::space::Space;
use parking_lot::{Condvar, Mutex};

use super::SpaceIndex;
use super::indexes::Indexing;

/// Docs that are embedded at once.
const BATCH: usize = 32;
/// Spaces that fail one after the other until it is the embedder that fails.
const FAILURES_MAX: usize = 3;
/// After a failure, the embedder is tried again after this, doubling up to the second.
const RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(2));

/// Tells the thread that docs may wait.
#[derive(Default)]
pub(super) struct Embedding {
    is_due: Mutex<bool>,
    changed: Condvar,
}

impl Embedding {
    /// Wakes the thread.
    pub(super) fn wake(&self) {
        *self.is_due.lock() = true;
        self.changed.notify_one();
    }

    /// Waits until it is woken.
    fn wait(&self) {
        let mut is_due = self.is_due.lock();
        self.changed.wait_while(&mut is_due, |is_due| !*is_due);
        *is_due = false;
    }

    /// Waits for some time, however often it is woken.
    fn rest(&self, time: Duration, is_over: impl Fn() -> bool) {
        let mut is_due = self.is_due.lock();
        self.changed.wait_while_for(&mut is_due, |_| !is_over(), time);
    }
}

impl Indexing {
    /// Embeds what waits until the store is closed.
    pub(super) fn run_embedding(&self, embedder: &dyn Embedder) {
        priority::step_back();
        let is_stopped = || self.stop.load(Ordering::Relaxed);
        let mut rest = RETRY.0;
        loop {
            self.embedding.wait();
            if is_stopped() {
                return;
            }
            match self.embed_all(embedder) {
                Ok(()) => {
                    rest = RETRY.0;
                    *self.failure.lock() = None;
                }
                Err(error) => {
                    tracing::warn!(%error, "the embedder failed, it will be asked again");
                    *self.failure.lock() = Some(error);
                    self.embedding.rest(rest, is_stopped);
                    rest = (rest * 2).min(RETRY.1);
                    self.embedding.wake();
                }
            }
        }
    }

    /// Embeds until no doc waits: some of each space in turn, so that what one has to be embedded
    /// holds up no other, and neither does a text that the embedder refuses.
    fn embed_all(&self, embedder: &dyn Embedder) -> Result<(), Error> {
        let mut failed: Vec<(Arc<Space>, Error)> = Vec::new();
        loop {
            let (mut is_done, mut in_a_row) = (true, 0);
            let opened = |space: Arc<Space>| Some((SpaceIndex::opened(&space)?, space));
            for (index, space) in self.spaces.open_now().into_iter().filter_map(opened) {
                if self.stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                if failed.iter().any(|(other, _)| Arc::ptr_eq(other, &space)) {
                    continue;
                }
                match self.embed_some(&space, &index, embedder) {
                    Ok(0) => {}
                    Ok(_) => (is_done, in_a_row) = (false, 0),
                    Err(error) => {
                        failed.push((space, error));
                        in_a_row += 1;
                    }
                }
                if in_a_row == FAILURES_MAX {
                    break;
                }
            }
            if is_done || in_a_row == FAILURES_MAX {
                return failed.pop().map_or(Ok(()), |(_, error)| Err(error));
            }
        }
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
}
