//! Days that texts tell of: `yesterday`, `last summer`, `two weeks ago`, `on 3 May`, `2026-05-03`.
//!
//! They are resolved where they are read: in a memory against the day it is from, when it is
//! indexed; in a question against the day it is asked. Both come to days, so that a search
//! compares numbers. The words are in [`super::languages`]; what is written in digits is read by
//! the grammar of times that every face has.

use homefs_core::{Result, Timestamp, time};

use super::languages::{self, Part, Unit, Which};
use crate::text::{
    Day,
    codec::{Reader, corrupt},
};

/// Days in a row, counted from the first of 1970; zeros are none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(super) first: u16,
    pub(super) last: u16,
}

/// Bytes that a span takes in a delta.
pub(super) const BYTES: usize = 4;
/// A longer word tells of no day.
const WORD_BYTES_MAX: usize = 24;
const WEEK: i64 = 7;

impl Span {
    /// Days from the first to the last; nothing if they are far from ours.
    fn new(first: i64, last: i64) -> Option<Self> {
        let day = |day: i64| u16::try_from(day).ok().filter(|day| *day > 0);
        Some(Self { first: day(first)?, last: day(last).filter(|_| first <= last)? })
    }

    /// One day.
    pub(super) fn day(day: i64) -> Option<Self> {
        Self::new(day, day)
    }

    fn month(year: i64, month: i64) -> Option<Self> {
        let (year, month) = (year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
        let next = (year + month / 12, month % 12 + 1);
        Self::new(Day::of_civil(year, month, 1).0, Day::of_civil(next.0, next.1, 1).0 - 1)
    }

    fn year(year: i64) -> Option<Self> {
        Self::new(Day::of_civil(year, 1, 1).0, Day::of_civil(year, 12, 31).0)
    }

    /// The three months of a season, 0 being spring, that begins in a year.
    fn season(year: i64, season: i64) -> Option<Self> {
        let (first, last) =
            (Self::month(year, 3 + 3 * season)?, Self::month(year, 5 + 3 * season)?);
        Some(Self { first: first.first, last: last.last })
    }

    /// Whether it is any days at all.
    pub(super) fn is_some(self) -> bool {
        self.first > 0
    }

    /// How many days it has.
    pub(super) fn days(self) -> u16 {
        self.last - self.first + 1
    }

    /// The share of its days that another has too.
    pub(super) fn share_in(self, other: Self) -> f32 {
        let (first, last) = (self.first.max(other.first), self.last.min(other.last));
        if first > last { 0.0 } else { f32::from(last - first + 1) / f32::from(self.days()) }
    }

    /// Its bytes in a delta.
    pub(super) fn bytes(self) -> [u8; BYTES] {
        let ([a, b], [c, d]) = (self.first.to_le_bytes(), self.last.to_le_bytes());
        [a, b, c, d]
    }

    /// The span whose bytes come next.
    pub(super) fn read(bytes: &mut Reader<'_>) -> Result<Self> {
        let (first, last) = (bytes.array()?, bytes.array()?);
        let span = Self { first: u16::from_le_bytes(first), last: u16::from_le_bytes(last) };
        if span.first > span.last || span.first == 0 && span.last > 0 {
            return Err(corrupt());
        }
        Ok(span)
    }
}

/// A text in words, to be read for the days it tells of.
pub(super) struct Telling<'a> {
    words: Vec<&'a str>,
}

/// Days that a text tells of, and the words that tell them, from which to before which.
pub(super) struct Told {
    pub(super) span: Span,
    pub(super) words: (usize, usize),
}

