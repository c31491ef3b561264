//! Files for the segments to come.

use std::path::Path as HostPath;
use std::sync::Arc;

use homefs_core::{DiskFile, Result};
use parking_lot::MutexGuard;

use super::segment::{Segment, Spare, io_error};
use super::{Effect, JournalState, Shared, reserve};

/// Files kept ready: a burst of two segments never waits for the disk.
const SPARES_MAX: usize = 2;

impl Shared {
    /// Makes files as they are needed; the work of the thread `homefs-room`.
    pub(super) fn make_room_until_closed(&self) {
        let mut state = self.state.lock();
        while state.check().is_ok() {
            // Taken: whoever asks meanwhile asks anew.
            let asked = state.room.take();
            let ahead = || self.room_ahead(&state).map(|length| (length, Effect::Keeps));
            let Some((length, effect)) = asked.or_else(ahead) else {
                self.room_wanted.wait(&mut state);
                continue;
            };
            state.serial += 1;
            let path = self.dir.join(format!("{:020}.seg", state.serial));
            let covers = (effect == Effect::Keeps).then(|| state.held_bytes() + length);
            let made = MutexGuard::unlocked(&mut state, || self.make(&path, length, covers));
            match made {
                Ok(spare) => {
                    state.names_dirty = true;
                    state.spares.push(spare);
                    state.room = state.room.filter(|&(wanted, _)| wanted > length);
                }
                Err(error) => {
                    // Who asked is told; without room a shorter one is tried.
                    tracing::debug!(%error, "make a journal segment");
                    state.room_error = Some((effect, error));
                }
            }
            self.progress.notify_all();
        }
    }

    /// Returns the length of the file to make before anybody asks for it, if any.
    fn room_ahead(&self, state: &JournalState) -> Option<u64> {
        // A store that writes little never needs a second file, so none is made for it.
        let is_wanted = state.writer.as_ref().is_some_and(|writer| {
            let header = writer.segment.header;
            state.end.0 - header.start.0 >= header.length / 4
        });
        // After a failure only an append that needs the room asks again.
        let has_room = state.room_error.is_none() && !self.reserve.is_spent();
        let is_wanted = is_wanted && has_room && state.spares.len() < SPARES_MAX;
        is_wanted.then(|| self.next_length(state))
    }

    /// Makes a file; `covers` is what the reserve has to cover then, unless it may be used for it.
    fn make(&self, path: &HostPath, length: u64, covers: Option<u64>) -> Result<Spare> {
        covers.map_or(Ok(()), |bytes| self.reserve.cover(bytes)).map_err(reserve::refused)?;
        let failed = |cause| io_error(path, "allocate a journal segment", cause);
        let file = self.disk.create(path).map_err(failed)?;
        let made = file.allocate(length).and_then(|()| file.map());
        match made {
            // The pages are not touched in advance: measured, that makes the kernel map them one
            // by one later, where a first write of its own maps a whole run of them.
            Ok(map) => Ok(Spare { path: path.to_owned(), file, length, map }),
            Err(cause) => {
                self.remove(path);
                Err(reserve::refused(cause).with_path_text(path.to_string_lossy()))
            }
        }
    }

    /// Keeps the file of a released segment for use again, or ends it.
    pub(super) fn recycle(&self, segment: Arc<Segment>) {
        let (path, header) = (segment.path.clone(), segment.header);
        if header.generation <= self.state.lock().scrub_generation {
            if let Err(error) = self.erase(&path, &*segment.file, header.length) {
                tracing::error!(%error, "released records may still be on the disk");
            }
            return;
        }
        // Whoever still reads the segment keeps its file, which must then stay as it is.
        let file = Arc::into_inner(segment).map(|segment| segment.file);
        let is_kept = header.length == self.settings.segment_bytes && !self.reserve.is_spent();
        let file = file.filter(|_| is_kept);
        let spare = file.and_then(|file| {
            let map = file.map().ok()?;
            Some(Spare { path: path.clone(), file, length: header.length, map })
        });
        let mut state = self.state.lock();
        match spare.filter(|_| state.spares.len() < SPARES_MAX) {
            Some(spare) => state.spares.push(spare),
            None => MutexGuard::unlocked(&mut state, || self.remove(&path)),
        }
    }

    /// Gives the reserve away, and the files that wait for use; tells whether there were any.
    pub(super) fn spend_reserve(&self) -> bool {
        let had_some = self.reserve.spend();
        let spares = std::mem::take(&mut self.state.lock().spares);
        let had_spares = !spares.is_empty();
        for spare in spares {
            self.remove(&spare.path);
        }
        had_some || had_spares
    }

    /// Overwrites a file with zeros and removes it.
    pub(super) fn erase(&self, path: &HostPath, file: &dyn DiskFile, length: u64) -> Result<()> {
        file.allocate(length)
            .and_then(|()| file.sync())
            .and_then(|()| self.disk.remove(path))
            .map_err(|cause| io_error(path, "erase a journal segment", cause))
    }

    /// Removes a file that is not used; the next open would do it too.
    pub(super) fn remove(&self, path: &HostPath) {
        if let Err(error) = self.disk.remove(path) {
            tracing::warn!(%error, file = %path.display(), "remove a journal segment");
        }
    }
}
