//! Lines and words of a text, each with the blanks beside it.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// A line and its line end, or a word and the blanks and line ends before it.
///
/// Two are equal if their texts are: blanks change when a neighbour comes or goes, which does not
/// make them another line or word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    /// The line or word; the last word of a text is empty, so that its last blanks have a place.
    pub(super) text: &'a str,
    /// Blanks beside it.
    pub(super) blanks: &'a str,
}

impl PartialEq for Piece<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Piece<'_> {}

impl PartialOrd for Piece<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Piece<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(other.text)
    }
}

impl Hash for Piece<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

/// Splits a text into lines.
pub(super) fn lines(text: &str) -> Vec<Piece<'_>> {
    let lines = text.split_inclusive('\n').map(|line| {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let text = text.strip_suffix('\r').unwrap_or(text);
        Piece { text, blanks: &line[text.len()..] }
    });
    lines.collect()
}

/// Appends a line; a line end goes before it if what is there has none.
pub(super) fn push_line(out: &mut String, line: &str, line_end: &str) {
    if !out.is_empty() && !out.ends_with('\n') && !line.is_empty() {
        out.push_str(line_end);
    }
    out.push_str(line);
}

/// Splits a text into words and signs; the last word is empty.
pub(super) fn words(text: &str) -> Vec<Piece<'_>> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        let (blanks, after) = rest.split_at(length(rest, char::is_whitespace));
        let len = match after.chars().next() {
            Some(sign) if !in_word(sign) => sign.len_utf8(),
            _ => length(after, in_word),
        };
        let (text, after) = after.split_at(len);
        words.push(Piece { text, blanks });
        if text.is_empty() {
            return words;
        }
        rest = after;
    }
}

/// Appends a word; a blank goes between two words that would become one.
pub(super) fn push_word(out: &mut String, text: &str, blanks: &str) {
    let joins = blanks.is_empty()
        && out.chars().next_back().is_some_and(in_word)
        && text.chars().next().is_some_and(in_word);
    out.push_str(if joins { " " } else { blanks });
    out.push_str(text);
}

/// Returns how many bytes at the start have only such characters.
fn length(text: &str, such: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !such(letter)).unwrap_or(text.len())
}

/// Tells whether a character makes a longer word with its neighbours.
///
/// Signs stand alone, and so do the characters of scripts that put no blanks between words.
fn in_word(letter: char) -> bool {
    let alone = matches!(letter,
        '\u{2010}'..='\u{205e}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff01}'..='\u{ff65}' | '\u{20000}'..='\u{3ffff}');
    let sign = letter.is_ascii_punctuation() && letter != '_';
    !(alone || sign || letter.is_whitespace())
}
