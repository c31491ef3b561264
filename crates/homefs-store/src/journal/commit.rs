//! Group commit: one sync for all that wait, then the sync mark, then the release of segments.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use homefs_core::{Error, ErrorKind, Result};
use parking_lot::MutexGuard;

use super::format::Mark;
use super::segment::Segment;
use super::{Caller, JournalState, Position, Shared};

/// How long a sync waits for more who want it; short beside the sync itself.
const GATHER_MAX: Duration = Duration::from_micros(50);

impl Shared {
    /// Syncs as records come; the work of the thread `homefs-journal`.
    pub(super) fn sync_until_closed(&self) {
        let mut slot = 0;
        let mut state = self.state.lock();
        while state.failed.is_none() {
            if state.is_clean() {
                if state.closed {
                    return;
                }
                self.sync_wanted.wait(&mut state);
                continue;
            }
            if !state.is_urgent() {
                let calm = |state: &mut JournalState| !state.is_urgent();
                self.sync_wanted.wait_while_for(&mut state, calm, self.settings.flush_interval);
            }
            self.gather(&mut state);
            if let Err(cause) = self.commit(&mut state, slot) {
                self.poison(&mut state, cause);
            }
            slot = 1 - slot;
        }
    }

    /// Waits a moment for those that the last sync served: they are likely to come back, and
    /// without them the first one would have a sync of its own while all others wait for the next.
    fn gather(&self, state: &mut MutexGuard<'_, JournalState>) {
        if state.queued > 0 && state.queued < state.served {
            state.gathering = true;
            let few = |state: &mut JournalState| state.queued < state.served && !state.closed;
            self.sync_wanted.wait_while_for(state, few, GATHER_MAX);
            state.gathering = false;
        }
        (state.served, state.queued) = (state.queued, 0);
    }

    /// Makes all records so far durable, then carries out the releases asked for.
    fn commit(&self, state: &mut MutexGuard<'_, JournalState>, slot: usize) -> io::Result<()> {
        let mark = Mark { synced: state.end, first: state.release };
        let unsynced = state.segments_beyond(state.mark.synced);
        let names_dirty = std::mem::take(&mut state.names_dirty);
        MutexGuard::unlocked(state, || {
            (self.before_sync)()?;
            unsynced.iter().try_for_each(|segment| segment.file.sync())?;
            if names_dirty { self.disk.sync_dir(&self.dir) } else { Ok(()) }
        })?;
        state.mark.synced = mark.synced;
        self.progress.notify_all();
        Self::call_back(state);
        // Not a segment that was started meanwhile: its name may not be durable yet.
        let Some(newest) = unsynced.last().cloned() else { return Ok(()) };
        drop(unsynced);
        if mark.first > state.mark.first || state.leading_segments(mark.first) > 0 {
            return self.reclaim(state, newest, mark);
        }
        // The mark is not synced itself: an older one only makes recovery less strict.
        MutexGuard::unlocked(state, || newest.write_mark(slot, mark))
    }

    /// Recycles, erases or removes the files that a mark releases.
    fn reclaim(
        &self,
        state: &mut MutexGuard<'_, JournalState>,
        mut newest: Arc<Segment>,
        mark: Mark,
    ) -> io::Result<()> {
        loop {
            // What is released must be known to be so, whichever slot is damaged later, before its
            // files are touched: otherwise recovery would miss their records.
            MutexGuard::unlocked(state, || {
                newest.write_mark(0, mark)?;
                newest.write_mark(1, mark)?;
                newest.file.sync()
            })?;
            state.mark.first = mark.first;
            let over = state.held_bytes() > self.settings.bytes_max;
            self.crowded_out.store(over, Ordering::Relaxed);
            // Only what is older than the file that says so: one that was started meanwhile may
            // begin where this one does, and has the mark of before.
            let known = newest.header.generation;
            let older = state.segments.partition_point(|one| one.header.generation < known);
            let count = state.leading_segments(mark.first).min(older);
            let released: Vec<_> = state.segments.drain(..count).collect();
            let last = released.last().map(|segment| segment.header.generation);
            MutexGuard::unlocked(state, || released.into_iter().for_each(|s| self.recycle(s)));
            state.reclaimed = last.unwrap_or(state.reclaimed);
            match state.segments.back().cloned() {
                Some(last) if state.leading_segments(mark.first) > 0 => newest = last,
                _ => break,
            }
            if std::mem::take(&mut state.names_dirty) {
                MutexGuard::unlocked(state, || self.disk.sync_dir(&self.dir))?;
            }
        }
        self.releases.fetch_add(1, Ordering::Relaxed);
        self.progress.notify_all();
        Ok(())
    }

    fn poison(&self, state: &mut MutexGuard<'_, JournalState>, cause: io::Error) {
        let message = "a sync of the journal failed: the store takes no more changes until it is \
                       opened again";
        let error = Error::new(ErrorKind::Closed, message).with_source(cause);
        tracing::error!(
            %error, cause = error_cause(&error), end = state.end.0, synced = state.mark.synced.0,
            "the journal is poisoned"
        );
        state.failed = Some(error);
        self.wake_all();
        Self::call_back(state);
    }

