//! Finds out, at open, which records survived.

use std::collections::VecDeque;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use homefs_core::{Disk, Error, ErrorKind, Result};

use super::Position;
use super::format::{HEADER_BYTES, Header, Mark, framed_bytes, unframe};
use super::segment::{Segment, Walk, io_error};

/// Called with the end and the payload of each record that survived, and whether it is known to
/// be synced; answers whether what the record names survived too.
pub(super) type Visit<'a> = dyn FnMut(Position, &[u8], bool) -> Result<bool> + 'a;

/// What a journal holds when it is opened.
pub(super) struct Recovered {
    /// The segments in use, oldest first.
    pub(super) segments: VecDeque<Arc<Segment>>,
    /// The highest sync mark.
    pub(super) mark: Mark,
    /// Where the last surviving record ends.
    pub(super) end: Position,
    /// Its checksum.
    pub(super) previous: u32,
    /// The highest generation seen.
    pub(super) generation: u64,
    /// The highest file number seen.
    pub(super) serial: u64,
}

/// Walks the chain of records, keeps the longest valid part and removes all other segment files,
/// unless nothing can be written.
///
/// # Errors
///
/// `Corrupt` if records are missing that a sync mark covers, `Unsupported` if a newer homefs wrote
/// the journal. Nothing is changed then.
pub(super) fn recover(
    dir: &HostPath,
    disk: &dyn Disk,
    read_only: bool,
    visit: &mut Visit<'_>,
) -> Result<Recovered> {
    let chain = Chain::find(dir, disk)?;
    let (count, end, previous) = chain.walk(visit)?;
    let Chain { candidates, released: mut others, broken, blank, mark, serial, generation } = chain;
    if end < mark.synced {
        let last = count.checked_sub(1).map(|last| &candidates[last]);
        return Err(damage(dir, broken.first(), last, end, mark));
    }
    let mut segments = VecDeque::from(candidates);
    others.extend(segments.drain(count..));
    let lost = others.iter().filter(|segment| segment.header.start >= mark.first);
    for path in lost.map(|segment| &segment.path).chain(&broken) {
        tracing::warn!(file = %path.display(), end = end.0, "drop an unsynced journal segment");
    }
    if read_only {
        let segments = segments.into_iter().map(Arc::new).collect();
        return Ok(Recovered { segments, mark, end, previous, generation, serial });
    }
    // The mark that released a segment may itself not be durable yet. It must be before the file
    // goes: an older mark would have recovery look for it.
    if !others.is_empty() {
        let synced = segments.iter().try_for_each(|segment| segment.file.sync());
        synced.map_err(|e| io_error(dir, "sync the journal", e))?;
    }
    // The names are gone for good before anything is appended: a segment that was cut off must
    // not come back and fit behind new records that happen to equal the lost ones.
    let unused = others.into_iter().map(|segment| segment.path);
    let removed: Vec<PathBuf> = unused.chain(broken).chain(blank).collect();
    for path in &removed {
        disk.remove(path).map_err(|e| io_error(path, "remove an unused journal segment", e))?;
    }
    if !removed.is_empty() {
        disk.sync_dir(dir).map_err(|e| io_error(dir, "sync the journal's directory", e))?;
    }
    let segments = segments.into_iter().map(Arc::new).collect();
    Ok(Recovered { segments, mark, end, previous, generation, serial })
}

/// The segment files of a journal, before it is known which of them are in use.
#[derive(Default)]
pub(super) struct Chain {
    /// Those not released, in the order in which they can follow each other.
    candidates: Vec<Segment>,
    released: Vec<Segment>,
    // Files with a damaged header, and files whose header was never written.
    broken: Vec<PathBuf>,
    blank: Vec<PathBuf>,
    mark: Mark,
    // The highest file number and generation seen.
    serial: u64,
    generation: u64,
}

impl Chain {
    /// Looks at the head of every segment file.
    pub(super) fn find(dir: &HostPath, disk: &dyn Disk) -> Result<Self> {
        let mut chain = Self::default();
        let names = disk.list(dir).map_err(|e| io_error(dir, "list the journal", e))?;
        for name in names {
            let Some(serial) = name.strip_suffix(".seg").and_then(|stem| stem.parse().ok()) else {
                continue;
            };
            chain.serial = chain.serial.max(serial);
            chain.add(dir.join(name), disk)?;
        }
        chain.candidates.sort_by_key(|segment| (segment.header.start, segment.header.generation));
        let first = chain.mark.first;
        (chain.released, chain.candidates) =
            chain.candidates.into_iter().partition(|segment| segment.header.start < first);
        Ok(chain)
    }

    fn add(&mut self, path: PathBuf, disk: &dyn Disk) -> Result<()> {
        let failed = |cause| io_error(&path, "open a journal segment", cause);
        let file = disk.open(&path).map_err(failed)?;
        let length = file.len().map_err(failed)?;
        let mut page = [0; 4096];
        let there = usize::try_from(length.min(HEADER_BYTES)).unwrap_or(page.len());
        file.read_at(0, &mut page[..there]).map_err(failed)?;
        let header = Header::decode(&page).map_err(|e| e.with_path_text(path.to_string_lossy()))?;
        self.mark = self.mark.max(Mark::decode(&page));
        match header {
            Some(header) => {
                self.generation = self.generation.max(header.generation);
                let readable_bytes = length.min(header.length);
                self.candidates.push(Segment { path, file, header, readable_bytes });
            }
            None if page.iter().all(|&byte| byte == 0) => self.blank.push(path),
            None => self.broken.push(path),
        }
        Ok(())
    }

