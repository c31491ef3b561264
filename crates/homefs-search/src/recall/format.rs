//! How a memory is written: a list item with where it stands.
//!
//! `- text (path@version#lines age)`, further lines of the text indented. An item begins with
//! `- ` and ends with `)` and an end of line, and what is quoted begins and ends with no space.
//! Tokenizers part texts at such places whatever stands around them, so the tokens of a text are
//! the sum over its items, and those of an item the sum over its parts.

use std::{fmt::Write, ops::Range};

use super::{Candidate, Counts, Tokenizer, scores::age};

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// One item of a list.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The item as it is written.
    pub(super) text: String,
    // Invariant: at these places of `text` a tokenizer parts it.
    parts: [usize; 2],
}

impl Item {
    /// Writes a span of a candidate's text.
    pub(super) fn new(candidate: &Candidate, quoted: Range<usize>, now: i64) -> Self {
        let lines = lines(candidate, &quoted);
        let body = body(candidate, quoted);
        let mut text = String::with_capacity(body.len() + candidate.path.len() + 40);
        text.push_str("- ");
        for (number, line) in body.split('\n').enumerate() {
            if number > 0 {
                text.push_str(if line.trim().is_empty() { "\n" } else { "\n  " });
            }
            text.push_str(line);
        }
        let cited = text.len();
        text.push_str(" (");
        push_path(&mut text, &candidate.path);
        // Writing to a string cannot fail.
        let _infallible = write!(text, "@{}#{}", candidate.version, lines.0);
        if lines.1 > lines.0 {
            let _infallible = write!(text, "-{}", lines.1);
        }
        let aged = text.len();
        push_age(&mut text, age(candidate.modified, now));
        text.push_str(")\n");
        Self { text, parts: [cited, aged] }
    }

    /// Counts its tokens.
    ///
    /// What is quoted, where it stands and how old it is are counted apart, since only the last
    /// changes from day to day and the other counts are known.
    pub(super) fn tokens(&self, tokenizer: Tokenizer, counts: &Counts) -> usize {
        let [cited, aged] = self.parts;
        [&self.text[..cited], &self.text[cited..aged], &self.text[aged..]]
            .into_iter()
            .map(|part| counts.count(tokenizer, part))
            .sum()
    }
}

/// What is quoted of a candidate: a span of its text, or its title if it has no text.
pub(super) fn body(candidate: &Candidate, quoted: Range<usize>) -> &str {
    if quoted.is_empty() { candidate.title.trim() } else { &candidate.text[quoted] }
}

/// The lines of a span of a candidate's text.
pub(super) fn lines(candidate: &Candidate, quoted: &Range<usize>) -> (u32, u32) {
    let ends = |text: &str| u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
    let (first, last) = candidate.lines;
    if quoted.is_empty() {
        return (first, last);
    }
    let start = first.saturating_add(ends(&candidate.text[..quoted.start]));
    (start, start.saturating_add(ends(&candidate.text[quoted.clone()])))
}

/// Writes a path; a control character in it is escaped, lest it end the line.
pub(super) fn push_path(text: &mut String, path: &str) {
    for c in path.chars() {
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
}

/// Writes a title as one line: every run of space is one.
pub(super) fn push_title(text: &mut String, title: &str) {
    for (number, word) in title.split_whitespace().enumerate() {
        if number > 0 {
            text.push(' ');
        }
        push_path(text, word);
    }
}

/// Writes an age in its largest unit, with the space before it.
fn push_age(text: &mut String, age: i64) {
    let (count, unit) = match age {
        _ if age < MINUTE => return text.push_str(" now"),
        _ if age < HOUR => (age / MINUTE, "m"),
        _ if age < DAY => (age / HOUR, "h"),
        _ if age < 60 * DAY => (age / DAY, "d"),
        _ if age < 730 * DAY => (age / (30 * DAY), "mo"),
        _ => (age / (365 * DAY), "y"),
    };
    let _infallible = write!(text, " {count}{unit}");
}
