//! Packs: many pieces in one object, each readable by itself.
//!
//! A pack is a header, a number drawn at random, and then one piece after the other. The number
//! keeps two packs from ever having one name: a pack that was dropped stays dropped, whoever sends
//! the same pieces again, so that it can be deleted without asking who does. Each is compressed and sealed for itself,
//! so that a request for a range reads one. Where they lie stands in the commit that came with the
//! pack, not in the pack: who reads a piece has read that already.

use std::ops::Range;

use bytes::Bytes;
use homefs_core::limits::CHUNK_BYTES;
use homefs_core::{Digest, Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use zstd::bulk::Compressor;

use super::envelope::{HEADER_BYTES, check_header, compress, compressor, decompress, header};
use super::ids::PackId;
use super::sealer::{Purpose, Sealer};
use super::{corrupt, ensure};

const MAGIC: [u8; 8] = *b"homefs-p";
/// How hard pieces are compressed: the fastest, since a push should not cost the agent's cores.
const LEVEL: i32 = 1;
/// Where the first piece begins: after the header and the number.
pub const START: usize = HEADER_BYTES + 16;
/// The longest pack: one request sends it, and one buffer holds it.
const PACK_BYTES_MAX: usize = 64 << 20;

/// What a pack holds that somebody needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackTable {
    /// The pack.
    pub pack: PackId,
    /// Its pieces, in the order in which they lie.
    pub pieces: Vec<Piece>,
}

/// Where a piece lies in its pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The digest of its plain bytes.
    pub digest: Digest,
    /// Where it begins, counted from the beginning of the object.
    pub offset: u32,
    /// How long it is there.
    pub len: u32,
}

impl Piece {
    /// Returns the range to ask for.
    pub fn range(&self) -> Range<u64> {
        let start = u64::from(self.offset);
        start..start + u64::from(self.len)
    }
}

/// Puts pieces into a pack.
pub struct PackWriter<'s> {
    sealer: &'s dyn Sealer,
    compressor: Compressor<'static>,
    object: Vec<u8>,
    pieces: Vec<Piece>,
}

impl<'s> PackWriter<'s> {
    /// Begins an empty pack with a number that no other has.
    pub fn new(sealer: &'s dyn Sealer, drawn: u128) -> Result<Self> {
        let object = [&header(MAGIC)[..], &drawn.to_le_bytes()].concat();
        Ok(Self { sealer, compressor: compressor(LEVEL)?, object, pieces: Vec::new() })
    }

    /// Tells whether it has no piece.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns how long the pack would be now.
    pub fn bytes(&self) -> usize {
        self.object.len()
    }

    /// Adds a piece, unless the pack would become too long: then it stays as it is, and the error is
    /// `LimitExceeded`. Whoever adds leaves out what the pack has already.
    ///
    /// # Panics
    ///
    /// Never: a pack is shorter than 4 GiB.
    pub fn add(&mut self, content: &[u8]) -> Result<Digest> {
        let digest = Digest::of(content);
        let sealed = seal(self.sealer, &mut self.compressor, digest, content)?;
        if self.object.len() + sealed.len() > PACK_BYTES_MAX {
            let message = format!("a pack cannot be longer than {PACK_BYTES_MAX} bytes");
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        let narrow = |len| u32::try_from(len).expect("a pack is shorter than 4 GiB");
        let (offset, len) = (narrow(self.object.len()), narrow(sealed.len()));
        self.pieces.push(Piece { digest, offset, len });
        self.object.extend(sealed);
        Ok(digest)
    }

    /// Returns the object and its table.
    pub fn finish(self) -> (PackTable, Bytes) {
        let pack = PackId(Digest::of(&self.object));
        (PackTable { pack, pieces: self.pieces }, self.object.into())
    }
}

/// A whole pack that was fetched.
pub struct Pack(Bytes);

impl Pack {
    /// Takes the object that stands under a name.
    pub fn open(id: PackId, object: Bytes) -> Result<Self> {
        if PackId(Digest::of(&object)) != id {
            return Err(corrupt("a pack is not what its name says"));
        }
        check_header("a pack", MAGIC, &object)?;
        Ok(Self(object))
    }

    /// Reads one of its pieces.
    pub fn piece(&self, piece: &Piece, sealer: &dyn Sealer) -> Result<Bytes> {
        let start = piece.offset as usize;
        let stored = self.0.get(start..start.saturating_add(piece.len as usize));
        let stored = stored.ok_or_else(|| corrupt("a piece lies outside its pack"))?;
        open_piece(piece.digest, stored, sealer)
    }
}

/// Reads a piece that must have this digest.
pub fn open_piece(digest: Digest, stored: &[u8], sealer: &dyn Sealer) -> Result<Bytes> {
    let frame = sealer.open(Purpose::Piece(digest), stored)?;
    let content = decompress("a piece", &frame, CHUNK_BYTES)?;
    if Digest::of(&content) != digest {
        return Err(corrupt("a piece is not what its name says"));
    }
    Ok(content.into())
}

fn seal(
    sealer: &dyn Sealer,
    compressor: &mut Compressor<'_>,
    digest: Digest,
    content: &[u8],
) -> Result<Vec<u8>> {
    if content.len() > CHUNK_BYTES {
        return Err(Error::new(ErrorKind::Internal, "a piece is longer than a chunk"));
    }
    sealer.seal(Purpose::Piece(digest), compress(compressor, content)?)
}

/// Says what is wrong with tables, if anything is.
pub(super) fn check(tables: &[PackTable]) -> Result<(), &'static str> {
    for table in tables {
        let mut end = START as u64;
        for piece in &table.pieces {
            ensure(piece.range().start >= end && piece.len > 0, "pieces of a pack overlap")?;
            end = piece.range().end;
        }
        ensure(end <= PACK_BYTES_MAX as u64, "a piece lies outside its pack")?;
    }
    Ok(())
}
