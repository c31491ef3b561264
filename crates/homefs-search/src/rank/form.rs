//! What the form of a doc says about whether it answers: who speaks, whether it asks, whether it
//! has words of time, and when it is from.
//!
//! All of it is known when a doc is indexed, and fits in 24 bytes of its record; a search reads no
//! text. A label is any `Name:` at the beginning, of a speaker or of a note; a date is the one in
//! brackets at the beginning, or else the file's own. Against it the days are resolved that the
//! text tells of. `cargo xtask eval` measures what each rule is worth.

use std::borrow::Cow;

use homefs_core::Result;

use super::{
    languages,
    moments::{self, Span, Telling},
    rarity::dated,
};
use crate::{
    index::digest,
    text::{
        Day,
        codec::{Reader, corrupt},
    },
};

/// What a doc that asks lends to the one right behind it, which may be the answer.
const ANSWER: f32 = 0.5;

/// Bytes that a form takes in a delta.
pub(crate) const BYTES: usize = 11 + 2 + SPANS * moments::BYTES;
/// Of the days that a doc tells of, so many are kept.
const SPANS: usize = 2;
/// Of a longer text the beginning is read for days.
const TOLD_BYTES_MAX: usize = 4096;
/// The bit of a word of time, above those of the months.
pub(super) const TIME_BIT: u16 = 1 << 12;
/// A label has at most so many words.
const LABEL_WORDS_MAX: usize = 3;
/// Years are counted from here, so that one is a byte; 0 is none.
const YEAR_ZERO: i64 = 1899;
/// A longer word is none of time.
const TIME_WORD_BYTES_MAX: usize = 16;

/// The facts of a doc's form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Form {
    /// The digest of the first word of the label; 0 if there is no label.
    pub(super) first: u32,
    /// A digest of the whole label.
    pub(super) label: u16,
    /// The months of its date, a bit each from January on, and the bit of a word of time.
    pub(super) bits: u16,
    /// The years of its date, two at most.
    pub(super) years: [u8; 2],
    /// The share of its words that stand in questions, of 255.
    pub(super) asks: u8,
    /// The day of its date, counted from the first of 1970; 0 if nobody knows.
    pub(super) day: u16,
    /// Days that it tells of.
    pub(super) spans: [Span; SPANS],
}

impl Form {
    /// Reads the form of a doc in a file that was last written at a time, in nanoseconds since
    /// 1970; 0 if nobody knows.
    pub(crate) fn of(text: &str, written: i64) -> Self {
        let (date, body) = dated(text.trim_end());
        let mut form = Self::default();
        match date {
            Some(date) => form.note_date(&date.to_lowercase(), Day::of(written).0),
            None if written > 0 => form.note_day(Day::of(written)),
            None => {}
        }
        let (label, body) = labelled(body);
        if let Some(label) = label {
            let label = label.to_lowercase();
            form.first = word_digest(label.split(' ').next().unwrap_or_default());
            form.label = u16::try_from(digest(&label) & 0xffff).unwrap_or_default();
        }
        let body = without_image(body);
        form.asks = asks(body);
        if has_time(body) {
            form.bits |= TIME_BIT;
        }
        form.note_told(body);
        form
    }

    /// What a doc of this form lends to the one right behind it, for each of its own worth.
    pub(super) fn loan(self, behind: Self) -> f32 {
        let answers = self.first != 0
            && behind.first != 0
            && (self.first, self.label) != (behind.first, behind.label);
        if answers { ANSWER * self.asks() } else { 0.0 }
    }

