//! Numbers and texts as bytes, and back without trust.

use homefs_core::{Error, ErrorKind, Result};

/// The most bytes of a number.
const NUMBER_BYTES_MAX: usize = 10;

/// Appends a number, seven bits a byte, the lowest first.
pub(crate) fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Appends bytes behind their count.
pub(crate) fn write_bytes(bytes: &mut Vec<u8>, more: &[u8]) {
    write_number(bytes, more.len() as u64);
    bytes.extend_from_slice(more);
}

/// Reads what [`write_number`] wrote into memory that is our own.
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

/// A number of 32 bits as a place in an array.
#[expect(clippy::cast_possible_truncation, reason = "written from numbers of 32 bits")]
#[inline]
pub(crate) fn small_word(number: u64) -> usize {
    number as usize
}

/// Reads bytes that may be anything; what is odd is `Corrupt`.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// A reader at the first byte.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// How many bytes are left.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether all is read.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next `count` bytes.
    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(corrupt)?;
        self.0 = rest;
        Ok(taken)
    }

    /// The next bytes, as many as an array has.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(corrupt)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// The next number.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<u64> {
        // Most numbers are lengths and common words.
        if let [byte @ 0..0x80, rest @ ..] = self.0 {
            self.0 = rest;
            return Ok(u64::from(*byte));
        }
        let mut number = 0;
        for (at, byte) in self.0.iter().take(NUMBER_BYTES_MAX).enumerate() {
            number |= u64::from(byte & 0x7f) << (7 * at);
            if *byte < 0x80 {
                self.0 = &self.0[at + 1..];
                return Ok(number);
            }
        }
        Err(corrupt())
    }

    /// The next number, of 32 bits.
    #[inline]
    pub(crate) fn small(&mut self) -> Result<u32> {
        u32::try_from(self.number()?).map_err(|_| corrupt())
    }

    /// The next count of things that have a byte each at least, so that it may be reserved.
    pub(crate) fn count(&mut self) -> Result<usize> {
        let count = self.small()? as usize;
        if count <= self.0.len() { Ok(count) } else { Err(corrupt()) }
    }

    /// The next bytes behind their count.
    #[inline]
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8]> {
        let count = self.small()?;
        self.take(count as usize)
    }

    /// The next text behind its count.
    #[inline]
    pub(crate) fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| corrupt())
    }

    /// The next number with a fraction.
    pub(crate) fn float(&mut self) -> Result<f32> {
        let number = f32::from_le_bytes(self.array()?);
        if number.is_finite() { Ok(number) } else { Err(corrupt()) }
    }
}

/// What is said of bytes that were not written so.
#[cold]
pub(crate) fn corrupt() -> Error {
    Error::new(ErrorKind::Corrupt, "the index is damaged")
}
