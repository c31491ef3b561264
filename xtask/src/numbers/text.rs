//! How numbers are written in pages.

use super::results::{Bar, Row, Run};

/// Units of time, each with the next larger one and how many of it that has.
const TIMES: &[(&str, &str)] = &[("µs", "ms"), ("ms", "s")];

/// Writes a value with its unit; a long time in a larger one.
pub(super) fn value(number: f64, unit: &str) -> String {
    if number >= 1000.0
        && let Some((_, larger)) = TIMES.iter().find(|(small, _)| *small == unit)
    {
        return value(number / 1000.0, larger);
    }
    let unit = match unit {
        "per second" => "/s",
        "times" => "×",
        "requests" if short(number) == "1" => "request",
        other => other,
    };
    format!("{} {unit}", short(number))
}

/// Writes how many times as fast homefs is; with three digits behind the point where it is slower,
/// so that a bar that is nearly met is not taken for one that is.
pub(super) fn ratio(number: f64) -> String {
    if number < 0.9995 { format!("{number:.3} ×") } else { format!("{} ×", short(number)) }
}

/// Writes what must hold of a row; `peer` is added to what must hold against a peer.
pub(super) fn bar(row: &Row, peer: &str) -> Option<String> {
    Some(match row.bar? {
        Bar::AtMost(most) => format!("≤ {}", value(most, &row.unit)),
        Bar::TimesAsFast(least) => format!("≥ {} {peer}", ratio(least)).trim_end().to_owned(),
    })
}

/// Makes a text bold if it says that a bar is missed.
pub(super) fn bold_if(missed: bool, text: String) -> String {
    if missed { format!("**{text}**") } else { text }
}

/// Makes a text fit a cell of a table.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Returns where a run's page is, seen from the root.
pub(super) fn page_of(run: &Run) -> String {
    format!("bench/results/{}/README.md", run.folder)
}

/// Writes a number with about three digits that matter, and commas between thousands.
fn short(number: f64) -> String {
    let text = match number.abs() {
        size if size >= 99.95 || number.fract() == 0.0 => format!("{number:.0}"),
        size if size >= 9.995 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    };
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_long_times_have_larger_units() {
        for (number, unit, expected) in [
            (1.122, "µs", "1.12 µs"),
            (8.252, "µs", "8.25 µs"),
            (99.97, "µs", "100 µs"),
            (8316.3, "µs", "8.32 ms"),
            (41_025.6, "ms", "41.0 s"),
            (79_953.4, "per second", "79,953 /s"),
            (3.0, "requests", "3 requests"),
            (1.0, "requests", "1 request"),
            (5.32, "times", "5.32 ×"),
            (1_000_000.0, "µs", "1 s"),
        ] {
            assert_eq!(value(number, unit), expected);
        }
        assert_eq!([ratio(0.2475), ratio(10.53)], ["0.247 ×", "10.5 ×"]);
    }
}