impl<'a> Telling<'a> {
    /// Takes a text in small letters.
    pub(super) fn of(text: &'a str) -> Self {
        let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '/'));
        let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        Self { words: words.filter(|word| !word.is_empty()).collect() }
    }

    /// The word at a place.
    pub(super) fn word(&self, at: usize) -> &'a str {
        self.words.get(at).copied().unwrap_or_default()
    }

    /// The days that it tells of, seen from a day, in the order of the text.
    pub(super) fn days(&self, today: i64) -> impl Iterator<Item = Told> {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < self.words.len() {
                let read = self.read(at, today);
                at = read.as_ref().map_or(at + 1, |told| told.words.1.max(at + 1));
                if read.is_some() {
                    return read;
                }
            }
            None
        })
    }

    /// The days of the year without a year: month, day, and the words that tell them.
    pub(super) fn yearly(&self) -> impl Iterator<Item = (u32, u32, (usize, usize))> {
        let named = |at| self.month(at).filter(|named| named.year.is_none());
        (0..self.words.len()).filter_map(move |at| {
            let named = named(at)?;
            Some((named.month, named.day?, named.words))
        })
    }

    /// Whether what is told is a month, or a day of it, that is of no certain year.
    pub(super) fn is_of_any_year(&self, told: &Told) -> bool {
        let mut named = (told.words.0..told.words.1).filter_map(|at| Some((at, self.month(at)?)));
        named.any(|(at, named)| named.year.is_none() && self.which(at).is_none())
    }

    /// The days that are told from a word on.
    fn read(&self, at: usize, today: i64) -> Option<Told> {
        let word = self.words[at];
        if word.len() > WORD_BYTES_MAX {
            return None;
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let read = self.digits(at, today);
            if read.is_some() {
                return read;
            }
        }
        if let Some(named) = self.month(at) {
            let words = named.words;
            return Some(Told { span: named.span(self.which(at), today)?, words });
        }
        if today <= 0 {
            // Nobody knows what it counts from.
            return None;
        }
        let (span, end) = match languages::part(word)? {
            Part::Day(offset) => (Span::day(today + offset)?, at + 1),
            Part::Which(which) => self.which_of(which, at + 1, today)?,
            Part::Season(season) => {
                let year_at = at + 1 + usize::from(self.word(at + 1) == "of");
                (Span::season(year(self.word(year_at))?, season)?, year_at + 1)
            }
            Part::Number(count) => {
                let (unit, end) = self.unit(at + 1)?;
                if !matches!(languages::part(self.word(end)), Some(Part::Ago)) {
                    return None;
                }
                (ago(count, unit, today)?, end + 1)
            }
            Part::Before => {
                let (count, (unit, end)) = (number(self.word(at + 1))?, self.unit(at + 2)?);
                (ago(count, unit, today)?, end)
            }
            Part::Ago | Part::Unit(_) | Part::Weekday(_) => return None,
        };
        Some(Told { span, words: (at, end) })
    }

    /// What begins with digits: a date, a year behind a word that makes it one, or a count.
    fn digits(&self, at: usize, today: i64) -> Option<Told> {
        let word = self.words[at];
        let told = |span, end| Some(Told { span, words: (at, end) });
        if word.contains('-')
            && let Some(Timestamp(nanos)) = time::written(word, &time::TimeZone::UTC)
        {
            let day = Day::of(nanos);
            let (year, month, _) = day.civil();
            return told(
                if word.len() == 7 { Span::month(year, month)? } else { Span::day(day.0)? },
                at + 1,
            );
        }
        let parts: Vec<&str> = word.split('.').collect();
        if let [day, month, of] = parts[..] {
            let (day, month) = (day.parse().ok()?, month.parse().ok()?);
            let is_date = (1..=31).contains(&day) && (1..=12).contains(&month);
            return told(
                Span::day(Day::of_civil(year(of)?, month, day).0).filter(|_| is_date)?,
                at + 1,
            );
        }
        if at > 0 && languages::is_before_year(self.words[at - 1]) {
            return told(Span::year(year(word)?)?, at + 1);
        }
        let (unit, end) = self.unit(at + 1)?;
        let is_ago = matches!(languages::part(self.word(end)), Some(Part::Ago));
        told(ago(number(word).filter(|_| is_ago)?, unit, today)?, end + 1)
    }

    /// A unit of time, with where the words go on behind it.
    fn unit(&self, at: usize) -> Option<(Unit, usize)> {
        let at = at + usize::from(self.word(at) == "of");
        match languages::part(self.word(at))? {
            Part::Unit(unit) => Some((unit, at + 1)),
            _ => None,
        }
    }

    /// Whether it is the last or the next that is named by a word.
    fn which(&self, at: usize) -> Option<Which> {
        match languages::part(self.words[at.checked_sub(1)?])? {
            Part::Which(which) => Some(which),
            _ => None,
        }
    }

    /// `last week`, `this summer`, `next friday`, `last three days`.
    fn which_of(&self, which: Which, at: usize, today: i64) -> Option<(Span, usize)> {
        let (year, month, _) = Day(today).civil();
        let step = which.step();
        let span = match languages::part(self.word(at))? {
            Part::Unit(Unit::Day | Unit::Night) => Span::day(today + step),
            Part::Unit(Unit::Week) => {
                let monday = today - weekday(today) + WEEK * step;
                Span::new(monday, monday + 6)
            }
            Part::Unit(Unit::Weekend) => {
                let monday = today - weekday(today) + WEEK * step;
                Span::new(monday + 5, monday + 6)
            }
            Part::Unit(Unit::Month) => Span::month(year, month + step),
            Part::Unit(Unit::Year) => Span::year(year + step),
            Part::Weekday(day) => Span::day(match which {
                Which::Last => today - 1 - (weekday(today - 1) - day).rem_euclid(WEEK),
                Which::This => today - weekday(today) + day,
                Which::Next => today + 1 + (day - weekday(today + 1)).rem_euclid(WEEK),
            }),
            Part::Season(season) => in_year(which, today, |year| Span::season(year, season)),
            Part::Number(count) => {
                let (unit, end) = self.unit(at + 1)?;
                let days = count.checked_mul(unit.days())?;
                let span = match which {
                    Which::Last => Span::new(today - days, today),
                    Which::Next => Span::new(today, today + days),
                    Which::This => None,
                };
                return Some((span?, end));
            }
            Part::Day(_) | Part::Which(_) | Part::Ago | Part::Before => None,
        };
        Some((span?, at + 1))
    }

    /// The month that a word names, with the day and the year around it.
    fn month(&self, at: usize) -> Option<Named> {
        let (word, behind) = (self.words[at], self.word(at + 1));
        let before = at.checked_sub(1).map(|at| self.words[at]);
        let month =
            languages::month_among(before, word, Some(behind).filter(|word| !word.is_empty()))?;
        let mut named = Named { month, day: None, year: None, words: (at, at + 1) };
        let skipped = if before == Some("of") { 2 } else { 1 };
        if let Some(place) = at.checked_sub(skipped)
            && let Some(day) = day_of_month(self.words[place])
        {
            (named.day, named.words.0) = (Some(day), place);
        } else if let Some(day) = day_of_month(behind) {
            (named.day, named.words.1) = (Some(day), at + 2);
        }
        let year_at = named.words.1 + usize::from(self.word(named.words.1) == "of");
        if let Some(year) = year(self.word(year_at)) {
            (named.year, named.words.1) = (Some(year), year_at + 1);
        }
        Some(named)
    }
}

