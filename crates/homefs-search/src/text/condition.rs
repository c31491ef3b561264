//! Conditions of a query on what surrounds a text: tags, path, date.

/// A day, counted from the first of 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub i64);

impl Day {
    /// The day of a time in milliseconds since 1970, in UTC.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.div_euclid(86_400_000))
    }

    /// The first day of `2026`, `2026-05` or `2026-05-08`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let year = number(parts.next()?, 4, 1..=9999)?;
        let month = parts.next().map_or(Some(1), |part| number(part, 2, 1..=12))?;
        let day = parts.next().map_or(Some(1), |part| number(part, 2, 1..=31))?;
        if parts.next().is_some() {
            return None;
        }
        // Years that begin in March have the leap day last, which makes the sum regular.
        let year = if month > 2 { year } else { year - 1 };
        let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        Some(Self(year * 365 + year / 4 - year / 100 + year / 400 + in_year - 719_468))
    }
}

impl Day {
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

    /// Its year, month and day.
    fn civil(self) -> (i64, i64, i64) {
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
    /// The day its file was last written.
    pub day: Day,
}

/// What a query asks beside words; the caller's filter applies it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Tags that a doc must have, or with `false` must not.
    pub tags: Vec<(String, bool)>,
    /// Parts of paths: at the start if they begin with `/`, else anywhere.
    pub paths: Vec<(String, bool)>,
    /// Not before this day.
    pub after: Option<Day>,
    /// Before this day.
    pub before: Option<Day>,
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
            && self.after.is_none_or(|day| facts.day >= day)
            && self.before.is_none_or(|day| facts.day < day)
    }

    /// Takes `key` and `value` of a query as a condition, if they are one.
    pub(crate) fn take(&mut self, key: &str, value: &str, wanted: bool) -> bool {
        if value.is_empty() {
            return false;
        }
        let day = Day::parse(value).filter(|_| wanted);
        match key {
            "tag" => self.tags.push((value.trim_start_matches('#').to_owned(), wanted)),
            "path" => self.paths.push((value.to_owned(), wanted)),
            "after" if day.is_some() => self.after = self.after.max(day),
            "before" if day.is_some() => {
                self.before = self.before.into_iter().chain(day).min();
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

fn number(text: &str, digits: usize, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
    if text.len() != digits || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|number| range.contains(number))
}
