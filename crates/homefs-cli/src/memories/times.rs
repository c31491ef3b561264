//! Times as other systems write them.

use homefs_core::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// Numbers beyond this count milliseconds, not seconds: as seconds they would be the year 5138.
const SECONDS_MAX: f64 = 1e11;

/// Reads a time: RFC 3339, the same without a zone (then UTC), or a date.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let instant = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let date = text.parse::<Date>().ok().filter(|_| text.len() == 10).map(DateTime::from);
        let civil = date.or_else(|| text.parse().ok())?;
        TimeZone::UTC.to_timestamp(civil).ok()
    })?;
    i64::try_from(instant.as_nanosecond()).ok().map(Timestamp)
}

/// Reads a number of seconds or milliseconds since 1970.
pub(super) fn of_number(number: f64) -> Option<Timestamp> {
    let seconds = if number.abs() > SECONDS_MAX { number / 1000.0 } else { number };
    let instant = jiff::SignedDuration::try_from_secs_f64(seconds).ok()?;
    i64::try_from(instant.as_nanos()).ok().map(Timestamp)
}
