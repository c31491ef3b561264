//! Moments, times and durations as people write them, and times as programs do.
//!
//! There is one grammar, which every face takes: `2h ago` means the same in a command, a probe, a
//! script and an SDK. What a text does not say itself is said by [`Here`]: `ago` counts from its
//! moment, and a date or a time without a zone is one of its zone.
//! The choice a reader may question: the grammar of GNU's `date -d` is not this one. It belongs to
//! the tools of the shell, which are judged by those that they stand for.

use std::time::Duration;

use jiff::civil::DateTime;
pub use jiff::tz::TimeZone;
use jiff::{Span, SpanRelativeTo};
use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result, Timestamp, Version};

/// A point in a file's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moment {
    /// The present.
    Now,
    /// The content that this version of the space had.
    Version(Version),
    /// The content at this time.
    Time(Timestamp),
}

/// When and where a text is read.
#[derive(Clone, Debug)]
pub struct Here {
    /// What `ago` counts from.
    pub now: Timestamp,
    /// The zone of what names none.
    pub zone: TimeZone,
}

impl Here {
    /// Returns a moment in the local time of this process.
    pub fn local(now: Timestamp) -> Self {
        Self { now, zone: TimeZone::system() }
    }

    /// Returns which day it is there, counted from the first of 1970.
    pub fn day(&self) -> i64 {
        let instant = jiff::Timestamp::from_nanosecond(self.now.0.into());
        let ahead = instant.map_or(0, |instant| self.zone.to_offset(instant).seconds());
        self.now.0.div_euclid(1_000_000_000).saturating_add(ahead.into()).div_euclid(86_400)
    }
}

impl Default for Here {
    /// Returns the epoch, in UTC.
    fn default() -> Self {
        Self { now: Timestamp::default(), zone: TimeZone::UTC }
    }
}

/// Reads a moment: a version, which may be written as `v12` or `@12`, or what [`time`] reads.
pub fn moment(text: &str, here: &Here) -> Result<Moment> {
    let text = text.trim();
    if let Ok(number) = text.strip_prefix(['v', '@']).unwrap_or(text).parse() {
        return Ok(Moment::Version(Version(number)));
    }
    if text == "now" {
        return Ok(Moment::Now);
    }
    let time = instant(text, here).ok_or_else(|| {
        invalid(format!(
            "{text:?} is no moment: write a version number, `now`, `2h ago`, `yesterday`, \
             `2026-01-31` or `2026-01-31T12:00:00Z`"
        ))
    });
    time.map(Moment::Time)
}

/// Reads a time: `now`, `2h ago`, `yesterday`, a year, a month, or what [`written`] reads.
pub fn time(text: &str, here: &Here) -> Result<Timestamp> {
    let text = text.trim();
    let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let found = match text {
        "now" => Some(here.now),
        _ if is_year => written(&format!("{text}-01"), &here.zone),
        _ => instant(text, here),
    };
    found.ok_or_else(|| {
        invalid(format!(
            "{text:?} is no time: write it as `2h ago`, `yesterday`, `2026-01-31` or \
             `2026-01-31T12:00:00Z`"
        ))
    })
}

/// Reads a time that is the same whenever it is read: RFC 3339, or, in a zone, a day, a month, or
/// a day with a time of it.
pub fn written(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(instant) = text.parse() {
        return timestamp(instant);
    }
    // Digits alone are a number: who writes 3600 means no year.
    if !text.contains('-') {
        return None;
    }
    let civil: DateTime = match text.len() {
        7 => format!("{text}-01").parse().ok()?,
        _ => text.parse().ok()?,
    };
    timestamp(zone.to_ambiguous_zoned(civil).compatible().ok()?.timestamp())
}

/// Reads a duration such as `7d`, `1d12h`, `2h`, `90s` or `500ms`; a day has 24 hours.
pub fn duration(text: &str) -> Result<Duration> {
    let wrong = || invalid(format!("{text:?} is no duration: write it as 7d, 2h, 90s or 500ms"));
    let span: Span = text.trim().parse().map_err(|_| wrong())?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
    length.try_into().map_err(|_| wrong())
}

/// Returns a time as RFC 3339 in UTC, which reads back as the same.
pub fn rfc3339(time: Timestamp) -> String {
    let instant = jiff::Timestamp::from_nanosecond(time.0.into());
    instant.map_or_else(|_| time.0.to_string(), |instant| instant.to_string())
}

/// Returns a time in a zone to the second, for people.
pub fn shown(time: Timestamp, zone: &TimeZone) -> String {
    match jiff::Timestamp::from_nanosecond(time.0.into()) {
        Ok(instant) => instant.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => time.0.to_string(),
    }
}

