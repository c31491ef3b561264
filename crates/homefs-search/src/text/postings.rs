//! Which docs hold a term, and how often.

use super::{
    codec::{read_number, write_number},
    vocabulary::small,
};

/// Postings of a block; a block is what a cursor decodes at once or skips.
const BLOCK: u32 = 128;

/// What is known of a block without decoding it.
#[derive(Clone, Copy)]
struct Block {
    /// The last doc in it.
    last: u32,
    /// Where its bytes end.
    end: u32,
}

/// The docs of one term as ascending numbers, each with a frequency.
///
/// The last posting stands apart, because most terms have no other: names of files, numbers,
/// mistakes. The rest are encoded.
#[derive(Default, Clone)]
pub(crate) struct Postings {
    // Invariant: all postings but the last, if there are more than one.
    encoded: Option<Box<Encoded>>,
    last: (u32, u32),
    /// All postings, those of removed docs too.
    count: u32,
    /// Docs that are not removed, and count.
    pub(crate) live: u32,
    /// At least the greatest frequency, for the bound of early termination.
    pub(crate) frequency_max: u32,
    /// At most the least length of a doc here, for the same.
    pub(crate) length_min: u32,
}

/// Postings as bytes.
///
/// A posting is the step from the doc before, with the lowest bit set if a frequency other than 1
/// follows: one byte for a common term, two or three for a rare one.
#[derive(Default, Clone)]
struct Encoded {
    bytes: Vec<u8>,
    // Invariant: every block but the last, open one.
    blocks: Vec<Block>,
    last: u32,
}

impl Postings {
    /// Appends a doc behind all others.
    pub(crate) fn push(&mut self, doc: u32, frequency: u32, length: u32) {
        debug_assert!(self.count == 0 || doc > self.last.0, "docs ascend");
        if self.count == 0 {
            self.length_min = length;
        } else {
            let encoded = self.encoded.get_or_insert_default();
            if self.count > 1 && (self.count - 1).is_multiple_of(BLOCK) {
                let end = small(encoded.bytes.len());
                encoded.blocks.push(Block { last: encoded.last, end });
            }
            encoded.push(self.last);
            self.length_min = self.length_min.min(length);
        }
        self.frequency_max = self.frequency_max.max(frequency);
        self.last = (doc, frequency);
        self.count += 1;
        self.live += 1;
    }

    /// Appends docs behind all others, each as often as it has the term.
    pub(crate) fn extend(&mut self, docs: &[u32], lengths: &[u32]) {
        if docs.first() != docs.last() {
            // A byte each, mostly: a vector that grows step by step is copied again and again.
            self.encoded.get_or_insert_default().bytes.reserve(docs.len());
        }
        for same in docs.chunk_by(|one, other| one == other) {
            self.push(same[0], small(same.len()), lengths[same[0] as usize]);
        }
    }

    /// All docs and frequencies, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let bytes = self.encoded.as_ref().map_or(&[][..], |encoded| &encoded.bytes);
        let (mut at, mut doc) = (0, 0);
        let encoded = std::iter::from_fn(move || {
            (at < bytes.len()).then(|| read_posting(bytes, &mut at, &mut doc))
        });
        encoded.chain((self.count > 0).then_some(self.last))
    }

    /// Bytes of memory.
    pub(crate) fn size_bytes(&self) -> usize {
        let encoded = self.encoded.as_ref().map_or(0, |encoded| {
            let blocks = size_of::<Block>() * encoded.blocks.capacity();
            size_of::<Encoded>() + encoded.bytes.capacity() + blocks
        });
        size_of::<Self>() + encoded
    }
}

impl Encoded {
    fn push(&mut self, (doc, frequency): (u32, u32)) {
        let step = u64::from(doc - self.last) << 1;
        if frequency == 1 {
            write_number(&mut self.bytes, step);
        } else {
            write_number(&mut self.bytes, step | 1);
            write_number(&mut self.bytes, u64::from(frequency));
        }
        self.last = doc;
    }
}

/// A place in the postings of one term, moving forward.
pub(crate) struct Cursor<'a> {
    postings: &'a Postings,
    block: usize,
    at: usize,
    buffer: Vec<(u32, u32)>,
}

impl<'a> Cursor<'a> {
    /// A cursor at the first posting.
    pub(crate) fn new(postings: &'a Postings) -> Self {
        let mut cursor = Self { postings, block: 0, at: 0, buffer: Vec::new() };
        cursor.decode();
        cursor
    }

    /// The postings from here on that lie below `end`, as far as one block has them; empty when
    /// there are no more. The cursor moves behind them.
    pub(crate) fn take_below(&mut self, end: u32) -> &[(u32, u32)] {
        if self.at == self.buffer.len() && !self.next_block() {
            return &[];
        }
        let rest = &self.buffer[self.at..];
        let count = match rest.last() {
            Some(&(last, _)) if last < end => rest.len(),
            _ => rest.partition_point(|&(doc, _)| doc < end),
        };
        self.at += count;
        &self.buffer[self.at - count..self.at]
    }

    /// The frequency in the doc `target`; targets ascend.
    pub(crate) fn frequency_of(&mut self, target: u32) -> Option<u32> {
        let blocks = self.blocks();
        if self.block < blocks.len() && blocks[self.block].last < target {
            self.block += blocks[self.block..].partition_point(|block| block.last < target);
            self.decode();
        }
        let rest = &self.buffer[self.at..];
        // Most steps are short, so that a linear search wins over a binary one.
        self.at += rest.iter().position(|&(doc, _)| doc >= target).unwrap_or(rest.len());
        self.buffer.get(self.at).filter(|found| found.0 == target).map(|found| found.1)
    }

    fn blocks(&self) -> &'a [Block] {
        self.postings.encoded.as_ref().map_or(&[], |encoded| &encoded.blocks)
    }

    fn next_block(&mut self) -> bool {
        if self.block >= self.blocks().len() {
            return false;
        }
        self.block += 1;
        self.decode();
        true
    }

    fn decode(&mut self) {
        self.buffer.clear();
        self.at = 0;
        let blocks = self.blocks();
        if let Some(encoded) = &self.postings.encoded {
            let (mut at, mut doc) = match self.block.checked_sub(1) {
                None => (0, 0),
                Some(before) => (blocks[before].end as usize, blocks[before].last),
            };
            let end = blocks.get(self.block).map_or(encoded.bytes.len(), |b| b.end as usize);
            while at < end {
                self.buffer.push(read_posting(&encoded.bytes, &mut at, &mut doc));
            }
        }
        if self.block == blocks.len() && self.postings.count > 0 {
            self.buffer.push(self.postings.last);
        }
    }
}

#[inline]
fn read_posting(bytes: &[u8], at: &mut usize, doc: &mut u32) -> (u32, u32) {
    let step = read_number(bytes, at);
    #[expect(clippy::cast_possible_truncation, reason = "written from numbers of 32 bits")]
    let posting = {
        *doc += (step >> 1) as u32;
        (*doc, if step & 1 == 0 { 1 } else { read_number(bytes, at) as u32 })
    };
    posting
}
