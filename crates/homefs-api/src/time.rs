//! Moments and times as people write them here and now, and as they are shown to them.

use homefs_core::time::{Here, Moment, TimeZone};
use homefs_core::{Clock, Result, SystemClock, Timestamp};

pub use homefs_core::time::{duration, rfc3339};

/// Reads a moment: a version number, `now`, `2h ago`, `yesterday`, a date, or RFC 3339.
pub fn moment(text: &str) -> Result<Moment> {
    homefs_core::time::moment(text, &Here::local(now()))
}

/// Reads a time, not a version.
pub fn time(text: &str) -> Result<Timestamp> {
    homefs_core::time::time(text, &Here::local(now()))
}

/// Returns the present moment.
pub fn now() -> Timestamp {
    SystemClock.now()
}

/// Returns a moment in the local time zone to the second, for people.
pub fn local(time: Timestamp) -> String {
    homefs_core::time::shown(time, &TimeZone::system())
}
