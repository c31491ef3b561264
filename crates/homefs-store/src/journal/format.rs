//! The bytes of a segment file; `docs/formats.md` describes them.

use homefs_core::{Error, ErrorKind, Result};

use super::Position;

/// Length of the header page; records follow it.
pub(super) const HEADER_BYTES: u64 = 4096;
/// Where the two sync marks lie in the header page, each in a sector of its own, so that a torn
/// write of one leaves the other.
pub(super) const MARK_OFFSETS: [u64; 2] = [512, 1024];
/// Length of what precedes a record's payload: its length and its checksum.
pub(super) const FRAME_BYTES: u64 = 8;
/// Longest payload of one record.
pub(super) const RECORD_BYTES_MAX: usize = 1 << 30;

const MAGIC: [u8; 8] = *b"homefs-j";
const VERSION: u32 = 1;
const HEADER_USED_BYTES: usize = 44;
const MARK_BYTES: usize = 20;

/// What the first page of a segment says about the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Rises with every use of any file, so that old bytes of a file used again are not read.
    pub(super) generation: u64,
    /// Where the first record begins.
    pub(super) start: Position,
    /// Length of the whole file.
    pub(super) length: u64,
    /// Checksum of the record before the first one.
    pub(super) seed: u32,
}

impl Header {
    /// Returns the stored form.
    pub(super) fn encode(&self) -> [u8; HEADER_USED_BYTES] {
        let mut bytes = [0; HEADER_USED_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.seed.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.generation.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.start.0.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.length.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..40]);
        bytes[40..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the stored form from a header page; `None` if it is damaged or was never written.
    pub(super) fn decode(page: &[u8]) -> Result<Option<Self>> {
        if page[..8] != MAGIC || word(page, 40) != crc32fast::hash(&page[..40]) {
            return Ok(None);
        }
        let version = word(page, 8);
        if version > VERSION {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!("the journal has format {version}, this homefs reads up to {VERSION}"),
            ));
        }
        Ok(Some(Self {
            generation: long(page, 16),
            start: Position(long(page, 24)),
            length: long(page, 32),
            seed: word(page, 12),
        }))
    }
}

/// What is known to be durable. Both numbers only ever rise, so that of several marks the highest
/// numbers hold, wherever they are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Every record up to here was synced.
    pub(super) synced: Position,
    /// Every record up to here was released; the oldest segment in use starts here.
    pub(super) first: Position,
}

impl Mark {
    /// Returns the stored form.
    pub(super) fn encode(self) -> [u8; MARK_BYTES] {
        let mut bytes = [0; MARK_BYTES];
        bytes[..8].copy_from_slice(&self.synced.0.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.first.0.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..16]);
        bytes[16..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the highest numbers of a header page; damaged marks count as zero.
    pub(super) fn decode(page: &[u8]) -> Self {
        let marks = MARK_OFFSETS.map(|offset| {
            let slot = &page[usize::try_from(offset).unwrap_or(0)..][..MARK_BYTES];
            // The checksum of zeros is not zero, so a slot never written does not pass.
            if word(slot, 16) != crc32fast::hash(&slot[..16]) {
                return Self::default();
            }
            Self { synced: Position(long(slot, 0)), first: Position(long(slot, 8)) }
        });
        marks[0].max(marks[1])
    }

    /// Returns the higher of each number.
    pub(super) fn max(self, other: Self) -> Self {
        Self { synced: self.synced.max(other.synced), first: self.first.max(other.first) }
    }
}

/// Returns what precedes the payload of a record.
pub(super) fn frame(payload: &[u8], checksum: u32) -> Result<[u8; 8]> {
    let length = u32::try_from(payload.len()).ok().filter(|_| payload.len() <= RECORD_BYTES_MAX);
    let Some(length) = length else {
        let message = format!("a record of {} bytes is too long for the journal", payload.len());
        return Err(Error::new(ErrorKind::LimitExceeded, message));
    };
    Ok((u64::from(length) | (u64::from(checksum) << 32)).to_le_bytes())
}

/// Reads what precedes a payload: the payload's length and the checksum.
pub(super) fn unframe(bytes: &[u8]) -> (u64, u32) {
    (u64::from(word(bytes, 0)), word(bytes, 4))
}

/// Returns how many bytes of a segment a record takes.
pub(super) fn framed_bytes(payload_bytes: u64) -> u64 {
    FRAME_BYTES + payload_bytes.next_multiple_of(8)
}

/// Computes the checksum of a record at `position` of a segment, after a record with the checksum
/// `previous`.
pub(super) fn checksum(generation: u64, position: Position, previous: u32, payload: &[u8]) -> u32 {
    let mut place = [0; 28];
    place[..8].copy_from_slice(&generation.to_le_bytes());
    place[8..16].copy_from_slice(&position.0.to_le_bytes());
    place[16..20].copy_from_slice(&previous.to_le_bytes());
    place[20..].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&place);
    hasher.update(payload);
    hasher.finalize()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("the slice has four bytes"))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("the slice has eight bytes"))
}
