//! The words by which the rules of [`super::form`] know a question of time and what answers it: a
//! table for each language. A text in a language that has no table gains nothing and loses nothing.
//!
//! All tables are asked together, since nobody says in which language a note is. A new language is
//! a table more, and its cases in the tests of the rules.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

/// The words of a language, in small letters.
pub(super) struct Language {
    /// The months, from January on.
    months: [&'static str; 12],
    /// Names of months that mean something else too.
    doubtful: &'static [&'static str],
    /// The words behind which they are months; so they are behind and before a number.
    before_month: &'static [&'static str],
    /// What may stand before the beginning of a question.
    prepositions: &'static [&'static str],
    /// How questions begin that ask for a time.
    when: &'static [&'static str],
    /// Words of time, beside the months.
    times: &'static [&'static str],
    /// What words are worth in a time that counts from a day.
    parts: &'static [(&'static [&'static str], Part)],
    /// What stands before a year.
    before_year: &'static [&'static str],
}

/// What a word is in a time that counts from a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A day, by how many days it lies ahead.
    Day(i64),
    /// Which of several.
    Which(Which),
    /// A length of time.
    Unit(Unit),
    /// A day of the week, 0 being Monday.
    Weekday(i64),
    /// A season, 0 being spring, as the northern half of the earth has it.
    Season(i64),
    /// A number.
    Number(i64),
    /// What stands behind how long ago something is.
    Ago,
    /// What stands before it.
    Before,
}

/// Which of several times, seen from a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// The one before.
    Last,
    /// The present one.
    This,
    /// The one behind.
    Next,
}

impl Which {
    /// How far it is from the present one.
    pub(super) fn step(self) -> i64 {
        match self {
            Self::Last => -1,
            Self::This => 0,
            Self::Next => 1,
        }
    }
}

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A day.
    Day,
    /// The night before it.
    Night,
    /// A week, from Monday on.
    Week,
    /// A Saturday and a Sunday.
    Weekend,
    /// A month.
    Month,
    /// A year.
    Year,
}

impl Unit {
    /// How many days it has, about.
    pub(super) fn days(self) -> i64 {
        match self {
            Self::Day | Self::Night => 1,
            Self::Week | Self::Weekend => 7,
            Self::Month => 30,
            Self::Year => 365,
        }
    }
}

/// All tables.
const LANGUAGES: [&Language; 2] = [&ENGLISH, &GERMAN];

const ENGLISH: Language = Language {
    months: [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ],
    doubtful: &["may"],
    before_month: &["in", "of", "on", "early", "late", "last", "next", "since", "until", "during"],
    prepositions: &["in ", "on ", "during "],
    when: &[
        "when",
        "how long ago",
        "what date",
        "what day",
        "what month",
        "what year",
        "what time",
        "which date",
        "which day",
        "which month",
        "which year",
    ],
    times: &[
        "yesterday",
        "today",
        "tonight",
        "tomorrow",
        "last",
        "next",
        "ago",
        "week",
        "weekend",
        "month",
        "year",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "since",
        "recently",
        "just",
    ],
    parts: &[
        (&["yesterday"], Part::Day(-1)),
        (&["today", "tonight"], Part::Day(0)),
        (&["tomorrow"], Part::Day(1)),
        (&["last", "past", "previous"], Part::Which(Which::Last)),
        (&["this"], Part::Which(Which::This)),
        (&["next"], Part::Which(Which::Next)),
        (&["day", "days"], Part::Unit(Unit::Day)),
        (&["night", "evening"], Part::Unit(Unit::Night)),
        (&["week", "weeks"], Part::Unit(Unit::Week)),
        (&["weekend", "weekends"], Part::Unit(Unit::Weekend)),
        (&["month", "months"], Part::Unit(Unit::Month)),
        (&["year", "years"], Part::Unit(Unit::Year)),
        (&["monday"], Part::Weekday(0)),
        (&["tuesday"], Part::Weekday(1)),
        (&["wednesday"], Part::Weekday(2)),
        (&["thursday"], Part::Weekday(3)),
        (&["friday"], Part::Weekday(4)),
        (&["saturday"], Part::Weekday(5)),
        (&["sunday"], Part::Weekday(6)),
        (&["spring"], Part::Season(0)),
        (&["summer"], Part::Season(1)),
        (&["autumn", "fall"], Part::Season(2)),
        (&["winter"], Part::Season(3)),
        (&["a", "an", "one"], Part::Number(1)),
        (&["two", "couple"], Part::Number(2)),
        (&["three", "few"], Part::Number(3)),
        (&["four"], Part::Number(4)),
        (&["five"], Part::Number(5)),
        (&["six"], Part::Number(6)),
        (&["seven"], Part::Number(7)),
        (&["eight"], Part::Number(8)),
        (&["nine"], Part::Number(9)),
        (&["ten"], Part::Number(10)),
        (&["ago"], Part::Ago),
    ],
    before_year: &["in", "since", "during", "year", "until", "before", "of"],
};

