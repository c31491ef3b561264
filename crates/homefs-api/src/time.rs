//! Moments and durations as people write them.

use std::time::Duration;

use homefs_core::{Clock, Error, ErrorKind, Result, SystemClock, Timestamp, Version};
use homefs_engine::Moment;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span};

/// Reads a moment: a version number, `now`, `2h ago`, `yesterday`, a date, or RFC 3339.
pub fn moment(text: &str) -> Result<Moment> {
    parse(text, now(), &TimeZone::system())
}

/// Returns the present moment.
pub fn now() -> Timestamp {
    SystemClock.now()
}

/// Reads a duration such as `10s` or `500ms`.
pub fn duration(text: &str) -> Result<Duration> {
    let duration: SignedDuration =
        text.parse().map_err(|_| invalid("write it as 10s, 500ms or 2m"))?;
    duration.try_into().map_err(|_| invalid("a duration cannot be negative"))
}

/// Returns a moment as RFC 3339 in UTC, for programs.
pub fn rfc3339(time: Timestamp) -> String {
    instant(time).map_or_else(|| time.0.to_string(), |instant| instant.to_string())
}

/// Returns a moment in the local time zone to the second, for people.
pub fn local(time: Timestamp) -> String {
    match instant(time) {
        Some(instant) => {
            instant.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
        }
        None => time.0.to_string(),
    }
}

fn instant(time: Timestamp) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_nanosecond(time.0.into()).ok()
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

fn parse(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Moment> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Ok(Moment::Version(Version(number)));
    }
    let at = |instant: jiff::Timestamp| {
        i64::try_from(instant.as_nanosecond())
            .map(|nanos| Moment::Time(Timestamp(nanos)))
            .map_err(|_| invalid(format!("{text} is too far from the present")))
    };
    let here = instant(now).unwrap_or_default().to_zoned(zone.clone());
    let ago = match text {
        "now" => return Ok(Moment::Now),
        "yesterday" => Some(Span::new().days(-1)),
        _ if text.ends_with("ago") => text.parse().ok(),
        _ => None,
    };
    if let Some(span) = ago {
        let then =
            here.checked_add(span).map_err(|_| invalid(format!("{text} is too long ago")))?;
        return at(then.timestamp());
    }
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return at(instant);
    }
    let civil = text.parse::<Date>().ok().filter(|_| text.len() == 10).map(DateTime::from);
    match civil.or_else(|| text.parse().ok()).map(|civil| zone.to_ambiguous_zoned(civil)) {
        Some(zoned) => match zoned.compatible() {
            Ok(zoned) => at(zoned.timestamp()),
            Err(_) => Err(invalid(format!("{text} is not a time that can be shown"))),
        },
        None => Err(invalid(
            "write it as a version number, `2h ago`, `yesterday`, `2026-01-31` or \
             `2026-01-31T12:00:00Z`",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400 * 1_000_000_000;
    /// 2026-01-31T12:00:00Z
    const NOON: Timestamp = Timestamp(1_769_860_800 * 1_000_000_000);

    fn check(text: &str, expected: Option<Moment>) {
        assert_eq!(parse(text, NOON, &TimeZone::UTC).ok(), expected, "{text:?}");
    }

    #[test]
    fn people_write_moments_in_many_ways() {
        let ago = |nanos: i64| Some(Moment::Time(Timestamp(NOON.0 - nanos)));
        check("12", Some(Moment::Version(Version(12))));
        check("now", Some(Moment::Now));
        check("2h ago", ago(DAY / 12));
        check("2 hours ago", ago(DAY / 12));
        check("90 min ago", ago(DAY / 16));
        check("1 week ago", ago(7 * DAY));
        check("yesterday", ago(DAY));
        check("2026-01-31", ago(DAY / 2));
        check("2026-01-31 11:00", ago(DAY / 24));
        check("2026-01-31T12:00:00Z", ago(0));
        check("2026-01-31T13:00:00+01:00", ago(0));
        for wrong in ["", "ago", "2h", "-3", "tomorrow", "2026-02-30", "99999999999999999999"] {
            check(wrong, None);
        }
    }

    #[test]
    fn durations_have_units_and_no_sign() {
        assert_eq!(duration("500ms").unwrap(), Duration::from_millis(500));
        assert_eq!(duration("1m 30s").unwrap(), Duration::from_secs(90));
        assert!(duration("-1s").is_err() && duration("7").is_err());
    }

    #[test]
    fn times_read_back_as_written() {
        assert_eq!(rfc3339(NOON), "2026-01-31T12:00:00Z");
        check(&rfc3339(NOON), Some(Moment::Time(NOON)));
    }
}
