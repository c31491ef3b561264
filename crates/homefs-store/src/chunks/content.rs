//! Large contents as lists of chunks: written as a stream, read by range, changed in place.
//!
//! A content of `size` bytes is cut into chunks of one length, the last one shorter. Every run of
//! `leaf_chunks` chunks has a leaf: their digests, one after the other. A chunk or a leaf of zeros
//! only is [`Digest::HOLE`].

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use homefs_core::{Digest, Error, ErrorKind, Result};

use super::{Chunks, Pins, corrupt};
use crate::record::Content;

/// Bytes of one digest in a leaf.
const DIGEST_BYTES: usize = 32;

impl Chunks {
    /// Returns how many chunks a content of `size` bytes has.
    pub fn chunk_count(&self, size: u64) -> u64 {
        size.div_ceil(self.sizes.chunk_bytes as u64)
    }

    /// Returns the length of a chunk of a content of `size` bytes; 0 beyond its end.
    fn chunk_len(&self, size: u64, index: u64) -> usize {
        let chunk_bytes = self.sizes.chunk_bytes as u64;
        let rest = size.saturating_sub(index.saturating_mul(chunk_bytes));
        to_usize(rest.min(chunk_bytes))
    }

    /// Returns how many of `chunk_count` chunks the leaf at `index` names.
    pub fn leaf_len(&self, chunk_count: u64, index: usize) -> usize {
        let before = (index as u64).saturating_mul(self.sizes.leaf_chunks as u64);
        to_usize(chunk_count.saturating_sub(before).min(self.sizes.leaf_chunks as u64))
    }

    /// Returns the chunks of a content that are stored, each with its length.
    pub fn cut(&self, size: u64, leaves: &[Digest]) -> Result<Vec<(Digest, u64)>> {
        let count = self.chunk_count(size);
        let mut cut = Vec::new();
        for (index, &leaf) in leaves.iter().enumerate() {
            let first = (index * self.sizes.leaf_chunks) as u64;
            let chunks = self.leaf(leaf, self.leaf_len(count, index))?;
            let stored = (first..).zip(chunks).filter(|(_, chunk)| *chunk != Digest::HOLE);
            cut.extend(stored.map(|(at, chunk)| (chunk, self.chunk_len(size, at) as u64)));
        }
        Ok(cut)
    }

    /// Returns the chunk of a content at an offset.
    pub fn chunk_at(&self, size: u64, leaves: &[Digest], offset: u64) -> Result<Digest> {
        let index = offset / self.sizes.chunk_bytes as u64;
        let leaf_index = to_usize(index / self.sizes.leaf_chunks as u64);
        let slot = to_usize(index % self.sizes.leaf_chunks as u64);
        let leaf = *leaves.get(leaf_index).ok_or_else(too_few_leaves)?;
        let chunks = self.leaf(leaf, self.leaf_len(self.chunk_count(size), leaf_index))?;
        chunks.get(slot).copied().ok_or_else(too_few_leaves)
    }

    /// Reads the digests that a leaf names. Leaves are never absent, so nobody else is asked.
    pub fn leaf(&self, leaf: Digest, len: usize) -> Result<Vec<Digest>> {
        if leaf == Digest::HOLE {
            return Ok(vec![Digest::HOLE; len]);
        }
        let digests = self.leaf_digests(leaf)?;
        if digests.len() != len {
            return Err(corrupt("a leaf does not fit its content", &self.path(leaf)));
        }
        Ok(digests)
    }

    /// As [`Chunks::leaf`]; a damaged one is fetched, if there is a lender that has it.
    fn healed_leaf(&self, leaf: Digest, len: usize) -> Result<Vec<Digest>> {
        match self.leaf(leaf, len) {
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                self.get(leaf)?;
                self.leaf(leaf, len)
            }
            found => found,
        }
    }

    /// Reads the digests that a stored leaf names, however many.
    pub fn leaf_digests(&self, leaf: Digest) -> Result<Vec<Digest>> {
        let stored = self.get_here(leaf)?;
        let (digests, rest) = stored.as_chunks::<DIGEST_BYTES>();
        if !rest.is_empty() {
            return Err(corrupt("a leaf has half a digest", &self.path(leaf)));
        }
        Ok(digests.iter().map(|&digest| Digest(digest)).collect())
    }

    /// Reads a chunk whose place in its content is `len` bytes long.
    fn chunk(&self, digest: Digest, len: usize) -> Result<Bytes> {
        if digest == Digest::HOLE {
            return Ok(Bytes::from(vec![0; len]));
        }
        let chunk = self.get(digest)?;
        if chunk.len() != len {
            return Err(corrupt("a chunk does not fit its content", &self.path(digest)));
        }
        Ok(chunk)
    }

    fn put_leaf(&self, digests: &[Digest], pins: &mut Pins) -> Result<Digest> {
        let leaf: Vec<u8> = digests.iter().flat_map(|digest| digest.0).collect();
        self.put(&leaf, pins)
    }
}

