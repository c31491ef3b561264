//! The pieces a model knows, found by a hash of their bytes.

use std::borrow::Cow;

use homefs_core::{Digest, Error, ErrorKind, Result};

/// A piece of a vocabulary: the number of its line, and of its row in the model's table.
pub type Token = u32;

/// What marks a piece that continues a word.
const CONTINUATION: &str = "##";
/// No piece is longer than this many bytes; a file with longer ones is not a vocabulary.
const PIECE_BYTES_MAX: usize = 64;
/// The slot of a table that holds no piece.
const EMPTY: Token = Token::MAX;

/// The pieces of a `vocab.txt`, one to a line, with an open-addressing table to find them.
pub(crate) struct Vocabulary {
    text: Cow<'static, str>,
    /// Where each piece starts in the text; one more entry marks the end.
    starts: Vec<u32>,
    // Invariant: the length is a power of two and at least twice the pieces, so a probe ends.
    slots: Vec<(u32, Token)>,
    piece_bytes_max: usize,
}

impl Vocabulary {
    /// Reads a vocabulary, which must have `count` pieces.
    pub(crate) fn parse(text: Cow<'static, str>, count: usize) -> Result<Self> {
        let invalid = |message: String| Error::new(ErrorKind::Invalid, message);
        let mut starts = vec![0_u32];
        for (position, _) in text.match_indices('\n') {
            starts.push(
                u32::try_from(position + 1)
                    .map_err(|_| invalid("the vocabulary is larger than 4 GiB".to_owned()))?,
            );
        }
        if starts.len() != count + 1 || !text.ends_with('\n') {
            let lines = text.lines().count();
            return Err(invalid(format!(
                "the vocabulary has {lines} pieces where the model has {count} rows"
            )));
        }
        let slots = vec![(0, EMPTY); (count * 2).next_power_of_two()];
        let mut vocabulary = Self { text, starts, slots, piece_bytes_max: 0 };
        for token in (0..).take(count) {
            vocabulary.insert(token)?;
        }
        Ok(vocabulary)
    }

    /// Returns the digest of all pieces.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }

    /// Returns how many pieces there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns a piece as its line says it, or nothing for a number that is no piece.
    pub(crate) fn piece(&self, token: Token) -> &str {
        let bounds = self.starts.get(token as usize).zip(self.starts.get(token as usize + 1));
        bounds.map_or("", |(start, end)| &self.text[*start as usize..*end as usize - 1])
    }

    /// Finds the longest piece that `rest` starts with; returns it with its length in bytes.
    pub(crate) fn longest(&self, rest: &[u8], continues: bool) -> Option<(Token, usize)> {
        let mut hashes = [0_u32; PIECE_BYTES_MAX];
        let longest = rest.len().min(self.piece_bytes_max);
        let mut hash = Hash::new(continues);
        for (byte, prefix) in rest[..longest].iter().zip(&mut hashes) {
            hash.add(*byte);
            *prefix = hash.finish();
        }
        // Most words are one piece, so looking from the long end needs one probe for most.
        (1..=longest).rev().find_map(|len| {
            self.find(&rest[..len], hashes[len - 1], continues).map(|token| (token, len))
        })
    }

    fn find(&self, bytes: &[u8], hash: u32, continues: bool) -> Option<Token> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (found, token) = self.slots[slot];
            if token == EMPTY {
                return None;
            }
            if found == hash && split(self.piece(token)) == (bytes, continues) {
                return Some(token);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn insert(&mut self, token: Token) -> Result<()> {
        let (bytes, continues) = split(self.piece(token));
        let len = bytes.len();
        if len > PIECE_BYTES_MAX {
            let message = format!("piece {token} of the vocabulary has {len} bytes");
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        let mut hash = Hash::new(continues);
        for byte in bytes {
            hash.add(*byte);
        }
        let hash = hash.finish();
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot].1 != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = (hash, token);
        self.piece_bytes_max = self.piece_bytes_max.max(len);
        Ok(())
    }
}

/// Returns the bytes a piece matches, and whether it continues a word.
fn split(piece: &str) -> (&[u8], bool) {
    match piece.strip_prefix(CONTINUATION) {
        Some(rest) if !rest.is_empty() => (rest.as_bytes(), true),
        _ => (piece.as_bytes(), false),
    }
}

/// A hash that grows byte by byte, so that one pass hashes every prefix of a word.
struct Hash(u64);

impl Hash {
    fn new(continues: bool) -> Self {
        Self(if continues { 0x2323 } else { 0 })
    }

    fn add(&mut self, byte: u8) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    /// Returns the upper half, which every bit of the input reaches.
    fn finish(&self) -> u32 {
        (self.0 >> 32) as u32
    }
}
