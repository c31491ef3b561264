//! A text as it is compared with another: its words in order, each with what it may stand for.

use super::language::ENGLISH;
use crate::{
    rank::{dated, month},
    text::stem,
};

/// What a word may stand for as a value: only values of one sort are values of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// It has its meaning from others, or is no value.
    Helper,
    /// Any other word.
    Word,
    /// It begins with a capital, or is written as programs write names.
    Name,
    /// A number, with whatever unit.
    Number,
    /// A time of day.
    Clock,
    /// A day or a month.
    Date,
    /// A sign between a key and its value.
    Sign,
    /// The end of a sentence or a line.
    End,
}

/// A word of a statement.
#[derive(Debug, Clone)]
pub(super) struct Word<'a> {
    /// As it stands in the text, without signs around it.
    pub(super) raw: &'a str,
    /// In small letters.
    pub(super) low: String,
    /// Its stem.
    pub(super) stem: String,
    pub(super) sort: Sort,
}

/// A text in words.
#[derive(Debug)]
pub(super) struct Statement<'a> {
    /// Its words without those that say only that it is so now.
    pub(super) words: Vec<Word<'a>>,
    /// Whether it says that it is so from now on.
    pub(super) is_now: bool,
    /// Whether it says that something comes to what there is.
    pub(super) is_addition: bool,
    /// Whether it tells of one moment: it begins with a date, or has words of such.
    pub(super) is_momentary: bool,
}

impl<'a> Statement<'a> {
    /// Reads a text.
    pub(super) fn of(text: &'a str) -> Self {
        let (date, text) = dated(text);
        let mut statement = Self {
            words: Vec::with_capacity(text.len() / 5),
            is_now: false,
            is_addition: false,
            is_momentary: date.is_some(),
        };
        for line in text.lines() {
            let mut rest = line.trim_start_matches(['-', '*', '#', ' ', '\t', '`', '>']);
            // A time of now may be of several words.
            if let Some(before) = rest.trim_end_matches(['.', '!']).strip_suffix(" from now on") {
                (rest, statement.is_now) = (before, true);
            }
            rest.split_whitespace().for_each(|word| statement.push(word));
            statement.end();
        }
        statement
    }

    /// Adds a word with the signs around it.
    fn push(&mut self, whole: &'a str) {
        let opened =
            whole.trim_start_matches(['(', '[', '"', '\'', '`', '*', '“', '„', '$', '€', '£']);
        let raw = opened.trim_end_matches([
            '.', ',', ';', ':', '!', '?', ')', ']', '"', '\'', '`', '*', '”', '“',
        ]);
        let signs = &opened[raw.len()..];
        if raw.is_empty() {
            if whole.contains(['=', ':']) {
                self.sign(whole);
            }
            return;
        }
        let low = raw.to_lowercase();
        if ENGLISH.additions.contains(&&*low) {
            self.is_addition = true;
        }
        if ENGLISH.moments.contains(&&*low) {
            self.is_momentary = true;
        }
        if ENGLISH.nows.contains(&&*low) {
            self.is_now = true;
            // `instead of` says what it is no more.
            if low == "instead" {
                let (stem, sort) = (low.clone(), Sort::Helper);
                self.words.push(Word { raw, low, stem, sort });
            }
        } else if raw.chars().all(|c| matches!(c, '=' | '→')) {
            self.sign(raw);
        } else {
            let is_first = self.words.last().is_none_or(|word| word.sort == Sort::End);
            let sort = sort(raw, &low, is_first);
            let stem = stem(low.strip_suffix("'s").unwrap_or(&low));
            self.words.push(Word { raw, low, stem, sort });
        }
        if signs.contains([':']) {
            self.sign(":");
        } else if signs.contains(['!', '?', ';']) || signs.contains('.') && !is_title(raw) {
            self.end();
        }
    }

    fn sign(&mut self, raw: &'a str) {
        let (low, stem) = (raw.to_owned(), raw.to_owned());
        self.words.push(Word { raw, low, stem, sort: Sort::Sign });
    }

    fn end(&mut self) {
        if self.words.last().is_some_and(|word| word.sort != Sort::End) {
            let (low, stem) = (String::new(), String::new());
            self.words.push(Word { raw: "", low, stem, sort: Sort::End });
        }
    }
}

impl Word<'_> {
    /// Whether it says what a text is about.
    pub(super) fn is_content(&self) -> bool {
        !matches!(self.sort, Sort::Helper | Sort::Sign | Sort::End)
    }
}

/// What a word may stand for.
fn sort(raw: &str, low: &str, is_first: bool) -> Sort {
    let starts = |test: fn(&char) -> bool| raw.chars().next().is_some_and(|c| test(&c));
    let inside = || raw.chars().skip(1);
    if starts(char::is_ascii_digit) || raw.starts_with('-') && inside().all(|c| c.is_ascii_digit())
    {
        let is_clock = raw.contains(':') && raw.bytes().all(|b| b.is_ascii_digit() || b == b':');
        return if is_clock { Sort::Clock } else { Sort::Number };
    }
    if ENGLISH.helpers.contains(&low) || !raw.contains(char::is_alphanumeric) {
        return Sort::Helper;
    }
    if ENGLISH.numbers.contains(&low) {
        return Sort::Number;
    }
    if ENGLISH.days.contains(&low) || starts(|c| c.is_uppercase()) && month(low).is_some() {
        return Sort::Date;
    }
    let is_made = inside().any(|c| c.is_uppercase() || c.is_ascii_digit())
        || raw.contains(['/', '_', '@', '\\'])
        || inside().zip(inside().skip(1)).any(|(c, next)| c == '.' && next.is_alphanumeric());
    let is_name = !is_first && starts(|c| c.is_uppercase());
    if is_made || is_name { Sort::Name } else { Sort::Word }
}

/// Whether a point behind a word belongs to it: `Dr.`.
fn is_title(word: &str) -> bool {
    word.len() <= 4
        && word.starts_with(|c: char| c.is_uppercase())
        && word.chars().skip(1).all(char::is_lowercase)
}
