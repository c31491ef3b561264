//! Conditions of a query on what surrounds a text: tags, path, time.

use homefs_core::Timestamp;
use homefs_core::time::{Here, time};

/// A day, counted from the first of 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub i64);

impl Day {
    /// The day of a time in nanoseconds since 1970.
    pub fn of(nanos: i64) -> Self {
        Self(nanos.div_euclid(86_400_000_000_000))
    }

    /// The name of its month.
    pub fn month(self) -> &'static str {
        const MONTHS: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        let (_, month, _) = self.civil();
        MONTHS[usize::try_from(month - 1).unwrap_or(0)]
    }

    /// The day of a year, a month from 1 to 12 and a day of it, which may be past its end.
    pub(crate) fn of_civil(year: i64, month: i64, day: i64) -> Self {
        // As in `civil`: years begin in March.
        let year = year - i64::from(month <= 2);
        let (period, in_period) = (year.div_euclid(400), year.rem_euclid(400));
        let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let in_period = in_period * 365 + in_period / 4 - in_period / 100 + in_year;
        Self(period * 146_097 + in_period - 719_468)
    }

    /// Its year, month and day.
    pub(crate) fn civil(self) -> (i64, i64, i64) {
        // Years that begin in March again, in periods of 400 years, which are equally long.
        let days = self.0 + 719_468;
        let (period, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let in_year = day - (365 * year + year / 4 - year / 100);
        let march_based = (5 * in_year + 2) / 153;
        let month = if march_based < 10 { march_based + 3 } else { march_based - 9 };
        let year = year + 400 * period + i64::from(month <= 2);
        (year, month, in_year - (153 * march_based + 2) / 5 + 1)
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// What the index does not know of a doc, for [`Conditions::admit`].
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// Where its file is.
    pub path: &'a str,
    /// The tags of its file.
    pub tags: &'a [&'a str],
    /// When its file was last written.
    pub modified: Timestamp,
}

/// What a query asks beside words; the caller's filter applies it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Tags that a doc must have, or with `false` must not.
    pub tags: Vec<(String, bool)>,
    /// Parts of paths: at the start if they begin with `/`, else anywhere.
    pub paths: Vec<(String, bool)>,
    /// Not before this.
    pub after: Option<Timestamp>,
    /// Before this.
    pub before: Option<Timestamp>,
}

impl Conditions {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a doc meets all conditions.
    pub fn admit(&self, facts: Facts<'_>) -> bool {
        let has_tag = |tag: &str| facts.tags.iter().any(|own| own.eq_ignore_ascii_case(tag));
        self.tags.iter().all(|(tag, wanted)| has_tag(tag) == *wanted)
            && self.paths.iter().all(|(part, wanted)| lies_in(facts.path, part) == *wanted)
            && self.after.is_none_or(|time| facts.modified >= time)
            && self.before.is_none_or(|time| facts.modified < time)
    }

    /// Takes `key` and `value` of a query as a condition, if they are one.
    pub(crate) fn take(&mut self, key: &str, value: &str, wanted: bool, here: &Here) -> bool {
        if value.is_empty() {
            return false;
        }
        let is_time = wanted && matches!(key, "after" | "before");
        let at = is_time.then(|| time(value, here).ok()).flatten();
        match key {
            "tag" => self.tags.push((value.trim_start_matches('#').to_owned(), wanted)),
            "path" => self.paths.push((value.to_owned(), wanted)),
            "after" if at.is_some() => self.after = self.after.max(at),
            "before" if at.is_some() => {
                self.before = self.before.into_iter().chain(at).min();
            }
            _ => return false,
        }
        true
    }
}

/// Whether a path begins with the whole parts of `/part`, or has `part` anywhere.
fn lies_in(path: &str, part: &str) -> bool {
    if !part.starts_with('/') {
        return path.contains(part);
    }
    let part = part.trim_end_matches('/');
    path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
