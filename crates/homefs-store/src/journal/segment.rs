//! One file of the journal: reading its records, and writing into the newest.

use std::io;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use homefs_core::{DiskFile, DiskMap, Error, ErrorKind, Result};

use super::Position;
use super::format::{self, FRAME_BYTES, HEADER_BYTES, Header, MARK_OFFSETS, Mark};

/// Read at once when records are walked.
const BLOCK_BYTES: u64 = 256 * 1024;

/// A file that holds records.
pub(super) struct Segment {
    pub(super) path: PathBuf,
    pub(super) file: Box<dyn DiskFile>,
    pub(super) header: Header,
    /// Bytes that are really there, at most the header's length.
    pub(super) readable_bytes: u64,
}

impl Segment {
    /// Returns where the byte at `position` lies in the file.
    pub(super) fn offset(&self, position: Position) -> u64 {
        HEADER_BYTES.saturating_add(position.0.saturating_sub(self.header.start.0))
    }

    /// Writes a sync mark into one of the two slots.
    pub(super) fn write_mark(&self, slot: usize, mark: Mark) -> io::Result<()> {
        self.file.write_at(MARK_OFFSETS[slot], &mark.encode())
    }

    /// Makes an error about this file.
    pub(super) fn error(&self, what: &str, cause: io::Error) -> Error {
        io_error(&self.path, what, cause)
    }
}

/// Makes an error about a file of the journal.
pub(super) fn io_error(path: &HostPath, what: &str, cause: io::Error) -> Error {
    Error::io(what, cause).with_path_text(path.to_string_lossy())
}

/// A file made ready to become the next segment.
pub(super) struct Spare {
    pub(super) path: PathBuf,
    pub(super) file: Box<dyn DiskFile>,
    pub(super) length: u64,
    pub(super) map: Option<Box<dyn DiskMap>>,
}

/// The way into the newest segment.
pub(super) struct Writer {
    pub(super) segment: Arc<Segment>,
    map: Option<Box<dyn DiskMap>>,
}

impl Writer {
    /// Goes on in a segment that exists.
    pub(super) fn resume(segment: Arc<Segment>) -> Result<Self> {
        let map = segment.file.map().map_err(|e| segment.error("map a journal segment", e))?;
        Ok(Self { segment, map })
    }

    /// Turns a spare file into a segment.
    pub(super) fn start(
        mut spare: Spare,
        header: Header,
        mark: Mark,
    ) -> Result<Self, (Spare, Error)> {
        let mut page = [0; 2048];
        page[..header.encode().len()].copy_from_slice(&header.encode());
        // Both slots, so that what the file said in its last use is gone.
        for offset in [512, 1024] {
            page[offset..][..mark.encode().len()].copy_from_slice(&mark.encode());
        }
        match put(spare.map.as_mut(), &*spare.file, 0, &page) {
            Ok(()) => {}
            Err(cause) => {
                let error = io_error(&spare.path, "start a journal segment", cause);
                return Err((spare, error));
            }
        }
        let segment =
            Segment { path: spare.path, file: spare.file, header, readable_bytes: header.length };
        Ok(Self { segment: Arc::new(segment), map: spare.map })
    }

    /// Tells whether a payload of this length fits at `position`.
    pub(super) fn fits(&self, position: Position, payload_bytes: u64) -> bool {
        let end = self.segment.offset(position) + format::framed_bytes(payload_bytes);
        end <= self.segment.header.length
    }

    /// Writes one record.
    pub(super) fn write(&mut self, at: Position, frame: &[u8], payload: &[u8]) -> Result<()> {
        let Self { segment, map } = self;
        let offset = segment.offset(at);
        // The frame goes last: until then the segment still ends before the record.
        put(map.as_mut(), &*segment.file, offset + FRAME_BYTES, payload)
            .and_then(|()| put(map.as_mut(), &*segment.file, offset, frame))
            .map_err(|cause| segment.error("append to the journal", cause))
    }
}

