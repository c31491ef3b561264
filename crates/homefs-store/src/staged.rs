//! Unsettled content: what range writes made of a file since its last settled content.
//!
//! Only touched chunks are held, each as a whole image, so that a 4 KiB overwrite in a 10 GiB
//! file costs one chunk of memory now and one chunk of disk when it settles.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{AgentId, Error, ErrorKind, Result, Timestamp};

use crate::journal::Position;
use crate::record::Content;

/// The unsettled content of one file.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The settled content below; it shows where no image is, up to `under_size`.
    pub under: Content,
    /// How much of `under` still shows: what was cut off once comes back as zeros.
    pub under_size: u64,
    /// The present length.
    pub size: u64,
    /// Whole images of touched chunks by index; the last one may be shorter than a chunk.
    /// Shared, so that a reader or a settling takes them along without copying.
    pub images: BTreeMap<u64, Arc<Vec<u8>>>,
    /// The journal must keep everything after this until the content settles.
    pub held: Position,
    /// When the content below was last modified.
    pub after: Timestamp,
    /// When the last range write was made, and by whom.
    pub touched: Timestamp,
    /// Who made it.
    pub agent: AgentId,
}

/// What a patch puts into a file.
#[derive(Clone, Copy, Debug)]
pub enum PatchBytes<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// So many zeros, which take no room where they fill a chunk.
    Zeros(u64),
}

impl PatchBytes<'_> {
    fn len(self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Zeros(len) => len,
        }
    }
}

impl Staged {
    /// Starts from a settled content; the first patch says since when and by whom.
    pub fn new(under: Content, agent: AgentId) -> Self {
        let size = under.size();
        Self {
            under,
            under_size: size,
            size,
            images: BTreeMap::new(),
            held: Position(u64::MAX),
            after: Timestamp(0),
            touched: Timestamp(0),
            agent,
        }
    }

    /// Returns the chunks that a patch touches only in part and that are not held yet: their
    /// images must be filled before the patch can be applied.
    pub fn missing(
        &self,
        chunk: u64,
        offset: u64,
        written: PatchBytes<'_>,
        size: u64,
    ) -> impl Iterator<Item = u64> {
        let shows = self.under_size.min(size);
        let end = offset.saturating_add(written.len());
        let (first, last) = (offset / chunk, end.saturating_sub(1) / chunk);
        // Only the first and the last chunk can be touched in part; one of which all that shows
        // is replaced needs no image.
        let in_part = move |index: &u64| {
            offset > index * chunk || end < shows.min(index.saturating_add(1).saturating_mul(chunk))
        };
        let none = offset == end;
        let touched = [first, last].into_iter().filter(in_part).take(if none { 0 } else { 2 });
        // Cutting inside a chunk changes that chunk too.
        let cut = (size < self.size && !size.is_multiple_of(chunk)).then(|| size / chunk);
        // So does growing beyond what shows, if that ends inside a chunk.
        let grown = (size > shows && !shows.is_multiple_of(chunk)).then(|| shows / chunk);
        touched
            .chain(cut)
            .chain(grown)
            .filter(move |index| index * chunk < shows && !self.images.contains_key(index))
    }

    /// Puts in the image of a chunk as the settled content below shows it.
    pub fn fill(&mut self, index: u64, image: Vec<u8>) {
        self.images.entry(index).or_insert_with(|| Arc::new(image));
    }

    /// Applies one patch; every chunk of [`Staged::missing`] has been filled.
    pub fn patch(&mut self, chunk: u64, offset: u64, written: PatchBytes<'_>, size: u64) {
        self.under_size = self.under_size.min(size);
        self.size = size;
        self.images.retain(|index, _| index * chunk < size);
        for (&index, image) in &mut self.images {
            let most = small(size - index * chunk, chunk);
            if image.len() > most {
                Arc::make_mut(image).truncate(most);
            }
        }
        let mut rest = match written {
            PatchBytes::Bytes(bytes) => bytes,
            PatchBytes::Zeros(len) => return self.zero(chunk, offset, offset.saturating_add(len)),
        };
        let mut offset = offset;
        while !rest.is_empty() {
            let (index, start) = (offset / chunk, small(offset % chunk, chunk));
            let count = rest.len().min(small(chunk, chunk) - start);
            let image = Arc::make_mut(self.images.entry(index).or_default());
            if image.len() < start + count {
                image.resize(start + count, 0);
            }
            image[start..start + count].copy_from_slice(&rest[..count]);
            rest = &rest[count..];
            offset += count as u64;
        }
    }

