//! What a question wants of the form of a doc: whose it is, whether it says when, and from which
//! days it is.

use rustc_hash::FxHashSet;

use super::{
    form::{Form, TIME_BIT, word_digest, year_byte},
    languages,
    moments::{Span, Telling},
};
use crate::text::Day;

/// What a doc gains whose label the question names.
const LABEL: f32 = 0.06;
/// What a doc with a label loses that only asks.
const ASKS: f32 = 0.12;
/// What a doc with a word of time gains if the question asks when.
const TIME: f32 = 0.05;
/// What a doc gains that is from a month or from days which the question names, or tells of such.
const MONTH: f32 = 0.08;
/// What a doc gains beside that which is from the days that are asked for, if nothing else is.
const ONLY_DAYS: f32 = 0.2;
/// So much of a question says which days it asks for if it asks for hardly anything else.
const MOSTLY: f32 = 0.5;
/// What of that it gains if it tells of other days and was only written then.
const WRITTEN: f32 = 0.5;
/// No month has more days, and none has less.
const MONTH_DAYS_MAX: u16 = 31;
const MONTH_DAYS_MIN: u16 = 28;

/// What of a question the forms of docs are compared with.
#[derive(Debug, Default)]
pub(super) struct QuestionForm {
    words: FxHashSet<u32>,
    when: bool,
    months: u16,
    years: Vec<u8>,
    /// Days that it asks for.
    spans: Vec<Span>,
    /// Days of any year that it asks for: the month and the day.
    yearly: Vec<(u32, u32)>,
    /// The words by which it does so, and how much of the question they are.
    telling: Vec<String>,
    only_days: f32,
}

impl QuestionForm {
    /// Reads a question that is asked on a day, counted from the first of 1970.
    pub(super) fn of(question: &str, today: i64) -> Self {
        let low = question.to_lowercase();
        let mut wanted = Self { when: languages::asks_when(&low), ..Self::default() };
        wanted.note_days(&low, today);
        let words: Vec<&str> =
            low.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        for (at, word) in words.iter().enumerate() {
            wanted.words.insert(word_digest(word));
            let before = at.checked_sub(1).map(|at| words[at]);
            if let Some(month) = languages::month_among(before, word, words.get(at + 1).copied()) {
                wanted.months |= 1 << (month - 1);
            }
            if word.len() == 4
                && let Some(year) = word.parse().ok().map(year_byte).filter(|year| *year != 0)
            {
                wanted.years.push(year);
            }
        }
        wanted
    }

    /// What a doc gains or loses by its form.
    pub(super) fn bonus(&self, form: Form) -> f32 {
        let mut bonus = 0.0;
        if form.first != 0 {
            bonus -= ASKS * form.asks();
            if self.words.contains(&form.first) {
                bonus += LABEL;
            }
        }
        if self.when && form.bits & TIME_BIT != 0 {
            bonus += TIME;
        }
        let is_year = |year: &u8| *year != 0 && self.years.contains(year);
        let is_from = self.months & form.bits != 0
            && (self.years.is_empty() || form.years.iter().any(is_year));
        let share = self.share_of_days(form);
        let of_month = if is_from && self.asks_for_less() {
            share.max(WRITTEN)
        } else if is_from {
            1.0
        } else {
            share
        };
        bonus + MONTH * of_month + ONLY_DAYS * self.only_days * share
    }

    /// Notes how much of what the question says is which days it asks for, from 0 to 1.
    pub(super) fn set_only_days(&mut self, share: f32) {
        self.only_days = share;
    }

    /// Whether it asks for days more than for anything that happened then.
    pub(super) fn is_mostly_days(&self) -> bool {
        self.only_days >= MOSTLY
    }

    /// Whether it asks for less than a month.
    fn asks_for_less(&self) -> bool {
        !self.yearly.is_empty() || self.spans.iter().any(|span| span.days() < MONTH_DAYS_MIN)
    }

    /// How much of the days that a doc tells of, or that it is from, is asked for, from 0 to 1.
    pub(super) fn share_of_days(&self, form: Form) -> f32 {
        if !self.asks_for_days() {
            return 0.0;
        }
        let told = form.spans.into_iter().filter(|span| span.is_some());
        let told = told.map(|span| self.share_of(span)).reduce(f32::max);
        let own = Span::day(form.day.into()).map_or(0.0, |day| self.share_of(day));
        told.map_or(own, |told| told.max(own * WRITTEN))
    }

    /// Whether it asks for days at all.
    pub(super) fn asks_for_days(&self) -> bool {
        !self.spans.is_empty() || !self.yearly.is_empty() || self.months != 0
    }

    /// The days that it asks for, of certain years.
    pub(super) fn days(&self) -> &[Span] {
        &self.spans
    }

    /// The words by which it asks for days, in small letters.
    pub(super) fn telling(&self) -> &[String] {
        &self.telling
    }

    /// How much of some days is asked for.
    fn share_of(&self, days: Span) -> f32 {
        let share = self.spans.iter().map(|span| days.share_in(*span)).fold(0.0, f32::max);
        if share > 0.0 || !self.years.is_empty() || days.days() > MONTH_DAYS_MAX {
            return share;
        }
        let (_, month, day) = Day(days.first.into()).civil();
        let is_of = |one: &(u32, u32)| (i64::from(one.0), i64::from(one.1)) == (month, day);
        let is_wanted = if self.yearly.is_empty() {
            self.months >> (month - 1) & 1 == 1
        } else {
            days.days() == 1 && self.yearly.iter().any(is_of)
        };
        f32::from(u8::from(is_wanted))
    }

    /// Notes the days that a question asks for.
    fn note_days(&mut self, question: &str, today: i64) {
        let telling = Telling::of(question);
        let mut words = Vec::new();
        for (month, day, at) in telling.yearly() {
            self.yearly.push((month, day));
            words.push(at);
        }
        for told in telling.days(today) {
            // A month without a year is one of any.
            if !telling.is_of_any_year(&told) {
                self.spans.push(told.span);
            }
            words.push(told.words);
        }
        let words = words.into_iter().flat_map(|(from, to)| from..to);
        self.telling = words.map(|at| telling.word(at).to_owned()).collect();
    }
}
