//! Times as other systems write them.

use homefs_core::Timestamp;
use homefs_core::time::{TimeZone, written};

/// Numbers beyond this count milliseconds, not seconds: as seconds they would be the year 5138.
const SECONDS_MAX: f64 = 1e11;

/// Reads a time, which is of UTC if it names no zone: it means the same on every machine.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    written(text, &TimeZone::UTC)
}

/// Reads a number of seconds or milliseconds since 1970.
pub(super) fn of_number(number: f64) -> Option<Timestamp> {
    let seconds = if number.abs() > SECONDS_MAX { number / 1000.0 } else { number };
    let instant = jiff::SignedDuration::try_from_secs_f64(seconds).ok()?;
    i64::try_from(instant.as_nanos()).ok().map(Timestamp)
}
