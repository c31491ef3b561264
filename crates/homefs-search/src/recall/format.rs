//! How a memory is written: a list item with where it stands.
//!
//! `- text ^483920#lines when`, further lines of the text indented; with paths instead of handles
//! `- text (path@version#lines when)`; `(older)` stands before that if another has taken its place.
//! Lines are told where the file says more than what is quoted,
//! and the time where the text does not begin with one. An item begins with `- `, and its citation
//! with a space; what is quoted begins and ends with no space. Tokenizers part texts at such places
//! whatever stands around them, so the tokens of a text are the sum over its items, and those of an
//! item the sum over its parts.

use std::{fmt::Write, ops::Range};

use homefs_core::line_reference;

use super::{
    Candidate, Counts, Options, Tokenizer,
    excerpt::{CUT, Quote},
    scores::age,
};
use crate::{rank::dated, text::Day};

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3600 * SECOND;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;

/// One item of a list.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The item as it is written.
    pub(super) text: String,
    // Invariant: at these places of `text` a tokenizer parts it.
    parts: [usize; 2],
}

impl Item {
    /// Writes what is quoted of a candidate's text.
    pub(super) fn new(candidate: &Candidate, quote: &Quote, options: &Options) -> Self {
        let (quoted, [is_cut_before, is_cut_behind]) = (quote.span.clone(), quote.is_cut);
        let lines = (!is_all(candidate, &quoted)).then(|| lines(candidate, &quoted));
        let body = body(candidate, quoted);
        let mut text = String::with_capacity(body.len() + candidate.path.len() + 40);
        text.push_str("- ");
        if is_cut_before {
            text.push(CUT);
        }
        for (number, line) in body.split('\n').enumerate() {
            if number > 0 {
                text.push_str(if line.trim().is_empty() { "\n" } else { "\n  " });
            }
            text.push_str(line);
        }
        if is_cut_behind {
            text.push(CUT);
        }
        let cited = text.len();
        if candidate.newer.is_some() {
            text.push_str(" (older)");
        }
        text.push(' ');
        // Writing to a string cannot fail.
        let _infallible = if options.paths {
            text.push('(');
            push_path(&mut text, &candidate.path);
            write!(text, "@{}", candidate.version)
        } else {
            write!(text, "{}", candidate.handle)
        };
        if let Some(lines) = lines {
            text.push_str(&line_reference(lines));
        }
        let aged = text.len();
        if dated(&candidate.text).0.is_none() {
            push_time(&mut text, candidate.modified, options.now);
        }
        text.push_str(if options.paths { ")\n" } else { "\n" });
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

/// Whether a span is all that the file of a candidate says.
fn is_all(candidate: &Candidate, quoted: &Range<usize>) -> bool {
    candidate.is_whole && quoted.len() == candidate.text.trim().len()
}

/// Writes when something was written, with a space before it: nothing within the hour, how long ago
/// within the week, else the day, which tells more than a count of days.
fn push_time(text: &mut String, modified: i64, now: i64) {
    let age = age(modified, now);
    let _infallible = match age {
        _ if age < HOUR => Ok(()),
        _ if age < DAY => write!(text, " {}h", age / HOUR),
        _ if age < WEEK => write!(text, " {}d", age / DAY),
        _ => write!(text, " {}", Day::of(modified)),
    };
}