/// Reads part of a large content; what lies beyond its end is left out.
pub fn read_range(
    chunks: &Chunks,
    size: u64,
    leaves: &[Digest],
    offset: u64,
    len: usize,
) -> Result<Bytes> {
    let end = offset.saturating_add(len as u64).min(size);
    let chunk_bytes = chunks.sizes.chunk_bytes as u64;
    let mut read = BytesMut::new();
    let mut leaf: (Option<usize>, Vec<Digest>) = (None, Vec::new());
    let mut offset = offset;
    while offset < end {
        let index = offset / chunk_bytes;
        let leaf_index = to_usize(index / chunks.sizes.leaf_chunks as u64);
        let slot = to_usize(index % chunks.sizes.leaf_chunks as u64);
        if leaf.0 != Some(leaf_index) {
            let digest = *leaves.get(leaf_index).ok_or_else(too_few_leaves)?;
            let len = chunks.leaf_len(chunks.chunk_count(size), leaf_index);
            leaf = (Some(leaf_index), chunks.healed_leaf(digest, len)?);
        }
        let chunk = chunks.chunk(leaf.1[slot], chunks.chunk_len(size, index))?;
        let first = to_usize(offset % chunk_bytes);
        let last = chunk.len().min(first + to_usize(end - offset));
        if read.is_empty() && offset + (last - first) as u64 == end {
            // All of it lies in one chunk, so nothing is copied.
            return Ok(chunk.slice(first..last));
        }
        read.extend_from_slice(&chunk[first..last]);
        offset += (last - first) as u64;
    }
    Ok(read.freeze())
}

/// Takes a content as a stream; holds one chunk and one leaf of it in memory.
pub struct ChunkWriter {
    chunks: Arc<Chunks>,
    pins: Pins,
    size: u64,
    chunk: Vec<u8>,
    leaf: Vec<Digest>,
    leaves: Vec<Digest>,
}

impl ChunkWriter {
    /// Starts an empty content.
    pub fn new(chunks: &Arc<Chunks>) -> Self {
        Self {
            chunks: Arc::clone(chunks),
            pins: Pins::new(chunks),
            size: 0,
            chunk: Vec::new(),
            leaf: Vec::new(),
            leaves: Vec::new(),
        }
    }

    /// Adds bytes at the end.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            // A full chunk waits for the next byte, so that a short content is still in one piece
            // when it ends.
            if self.chunk.len() == self.chunks.sizes.chunk_bytes {
                self.end_chunk()?;
            }
            let room = self.chunks.sizes.chunk_bytes - self.chunk.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.chunk.extend_from_slice(now);
            self.size += now.len() as u64;
            bytes = later;
        }
        Ok(())
    }

    /// Ends the content. The pins are to be kept until the record that names it is folded.
    pub fn finish(mut self) -> Result<(Content, Pins)> {
        if self.size <= self.chunks.sizes.inline_bytes_max as u64 {
            return Ok((Content::Inline(self.chunk.into()), self.pins));
        }
        self.end_chunk()?;
        self.end_leaf()?;
        Ok((Content::Chunked { size: self.size, leaves: self.leaves }, self.pins))
    }

    fn end_chunk(&mut self) -> Result<()> {
        if self.leaf.len() == self.chunks.sizes.leaf_chunks {
            self.end_leaf()?;
        }
        self.leaf.push(self.chunks.put(&self.chunk, &mut self.pins)?);
        self.chunk.clear();
        Ok(())
    }

    fn end_leaf(&mut self) -> Result<()> {
        self.leaves.push(self.chunks.put_leaf(&self.leaf, &mut self.pins)?);
        self.leaf.clear();
        Ok(())
    }
}

