//! Which files may hold a literal: a filter before grep.
//!
//! Each file has a small bloom filter of its trigrams, one hash each, about five bits a trigram. A
//! search reads all filters, which takes a few nanoseconds a file, so that insertion costs nothing
//! beyond the file's own filter. Letters of ASCII are compared without case, so that
//! one filter serves both ways to grep.

use homefs_core::Result;
use homefs_core::pattern::{Content, content};

use super::{arena::Arena, codec::corrupt, vocabulary::small};

/// The least bits of a filter.
const BITS_MIN: usize = 64;
/// The most bits of a filter; a file so large that these do not serve it is read anyway.
const BITS_MAX: usize = 1 << 21;

/// What a text must hold for a pattern to match it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// This literal, case of ASCII aside; of fewer than three bytes it asks nothing.
    Literal(Vec<u8>),
    /// Each of these; none asks nothing.
    Each(Vec<Need>),
    /// Any of these.
    Any(Vec<Need>),
}

impl Need {
    /// What a literal needs; `fold` if other cases of its letters match too.
    pub fn of_literal(literal: &str, fold: bool) -> Self {
        Self::of_regex(&regex_syntax::escape(literal), fold)
    }

    /// What a regular expression needs; `fold` if it is compared without case. An expression that
    /// cannot be read needs nothing.
    pub fn of_regex(pattern: &str, fold: bool) -> Self {
        Self::of(&content(pattern, fold))
    }

    fn of(content: &Content) -> Self {
        match content {
            Content::Run(run) => need_of_run(run),
            Content::Each(contents) => Self::Each(contents.iter().map(Self::of).collect()),
            Content::Any(contents) => Self::Any(contents.iter().map(Self::of).collect()),
        }
    }

    /// Whether every file is a candidate.
    pub fn asks_nothing(&self) -> bool {
        match self {
            Self::Literal(literal) => literal.len() < 3,
            Self::Each(needs) => needs.iter().all(Self::asks_nothing),
            Self::Any(needs) => needs.iter().any(Self::asks_nothing),
        }
    }

    fn may_be_in(&self, filter: &[u8]) -> bool {
        match self {
            Self::Literal(literal) => literal.windows(3).all(|three| {
                let trigram = u32::from_be_bytes([0, three[0], three[1], three[2]]);
                let at = bit_of(trigram, filter.len() * 8);
                filter[at / 8] >> (at % 8) & 1 == 1
            }),
            Self::Each(needs) => needs.iter().all(|need| need.may_be_in(filter)),
            Self::Any(needs) => needs.iter().any(|need| need.may_be_in(filter)),
        }
    }
}

/// The trigrams of files, which are numbered in the order they come.
#[derive(Default)]
pub struct Trigrams {
    // Invariant: each filter has a power of two of bytes, at least 8.
    filters: Arena,
}

impl Trigrams {
    /// Adds a file and numbers it.
    pub fn push(&mut self, content: &[u8]) -> u32 {
        // Text repeats itself: the trigrams of a long text are far fewer than its bytes.
        let wanted = if content.len() < 4096 { content.len() * 2 } else { content.len() };
        let bits = wanted.clamp(BITS_MIN, BITS_MAX).next_power_of_two();
        self.filters.push_with(|bytes| {
            let start = bytes.len();
            bytes.resize(start + bits / 8, 0);
            let filter = &mut bytes[start..];
            let (mut trigram, mut seen) = (0, 0_u32);
            each_folded(content, |byte| {
                trigram = (trigram << 8 | u32::from(byte)) & 0x00ff_ffff;
                seen = seen.saturating_add(1);
                if seen >= 3 {
                    let at = bit_of(trigram, bits);
                    filter[at / 8] |= 1 << (at % 8);
                }
            });
        });
        small(self.filters.len() - 1)
    }

    /// Adds a file that may hold anything.
    pub fn push_unknown(&mut self) -> u32 {
        self.filters.push(&[0xff; BITS_MIN / 8]);
        small(self.filters.len() - 1)
    }

    /// Adds the filter of a file as [`Self::filter`] gave it.
    pub(crate) fn push_filter(&mut self, filter: &[u8]) -> Result<()> {
        let bits = filter.len() * 8;
        if !bits.is_power_of_two() || !(BITS_MIN..=BITS_MAX).contains(&bits) {
            return Err(corrupt());
        }
        self.filters.push(filter);
        Ok(())
    }

    /// The filter of a file.
    pub(crate) fn filter(&self, file: u32) -> &[u8] {
        self.filters.get(file)
    }

    /// The files that may match, ascending: all that do, and few that do not.
    pub fn candidates(&self, need: &Need) -> impl Iterator<Item = u32> {
        (0..small(self.len())).filter(|file| need.may_be_in(self.filters.get(*file)))
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.filters.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.filters.len() == 0
    }

    /// Bytes of memory, nearly.
    pub fn size_bytes(&self) -> usize {
        self.filters.size_bytes()
    }
}

/// The bit of a trigram in a filter of `bits`, which is a power of two.
#[inline]
fn bit_of(trigram: u32, bits: usize) -> usize {
    // The high bits of a product depend on all bits of its factor.
    (trigram.wrapping_mul(0x9e37_79b1) >> (32 - bits.trailing_zeros())) as usize
}

/// Visits the bytes of content in lower case, as far as ASCII goes; the two other characters that
/// a comparison without case takes for ASCII letters become these.
fn each_folded(content: &[u8], mut visit: impl FnMut(u8)) {
    let mut rest = content;
    while let [first, behind @ ..] = rest {
        let (byte, behind) = match rest {
            [0xe2, 0x84, 0xaa, behind @ ..] => (b'k', behind),
            [0xc5, 0xbf, behind @ ..] => (b's', behind),
            _ => (first.to_ascii_lowercase(), behind),
        };
        visit(byte);
        rest = behind;
    }
}

/// The folded bytes of a literal.
fn folded(literal: &[u8]) -> Vec<u8> {
    let mut lower = Vec::with_capacity(literal.len());
    each_folded(literal, |byte| lower.push(byte));
    lower
}

/// What a run needs: its literals, parted where its characters differ in more than their case.
fn need_of_run(run: &[Vec<char>]) -> Need {
    let (mut needs, mut literal) = (Vec::new(), Vec::new());
    for choices in run {
        let mut letters = choices.iter().map(|letter| folded(letter.to_string().as_bytes()));
        let first = letters.next().unwrap_or_default();
        if letters.all(|letter| letter == first) {
            literal.extend(first);
        } else {
            needs.push(Need::Literal(std::mem::take(&mut literal)));
        }
    }
    needs.push(Need::Literal(literal));
    Need::Each(needs)
}