/// Reads what names no version: a time that stands still, or one that moves with the present.
fn instant(text: &str, here: &Here) -> Option<Timestamp> {
    let span = match text {
        "yesterday" => Span::new().days(-1),
        _ if text.ends_with("ago") => text.parse().ok()?,
        _ => return written(text, &here.zone),
    };
    let now = jiff::Timestamp::from_nanosecond(here.now.0.into()).ok()?;
    timestamp(now.to_zoned(here.zone.clone()).checked_add(span).ok()?.timestamp())
}

fn timestamp(instant: jiff::Timestamp) -> Option<Timestamp> {
    i64::try_from(instant.as_nanosecond()).ok().map(Timestamp)
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3600 * 1_000_000_000;
    const DAY: i64 = 24 * HOUR;
    /// 2026-01-31T12:00:00Z
    const NOON: Timestamp = Timestamp(1_769_860_800 * 1_000_000_000);

    /// Noon, in a zone that is two hours ahead of UTC.
    fn here() -> Here {
        Here { now: NOON, zone: jiff::tz::offset(2).to_time_zone() }
    }

    #[test]
    fn people_write_moments_in_many_ways() {
        let before = |nanos: i64| Some(Moment::Time(Timestamp(NOON.0 - nanos)));
        for (text, expected) in [
            ("12", Some(Moment::Version(Version(12)))),
            ("v12", Some(Moment::Version(Version(12)))),
            ("@12", Some(Moment::Version(Version(12)))),
            ("2026", Some(Moment::Version(Version(2026)))),
            ("now", Some(Moment::Now)),
            (" 2h ago ", before(2 * HOUR)),
            ("2 hours ago", before(2 * HOUR)),
            ("90 min ago", before(90 * HOUR / 60)),
            ("1 week ago", before(7 * DAY)),
            ("yesterday", before(DAY)),
            ("2026-01-31", before(14 * HOUR)),
            ("2026-01", before(30 * DAY + 14 * HOUR)),
            ("2026-01-31 11:00", before(3 * HOUR)),
            ("2026-01-31T11:00", before(3 * HOUR)),
            ("2026-01-31T12:00:00Z", before(0)),
            ("2026-01-31T13:00:00+01:00", before(0)),
            ("", None),
            ("v", None),
            ("ago", None),
            ("2h", None),
            ("-3", None),
            ("tomorrow", None),
            ("2026-02-30", None),
            ("99999 years ago", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(moment(text, &here()).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_day_is_one_of_the_zone() {
        let day = |nanos: i64| Here { now: Timestamp(NOON.0 + nanos), ..here() }.day();
        assert_eq!(day(0), 20_484);
        assert_eq!(day(10 * HOUR), 20_485, "it is midnight two hours further east");
        assert_eq!(Here::default().day(), 0);
    }

    #[test]
    fn a_time_is_no_version() {
        for (text, expected) in [
            ("now", Some(0)),
            ("2h ago", Some(2 * HOUR)),
            ("2026", Some(30 * DAY + 14 * HOUR)),
            ("2026-01-31", Some(14 * HOUR)),
            ("12", None),
            ("v12", None),
            ("20260131", None),
        ] {
            let expected = expected.map(|nanos| Timestamp(NOON.0 - nanos));
            assert_eq!(time(text, &here()).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_stands_in_data_moves_with_nothing() {
        let read = |text| written(text, &TimeZone::UTC).map(|time| time.0 - NOON.0);
        assert_eq!(read("2026-01-31"), Some(-DAY / 2));
        assert_eq!(read("2026-01-31 13:00:00"), Some(HOUR));
        for moving in ["now", "yesterday", "2h ago", "2026", "3600", "20260131", "7d", "", "-"] {
            assert_eq!(read(moving), None, "{moving:?}");
        }
    }

    #[test]
    fn durations_have_units_and_no_sign() {
        for (text, seconds) in [
            ("90s", Some(90.0)),
            ("500ms", Some(0.5)),
            ("1m 30s", Some(90.0)),
            ("2h", Some(7200.0)),
            ("1d12h", Some(129_600.0)),
            (" 7d\n", Some(604_800.0)),
            ("2w", Some(1_209_600.0)),
            ("7", None),
            ("-1s", None),
            ("7d ago", None),
            ("1 month", None),
            ("99999999d", None),
            ("soon", None),
            ("", None),
        ] {
            let expected = seconds.map(Duration::from_secs_f64);
            assert_eq!(duration(text).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn times_read_back_as_written() {
        assert_eq!(rfc3339(NOON), "2026-01-31T12:00:00Z");
        for time in [NOON, Timestamp(0), Timestamp(i64::MIN), Timestamp(i64::MAX)] {
            assert_eq!(written(&rfc3339(time), &TimeZone::UTC), Some(time));
        }
    }
}