    /// Calls those whose records are durable, or all of them if no more will be.
    fn call_back(state: &mut MutexGuard<'_, JournalState>) {
        let (synced, failed) = (state.mark.synced, state.failed.clone());
        let due = |(up_to, _): &mut (Position, Caller)| failed.is_some() || *up_to <= synced;
        let due: Vec<_> = state.callers.extract_if(.., due).collect();
        if !due.is_empty() {
            MutexGuard::unlocked(state, || {
                for (up_to, caller) in due {
                    let lost = failed.clone().filter(|_| up_to > synced);
                    caller(lost.map_or(Ok(()), Err));
                }
            });
        }
    }

    /// Calls back once everything up to `up_to` is durable.
    pub(super) fn barrier_then(&self, up_to: Position, caller: Caller) {
        let mut state = self.state.lock();
        let up_to = up_to.min(state.end);
        let outcome = match self.fork.check() {
            Ok(()) if state.mark.synced >= up_to => Ok(()),
            Ok(()) if state.failed.is_none() && !state.closed => {
                self.ask(&mut state, up_to);
                state.callers.push((up_to, caller));
                return;
            }
            Ok(()) => state.check(),
            Err(error) => Err(error),
        };
        drop(state);
        caller(outcome);
    }

    /// Asks the syncing thread for a barrier.
    fn ask(&self, state: &mut JournalState, up_to: Position) {
        state.barrier = state.barrier.max(up_to);
        state.queued += 1;
        if !state.gathering || state.queued >= state.served {
            self.sync_wanted.notify_one();
        }
    }

    /// Waits until everything up to `up_to` is durable.
    pub(super) fn barrier(&self, up_to: Position) -> Result<()> {
        self.fork.check()?;
        let mut state = self.state.lock();
        let up_to = up_to.min(state.end);
        if let Some(error) = state.failed.as_ref().filter(|_| !self.settings.read_only) {
            return Err(error.clone());
        }
        if state.mark.synced < up_to {
            self.ask(&mut state, up_to);
            let waiting =
                |state: &mut JournalState| state.mark.synced < up_to && state.failed.is_none();
            self.progress.wait_while(&mut state, waiting);
        }
        if state.mark.synced >= up_to { Ok(()) } else { state.check() }
    }

    /// Gives up whole segments before `up_to`, those that are there now.
    pub(super) fn release(&self, up_to: Position) -> Result<()> {
        self.fork.check()?;
        let mut state = self.state.lock();
        state.check()?;
        let count = state.leading_segments(up_to);
        let Some(first) = state.segments.get(count).map(|segment| segment.header.start) else {
            return Ok(());
        };
        // By number: whoever starts an empty segment meanwhile adds to what can be released, and
        // the syncing thread, which is done with what it was asked for, would not be told.
        let last = count.checked_sub(1).map_or(0, |last| state.segments[last].header.generation);
        if count > 0 {
            state.release = state.release.max(first);
            self.sync_wanted.notify_one();
            let waiting =
                |state: &mut JournalState| state.reclaimed < last && state.failed.is_none();
            self.progress.wait_while(&mut state, waiting);
        }
        if state.reclaimed >= last { Ok(()) } else { state.check() }
    }

    /// Waits until what can be released is; tells whether anything was after `before`.
    pub(super) fn wait_for_release(&self, before: u64) -> bool {
        let releases = || self.releases.load(Ordering::Relaxed);
        let mut state = self.state.lock();
        if releases() == before && state.held_bytes() > 0 {
            state.presses += 1;
            let press = state.presses;
            state.wakes += 1;
            self.woken.notify_all();
            self.appended.notify_all();
            let waiting = |state: &mut JournalState| {
                state.pressed_up_to < press && releases() == before && state.check().is_ok()
            };
            self.progress.wait_while_for(&mut state, waiting, self.settings.wait_max);
        }
        releases() > before
    }

    /// Lets those go on who waited for a release when there were so many.
    pub(super) fn end_presses(&self, up_to: u64) {
        self.state.lock().pressed_up_to = up_to;
        self.progress.notify_all();
    }

    /// Wakes every thread that waits for anything here.
    pub(super) fn wake_all(&self) {
        self.sync_wanted.notify_all();
        self.room_wanted.notify_all();
        self.progress.notify_all();
        self.appended.notify_all();
        self.woken.notify_all();
    }
}

impl JournalState {
    fn is_clean(&self) -> bool {
        self.end == self.mark.synced && self.leading_segments(self.release) == 0
    }

    /// Tells whether someone waits for the next sync.
    fn is_urgent(&self) -> bool {
        self.closed || self.barrier > self.mark.synced || self.leading_segments(self.release) > 0
    }

    /// Returns the segments that hold bytes after `position`.
    fn segments_beyond(&self, position: Position) -> Vec<Arc<Segment>> {
        let after = self.segments.partition_point(|segment| segment.header.start <= position);
        self.segments.iter().skip(after.saturating_sub(1)).cloned().collect()
    }

    /// Counts the segments whose records all end at or before `position`; never the newest.
    fn leading_segments(&self, position: Position) -> usize {
        let starts = self.segments.iter().skip(1);
        starts.take_while(|next| next.header.start <= position).count()
    }
}

fn error_cause(error: &Error) -> Option<&(dyn std::error::Error + 'static)> {
    std::error::Error::source(error)
}
