//! The words by which the rules of [`super::form`] know a question of time and what answers it: a
//! table for each language. A text in a language that has no table gains nothing and loses nothing.
//!
//! All tables are asked together, since nobody says in which language a note is. A new language is
//! a table more, and its cases in the tests of the rules.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

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
    before_month: &["in", "of", "on", "early", "late"],
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
};

/// The words of time of all languages.
static TIMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    let words = LANGUAGES.iter().flat_map(|one| one.months.iter().chain(one.times));
    words.copied().collect()
});

/// Tells whether a word, in small letters, is one of time.
pub(super) fn is_of_time(word: &str) -> bool {
    TIMES.contains(word)
}

/// The month from 1 to 12 that a word in small letters names, whatever else it means.
pub(super) fn month(word: &str) -> Option<u32> {
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