    fn zero(&mut self, chunk: u64, start: u64, end: u64) {
        // Up to the end of what shows, nothing has to be remembered but where it ends now.
        if end >= self.under_size {
            self.under_size = self.under_size.min(start);
        }
        let shown = self.under_size.min(end).div_ceil(chunk);
        let mut held = self.images.range(start / chunk..).map(|(index, _)| *index);
        let last =
            held.next_back().map_or(shown, |last| shown.max(last + 1)).min(end.div_ceil(chunk));
        for index in start / chunk..last {
            let from = small(start.saturating_sub(index * chunk), chunk);
            let to = small(end - index * chunk, chunk);
            if from == 0 && (to as u64 == chunk || end >= self.size) {
                // An image that ends before its chunk does goes on with zeros.
                if index * chunk < self.under_size || self.images.contains_key(&index) {
                    self.images.insert(index, Arc::default());
                }
            } else if let Some(image) = self.images.get_mut(&index) {
                let image = Arc::make_mut(image);
                let to = to.min(image.len());
                if from < to {
                    image[from..to].fill(0);
                }
            }
        }
    }

    /// Tells whether a chunk is known to be zeros only; `under` tells it of the settled content.
    pub fn is_hole(&self, chunk: u64, index: u64, under: &dyn Fn(u64) -> bool) -> bool {
        match self.images.get(&index) {
            Some(image) => image.is_empty(),
            None => index * chunk >= self.under_size || under(index),
        }
    }

    /// Reads a range inside the present length; `under` reads a range of the settled content.
    pub fn read(
        &self,
        chunk: u64,
        offset: u64,
        len: usize,
        under: &dyn Fn(u64, usize) -> Result<Bytes>,
    ) -> Result<Bytes> {
        let end = offset.saturating_add(len as u64).min(self.size);
        let mut out =
            BytesMut::with_capacity(usize::try_from(end.saturating_sub(offset)).unwrap_or(0));
        let mut at = offset;
        while at < end {
            let (index, start) = (at / chunk, at % chunk);
            let stop = end.min((index + 1) * chunk);
            let want = small(stop - at, chunk);
            let had = out.len();
            if let Some(image) = self.images.get(&index) {
                let start = small(start, chunk).min(image.len());
                let part = &image[start..(start + want).min(image.len())];
                out.extend_from_slice(part);
            } else if at < self.under_size {
                out.extend_from_slice(&under(at, small(stop.min(self.under_size) - at, chunk))?);
            }
            // What was never written, or cut off, reads as zeros.
            out.resize(had + want, 0);
            at = stop;
        }
        Ok(out.freeze())
    }

    /// Returns the whole of a content that fits into a record, if all of it is in memory.
    pub fn small(&self, chunk: u64) -> Option<Bytes> {
        let len = usize::try_from(self.size).ok().filter(|len| *len <= INLINE_BYTES_MAX)?;
        let under = |offset: u64, len: usize| match &self.under {
            Content::Inline(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                Ok(bytes.slice(start..start.saturating_add(len).min(bytes.len())))
            }
            _ => Err(Error::new(ErrorKind::Unavailable, "is not in memory")),
        };
        self.read(chunk, 0, len, &under).ok()
    }

    /// Returns how much memory the images hold.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.images.values().map(|image| image.capacity() as u64).sum()
    }
}

/// Narrows a length that cannot exceed one chunk.
fn small(len: u64, chunk: u64) -> usize {
    usize::try_from(len.min(chunk)).expect("a chunk fits into memory")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn patches_read_back_as_on_a_plain_vector(
            start in prop::collection::vec(any::<u8>(), 0..50),
            steps in prop::collection::vec((0u64..80, prop::collection::vec(any::<u8>(), 0..20), any::<bool>(), any::<bool>()), 1..20),
        ) {
            const CHUNK: u64 = 8;
            let mut model = start.clone();
            let under = Bytes::from(start);
            let agent = AgentId::new("me").unwrap();
            let content = Content::Inline(under.clone());
            let mut staged = Staged::new(content, agent);
            let read_under = |offset: u64, len: usize| {
                let offset = usize::try_from(offset).unwrap();
                if offset + len > under.len() {
                    return Err(Error::new(ErrorKind::Internal, "read beyond what shows"));
                }
                Ok(under.slice(offset..offset + len))
            };
            for (offset, mut bytes, cut, zeros) in steps {
                let written = if zeros {
                    bytes.fill(0);
                    PatchBytes::Zeros(bytes.len() as u64)
                } else {
                    PatchBytes::Bytes(&bytes)
                };
                let end = offset + bytes.len() as u64;
                let size = if cut { end } else { staged.size.max(end) };
                let missing: Vec<u64> =
                    staged.missing(CHUNK, offset, written, size).collect();
                for index in missing {
                    let from = index * CHUNK;
                    let len = usize::try_from(CHUNK.min(staged.under_size - from)).unwrap();
                    staged.fill(index, read_under(from, len).unwrap().to_vec());
                }
                staged.patch(CHUNK, offset, written, size);
                let (offset, size) = (usize::try_from(offset).unwrap(), usize::try_from(size).unwrap());
                model.resize(size, 0);
                model[offset..offset + bytes.len()].copy_from_slice(&bytes);
                let read = staged.read(CHUNK, 0, size + 10, &read_under).unwrap();
                prop_assert_eq!(&read[..], &model[..]);
            }
        }
    }
}
