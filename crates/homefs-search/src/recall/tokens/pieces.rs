//! A text in pieces, none of which shares a token with another.
//!
//! The patterns are those of the vocabularies, written out, since to read them as regular
//! expressions takes milliseconds. Each says what comes next in an order of preference:
//!
//! ```text
//! o200k   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+ENDING?
//!         [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*ENDING?
//!         \p{N}{1,3}   ␣?[^\s\p{L}\p{N}]+[\r\n/]*   \s*[\r\n]+   \s+(?!\S)   \s+
//! cl100k  ENDING   [^\r\n\p{L}\p{N}]?\p{L}+
//!         \p{N}{1,3}   ␣?[^\s\p{L}\p{N}]+[\r\n]*    \s*[\r\n]+   \s+(?!\S)   \s+
//! ```
//!
//! where ENDING is `(?i:'s|'t|'re|'ve|'m|'ll|'d)`.

use super::classes::{LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER, class_of};

/// Which pattern splits a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    /// That of GPT-4o.
    O200k,
    /// That of GPT-4.
    Cl100k,
}

/// The pieces of a text, in order; together they are the text.
pub(super) struct Pieces<'a> {
    rest: &'a str,
    pattern: Pattern,
}

impl<'a> Pieces<'a> {
    /// The pieces that a pattern makes of a text.
    pub(super) fn new(text: &'a str, pattern: Pattern) -> Self {
        Self { rest: text, pattern }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.rest.chars().next()?;
        let (piece, rest) = self.rest.split_at(self.pattern.first(self.rest, first));
        self.rest = rest;
        Some(piece)
    }
}

impl Pattern {
    /// The length of the first piece of a text that begins with a character.
    fn first(self, text: &str, first: char) -> usize {
        let class = class_of(first);
        let word = match self {
            Self::O200k => cased_word(text, first, class),
            Self::Cl100k => ending(text).or_else(|| word(text, first, class)),
        };
        if let Some(end) = word {
            return end;
        }
        if class & NUMBER != 0 {
            return text.chars().take(3).take_while(|c| is(*c, NUMBER)).map(char::len_utf8).sum();
        }
        self.signs(text).unwrap_or_else(|| spaces(text))
    }

    /// Signs, with a space before them and ends of lines behind.
    fn signs(self, text: &str) -> Option<usize> {
        let start = usize::from(text.starts_with(' '));
        let end = behind(text, start, |c| !is(c, SPACE | LETTER | NUMBER));
        let is_end = |c: char| c == '\r' || c == '\n' || c == '/' && self == Self::O200k;
        (end > start).then(|| behind(text, end, is_end))
    }
}

/// Letters, with any sign or space before them.
fn word(text: &str, first: char, class: u8) -> Option<usize> {
    let start = if class & (LETTER | NUMBER | NEWLINE) == 0 { first.len_utf8() } else { 0 };
    Some(behind(text, start, |c| is(c, LETTER))).filter(|end| *end > start)
}

/// As [`word`], but small letters end at a capital one, and an ending belongs to its word.
fn cased_word(text: &str, first: char, class: u8) -> Option<usize> {
    // A mark may be what stands before a word, and a part of it.
    let before = (class & (LETTER | NUMBER | NEWLINE) == 0).then(|| first.len_utf8());
    let starts = || before.into_iter().chain([0]);
    let with_small = starts().find_map(|start| {
        let (capitals, small) = capitals(text, start);
        let end = behind(text, capitals, |c| is(c, LOWER | OTHER | MARK));
        // Letters without case are given back if no small ones follow.
        if end > capitals { Some(end) } else { small }
    });
    let end = with_small.or_else(|| {
        starts().find_map(|start| Some(capitals(text, start).0).filter(|end| *end > start))
    })?;
    Some(end + ending(&text[end..]).unwrap_or(0))
}

/// Where the letters that are not small end, and behind which of them the last is that may also
/// stand among small ones.
fn capitals(text: &str, start: usize) -> (usize, Option<usize>) {
    let (mut end, mut small) = (start, None);
    for c in text[start..].chars() {
        let class = class_of(c);
        if class & (UPPER | OTHER | MARK) == 0 {
            break;
        }
        end += c.len_utf8();
        if class & (OTHER | MARK) != 0 {
            small = Some(end);
        }
    }
    (end, small)
}

/// The length of an ending of English at the start of a text, such as `'s`.
fn ending(text: &str) -> Option<usize> {
    let mut letters = text.strip_prefix('\'')?.chars();
    // The long s is an s, case aside.
    let mut next = || letters.next().map(|c| if c == 'ſ' { 's' } else { c.to_ascii_lowercase() });
    match (next()?, next()) {
        ('s', _) => Some(1 + text[1..].chars().next().map_or(0, char::len_utf8)),
        ('t' | 'm' | 'd', _) => Some(2),
        ('r' | 'v', Some('e')) | ('l', Some('l')) => Some(3),
        _ => None,
    }
}

/// White space: to its last end of line if it has one, else all but what belongs to what follows.
fn spaces(text: &str) -> usize {
    let all = behind(text, 0, |c| is(c, SPACE));
    let run = &text[..all];
    match run.rfind(['\r', '\n']) {
        Some(last) => last + 1,
        None if all == text.len() => all,
        None => {
            let last = run.chars().next_back().map_or(0, char::len_utf8);
            if last < all { all - last } else { all }
        }
    }
}

/// Where the characters behind a place end that `is_one` says yes to.
fn behind(text: &str, start: usize, is_one: impl Fn(char) -> bool) -> usize {
    text[start..].find(|c| !is_one(c)).map_or(text.len(), |end| start + end)
}

/// Tells whether a character is of one of some kinds.
fn is(c: char, classes: u8) -> bool {
    class_of(c) & classes != 0
}
