//! What the last run left to be folded, space by space.
//!
//! After a kill there may be hundreds of spaces, and each wants its base opened and made durable.
//! So they are folded one at a time in the background, those first that somebody waits for; who
//! uses a space meanwhile has its records in memory.

use std::ops::Bound;
use std::sync::Arc;

use homefs_core::{Result, SpaceName, Timestamp};

use super::{Fold, State};
use crate::backlog::Backlog;
use crate::record::Record;

impl State {
    /// Returns the space to fold next of those that are behind.
    fn next_behind(&mut self) -> Option<SpaceName> {
        let asked = self.asked.iter().find(|name| self.behind.contains_key(name)).cloned();
        let next = asked.or_else(|| {
            // Each in turn, so that one that fails does not hold up the others.
            let last = self.turn.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
            let mut later = self.behind.range::<SpaceName, _>((last, Bound::Unbounded));
            let next = later.next().or_else(|| self.behind.iter().next());
            next.map(|(name, _)| name.clone())
        });
        self.turn.clone_from(&next);
        next
    }
}

impl Fold {
    /// Folds spaces that are behind: those that somebody waits for and one more, or `most`. Tells
    /// whether others are left.
    pub(super) fn fold_behind(&self, most: usize, now: Timestamp) -> Result<bool> {
        if self.state.lock().behind.is_empty() {
            return Ok(false);
        }
        // Only what power loss cannot take, as always.
        self.ground.journal.barrier(self.recovered)?;
        for _ in 0..most {
            let Some(name) = self.state.lock().next_behind() else { break };
            self.take_in(&name)?;
            if let Some(space) = self.spaces.open_already(&name) {
                self.make_space_durable(&space, now)?;
            }
            // Few of them are used, and all that are not would be too many.
            self.spaces.close_unused(&name);
            let state = self.state.lock();
            if state.stop {
                break;
            }
        }
        Ok(!self.state.lock().behind.is_empty())
    }

    /// Folds what the last run left of a space.
    pub(super) fn take_in(&self, name: &SpaceName) -> Result<()> {
        let Some(backlog) = self.state.lock().behind.get(name).cloned() else { return Ok(()) };
        let records: Vec<Record> = records(&backlog)?;
        self.fold_space(name, &records)?;
        let mut state = self.state.lock();
        state.behind.remove(name);
        state.asked.remove(name);
        // Under one lock: the journal keeps it as long as one of both says so.
        state.dirty.insert(name.clone());
        self.done.notify_all();
        Ok(())
    }
}

fn records(backlog: &Arc<Backlog>) -> Result<Vec<Record>> {
    backlog.records().map(|record| Ok(record?.1)).collect()
}
