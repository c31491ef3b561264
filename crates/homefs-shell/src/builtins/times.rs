//! Moments as tools print them, in universal time.

use homefs_core::Timestamp;
use jiff::tz::TimeZone;

/// Prints a moment with the letters of `strftime`.
pub(crate) fn format(moment: Timestamp, pattern: &str) -> String {
    format_in(moment, pattern, &TimeZone::UTC).unwrap_or_else(|| "?".into())
}

/// Prints a moment in a time zone; `None` if there is a letter that means nothing.
pub(crate) fn format_in(moment: Timestamp, pattern: &str, zone: &TimeZone) -> Option<String> {
    let at = jiff::Timestamp::from_nanosecond(i128::from(moment.0)).ok()?;
    jiff::fmt::strtime::format(pattern, &at.to_zoned(zone.clone())).ok()
}

/// Prints a moment as `ls -l` does: with the hour if it is of the last half year.
pub(crate) fn short(moment: Timestamp, now: Timestamp) -> String {
    const HALF_A_YEAR_SECONDS: i64 = 15_778_476;
    let age = now.seconds() - moment.seconds();
    let recent = (0..HALF_A_YEAR_SECONDS).contains(&age);
    format(moment, if recent { "%b %e %H:%M" } else { "%b %e  %Y" })
}

/// Prints a moment to the nanosecond, as `stat` does.
pub(crate) fn full(moment: Timestamp) -> String {
    format(moment, "%Y-%m-%d %H:%M:%S.%9f %z")
}

/// Returns a size with a unit, rounded up as `ls -h` does.
pub(crate) fn human(size: u64, base: u64) -> String {
    const UNITS: &[u8] = b"KMGTPE";
    if size < base {
        return size.to_string();
    }
    let mut unit = 0;
    let mut scale = base;
    while size.div_ceil(scale) >= base && unit + 1 < UNITS.len() {
        scale *= base;
        unit += 1;
    }
    let tenths = (u128::from(size) * 10).div_ceil(u128::from(scale));
    let letter = char::from(UNITS[unit]);
    let letter = if base == 1000 { letter.to_ascii_lowercase() } else { letter };
    if tenths < 100 {
        format!("{}.{}{letter}", tenths / 10, tenths % 10)
    } else {
        format!("{}{letter}", size.div_ceil(scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up() {
        for (size, expected) in [
            (0, "0"),
            (1023, "1023"),
            (1024, "1.0K"),
            (9100, "8.9K"),
            (10_240, "10K"),
            (1_048_575, "1.0M"),
        ] {
            assert_eq!(human(size, 1024), expected);
        }
    }

    #[test]
    fn moments_are_printed() {
        let moment = Timestamp(1_767_322_000_000_000_000);
        assert_eq!(full(moment), "2026-01-02 02:46:40.000000000 +0000");
        assert_eq!(short(moment, moment), "Jan  2 02:46");
        assert_eq!(short(moment, Timestamp(i64::MAX)), "Jan  2  2026");
    }
}
