//! What the last run left to be folded, space by space.
//!
//! After a kill there may be hundreds of spaces, and each wants its base opened and made durable.
//! So they are folded one at a time in the background, those first that somebody waits for; who
//! uses a space meanwhile has its records in memory.

use std::ops::Bound;

use homefs_core::{Result, SpaceName, Timestamp};

use super::{BATCH_BYTES, BATCH_BYTES_TIGHT, Fold, FoldState};
use crate::backlog::Backlog;

impl FoldState {
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
    /// Folds spaces that are behind: `most` of them, not counting those whose base has everything,
    /// from a run that ended before the others were done; and none after a moment of the steady
    /// clock. Tells whether any are left.
    pub(super) fn fold_behind(
        &self,
        most: usize,
        until: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<bool> {
        if self.state.lock().behind.is_empty() {
            return Ok(false);
        }
        // Only what power loss cannot take, as always.
        self.ground.journal.barrier(self.recovered)?;
        let mut folded = 0;
        while folded < most {
            let Some(name) = self.state.lock().next_behind() else { break };
            folded += usize::from(self.take_in(&name)?);
            if let Some(space) = self.spaces.open_already(&name) {
                self.make_space_durable(&space, now)?;
                self.state.lock().dirty.remove(&name);
            }
            // Few of them are used, and all that are not would be too many.
            self.spaces.close_unused(&name);
            let is_late = until.is_some_and(|until| until < self.ground.clock.steady());
            if is_late || self.state.lock().stop {
                break;
            }
        }
        Ok(!self.state.lock().behind.is_empty())
    }

    /// Folds what the last run left of a space; tells whether its base did not have it.
    pub(super) fn take_in(&self, name: &SpaceName) -> Result<bool> {
        let Some(backlog) = self.state.lock().behind.get(name).cloned() else { return Ok(false) };
        let had = self.spaces.get(name).is_ok_and(|space| space.is_folded());
        self.fold_in_parts(name, &backlog)?;
        let mut state = self.state.lock();
        state.behind.remove(name);
        state.asked.remove(name);
        // Under one lock: the journal keeps it as long as one of both says so.
        state.dirty.insert(name.clone());
        self.done.notify_all();
        Ok(!had)
    }

    /// Folds records part by part, so that neither memory nor the log of a base has all of them.
    fn fold_in_parts(&self, name: &SpaceName, backlog: &Backlog) -> Result<()> {
        let tight = self.ground.journal.is_out_of_room();
        let bytes_max = if tight { BATCH_BYTES_TIGHT } else { BATCH_BYTES };
        let (mut part, mut bytes) = (Vec::new(), 0);
        for record in backlog.records() {
            let (_, len, record) = record?;
            part.push(record);
            bytes += len;
            if bytes >= bytes_max {
                self.fold_space(name, &part)?;
                if tight && let Some(space) = self.spaces.open_already(name) {
                    space.base.checkpoint()?;
                }
                (part, bytes) = (Vec::new(), 0);
            }
        }
        self.fold_space(name, &part)
    }
}