    /// Its bytes in a delta.
    pub(crate) fn bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..4].copy_from_slice(&self.first.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.label.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.bits.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.years);
        bytes[10] = self.asks;
        bytes[11..13].copy_from_slice(&self.day.to_le_bytes());
        for (at, span) in bytes[13..].chunks_exact_mut(moments::BYTES).zip(self.spans) {
            at.copy_from_slice(&span.bytes());
        }
        bytes
    }

    /// The form whose bytes come next.
    pub(crate) fn read(bytes: &mut Reader<'_>) -> Result<Self> {
        let (first, label) = (bytes.array()?, bytes.array()?);
        let bits = u16::from_le_bytes(bytes.array()?);
        let (years, [asks]) = (bytes.array()?, bytes.array()?);
        let day = u16::from_le_bytes(bytes.array()?);
        let mut spans = [Span::default(); SPANS];
        for span in &mut spans {
            *span = Span::read(bytes)?;
        }
        if bits >= TIME_BIT << 1 {
            return Err(corrupt());
        }
        let (first, label) = (u32::from_le_bytes(first), u16::from_le_bytes(label));
        Ok(Self { first, label, bits, years, asks, day, spans })
    }

    /// The share of its words that stand in questions.
    pub(super) fn asks(self) -> f32 {
        f32::from(self.asks) / 255.0
    }

    fn note_month(&mut self, month: u32) {
        if (1..=12).contains(&month) {
            self.bits |= 1 << (month - 1);
        }
    }

    fn note_year(&mut self, year: i64) {
        let year = year_byte(year);
        if year != 0 && !self.years.contains(&year) {
            self.years = [year, self.years[0]];
        }
    }

    fn note_day(&mut self, day: Day) {
        let (year, month, _) = day.civil();
        self.note_year(year);
        self.note_month(u32::try_from(month).unwrap_or_default());
        self.day = Span::day(day.0).map_or(0, |span| span.first);
    }

    /// Notes the days that a text tells of, seen from its own.
    fn note_told(&mut self, text: &str) {
        let low = text[..text.floor_char_boundary(TOLD_BYTES_MAX)].to_lowercase();
        for told in Telling::of(&low).days(self.day.into()) {
            if self.spans.contains(&told.span) {
                continue;
            }
            let Some(free) = self.spans.iter_mut().find(|span| !span.is_some()) else { break };
            *free = told.span;
        }
    }

    /// Notes the months, years and the day of a date as logs write it, in small letters. What it
    /// does not say is seen from the day on which the file was written.
    fn note_date(&mut self, date: &str, written: i64) {
        let day = Telling::of(date).days(written).find(|told| told.span.days() == 1);
        self.day = day.map_or(0, |told| told.span.first);
        for word in date.split(|c: char| !c.is_alphanumeric()) {
            if let Some(month) = languages::month(word) {
                self.note_month(month);
            }
        }
        let numbers: Vec<(usize, &str)> = runs(date).collect();
        for (_, number) in numbers.iter().filter(|(_, number)| number.len() == 4) {
            self.note_year(number.parse().unwrap_or_default());
        }
        for three in numbers.windows(3) {
            let sign = |at: usize| &date[three[at].0 + three[at].1.len()..three[at + 1].0];
            let [first, second, third] = [0, 1, 2].map(|at| three[at].1.len());
            let is_date = match (sign(0), sign(1)) {
                ("-", "-") => first == 4 && second == 2 && third >= 2,
                (".", ".") => first <= 2 && second <= 2 && third >= 4,
                _ => false,
            };
            if is_date {
                self.note_month(three[1].1.parse().unwrap_or_default());
            }
        }
    }
}

/// A year as a byte; 0 if it is far from ours.
pub(super) fn year_byte(year: i64) -> u8 {
    if (1900..2100).contains(&year) { u8::try_from(year - YEAR_ZERO).unwrap_or(0) } else { 0 }
}

/// The digest of a word that is compared; never 0.
pub(super) fn word_digest(word: &str) -> u32 {
    u32::try_from(digest(word) & 0xffff_ffff).unwrap_or_default().max(1)
}

/// The runs of digits in a text, each with where it begins.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let is_start = |at: &usize| {
        bytes[*at].is_ascii_digit()
            && at.checked_sub(1).is_none_or(|at| !bytes[at].is_ascii_digit())
    };
    (0..bytes.len()).filter(is_start).map(|start| {
        let rest = &text[start..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        (start, &rest[..end])
    })
}

/// The label at the beginning of a text, `Name:` of up to three words, and what is behind it.
/// Markdown may set it in bold.
fn labelled(text: &str) -> (Option<&str>, &str) {
    let none = (None, text);
    let bare = text.strip_prefix("**").unwrap_or(text);
    let is_bold = bare.len() < text.len();
    let Some((label, rest)) = bare.split_once(':') else { return none };
    let rest = if is_bold { rest.strip_prefix("**") } else { Some(rest) };
    let Some(rest) = rest.and_then(|rest| rest.strip_prefix(' ')) else { return none };
    let mut words = 0;
    let is_word = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace);
    let is_label = label.split(' ').inspect(|_| words += 1).all(is_word);
    if is_label && words <= LABEL_WORDS_MAX { (Some(label), rest) } else { none }
}

/// A text without the words for an image at its end, which nobody said.
fn without_image(text: &str) -> &str {
    let image = text.strip_suffix(']').and_then(|text| text.rfind(" [image: ").zip(Some(text)));
    image.filter(|(at, text)| !text[*at..].contains(']')).map_or(text, |(at, _)| &text[..at])
}

/// The share of the words that stand in sentences which end as questions, of 255.
fn asks(text: &str) -> u8 {
    const ENDS: [char; 7] = ['.', '!', '?', '。', '！', '？', '؟'];
    let (mut words, mut asked) = (0, 0);
    let mut rest = text.trim_start_matches(ENDS);
    while !rest.is_empty() {
        let end = rest.find(ENDS).unwrap_or(rest.len());
        let (sentence, behind) = rest.split_at(end);
        rest = behind.trim_start_matches(ENDS);
        let signs = &behind[..behind.len() - rest.len()];
        let count = sentence.split_whitespace().count();
        words += count;
        if signs.ends_with(['?', '？', '؟']) {
            asked += count;
        }
    }
    u8::try_from((asked * 255 + words / 2) / words.max(1)).unwrap_or(u8::MAX)
}

/// Whether a text has a word of time, or a number that may be a year.
fn has_time(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty() && word.len() <= TIME_WORD_BYTES_MAX).any(|word| {
        let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        is_year || languages::is_of_time(&lower(word))
    })
}

fn lower(word: &str) -> Cow<'_, str> {
    let is_low = word.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_low { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
}
