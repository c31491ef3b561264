//! Handles: short names of files, for texts in which every token counts.
//!
//! `^483920` is six digits that follow from the lineage of a file, and so stay what they are while
//! it is saved, moved, synced and forked; where two files begin alike, nine or twelve of the same
//! digits tell them apart. Digits, because the vocabularies of tokens have every number of three:
//! a handle of six has three tokens and stands for a million files, where six letters and digits
//! would have five tokens or six.

use std::{collections::BTreeSet, fmt};

use homefs_core::is_line_reference;

use super::File;

/// How many digits a handle may have when it is written: as many as tell it from others.
pub const DIGITS: [u32; 3] = [6, 9, 12];
/// All digits that there are of a file.
const DIGITS_MAX: u32 = 12;
/// What a handle begins with.
const MARK: char = '^';

/// The first digits of a file, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle {
    // Invariant: below 10 to the power of `digits`.
    number: u64,
    digits: u32,
}

impl Handle {
    /// The first digits of a file of a lineage.
    pub fn of(lineage: u128, digits: u32) -> Self {
        let digits = digits.min(DIGITS_MAX);
        Self { number: digits_of(lineage) / 10_u64.pow(DIGITS_MAX - digits), digits }
    }

    /// Reads a handle as somebody wrote it: `^` and six to twelve digits, and the lines behind it as
    /// they are cited, `^483920#4-6`, which say where to look in the file and not which file it is.
    pub fn parse(name: &str) -> Option<Self> {
        let text = name.strip_prefix(MARK)?;
        let text = match text.split_once('#') {
            Some((digits, lines)) if is_line_reference(lines) => digits,
            _ => text,
        };
        let digits = u32::try_from(text.len()).ok()?;
        let is_handle = (DIGITS[0]..=DIGITS_MAX).contains(&digits)
            && text.bytes().all(|byte| byte.is_ascii_digit());
        Some(Self { number: text.parse().ok().filter(|_| is_handle)?, digits })
    }

    /// Whether it is of a file of a lineage.
    pub fn is_of(self, lineage: u128) -> bool {
        Self::of(lineage, self.digits) == self
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}{:0width$}", self.number, width = self.digits as usize)
    }
}

/// Tells whether a name reads as a handle, so that it may mean a file of another name.
pub fn is_handle(name: &str) -> bool {
    Handle::parse(name).is_some()
}

/// The files of an index by the digits of their handles.
#[derive(Default)]
pub(super) struct Handles(BTreeSet<(u64, u32)>);

impl Handles {
    /// Adds a file by its number.
    pub(super) fn insert(&mut self, file: &File, number: u32) {
        self.0.insert((digits_of(file.lineage), number));
    }

    /// Adds many files.
    pub(super) fn extend<'a>(&mut self, files: impl Iterator<Item = (&'a File, u32)>) {
        let entries = files.map(|(file, number)| (digits_of(file.lineage), number));
        if self.0.is_empty() {
            // Sorted and built in one go, which is quicker.
            self.0 = entries.collect();
        } else {
            self.0.extend(entries);
        }
    }

    /// Takes a file out.
    pub(super) fn remove(&mut self, file: &File, number: u32) {
        self.0.remove(&(digits_of(file.lineage), number));
    }

    /// The numbers of the files that a handle may mean.
    pub(super) fn find(&self, handle: Handle) -> impl Iterator<Item = u32> + '_ {
        let step = 10_u64.pow(DIGITS_MAX - handle.digits);
        let first = handle.number * step;
        self.0.range((first, 0)..(first + step, 0)).map(|(_, number)| *number)
    }

    /// Bytes of memory, nearly: nodes of a tree are three quarters full.
    pub(super) fn size_bytes(&self) -> usize {
        self.0.len() * size_of::<(u64, u32)>() * 4 / 3
    }
}

/// The twelve digits of a lineage. Ids begin with a time, so their bits are mixed first; what
/// comes out was told to agents and must never change.
fn digits_of(lineage: u128) -> u64 {
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    let mut bits = (lineage as u64) ^ ((lineage >> 64) as u64).rotate_left(32);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) % 10_u64.pow(DIGITS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::{Count as _, Tokenizer};

    #[test]
    fn what_was_told_once_is_told_for_ever() {
        let told = DIGITS.map(|digits| Handle::of(7, digits).to_string());
        assert_eq!(told, ["^267577", "^267577507", "^267577507604"]);
        assert_eq!(Handle::of(0, 6).to_string(), "^000000");
    }

    #[test]
    fn a_handle_is_read_as_it_was_written_and_nothing_else_is_one() {
        for lineage in [0, 1, 7, u128::MAX, 0x0199_1234_5678_9abc_def0_1234_5678_9abc] {
            for digits in DIGITS {
                let handle = Handle::of(lineage, digits);
                assert_eq!(Handle::parse(&handle.to_string()), Some(handle));
                assert!(handle.is_of(lineage));
                for lines in ["#4", "#4-6"] {
                    assert_eq!(Handle::parse(&format!("{handle}{lines}")), Some(handle));
                }
            }
        }
        for name in [
            "",
            "^",
            "^12345",
            "^1234567890123",
            "123456",
            "^12345a",
            "^+12345",
            "^^12345",
            "^123456#",
            "^123456#4-",
            "^123456#-6",
            "^123456#4-6-8",
            "^123456#a",
            "^12345#4",
        ] {
            assert_eq!(Handle::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_handle_has_at_most_five_tokens() {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
            for lineage in 0..500 {
                let counts = DIGITS
                    .map(|digits| tokenizer.count(&format!(" {}", Handle::of(lineage, digits))));
                assert_eq!(counts, [3, 4, 5], "{lineage}");
            }
        }
    }
}
