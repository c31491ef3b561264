//! The follower of all indexes: keeps them up and writes them down.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use homefs_core::{Result, SpaceName, Timestamp, Version};
use homefs_store::space::Space;

use super::SpaceIndex;
use super::indexes::Indexing;

/// Changes are gathered this long, so that nobody who writes is disturbed for each of them.
const GATHER: Duration = Duration::from_millis(10);
/// With nothing to do, the follower looks around this often; changes wake it.
const IDLE: Duration = Duration::from_mins(1);
/// A space that changes is indexed after this, whether anybody searches it or not.
const PATIENCE: Duration = Duration::from_secs(1);
/// Indexes are written down this often while they change.
const SAVE: Duration = Duration::from_secs(2);
/// Nodes that are looked at before a search gets its turn.
const SLICE: usize = 64;

/// What the thread remembers from pass to pass.
#[derive(Default)]
struct Memory {
    /// Spaces without an index, and since when they are known at which version.
    since: HashMap<SpaceName, (Version, Timestamp)>,
    saved: Option<Timestamp>,
}

impl Indexing {
    /// Works until the store is closed.
    pub(super) fn run(&self) {
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
                journal.wait_unless_woken(seen, wakes, IDLE);
                journal.let_gather(journal.wakes(), GATHER);
            }
        }
    }

    /// Does a little of everything; tells whether there is more to do.
    fn pass(&self, memory: &mut Memory) -> bool {
        let mut is_busy = false;
        for space in self.spaces.open_now() {
            save_reads(&space, true);
            let index = match SpaceIndex::opened(&space) {
                Some(index) => index,
                None => match self.is_due(&space, memory) {
                    Due::Never => continue,
                    Due::Later => {
                        is_busy = true;
                        continue;
                    }
                    Due::Now => match SpaceIndex::of(&space, &self.fold) {
                        Ok(index) => index,
                        Err(error) => {
                            tracing::warn!(space = %space.name, %error, "no index");
                            continue;
                        }
                    },
                },
            };
            match self.tend(&space, &index) {
                Ok(more) => is_busy |= more,
                Err(error) => tracing::warn!(space = %space.name, %error, "the index lags"),
            }
        }
        is_busy | self.save(memory)
    }

    fn is_due(&self, space: &Space, memory: &mut Memory) -> Due {
        let version = space.tree.read().version();
        let now = self.ground.clock.steady();
        let (first, since) = *memory.since.entry(space.name.clone()).or_insert((version, now));
        match () {
            () if version == first => {
                memory.since.insert(space.name.clone(), (first, now));
                Due::Never
            }
            () if now.since(since) < PATIENCE => Due::Later,
            () => Due::Now,
        }
    }

    /// Keeps one index up; tells whether there is more to do.
    fn tend(&self, space: &Space, index: &SpaceIndex) -> Result<bool> {
        let is_stopped = || self.stop.load(Ordering::Relaxed);
        while index.advance(space, SLICE)? && !is_stopped() {}
        let fetched = index.absent.fetch(space, is_stopped);
        self.embedding.wake();
        Ok(fetched)
    }

    /// Writes down what changed, now and then; tells whether there is something left for later.
    fn save(&self, memory: &mut Memory) -> bool {
        let changed = |space: &Arc<Space>| {
            let index = SpaceIndex::opened(space)?;
            let is_changed = index.index.read().is_changed();
            is_changed.then(|| (space.clone(), index))
        };
        let now = self.ground.clock.steady();
        let due: Vec<_> = self.spaces.open_now().iter().filter_map(changed).collect();
        if memory.saved.is_some_and(|saved| now.since(saved) < SAVE) {
            return !due.is_empty();
        }
        for (space, index) in due {
            memory.saved = Some(now);
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
pub(super) fn save_reads(space: &Space, can_wait: bool) {
    if let Err(error) = space.save_reads(can_wait) {
        tracing::warn!(space = %space.name, %error, "nobody will know which files were read");
    }
}