/// A month as it is named.
struct Named {
    month: u32,
    day: Option<u32>,
    year: Option<i64>,
    words: (usize, usize),
}

impl Named {
    /// Its days: without a year those nearest to a day, or the last or the next of them.
    fn span(&self, which: Option<Which>, today: i64) -> Option<Span> {
        let month = i64::from(self.month);
        let of = |year| match self.day {
            Some(day) => Span::day(Day::of_civil(year, month, day.into()).0),
            None => Span::month(year, month),
        };
        match (self.year, which) {
            (Some(year), _) => of(year),
            (None, _) if today <= 0 => None,
            (None, Some(which)) => in_year(which, today, of),
            (None, None) => {
                let (year, ..) = Day(today).civil();
                let spans = (year - 1..=year + 1).filter_map(of);
                spans.min_by_key(|span| (i64::from(span.first) - today).abs())
            }
        }
    }
}

/// The last, the present or the next of what is once in a year.
fn in_year(which: Which, today: i64, of: impl Fn(i64) -> Option<Span>) -> Option<Span> {
    let (year, ..) = Day(today).civil();
    match which {
        Which::Last => {
            (year - 2..=year).rev().filter_map(of).find(|span| i64::from(span.last) < today)
        }
        Which::This => of(year),
        Which::Next => (year..=year + 2).filter_map(of).find(|span| i64::from(span.first) > today),
    }
}

/// What is so many units ago: the longer ago, the less exact it is meant.
fn ago(count: i64, unit: Unit, today: i64) -> Option<Span> {
    let (year, month, _) = Day(today).civil();
    match unit {
        Unit::Day | Unit::Night => Span::day(today - count),
        Unit::Week | Unit::Weekend => {
            let day = today - count * WEEK;
            Span::new(day - 3, day + 3)
        }
        Unit::Month => Span::month(year, month - count),
        Unit::Year => Span::year(year - count),
    }
}

/// The day of the week, 0 being Monday.
fn weekday(day: i64) -> i64 {
    // The first of 1970 was a Thursday.
    (day + 3).rem_euclid(WEEK)
}

fn year(word: &str) -> Option<i64> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| is_year && (1970..2149).contains(year))
}

/// A count of units, in digits or as a word.
fn number(word: &str) -> Option<i64> {
    match languages::part(word) {
        Some(Part::Number(number)) => Some(number),
        _ => word.parse().ok().filter(|count| (0..1000).contains(count)),
    }
}

fn day_of_month(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let is_ordinal = matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th");
    digits.parse().ok().filter(|day| is_ordinal && digits.len() <= 2 && (1..=31).contains(day))
}
