//! What was folded made durable, after which the journal can let it go.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use homefs_core::{Result, SpaceName, Timestamp};

use super::Fold;
use crate::space::Space;

/// A store that is closed leaves what is not folded to the next run, if it is of more spaces than
/// this: whoever closes it waits, and so does whoever wants it next.
const CLOSING_MAX: usize = 16;
/// And it spends so long on making them fewer.
const CLOSING_TIME: Duration = Duration::from_millis(200);

impl Fold {
    /// Makes what was folded durable, of `most` spaces, and drops old history there. When that is
    /// done everywhere, the journal is let go up to there.
    pub(super) fn make_durable(&self, most: usize, now: Timestamp) -> Result<()> {
        let dirty: Vec<SpaceName> = self.state.lock().dirty.iter().take(most).cloned().collect();
        for name in dirty {
            if let Ok(space) = self.spaces.get(&name) {
                self.make_space_durable(&space, now)?;
            }
            self.state.lock().dirty.remove(&name);
        }
        let held = self.spaces.open_now().iter().filter_map(|space| space.held_position()).min();
        let durable = {
            let state = self.state.lock();
            if !state.dirty.is_empty() {
                return Ok(());
            }
            let behind = state.behind.values().map(|backlog| backlog.start);
            behind.chain(held).chain([state.cursor]).min()
        };
        self.ground.journal.release(durable.unwrap_or_default())?;
        if !self.ground.journal.is_out_of_room() {
            // Room is missed where there is none when it is asked for, not where it is kept.
            self.ground.journal.keep_reserve();
        }
        let mut state = self.state.lock();
        state.checkpoint &= !state.behind.is_empty();
        self.done.notify_all();
        Ok(())
    }

    /// Makes what was folded of a space durable, and drops old history.
    pub(super) fn make_space_durable(&self, space: &Space, now: Timestamp) -> Result<()> {
        if space.failed.get().is_some() {
            return Ok(());
        }
        let tight = self.ground.journal.is_out_of_room();
        if tight {
            space.base.checkpoint()?;
        }
        space.base.trim(&self.ground.settings.retention(), now)?;
        space.base.checkpoint()?;
        space.base.give_back_pages(tight)?;
        if space.unclean.swap(false, Ordering::Relaxed) {
            space.base.remove_orphans()?;
        }
        Ok(())
    }

    /// Tells whether what is not folded, or not durable, is of so few spaces that whoever closes the
    /// store may wait for it, once a few of what the last run left are folded.
    pub fn is_nearly_done(&self) -> Result<bool> {
        if self.count_left() > CLOSING_MAX {
            let clock = &self.ground.clock;
            let until = Some(clock.steady().after(CLOSING_TIME));
            let _working = self.working.lock();
            self.fold_behind(CLOSING_MAX, until, clock.now())?;
        }
        Ok(self.count_left() <= CLOSING_MAX)
    }

    /// Counts the spaces of which something is not folded, or not durable.
    fn count_left(&self) -> usize {
        let open = self.spaces.open_now();
        let unfolded = open.iter().filter(|space| !space.is_folded()).map(|space| &space.name);
        let state = self.state.lock();
        let left = unfolded.chain(&state.dirty).chain(state.behind.keys());
        left.collect::<HashSet<_>>().len()
    }
}
