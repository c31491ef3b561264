//! The hot path: one record into the newest segment.

use std::mem;
use std::sync::atomic::Ordering;

use homefs_core::{Error, ErrorKind, Result};
use parking_lot::MutexGuard;

use super::format::{self, FRAME_BYTES, HEADER_BYTES, Header};
use super::reserve::Effect;
use super::segment::Writer;
use super::{JournalState, Position, Shared, recover};

/// A buffer that one long record made larger than this is not kept.
const BUFFER_BYTES_KEPT: usize = 1 << 20;
/// Length of the first segment, and of the one that a store leaves behind when it is closed.
const FIRST_BYTES: u64 = 256 << 10;
/// Length of the shortest segment, where the disk has no room for more.
const LEAST_BYTES: u64 = 64 << 10;

impl Shared {
    /// Appends the record that `fill` writes.
    pub(super) fn append(
        &self,
        effect: Effect,
        fill: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<Position> {
        self.fork.check()?;
        let mut state = self.state.lock();
        self.reserve.check(effect, state.held_bytes())?;
        // The buffer is taken out: while this append waits for room, another may go ahead.
        let mut buffer = mem::take(&mut state.buffer);
        buffer.clear();
        let end = fill(&mut buffer).and_then(|()| self.write(&mut state, effect, &buffer));
        if buffer.capacity() <= BUFFER_BYTES_KEPT {
            state.buffer = buffer;
        }
        end
    }

    /// Waits while too many bytes are not released. Appending itself does not wait for that, so
    /// that nobody has to wait with a lock in hand that the release needs.
    pub(super) fn admit(&self) -> Result<()> {
        self.fork.check()?;
        if !self.crowded_out.load(Ordering::Relaxed) {
            return Ok(());
        }
        let bytes_max = self.settings.bytes_max;
        let full = |state: &JournalState| state.held_bytes() > bytes_max;
        let mut state = self.state.lock();
        if !full(&state) {
            return Ok(());
        }
        let waiting = |state: &mut JournalState| full(state) && state.check().is_ok();
        self.progress.wait_while_for(&mut state, waiting, self.settings.wait_max);
        state.check()?;
        if full(&state) {
            let message = format!("the journal holds {bytes_max} bytes that are not folded yet");
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        Ok(())
    }

    fn write(
        &self,
        state: &mut MutexGuard<'_, JournalState>,
        effect: Effect,
        payload: &[u8],
    ) -> Result<Position> {
        if payload.is_empty() {
            return Err(Error::new(ErrorKind::Invalid, "a record cannot be empty"));
        }
        let bytes = payload.len() as u64;
        // Checked before room of that length is asked for.
        format::frame(payload, 0)?;
        loop {
            state.check()?;
            let (at, previous) = (state.end, state.previous);
            let Some(writer) = state.writer.as_mut().filter(|writer| writer.fits(at, bytes)) else {
                if !state.resume()? {
                    let length = self.next_length(state);
                    self.start_segment(state, effect, bytes, length)?;
                }
                continue;
            };
            let header = writer.segment.header;
            let checksum = format::checksum(header.generation, at, previous, payload);
            writer.write(at, &format::frame(payload, checksum)?, payload)?;
            self.publish(state, header, checksum, format::framed_bytes(bytes));
            return Ok(state.end);
        }
    }

    /// Makes a written record the last one, and wakes whoever that concerns.
    fn publish(&self, state: &mut JournalState, header: Header, checksum: u32, bytes: u64) {
        let was_clean = state.end == state.mark.synced;
        let quarter = Position(header.start.0 + header.length / 4);
        let was_before_quarter = state.end < quarter;
        state.end.0 += bytes;
        if state.held_bytes() > self.settings.bytes_max {
            self.crowded_out.store(true, Ordering::Relaxed);
        }
        state.previous = checksum;
        // Each of these happens once per sync or segment, so that most appends make no call.
        if was_clean {
            self.sync_wanted.notify_one();
        }
        if was_before_quarter && state.end >= quarter {
            self.room_wanted.notify_one();
        }
        if state.watchers > 0 {
            self.appended.notify_all();
        }
    }

    /// Starts a segment that a payload of this length fits into, waiting for a file if need be: a
    /// shorter one where the disk has no room for `length`, and of what frees room from the reserve.
    fn start_segment(
        &self,
        state: &mut MutexGuard<'_, JournalState>,
        effect: Effect,
        payload_bytes: u64,
        length: u64,
    ) -> Result<()> {
        let needed = HEADER_BYTES + format::framed_bytes(payload_bytes);
        let least = needed.next_multiple_of(HEADER_BYTES).max(LEAST_BYTES.min(length));
        let mut length = length.max(least);
        loop {
            match self.start_segment_of(state, effect, length) {
                Err(error) if error.kind() != ErrorKind::LimitExceeded => return Err(error),
                Err(_) if length > least => length = (length / 4).max(least),
                Err(error) if effect == Effect::Frees => {
                    if !MutexGuard::unlocked(state, || self.spend_reserve()) {
                        return Err(error);
                    }
                }
                started => return started,
            }
        }
    }

    /// Starts a segment in a file of at least this length. Returns also when another append started
    /// one meanwhile, which then may be too short.
    fn start_segment_of(
        &self,
        state: &mut MutexGuard<'_, JournalState>,
        effect: Effect,
        length: u64,
    ) -> Result<()> {
        let generation = state.generation;
        if state.spare_of(length).is_none() {
            // Of several who wait the one with the longest record and the best reason asks.
            let (longest, best) = state.room.unwrap_or((0, Effect::Keeps));
            state.room = Some((longest.max(length), best.max(effect)));
            state.room_error = None;
            self.room_wanted.notify_one();
            let waiting = |state: &mut JournalState| {
                state.spare_of(length).is_none()
                    && state.generation == generation
                    && state.refusal(effect).is_none()
                    && state.check().is_ok()
            };
            self.progress.wait_while_for(state, waiting, self.settings.wait_max);
            state.check()?;
            if state.generation != generation {
                return Ok(());
            }
        }
        let Some(index) = state.spare_of(length) else {
            let late = || Error::new(ErrorKind::Unavailable, "no journal segment was made in time");
            return Err(state.refusal(effect).cloned().unwrap_or_else(late));
        };
        let spare = state.spares.swap_remove(index);
        let header = Header {
            generation: state.generation + 1,
            start: state.end,
            length: spare.length,
            seed: state.previous,
        };
        match Writer::start(spare, header, state.mark) {
            Ok(writer) => {
                state.resumable = None;
                state.generation = header.generation;
                state.segments.push_back(writer.segment.clone());
                state.writer = Some(writer);
                Ok(())
            }
            Err((spare, error)) => {
                state.spares.push(spare);
                Err(error)
            }
        }
    }

    /// Returns how long the next segment is: each is four times as long as the one before, up to
    /// the length of the settings, so that who writes little allocates little.
    pub(super) fn next_length(&self, state: &JournalState) -> u64 {
        let last = state.segments.back().map_or(0, |segment| segment.header.length);
        let last = if self.reserve.is_spent() { 0 } else { last };
        last.saturating_mul(4).max(FIRST_BYTES).min(self.settings.segment_bytes)
    }

    /// Starts a new, short segment unless the newest has no records.
    pub(super) fn roll(&self) -> Result<()> {
        self.fork.check()?;
        let mut state = self.state.lock();
        state.check()?;
        let end = state.end;
        if state.segments.back().is_none_or(|last| last.header.start == end) {
            return Ok(());
        }
        let length = FIRST_BYTES.min(self.settings.segment_bytes);
        self.start_segment(&mut state, Effect::Frees, FRAME_BYTES, length)
    }

    /// Starts a new segment in a new file and erases the files that wait for use.
    pub(super) fn scrub(&self) -> Result<()> {
        self.fork.check()?;
        let mut state = self.state.lock();
        state.check()?;
        state.scrub_generation = state.generation;
        let spares = mem::take(&mut state.spares);
        MutexGuard::unlocked(&mut state, || {
            spares
                .into_iter()
                .try_for_each(|spare| self.erase(&spare.path, &*spare.file, spare.length))
        })?;
        // Even an empty newest segment may lie in a file that was used before.
        let length = self.next_length(&state);
        self.start_segment(&mut state, Effect::Frees, FRAME_BYTES, length)
    }
}

impl JournalState {
    /// Returns why there is no room for a record; one that frees room may get what others do not.
    fn refusal(&self, effect: Effect) -> Option<&Error> {
        let (refused, error) = self.room_error.as_ref()?;
        (*refused >= effect).then_some(error)
    }

    /// Goes on in the segment that the last run wrote into, if that is possible; only tried once,
    /// and only when something is appended, because it takes a look at the whole segment.
    fn resume(&mut self) -> Result<bool> {
        match self.resumable.take() {
            Some(segment) if recover::ends_in_zeros(&segment, self.end)? => {
                self.writer = Some(Writer::resume(segment)?);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Returns the smallest spare file that is long enough.
    fn spare_of(&self, length: u64) -> Option<usize> {
        let fitting = self.spares.iter().enumerate().filter(|(_, spare)| spare.length >= length);
        fitting.min_by_key(|(_, spare)| spare.length).map(|(index, _)| index)
    }
}
