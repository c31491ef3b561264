//! Which docs hold a term, and how often.

/// Postings of a block; a block is what a cursor decodes at once or skips.
const BLOCK: u32 = 128;

/// What is known of a block without decoding it.
#[derive(Clone, Copy)]
struct Block {
    /// The last ordinal in it.
    last: u32,
    /// Where its bytes end.
    end: u32,
}

/// The docs of one term as ascending ordinals, each with a frequency.
///
/// A posting is the step from the ordinal before, with the lowest bit set if a frequency other
/// than 1 follows: one byte for a common term, two or three for a rare one.
#[derive(Default, Clone)]
pub(crate) struct Postings {
    bytes: Vec<u8>,
    // Invariant: every block but the last, open one.
    blocks: Vec<Block>,
    last: u32,
    /// All postings, those of removed docs too.
    count: u32,
    /// Docs that are not removed.
    pub(crate) live: u32,
    /// At least the greatest frequency, for the bound of early termination.
    pub(crate) frequency_max: u32,
    /// At most the least length of a doc here, for the same.
    pub(crate) length_min: u32,
}

impl Postings {
    /// Appends a doc behind all others.
    pub(crate) fn push(&mut self, ordinal: u32, frequency: u32, length: u32) {
        debug_assert!(self.count == 0 || ordinal > self.last, "ordinals ascend");
        if self.count > 0 && self.count.is_multiple_of(BLOCK) {
            let end = super::vocabulary::small(self.bytes.len());
            self.blocks.push(Block { last: self.last, end });
        }
        let step = u64::from(ordinal - self.last) << 1;
        if frequency == 1 {
            write_number(&mut self.bytes, step);
        } else {
            write_number(&mut self.bytes, step | 1);
            write_number(&mut self.bytes, u64::from(frequency));
        }
        self.length_min = if self.count == 0 { length } else { self.length_min.min(length) };
        self.frequency_max = self.frequency_max.max(frequency);
        self.last = ordinal;
        self.count += 1;
        self.live += 1;
    }

    /// All ordinals and frequencies, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (mut at, mut ordinal) = (0, 0);
        std::iter::from_fn(move || {
            (at < self.bytes.len()).then(|| read_posting(&self.bytes, &mut at, &mut ordinal))
        })
    }

    /// Bytes of memory.
    pub(crate) fn size_bytes(&self) -> usize {
        size_of::<Self>() + self.bytes.capacity() + size_of::<Block>() * self.blocks.capacity()
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
            _ => rest.partition_point(|&(ordinal, _)| ordinal < end),
        };
        self.at += count;
        &self.buffer[self.at - count..self.at]
    }

    /// The frequency in the doc `target`; targets ascend.
    pub(crate) fn frequency_of(&mut self, target: u32) -> Option<u32> {
        let blocks = &self.postings.blocks;
        if self.block < blocks.len() && blocks[self.block].last < target {
            self.block += blocks[self.block..].partition_point(|block| block.last < target);
            self.decode();
        }
        let rest = &self.buffer[self.at..];
        // Most steps are short, so that a linear search wins over a binary one.
        self.at += rest.iter().position(|&(ordinal, _)| ordinal >= target).unwrap_or(rest.len());
        self.buffer.get(self.at).filter(|found| found.0 == target).map(|found| found.1)
    }

    fn next_block(&mut self) -> bool {
        if self.block >= self.postings.blocks.len() {
            return false;
        }
        self.block += 1;
        self.decode();
        true
    }

    fn decode(&mut self) {
        let postings = self.postings;
        let (mut at, mut ordinal) = match self.block.checked_sub(1) {
            None => (0, 0),
            Some(before) => (postings.blocks[before].end as usize, postings.blocks[before].last),
        };
        let end = postings.blocks.get(self.block).map_or(postings.bytes.len(), |b| b.end as usize);
        self.buffer.clear();
        self.at = 0;
        while at < end {
            self.buffer.push(read_posting(&postings.bytes, &mut at, &mut ordinal));
        }
    }
}

#[inline]
fn read_posting(bytes: &[u8], at: &mut usize, ordinal: &mut u32) -> (u32, u32) {
    let step = read_number(bytes, at);
    #[expect(clippy::cast_possible_truncation, reason = "written from numbers of 32 bits")]
    let posting = {
        *ordinal += (step >> 1) as u32;
        (*ordinal, if step & 1 == 0 { 1 } else { read_number(bytes, at) as u32 })
    };
    posting
}

/// Appends a number, seven bits a byte, the lowest first.
pub(crate) fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Reads what [`write_number`] wrote.
#[inline]
pub(crate) fn read_number(bytes: &[u8], at: &mut usize) -> u64 {
    let mut number = u64::from(bytes[*at]);
    *at += 1;
    if number < 0x80 {
        return number;
    }
    number &= 0x7f;
    for shift in (7..64).step_by(7) {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}
