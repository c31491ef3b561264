//! Spaces in which nothing changes: their past ends too.

use std::time::Duration;

use homefs_core::{Result, Timestamp};

use super::Fold;

/// Spaces that nobody has open are looked after this often, for the first time after this, one
/// after the other with such pauses.
const VISIT_EVERY: Duration = Duration::from_hours(12);
pub(super) const VISIT_FIRST: Duration = Duration::from_hours(1);
pub(super) const VISIT_PAUSE: Duration = Duration::from_secs(1);

impl Fold {
    /// Lets the past end in open spaces, too, in which nothing changes.
    pub(super) fn note_idle(&self, now: Timestamp) {
        for space in self.spaces.open_now() {
            // Chunks of a write that failed, as on a full disk, are in the way.
            let is_due =
                || space.chunks.has_loose() || space.base.is_trim_due(now).unwrap_or(false);
            if space.failed.get().is_none() && is_due() {
                self.state.lock().dirty.insert(space.name.clone());
            }
        }
    }

    /// Lets the past end in a space that nobody has open, all of them in turn.
    pub fn visit(&self, now: Timestamp) -> Result<()> {
        let steady = self.ground.clock.steady();
        let is_due = {
            let state = self.state.lock();
            state.visits.is_empty() && state.visit_at <= steady
        };
        if is_due {
            let all = self.spaces.all()?;
            let mut state = self.state.lock();
            (state.visits, state.visit_at) = (all, steady.after(VISIT_EVERY));
        }
        let Some(name) = self.state.lock().visits.pop() else { return Ok(()) };
        if self.spaces.is_open(&name) || !self.spaces.exists(&name)? {
            return Ok(());
        }
        let Ok(space) = self.spaces.get(&name) else { return Ok(()) };
        if space.base.is_trim_due(now)? {
            space.base.trim(&self.ground.settings.retention(), now)?;
            space.base.checkpoint()?;
        }
        space.sweep()?;
        drop(space);
        self.spaces.close_unused(&name);
        Ok(())
    }
}