const GERMAN: Language = Language {
    months: [
        "januar",
        "februar",
        "märz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
    ],
    doubtful: &[],
    before_month: &[],
    prepositions: &["an ", "in ", "seit ", "um "],
    when: &[
        "wann",
        "vor wie vielen",
        "wie lange ist es her",
        "wie viel uhr",
        "welchem tag",
        "welchem datum",
        "welcher woche",
        "welchem monat",
        "welchem jahr",
    ],
    times: &[
        "vorgestern",
        "gestern",
        "heute",
        "morgen",
        "übermorgen",
        "letzte",
        "letzten",
        "letzter",
        "letztes",
        "nächste",
        "nächsten",
        "nächster",
        "nächstes",
        "tagen",
        "woche",
        "wochen",
        "wochenende",
        "monat",
        "monaten",
        "jahr",
        "jahren",
        "montag",
        "dienstag",
        "mittwoch",
        "donnerstag",
        "freitag",
        "samstag",
        "sonntag",
        "seit",
        "kürzlich",
        "neulich",
    ],
    parts: &[
        (&["vorgestern"], Part::Day(-2)),
        (&["gestern"], Part::Day(-1)),
        (&["heute"], Part::Day(0)),
        (&["übermorgen"], Part::Day(2)),
        (
            &[
                "letzte",
                "letzten",
                "letzter",
                "letztes",
                "letztem",
                "vorige",
                "vorigen",
                "vergangene",
                "vergangenen",
            ],
            Part::Which(Which::Last),
        ),
        (&["diese", "diesen", "dieser", "dieses", "diesem"], Part::Which(Which::This)),
        (&["nächste", "nächsten", "nächster", "nächstes"], Part::Which(Which::Next)),
        (&["tag", "tage", "tagen"], Part::Unit(Unit::Day)),
        (&["nacht"], Part::Unit(Unit::Night)),
        (&["woche", "wochen"], Part::Unit(Unit::Week)),
        (&["wochenende"], Part::Unit(Unit::Weekend)),
        (&["monat", "monate", "monaten"], Part::Unit(Unit::Month)),
        (&["jahr", "jahre", "jahren"], Part::Unit(Unit::Year)),
        (&["montag"], Part::Weekday(0)),
        (&["dienstag"], Part::Weekday(1)),
        (&["mittwoch"], Part::Weekday(2)),
        (&["donnerstag"], Part::Weekday(3)),
        (&["freitag"], Part::Weekday(4)),
        (&["samstag"], Part::Weekday(5)),
        (&["sonntag"], Part::Weekday(6)),
        (&["frühling", "frühjahr"], Part::Season(0)),
        (&["sommer"], Part::Season(1)),
        (&["herbst"], Part::Season(2)),
        (&["ein", "eine", "einem", "einer"], Part::Number(1)),
        (&["zwei"], Part::Number(2)),
        (&["drei"], Part::Number(3)),
        (&["vier"], Part::Number(4)),
        (&["fünf"], Part::Number(5)),
        (&["sechs"], Part::Number(6)),
        (&["vor"], Part::Before),
    ],
    before_year: &["jahr", "seit", "bis", "im"],
};

/// The words of time of all languages.
static TIMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    let words = LANGUAGES.iter().flat_map(|one| one.months.iter().chain(one.times));
    words.copied().collect()
});

/// What the words of all languages are in a time that counts from a day.
static PARTS: LazyLock<FxHashMap<&str, Part>> = LazyLock::new(|| {
    let parts = LANGUAGES.iter().flat_map(|one| one.parts);
    parts.flat_map(|(words, part)| words.iter().map(|word| (*word, *part))).collect()
});

/// What a word in small letters is in a time that counts from a day.
pub(super) fn part(word: &str) -> Option<Part> {
    PARTS.get(word).copied()
}

/// Tells whether a number behind a word is a year.
pub(super) fn is_before_year(word: &str) -> bool {
    LANGUAGES.iter().any(|one| one.before_year.contains(&word))
}

/// Tells whether a word, in small letters, is one of time.
pub(super) fn is_of_time(word: &str) -> bool {
    TIMES.contains(word)
}

/// The month from 1 to 12 that a word in small letters names, whatever else it means.
pub(crate) fn month(word: &str) -> Option<u32> {
    let at = |one: &&Language| (1..).zip(one.months).find(|(_, name)| *name == word);
    LANGUAGES.iter().find_map(at).map(|(month, _)| month)
}

/// The month that a word means where it stands in a text.
pub(super) fn month_among(before: Option<&str>, word: &str, behind: Option<&str>) -> Option<u32> {
    let is_sure = |one: &&Language| {
        !one.doubtful.contains(&word)
            || before.is_some_and(|before| one.before_month.contains(&before))
            || [before, behind].into_iter().flatten().any(is_numbered)
    };
    month(word).filter(|_| LANGUAGES.iter().all(is_sure))
}

/// Tells whether a question in small letters asks for a time.
pub(super) fn asks_when(question: &str) -> bool {
    let question = question.trim_start();
    LANGUAGES.iter().any(|one| {
        let behind = one.prepositions.iter().find_map(|word| question.strip_prefix(word));
        let question = behind.unwrap_or(question);
        one.when.iter().any(|beginning| question.starts_with(beginning))
    })
}

fn is_numbered(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}