/// Makes a content out of another one: `patches` replace whole chunks by their index, the length
/// becomes `new_size`, and what neither gave is zeros. Only chunks and leaves that differ are
/// written. A patch is cut or filled with zeros to the length of its chunk.
///
/// # Errors
/// `Internal` for a [`Content::Blob`]: its bytes are in the base, so the caller passes them inline.
pub fn overwrite(
    chunks: &Arc<Chunks>,
    old: &Content,
    mut patches: BTreeMap<u64, Arc<Vec<u8>>>,
    new_size: u64,
) -> Result<(Content, Pins)> {
    let (old_size, old_leaves) = match old {
        Content::Chunked { size, leaves } => (*size, leaves.as_slice()),
        Content::Inline(bytes) => {
            // Nothing of it is stored in chunks, so all of it is written like a patch.
            for (index, piece) in (0..).zip(bytes.chunks(chunks.sizes.chunk_bytes)) {
                patches.entry(index).or_insert_with(|| Arc::new(piece.to_vec()));
            }
            (0, [].as_slice())
        }
        Content::Blob { .. } => {
            return Err(Error::new(ErrorKind::Internal, "overwrite a blob without its bytes"));
        }
    };
    let mut change =
        Overwrite { chunks, old_size, old_leaves, patches, new_size, pins: Pins::new(chunks) };
    let content = if new_size <= chunks.sizes.inline_bytes_max as u64 {
        change.inline()?
    } else {
        let leaf_count = chunks.chunk_count(new_size).div_ceil(chunks.sizes.leaf_chunks as u64);
        let leaves = (0..to_usize(leaf_count)).map(|index| change.leaf(index));
        Content::Chunked { size: new_size, leaves: leaves.collect::<Result<_>>()? }
    };
    Ok((content, change.pins))
}

/// What [`overwrite`] works on.
struct Overwrite<'a> {
    chunks: &'a Chunks,
    old_size: u64,
    old_leaves: &'a [Digest],
    patches: BTreeMap<u64, Arc<Vec<u8>>>,
    new_size: u64,
    pins: Pins,
}

impl Overwrite<'_> {
    fn inline(&mut self) -> Result<Content> {
        let mut bytes = vec![0; to_usize(self.new_size)];
        let chunk_bytes = self.chunks.sizes.chunk_bytes;
        for (index, place) in bytes.chunks_mut(chunk_bytes).enumerate() {
            // What is patched is not read: it may be absent.
            let (offset, len) = ((index * chunk_bytes) as u64, place.len());
            let given: &[u8] = match self.patches.get(&(index as u64)) {
                Some(patch) => patch,
                None => &read_range(self.chunks, self.old_size, self.old_leaves, offset, len)?,
            };
            let given = &given[..given.len().min(len)];
            place[..given.len()].copy_from_slice(given);
        }
        Ok(Content::Inline(bytes.into()))
    }

    fn leaf(&mut self, leaf_index: usize) -> Result<Digest> {
        let chunks = self.chunks;
        let first = leaf_index as u64 * chunks.sizes.leaf_chunks as u64;
        let old_len = chunks.leaf_len(chunks.chunk_count(self.old_size), leaf_index);
        let new_len = chunks.leaf_len(chunks.chunk_count(self.new_size), leaf_index);
        let touched = self.patches.range(first..first + new_len as u64).next().is_some();
        // Chunks before the last one of both contents have the same length in both.
        let last = first + (new_len as u64).saturating_sub(1);
        let same = old_len == new_len
            && chunks.chunk_len(self.old_size, last) == chunks.chunk_len(self.new_size, last);
        let old_leaf = match self.old_leaves.get(leaf_index) {
            None if old_len > 0 => return Err(too_few_leaves()),
            None => Digest::HOLE,
            Some(&leaf) => leaf,
        };
        if !touched && (same || old_leaf == Digest::HOLE) {
            self.pins.add(old_leaf);
            return Ok(old_leaf);
        }
        let mut digests = chunks.leaf(old_leaf, old_len)?;
        digests.resize(new_len, Digest::HOLE);
        for (index, digest) in (first..).zip(&mut digests) {
            *digest = self.new_chunk(index, *digest)?;
        }
        chunks.put_leaf(&digests, &mut self.pins)
    }

    fn new_chunk(&mut self, index: u64, old: Digest) -> Result<Digest> {
        let old_len = self.chunks.chunk_len(self.old_size, index);
        let new_len = self.chunks.chunk_len(self.new_size, index);
        let mut bytes = match self.patches.remove(&index) {
            Some(patch) if patch.len() == new_len => {
                return self.chunks.put(&patch, &mut self.pins);
            }
            Some(patch) => patch.to_vec(),
            None if old == Digest::HOLE || old_len == new_len => {
                self.pins.add(old);
                return Ok(old);
            }
            None => self.chunks.chunk(old, old_len)?.to_vec(),
        };
        bytes.resize(new_len, 0);
        self.chunks.put(&bytes, &mut self.pins)
    }
}

fn too_few_leaves() -> Error {
    Error::new(ErrorKind::Corrupt, "a content has too few leaves for its size")
}

/// Narrows a number that is bounded by a chunk, by a leaf or by what is in memory.
fn to_usize(number: u64) -> usize {
    usize::try_from(number).expect("homefs runs where addresses have 64 bits")
}