fn put(
    map: Option<&mut Box<dyn DiskMap>>,
    file: &dyn DiskFile,
    offset: u64,
    content: &[u8],
) -> io::Result<()> {
    let Some(map) = map else { return file.write_at(offset, content) };
    let place = usize::try_from(offset).ok().and_then(|at| map.bytes().get_mut(at..));
    let place = place.and_then(|rest| rest.get_mut(..content.len()));
    place.ok_or(io::ErrorKind::UnexpectedEof)?.copy_from_slice(content);
    Ok(())
}

/// Goes through the records of one segment, checking each.
pub(super) struct Walk<'a> {
    segment: &'a Segment,
    // The next record, and where the last one must end at the latest.
    position: Position,
    limit: Position,
    // Unknown when the walk starts in the middle: then the first record is taken as it is.
    previous: Option<u32>,
    block: &'a mut Vec<u8>,
    block_offset: u64,
}

impl<'a> Walk<'a> {
    /// Starts at `position`; `block` is memory to use again from walk to walk.
    pub(super) fn new(
        segment: &'a Segment,
        position: Position,
        limit: Position,
        block: &'a mut Vec<u8>,
    ) -> Self {
        block.clear();
        let previous = (position == segment.header.start).then_some(segment.header.seed);
        Self { segment, position, limit, previous, block, block_offset: 0 }
    }

    /// Returns where the next record begins, and the checksum of the last one.
    pub(super) fn place(&self) -> (Position, Option<u32>) {
        (self.position, self.previous)
    }

    /// Returns the end of the next record and its payload; `None` where no whole record follows.
    pub(super) fn next(&mut self) -> Result<Option<(Position, &[u8])>> {
        let offset = self.segment.offset(self.position);
        let Some(frame) = self.bytes(offset, FRAME_BYTES)? else { return Ok(None) };
        let (length, stored) = format::unframe(frame);
        let end = Position(self.position.0.saturating_add(format::framed_bytes(length)));
        if length == 0 || end > self.limit {
            return Ok(None);
        }
        let (generation, at, previous) =
            (self.segment.header.generation, self.position, self.previous);
        let Some(payload) = self.bytes(offset + FRAME_BYTES, length)? else { return Ok(None) };
        let valid = |previous| format::checksum(generation, at, previous, payload) == stored;
        if !previous.is_none_or(valid) {
            return Ok(None);
        }
        (self.position, self.previous) = (end, Some(stored));
        let from = usize::try_from(offset + FRAME_BYTES - self.block_offset).unwrap_or(usize::MAX);
        let count = usize::try_from(length).unwrap_or(usize::MAX);
        Ok(Some((end, &self.block[from..from + count])))
    }

    /// Returns `count` bytes at `offset`; `None` if the file ends before.
    fn bytes(&mut self, offset: u64, count: u64) -> Result<Option<&[u8]>> {
        if offset.saturating_add(count) > self.segment.readable_bytes {
            return Ok(None);
        }
        let held = self.block_offset..self.block_offset + self.block.len() as u64;
        if offset < held.start || offset + count > held.end {
            let limit = self.segment.offset(self.limit).min(self.segment.readable_bytes);
            let length = count.max(BLOCK_BYTES.min(limit.saturating_sub(offset)));
            self.block.resize(index(length)?, 0);
            self.block_offset = offset;
            let read = self.segment.file.read_at(offset, self.block);
            if let Err(cause) = read {
                self.block.clear();
                return Err(self.segment.error("read the journal", cause));
            }
        }
        let from = index(offset - self.block_offset)?;
        Ok(Some(&self.block[from..from + index(count)?]))
    }
}

fn index(bytes: u64) -> Result<usize> {
    usize::try_from(bytes)
        .map_err(|_| Error::new(ErrorKind::Unsupported, "the record does not fit in memory"))
}
