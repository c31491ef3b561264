//! Reading and following: by the page cache, never through the writer's map.

use std::time::Duration;

use homefs_core::{Error, ErrorKind, Result};

use super::segment::Walk;
use super::{Journal, JournalState, Position};

impl Journal {
    /// Calls `visit` with the end and the payload of each record after `from`, until it says no.
    ///
    /// # Errors
    ///
    /// `NotFound` if records after `from` were released; whatever `visit` fails with.
    pub(crate) fn read_from(
        &self,
        from: Position,
        visit: &mut dyn FnMut(Position, &[u8]) -> Result<bool>,
    ) -> Result<()> {
        let (segments, end) = {
            let state = self.shared.state.lock();
            state.check_first(from)?;
            // Segments that end at or before `from` have a successor that starts there.
            let skipped = state.segments.partition_point(|s| s.header.start <= from);
            let used = state.segments.iter().skip(skipped.saturating_sub(1)).cloned();
            (used.collect::<Vec<_>>(), state.end)
        };
        let mut block = Vec::new();
        for (index, segment) in segments.iter().enumerate() {
            let limit = segments.get(index + 1).map_or(end, |next| next.header.start);
            let mut walk = Walk::new(segment, from.max(segment.header.start), limit, &mut block);
            while walk.place().0 < limit {
                let Some((end, payload)) = walk.next()? else {
                    // A segment that was released meanwhile may hold other records by now.
                    self.shared.state.lock().check_first(from)?;
                    let offset = segment.offset(walk.place().0);
                    let message = format!("no record can be read at byte {offset}");
                    return Err(Error::new(ErrorKind::Corrupt, message)
                        .with_path_text(segment.path.to_string_lossy()));
                };
                if !visit(end, payload)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Waits until there are records after `seen`; tells whether there are.
    pub fn wait_beyond(&self, seen: Position, timeout: Duration) -> bool {
        self.wait_unless_woken(seen, self.wakes(), timeout)
    }

    /// As [`Journal::wait_beyond`], but does not wait at all if it was woken since `wakes`.
    pub fn wait_unless_woken(&self, seen: Position, wakes: u64, timeout: Duration) -> bool {
        let mut state = self.shared.state.lock();
        state.watchers += 1;
        let waiting = |state: &mut JournalState| {
            state.end <= seen && state.wakes == wakes && state.check().is_ok()
        };
        self.shared.appended.wait_while_for(&mut state, waiting, timeout);
        state.watchers -= 1;
        state.end > seen
    }

    /// Returns how often waits were ended by [`Journal::wake`].
    pub fn wakes(&self) -> u64 {
        self.shared.state.lock().wakes
    }

    /// Ends every wait of [`Journal::wait_beyond`] and [`Journal::let_gather`] now.
    pub fn wake(&self) {
        self.shared.state.lock().wakes += 1;
        self.shared.appended.notify_all();
        self.shared.woken.notify_all();
    }

    /// Lets records gather for a while, undisturbed by them, unless it was woken since `wakes`.
    pub fn let_gather(&self, wakes: u64, while_for: Duration) {
        let mut state = self.shared.state.lock();
        let waiting = |state: &mut JournalState| state.wakes == wakes && state.check().is_ok();
        self.shared.woken.wait_while_for(&mut state, waiting, while_for);
    }
}

impl JournalState {
    /// Refuses to read what was released.
    fn check_first(&self, from: Position) -> Result<()> {
        if from >= self.mark.first {
            return Ok(());
        }
        let message = format!("records after position {} were released", from.0);
        Err(Error::new(ErrorKind::NotFound, message))
    }
}
