//! Moments as people write them: `2026-03-04 05:06`, `next friday`, `2 days ago`, `@0`.
//!
//! A text is read word by word, as GNU's `date -d` does: what is absolute comes first, what is
//! relative is added to it afterwards, in whatever order the words stand.

use homefs_core::Timestamp;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::{Offset, TimeZone};
use jiff::{Span, ToSpan as _};

const NANOS: i64 = 1_000_000_000;

/// Reads a moment in a time zone; `None` if it is none.
pub(crate) fn parse(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    if let Some(seconds) = text.strip_prefix('@') {
        let seconds: f64 = seconds.parse().ok()?;
        let whole = seconds.floor();
        #[expect(clippy::cast_possible_truncation, reason = "out of range ends at the edge")]
        let (whole, part) = (whole as i64, ((seconds - whole) * 1e9) as i64);
        return whole.checked_mul(NANOS)?.checked_add(part).map(Timestamp);
    }
    let now = jiff::Timestamp::from_nanosecond(i128::from(now.0)).ok()?.to_zoned(zone.clone());
    let here = Some(now.offset());
    let mut reader = Reader { now: now.datetime(), here, ..Reader::default() };
    let words = words(text);
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        rest = &rest[reader.take(rest)?..];
    }
    let nanos = reader.moment(zone)?.as_nanosecond();
    i64::try_from(nanos).ok().map(Timestamp)
}

/// Splits a text at blanks and commas, and where a `T` stands between a date and a time.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut signed = None;
    let text = text.to_lowercase();
    for word in text.split([' ', '\t', '\n', ',']).filter(|word| !word.is_empty()) {
        // A sign may stand apart from its number.
        let word = match (word, signed.take()) {
            ("+" | "-", _) => {
                signed = Some(word);
                continue;
            }
            (word, Some(sign)) => format!("{sign}{word}"),
            (word, None) => word.to_owned(),
        };
        let word = word.as_str();
        let parts = word.split_once('t').filter(|(date, time)| {
            date.starts_with(|letter: char| letter.is_ascii_digit())
                && time.starts_with(|letter: char| letter.is_ascii_digit())
        });
        let (first, second) = parts.map_or((word, None), |(date, time)| (date, Some(time)));
        for part in [Some(first), second].into_iter().flatten() {
            words.extend(split(part));
        }
    }
    words
}

/// Splits what is written together: `12:00z`, `5pm`, `+3days`.
fn split(word: &str) -> Vec<String> {
    let is_time = word.contains(':');
    let number = word.trim_start_matches(['+', '-']);
    let digits = number.len() - number.trim_start_matches(|l: char| l.is_ascii_digit()).len();
    let signs = word.len() - number.len();
    if is_time {
        let after_hour = word.find(':').unwrap_or(0);
        let zone = word[after_hour..].find(|l: char| l.is_ascii_alphabetic() || "+-".contains(l));
        if let Some(at) = zone.map(|at| at + after_hour) {
            let zone = &word[at..];
            return vec![word[..at].to_owned(), zone.to_owned()];
        }
    } else if digits > 0 && number[digits..].starts_with(|l: char| l.is_ascii_alphabetic()) {
        let end = signs + digits;
        return vec![word[..end].to_owned(), word[end..].to_owned()];
    }
    vec![word.to_owned()]
}

#[derive(Default)]
struct Reader {
    now: DateTime,
    /// How far from universal time the zone is now.
    here: Option<Offset>,
    date: Option<Date>,
    time: Option<Time>,
    offset: Option<Offset>,
    weekday: Option<(i64, Weekday)>,
    months: i64,
    days: i64,
    seconds: i64,
    /// Something was said that leaves the time of the day as it is.
    relative: bool,
}

impl Reader {
    /// Reads the next word, and those that belong to it; returns how many.
    fn take(&mut self, words: &[String]) -> Option<usize> {
        let word = words[0].as_str();
        let next = words.get(1).map(String::as_str);
        match word {
            "now" | "today" => self.relative = true,
            "tomorrow" => self.add(1, "day")?,
            "yesterday" => self.add(-1, "day")?,
            "midnight" => self.time = Some(Time::midnight()),
            "noon" => self.time = Time::new(12, 0, 0, 0).ok(),
            "z" | "utc" | "gmt" | "ut" => self.offset = Some(Offset::UTC),
            "next" | "last" | "this" => {
                let count = match word {
                    "next" => 1,
                    "last" => -1,
                    _ => 0,
                };
                let unit = next?;
                if let Some(day) = weekday(unit) {
                    self.weekday = Some((count, day));
                } else {
                    self.add(count, unit)?;
                }
                return Some(2 + usize::from(self.turn_back(words.get(2))));
            }
            word if is_unit(word) => {
                self.add(1, word)?;
                return Some(1 + usize::from(self.turn_back(words.get(1))));
            }
            "am" | "pm" => self.half_of_day(word)?,
            word if weekday(word).is_some() => self.weekday = weekday(word).map(|day| (0, day)),
            word if month(word).is_some() => return self.month_first(words),
            word if word.contains(':') && !word.starts_with(['+', '-']) => {
                self.time = Some(clock(word)?);
            }
            // A number with a sign after a time is a zone, or nothing: so it is with GNU.
            word if self.time.is_some() && self.offset.is_none() && is_like_offset(word) => {
                self.offset = Some(offset(word)?);
            }
            word => return self.number(word, words),
        }
        Some(1)
    }

