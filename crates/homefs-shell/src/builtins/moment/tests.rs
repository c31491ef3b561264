//! Tests of moments.

use super::*;

#[test]
fn moments_are_read_as_people_write_them() {
    // Wednesday, 2026-03-04 05:06:07.
    let now = Timestamp(1_772_600_767 * NANOS);
    for (text, expected) in [
        ("@0", "1970-01-01T00:00:00Z"),
        ("now", "2026-03-04T05:06:07Z"),
        ("2026-03-04", "2026-03-04T00:00:00Z"),
        ("2026-03-04 12:30", "2026-03-04T12:30:00Z"),
        ("2026-03-04T12:30:15.5Z", "2026-03-04T12:30:15.5Z"),
        ("2026-03-04 12:30 +0200", "2026-03-04T10:30:00Z"),
        ("2026-03-04 12:30:00+02:00", "2026-03-04T10:30:00Z"),
        ("20260304", "2026-03-04T00:00:00Z"),
        ("4 March 2026", "2026-03-04T00:00:00Z"),
        ("Mar 4, 2026 5pm", "2026-03-04T17:00:00Z"),
        ("3/5/2026", "2026-03-05T00:00:00Z"),
        ("2026-01-31 1 month", "2026-03-03T00:00:00Z"),
        ("2026-03-04 +3 days", "2026-03-07T00:00:00Z"),
        ("2026-03-04 - 3 days", "2026-03-01T00:00:00Z"),
        // A number with a sign after a time is a time zone: so it is with GNU.
        ("2026-01-01 12:00 -2 hours", "2026-01-01T15:00:00Z"),
        ("2026-01-31 10:30:05 +90 minutes", "none"),
        ("2026-01-31 10:30 +25 days", "none"),
        ("2026-01-31 10:30 +100 minutes", "2026-01-31T09:31:00Z"),
        ("2026-03-01 last friday", "2026-03-01T00:00:00Z"),
        ("Thu, 05 Mar 2026 10:00", "2026-03-05T10:00:00Z"),
        ("2026-03-01 -1 day", "2026-02-28T00:00:00Z"),
        ("2 weeks ago", "2026-02-18T05:06:07Z"),
        ("yesterday", "2026-03-03T05:06:07Z"),
        ("yesterday 12:00", "2026-03-03T12:00:00Z"),
        ("next friday", "2026-03-06T00:00:00Z"),
        ("last monday", "2026-03-02T00:00:00Z"),
        ("next month", "2026-04-04T05:06:07Z"),
        ("1 hour ago", "2026-03-04T04:06:07Z"),
        ("2026-03-04 10:00 2 hours ago", "2026-03-04T08:00:00Z"),
        ("nonsense", "none"),
        ("2026-13-04", "none"),
    ] {
        let found = parse(text, now, &TimeZone::UTC).map(|at| {
            let at = jiff::Timestamp::from_nanosecond(i128::from(at.0)).expect("in range");
            at.to_string()
        });
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "{text}");
    }
}

#[test]
fn moments_are_read_where_clocks_are_changed() {
    // In New York the hour from one to two is there twice: this is the second time.
    for (now, name, text, expected) in [
        ("2026-11-01T06:30:00Z", "America/New_York", "now", "2026-11-01T06:30:00Z"),
        ("2026-11-01T06:30:00Z", "America/New_York", "1 hour ago", "2026-11-01T05:30:00Z"),
        ("2026-11-01T06:30:00Z", "America/New_York", "yesterday", "2026-10-31T06:30:00Z"),
        ("2026-11-01T06:30:00Z", "America/New_York", "yesterday 12:00", "2026-10-31T16:00:00Z"),
        ("2026-11-19T12:00:00Z", "Europe/Berlin", "last month", "2026-10-19T12:00:00Z"),
        ("2026-11-19T12:00:00Z", "Europe/Berlin", "2026-03-29 02:30", "none"),
        ("2026-11-19T12:00:00Z", "Europe/Berlin", "2026-10-25 02:30", "2026-10-25T01:30:00Z"),
        ("2026-11-19T12:00:00Z", "America/New_York", "2026-11-01 01:30", "2026-11-01T05:30:00Z"),
        ("2026-11-19T12:00:00Z", "America/New_York", "2026-03-08 02:30", "none"),
        (
            "2026-11-19T12:00:00Z",
            "America/New_York",
            "2026-03-07 02:30 tomorrow",
            "2026-03-08T07:30:00Z",
        ),
    ] {
        let zone = TimeZone::get(name).expect("it is known");
        let now: jiff::Timestamp = now.parse().expect("a moment");
        let now = Timestamp(i64::try_from(now.as_nanosecond()).expect("in range"));
        let found = parse(text, now, &zone).map(|at| {
            let at = jiff::Timestamp::from_nanosecond(i128::from(at.0)).expect("in range");
            at.to_string()
        });
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "{text} in {name}");
    }
}