    /// Shows every record that can be read, in order; returns how many segments they fill, where
    /// they end and the last checksum.
    pub(super) fn walk(&self, visit: &mut Visit<'_>) -> Result<(usize, Position, u32)> {
        let segments = &self.candidates;
        let mut block = Vec::new();
        let mut count = 0;
        let (mut end, mut previous) = (self.mark.first, None);
        for segment in segments {
            let linked = previous.is_none_or(|previous| previous == segment.header.seed);
            if segment.header.start != end || !linked {
                break;
            }
            count += 1;
            let limit = segments.get(count).map_or(Position(u64::MAX), |next| next.header.start);
            let mut walk = Walk::new(segment, end, limit, &mut block);
            loop {
                (end, previous) = walk.place();
                let Some((next, payload)) = walk.next()? else { break };
                let synced = next <= self.mark.synced;
                if !visit(next, payload, synced)? && !synced {
                    return Ok((count, end, previous.unwrap_or(0)));
                }
            }
        }
        Ok((count, end, previous.unwrap_or(0)))
    }
}

/// Shows what may be the payloads of damaged records, as far as their frames tell, and the rest.
fn show_each(mut damaged: &[u8], show: &mut dyn FnMut(&[u8])) {
    while let Some((frame, rest)) = damaged.split_at_checked(8) {
        let (length, _) = unframe(frame);
        let framed = usize::try_from(framed_bytes(length)).unwrap_or(usize::MAX);
        let payload = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        show(payload.unwrap_or(rest));
        damaged = damaged.get(framed..).unwrap_or_default();
    }
}

/// How many bytes are searched for the next record.
const GAP_MAX: u64 = 1 << 20;

impl Chain {
    /// Shows what follows the last record that can be read: first what stands where the next one
    /// should, then those that can be read again.
    pub(super) fn walk_beyond(&self, show: &mut dyn FnMut(&[u8])) -> Result<()> {
        let (count, end, _) = self.walk(&mut |_, _, _| Ok(true))?;
        let first = count.saturating_sub(1);
        let mut block = Vec::new();
        for (index, segment) in self.candidates.iter().enumerate().skip(first) {
            let limit = self.candidates.get(index + 1).map(|next| next.header.start);
            let limit = limit.unwrap_or(self.mark.synced.max(end));
            let mut from = if index == first { end } else { segment.header.start };
            if from >= limit {
                continue;
            }
            if index == first {
                let next = self.resume(segment, from, limit, &mut block)?;
                let there = segment.offset(next).min(segment.readable_bytes);
                let there = there.saturating_sub(segment.offset(from));
                let mut damaged = vec![0; usize::try_from(there).unwrap_or(0)];
                segment
                    .file
                    .read_at(segment.offset(from), &mut damaged)
                    .map_err(|cause| segment.error("read the journal", cause))?;
                show_each(&damaged, show);
                from = next;
            }
            let mut walk = Walk::new(segment, from, limit, &mut block);
            while let Some((_, payload)) = walk.next()? {
                show(payload);
            }
        }
        Ok(())
    }

    /// Finds the next place from which records can be read.
    fn resume(
        &self,
        segment: &Segment,
        from: Position,
        limit: Position,
        block: &mut Vec<u8>,
    ) -> Result<Position> {
        let last = limit.0.min(from.0 + GAP_MAX);
        for at in (from.0 + 8..last).step_by(8).map(Position) {
            let mut walk = Walk::new(segment, at, limit, block);
            let Some((end, _)) = walk.next()? else { continue };
            // The first is taken as it is, so that only the second tells.
            if end >= limit || end >= self.mark.synced || walk.next()?.is_some() {
                return Ok(at);
            }
        }
        Ok(limit)
    }
}

fn damage(
    dir: &HostPath,
    broken: Option<&PathBuf>,
    last: Option<&Segment>,
    end: Position,
    mark: Mark,
) -> Error {
    let (path, offset) = match (broken, last) {
        (Some(path), _) => (path.as_path(), 0),
        (None, Some(last)) => (last.path.as_path(), last.offset(end)),
        (None, None) => (dir, 0),
    };
    let message = format!(
        "the journal is damaged at byte {offset}: records up to position {} were synced, \
         but only those up to {} can be read",
        mark.synced.0, end.0
    );
    Error::new(ErrorKind::Corrupt, message).with_path_text(path.to_string_lossy())
}

/// Bytes of a lost tail must never follow new records, so a segment is only written on if no byte
/// after its last record was ever touched.
pub(super) fn ends_in_zeros(segment: &Segment, end: Position) -> Result<bool> {
    // Compared as a whole, which is several times faster than byte by byte.
    static ZEROS: [u8; 64 * 1024] = [0; 64 * 1024];
    if segment.readable_bytes < segment.header.length {
        return Ok(false);
    }
    let mut block = vec![0; ZEROS.len()];
    let mut offset = segment.offset(end);
    while offset < segment.readable_bytes {
        let count = usize::try_from(segment.readable_bytes - offset).unwrap_or(usize::MAX);
        let count = count.min(ZEROS.len());
        let read = segment.file.read_at(offset, &mut block[..count]);
        read.map_err(|cause| segment.error("read the journal", cause))?;
        if block[..count] != ZEROS[..count] {
            return Ok(false);
        }
        offset += count as u64;
    }
    Ok(true)
}