    /// Turns what was added last into its opposite if `ago` follows.
    fn turn_back(&mut self, word: Option<&String>) -> bool {
        let ago = word.is_some_and(|word| word == "ago");
        if ago {
            (self.months, self.days, self.seconds) = (-self.months, -self.days, -self.seconds);
        }
        ago
    }

    fn number(&mut self, word: &str, words: &[String]) -> Option<usize> {
        let next = words.get(1).map(String::as_str);
        if let (Some(unit), Ok(count)) = (next.filter(|unit| is_unit(unit)), word.parse::<i64>()) {
            self.add(count, unit)?;
            return Some(2 + usize::from(self.turn_back(words.get(2))));
        }
        if let (Some(half @ ("am" | "pm")), Ok(hour)) = (next, word.parse::<i8>()) {
            self.time = Time::new(hour, 0, 0, 0).ok();
            self.half_of_day(half)?;
            return Some(2);
        }
        if let (Some(month), Ok(day)) = (next.and_then(month), word.parse::<i8>()) {
            let year = words.get(2).and_then(|word| year(word));
            self.date = Date::new(year.unwrap_or(self.now.year()), month, day).ok();
            self.date?;
            return Some(2 + usize::from(year.is_some()));
        }
        self.date = Some(written(word, self.now.year())?);
        Some(1)
    }

    fn month_first(&mut self, words: &[String]) -> Option<usize> {
        let month = month(&words[0])?;
        let day = words.get(1)?.parse::<i8>().ok()?;
        let year = words.get(2).and_then(|word| year(word));
        self.date = Some(Date::new(year.unwrap_or(self.now.year()), month, day).ok()?);
        Some(2 + usize::from(year.is_some()))
    }

    fn half_of_day(&mut self, half: &str) -> Option<()> {
        let time = self.time?;
        let hour = match (time.hour(), half) {
            (12, "am") => 0,
            (12, _) | (_, "am") => time.hour(),
            (hour, _) => hour + 12,
        };
        self.time = Some(time.with().hour(hour).build().ok()?);
        Some(())
    }

    fn add(&mut self, count: i64, unit: &str) -> Option<()> {
        self.relative = true;
        match unit.strip_suffix('s').unwrap_or(unit) {
            "year" => self.months += count.checked_mul(12)?,
            "month" => self.months += count,
            "fortnight" => self.days += count.checked_mul(14)?,
            "week" => self.days += count.checked_mul(7)?,
            "day" => self.days += count,
            "hour" => self.seconds += count.checked_mul(3600)?,
            "minute" | "min" => self.seconds += count.checked_mul(60)?,
            _ => self.seconds += count,
        }
        Some(())
    }

    fn moment(self, zone: &TimeZone) -> Option<jiff::Timestamp> {
        let dated = self.date.is_some() || self.weekday.is_some();
        let time = match self.time {
            Some(time) => time,
            None if dated || !self.relative => Time::midnight(),
            None => self.now.time(),
        };
        let mut date = self.date.unwrap_or(self.now.date());
        // Beside a date a day of the week means nothing: so it is with GNU.
        if let (Some((count, weekday)), None) = (self.weekday, self.date) {
            let ahead = i64::from(date.weekday().until(weekday));
            // A day that is today counts as the next one only if that is said.
            let weeks = if count > 0 && ahead > 0 { count - 1 } else { count };
            date = date.checked_add((ahead + 7 * weeks).days()).ok()?;
        }
        // What is said of now alone is as far from universal time as now, whatever the clocks do on
        // that day: so it is with GNU. A time that they skip is none.
        let is_of_now = self.relative && !dated && self.time.is_none();
        let offset = self.offset.or(self.here.filter(|_| is_of_now));
        if offset.is_none() {
            local(zone, date.to_datetime(time))?;
        }
        // A day that its month does not have runs over into the next one.
        let first = date
            .first_of_month()
            .checked_add(span(self.months, |months| Span::new().try_months(months))?)
            .ok()?;
        date = first.checked_add(i64::from(date.day() - 1).days()).ok()?;
        date = date.checked_add(span(self.days, |days| Span::new().try_days(days))?).ok()?;
        let at = date.to_datetime(time);
        let at = match offset {
            Some(offset) => offset.to_timestamp(at).ok()?,
            None => local(zone, at).or_else(|| zone.to_timestamp(at).ok())?,
        };
        at.checked_add(span(self.seconds, |seconds| Span::new().try_seconds(seconds))?).ok()
    }
}

