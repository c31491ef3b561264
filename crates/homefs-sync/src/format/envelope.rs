//! What commits and indexes have in common: a header, then a body that is compressed and sealed.
//!
//! Bytes from a remote are not trusted. The digest is checked first, then the length that the
//! compressed body declares, before anything of that length is allocated. Lists are read element by
//! element, each from at least one byte of the body, so what is decoded is at most a few dozen
//! times [`Body::BYTES_MAX`], and in practice about as much as the body.

use bytes::Bytes;
use homefs_core::{Digest, Error, ErrorKind, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{find_frame_compressed_size, get_frame_content_size};

use super::sealer::{Purpose, Sealer};
use super::{FORMAT, check_format, corrupt};

/// Length of the header: what it is, then the format.
pub(super) const HEADER_BYTES: usize = 12;
/// How hard commits and indexes are compressed: an index of 10,000 files becomes a fifth smaller
/// than at level 1, because its digests, which come twice, are found again.
const LEVEL: i32 = 3;

/// What an envelope carries.
pub(super) trait Body: Serialize + DeserializeOwned + From<Self::First> {
    /// What it was in format 1.
    type First: DeserializeOwned;

    /// What it is called in messages.
    const WHAT: &'static str;
    /// What its object begins with.
    const MAGIC: [u8; 8];
    /// What it is sealed for.
    const PURPOSE: Purpose;
    /// The most bytes of the body before it is compressed.
    const BYTES_MAX: usize;

    /// Says what is wrong with it, if anything is.
    fn check(&self) -> Result<(), &'static str>;
}

/// Returns the object and its digest.
pub(super) fn encode<B: Body>(body: &B, sealer: &dyn Sealer) -> Result<(Digest, Bytes)> {
    let what = B::WHAT;
    let defect =
        |why: &str| Error::new(ErrorKind::Internal, format!("cannot encode {what}: {why}"));
    body.check().map_err(defect)?;
    let plain = postcard::to_stdvec(body)
        .map_err(|error| defect("it cannot be serialised").with_source(error))?;
    if plain.len() > B::BYTES_MAX {
        let message = format!("{what} has {} bytes, {} at most", plain.len(), B::BYTES_MAX);
        return Err(Error::new(ErrorKind::LimitExceeded, message));
    }
    let mut object = header(B::MAGIC).to_vec();
    object.extend(sealer.seal(B::PURPOSE, compress(&mut compressor(LEVEL)?, &plain)?)?);
    Ok((Digest::of(&object), object.into()))
}

/// Reads an object that must have this digest.
pub(super) fn decode<B: Body>(digest: Digest, object: &[u8], sealer: &dyn Sealer) -> Result<B> {
    let what = B::WHAT;
    if Digest::of(object) != digest {
        return Err(corrupt(format!("{what} is not what its name says")));
    }
    let (format, stored) = check_header(what, B::MAGIC, object)?;
    let plain = decompress(what, &sealer.open(B::PURPOSE, stored)?, B::BYTES_MAX)?;
    let unreadable = |why: &str| corrupt(format!("{what} is not readable: {why}"));
    let read = if format == 1 {
        postcard::take_from_bytes::<B::First>(&plain).map(|(first, rest)| (first.into(), rest))
    } else {
        postcard::take_from_bytes::<B>(&plain)
    };
    let (body, rest) =
        read.map_err(|error| corrupt(format!("{what} is not readable")).with_source(error))?;
    if !rest.is_empty() {
        return Err(unreadable("bytes follow it"));
    }
    body.check().map_err(unreadable)?;
    Ok(body)
}

/// Returns what an object of this homefs begins with.
pub(super) fn header(magic: [u8; 8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&magic);
    header[8..].copy_from_slice(&FORMAT.to_le_bytes());
    header
}

/// Checks what an object begins with, and returns its format and the rest.
pub(super) fn check_header<'b>(
    what: &str,
    magic: [u8; 8],
    object: &'b [u8],
) -> Result<(u32, &'b [u8])> {
    let rest = object.strip_prefix(&magic).and_then(|rest| rest.split_first_chunk::<4>());
    let (format, body) = rest.ok_or_else(|| corrupt(format!("{what} has another beginning")))?;
    let format = u32::from_le_bytes(*format);
    check_format(what, format)?;
    Ok((format, body))
}

/// Makes what compresses; worth keeping, because it is larger than most contents.
pub(super) fn compressor(level: i32) -> Result<Compressor<'static>> {
    Compressor::new(level).map_err(|error| Error::io("compress", error))
}

/// Returns one frame that holds `plain` and says how long it is.
pub(super) fn compress(compressor: &mut Compressor<'_>, plain: &[u8]) -> Result<Vec<u8>> {
    compressor.compress(plain).map_err(|error| Error::io("compress", error))
}

/// Reads exactly one frame of at most `bytes_max` plain bytes.
pub(super) fn decompress(what: &str, frame: &[u8], bytes_max: usize) -> Result<Vec<u8>> {
    let unreadable = || corrupt(format!("{what} does not decompress"));
    let size = get_frame_content_size(frame).ok().flatten().ok_or_else(unreadable)?;
    let is_one = find_frame_compressed_size(frame).is_ok_and(|length| length == frame.len());
    let size = usize::try_from(size).ok().filter(|size| is_one && *size <= bytes_max);
    let size = size.ok_or_else(unreadable)?;
    let decompressed = Decompressor::new().and_then(|mut it| it.decompress(frame, size));
    match decompressed {
        Ok(plain) if plain.len() == size => Ok(plain),
        Ok(_) => Err(unreadable()),
        Err(error) => Err(unreadable().with_source(error)),
    }
}
