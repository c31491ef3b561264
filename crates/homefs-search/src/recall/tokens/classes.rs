//! What kind of character is which, as the patterns of the tokenizers ask.

use std::sync::LazyLock;

use regex_syntax::hir::{Class as Members, HirKind};

/// Capital letters, and those that begin a word as these do.
pub(super) const UPPER: u8 = 1;
/// Small letters.
pub(super) const LOWER: u8 = 1 << 1;
/// Letters without case.
pub(super) const OTHER: u8 = 1 << 2;
/// Marks on letters.
pub(super) const MARK: u8 = 1 << 3;
/// Digits and other numbers.
pub(super) const NUMBER: u8 = 1 << 4;
/// What is between words.
pub(super) const SPACE: u8 = 1 << 5;
/// What ends a line, which is a space too.
pub(super) const NEWLINE: u8 = 1 << 6;
/// All letters.
pub(super) const LETTER: u8 = UPPER | LOWER | OTHER;

/// What each kind is as a pattern; spaces and ends of lines are known without.
const PATTERNS: [(&str, u8); 5] = [
    (r"[\p{Lu}\p{Lt}]", UPPER),
    (r"\p{Ll}", LOWER),
    (r"[\p{Lm}\p{Lo}]", OTHER),
    (r"\p{M}", MARK),
    (r"\p{N}", NUMBER),
];

/// The kind of a character; 0 for signs.
#[inline]
pub(super) fn class_of(c: char) -> u8 {
    match c {
        'a'..='z' => LOWER,
        'A'..='Z' => UPPER,
        '0'..='9' => NUMBER,
        '\r' | '\n' => SPACE | NEWLINE,
        '\t' | '\x0b' | '\x0c' | ' ' => SPACE,
        '\0'..='\x7f' => 0,
        c if c.is_whitespace() => SPACE,
        c => of_wide(c),
    }
}

/// The kind of a character outside ASCII.
fn of_wide(c: char) -> u8 {
    /// First and last character of each run of one kind, ascending. Made when a text has such a
    /// character, in a tenth of a millisecond.
    static RUNS: LazyLock<Vec<(char, char, u8)>> = LazyLock::new(|| {
        let mut runs: Vec<_> =
            PATTERNS.iter().flat_map(|(pattern, class)| runs(pattern, *class)).collect();
        runs.sort_unstable();
        runs
    });
    let at = RUNS.partition_point(|(_, last, _)| *last < c);
    RUNS.get(at).filter(|(first, ..)| *first <= c).map_or(0, |(.., class)| *class)
}

/// The runs of characters that a pattern of one character matches.
fn runs(pattern: &str, class: u8) -> Vec<(char, char, u8)> {
    let hir = regex_syntax::parse(pattern).expect("the patterns above are patterns");
    let HirKind::Class(Members::Unicode(members)) = hir.kind() else { return Vec::new() };
    members.iter().map(|range| (range.start(), range.end(), class)).collect()
}