/// Finds the moment of a local time; none if the clocks skip it. Of two it is the one that is found
/// first by whoever begins with universal time: so it is with GNU.
fn local(zone: &TimeZone, at: DateTime) -> Option<jiff::Timestamp> {
    let mut offset = Offset::UTC;
    for _ in 0..4 {
        let moment = offset.to_timestamp(at).ok()?;
        let there = zone.to_offset(moment);
        if there == offset {
            return Some(moment);
        }
        offset = there;
    }
    None
}

/// Makes a span, unless it is too long for one.
fn span(count: i64, make: impl Fn(i64) -> Result<Span, jiff::Error>) -> Option<Span> {
    make(count).ok()
}

fn is_unit(word: &str) -> bool {
    const UNITS: &[&str] =
        &["year", "month", "fortnight", "week", "day", "hour", "minute", "min", "second", "sec"];
    UNITS.contains(&word.strip_suffix('s').unwrap_or(word))
}

fn weekday(word: &str) -> Option<Weekday> {
    const NAMES: [&str; 7] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let at = NAMES.iter().position(|name| word.len() >= 3 && name.starts_with(word))?;
    Weekday::from_monday_zero_offset(i8::try_from(at).ok()?).ok()
}

fn month(word: &str) -> Option<i8> {
    const NAMES: [&str; 12] = [
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
    ];
    let at = NAMES.iter().position(|name| word.len() >= 3 && name.starts_with(word))?;
    i8::try_from(at + 1).ok()
}

fn year(word: &str) -> Option<i16> {
    if word.len() == 4 { word.parse().ok() } else { None }
}

/// Reads a time of the day.
fn clock(word: &str) -> Option<Time> {
    let mut parts = word.split(':');
    let hour = parts.next()?.parse().ok()?;
    let minute = parts.next()?.parse().ok()?;
    let (second, nanos) = match parts.next() {
        None => (0, 0),
        Some(text) => {
            let (second, part) = text.split_once('.').unwrap_or((text, ""));
            let nanos = format!("{part:0<9}");
            (second.parse().ok()?, nanos.get(..9)?.parse().ok()?)
        }
    };
    parts.next().is_none().then(|| Time::new(hour, minute, second, nanos).ok())?
}

/// Tells whether a word is a sign and at most four digits.
fn is_like_offset(word: &str) -> bool {
    let digits = word.strip_prefix(['+', '-']).map(|digits| digits.replace(':', ""));
    digits.is_some_and(|digits| {
        matches!(digits.len(), 1..=4) && digits.chars().all(|letter| letter.is_ascii_digit())
    })
}

/// Reads `+02:00`, `-0500` or `+2`.
fn offset(word: &str) -> Option<Offset> {
    let sign = match word.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits = word[1..].replace(':', "");
    if !digits.chars().all(|letter| letter.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = match digits.len() {
        1 | 2 => (digits.parse::<i32>().ok()?, 0),
        3 | 4 => digits.split_at_checked(digits.len() - 2).and_then(|(hours, minutes)| {
            Some((hours.parse::<i32>().ok()?, minutes.parse::<i32>().ok()?))
        })?,
        _ => return None,
    };
    if hours * 60 + minutes > 24 * 60 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

/// Reads a date in digits: `2026-03-04`, `20260304`, `2026/3/4`, `3/4/2026`, `3/4`.
fn written(word: &str, this_year: i16) -> Option<Date> {
    let numbers = |mark: char| -> Option<Vec<i16>> {
        word.split(mark).map(|part| part.parse().ok()).collect()
    };
    let [year, month, day] = if let Some(parts) = word.contains('/').then(|| numbers('/')) {
        match parts?[..] {
            [year, month, day] if year > 31 => [year, month, day],
            [month, day, year] => [if year < 69 { year + 2000 } else { year }, month, day],
            [month, day] => [this_year, month, day],
            _ => return None,
        }
    } else if word.len() == 8 && word.chars().all(|letter| letter.is_ascii_digit()) {
        [word[..4].parse().ok()?, word[4..6].parse().ok()?, word[6..].parse().ok()?]
    } else {
        numbers('-')?.try_into().ok()?
    };
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests;
