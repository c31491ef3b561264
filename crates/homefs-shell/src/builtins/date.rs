//! `date`, as GNU's.

use homefs_core::{Clock as _, SystemClock, Timestamp};
use jiff::tz::TimeZone;

use super::moment;
use super::options::{Item, Spec, Takes};
use super::times;
use super::tool::Run;
use crate::files::reason;

const SPECS: &[Spec] = &[
    ('d', "date", Takes::Value),
    ('f', "file", Takes::Value),
    ('I', "iso-8601", Takes::Perhaps),
    ('r', "reference", Takes::Value),
    ('R', "rfc-email", Takes::Nothing),
    (' ', "rfc-2822", Takes::Nothing),
    (' ', "rfc-3339", Takes::Value),
    ('s', "set", Takes::Value),
    ('u', "utc", Takes::Nothing),
    (' ', "universal", Takes::Nothing),
];

/// What is printed if nothing is said.
const USUAL: &str = "%a %b %e %H:%M:%S %Z %Y";

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let Some(items) = run.items(SPECS, None) else { return 1 };
    match told(run, items) {
        Ok(lines) => {
            for line in lines {
                run.line(&line);
            }
            0
        }
        Err(message) => {
            run.complain(&message);
            1
        }
    }
}

fn told(run: &Run<'_>, items: Vec<Item<'_>>) -> Result<Vec<String>, String> {
    let now = SystemClock.now();
    let (mut format, mut at, mut zone) = (USUAL.to_owned(), vec![now], zone_of(run));
    let mut asked = Vec::new();
    for item in &items {
        if let Item::Option("utc" | "universal", _) = item {
            zone = TimeZone::UTC;
        }
    }
    for item in items {
        match item {
            Item::Operand(operand) => match operand.strip_prefix('+') {
                Some(pattern) => pattern.clone_into(&mut format),
                None => return Err(format!("invalid date {}", run.quoted(operand))),
            },
            Item::Option("date", value) => asked = vec![value.unwrap_or_default().to_owned()],
            Item::Option("file", value) => {
                let name = value.unwrap_or_default();
                let text = run.read(name).map_err(|error| format!("{name}: {}", reason(&error)))?;
                asked = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect();
            }
            Item::Option("reference", value) => {
                let name = value.unwrap_or_default();
                let found = run.path(name).and_then(|path| run.ground.files.stat_followed(&path));
                let found = found.map_err(|error| format!("{name}: {}", reason(&error)))?;
                at = vec![found.1.modified];
            }
            Item::Option("iso-8601", value) => format = iso(run, value.unwrap_or("date"))?,
            Item::Option("rfc-3339", value) => {
                format = iso(run, value.unwrap_or_default())?.replace('T', " ").replace(',', ".");
            }
            Item::Option("rfc-email" | "rfc-2822", _) => {
                format = "%a, %d %b %Y %H:%M:%S %z".into();
            }
            Item::Option("set", _) => {
                return Err("cannot set date: Operation not permitted".into());
            }
            Item::Option(..) => {}
        }
    }
    if !asked.is_empty() {
        let read = |text: &String| {
            // Nothing at all is the start of today.
            let text = if text.trim().is_empty() { "today 00:00" } else { text };
            let read = moment::parse(text, now, &zone);
            read.ok_or_else(|| format!("invalid date {}", run.quoted(text)))
        };
        at = asked.iter().map(read).collect::<Result<_, _>>()?;
    }
    super::width::check_format(&format)?;
    Ok(at.into_iter().map(|at| print(at, &format, &zone)).collect())
}

/// Returns the time zone of the session.
pub(crate) fn zone_of(run: &Run<'_>) -> TimeZone {
    let name = run.environment.get("TZ").map_or("", |name| name.trim_start_matches(':'));
    let known = |name: &str| TimeZone::get(name).or_else(|_| TimeZone::posix(name)).ok();
    if name.is_empty() { TimeZone::UTC } else { known(name).unwrap_or(TimeZone::UTC) }
}

fn iso(run: &Run<'_>, precision: &str) -> Result<String, String> {
    const PRECISIONS: [&str; 5] = ["date", "hours", "minutes", "seconds", "ns"];
    // The beginning of a word is enough.
    let meant = PRECISIONS.into_iter().find(|word| word.starts_with(precision));
    Ok(match meant.filter(|_| !precision.is_empty()).unwrap_or(precision) {
        "date" => "%Y-%m-%d",
        "hours" => "%Y-%m-%dT%H%:z",
        "minutes" => "%Y-%m-%dT%H:%M%:z",
        "seconds" => "%Y-%m-%dT%H:%M:%S%:z",
        "ns" => "%Y-%m-%dT%H:%M:%S,%N%:z",
        other => return Err(format!("invalid argument {} for date", run.quoted(other))),
    }
    .to_owned())
}

/// Prints a moment with GNU's letters.
fn print(at: Timestamp, format: &str, zone: &TimeZone) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(start) = rest.find('%') {
        out += &rest[..start];
        let directive = &rest[start..];
        // Flags, a width, and colons stand before the letter.
        let body = directive[1..].trim_start_matches(['-', '_', '0', '^', '#', '+']);
        let flags = &directive[1..directive.len() - body.len()];
        let after_width = body.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let width = &body[..body.len() - after_width.len()];
        let after_colons = after_width.trim_start_matches(':');
        let colons = &after_width[..after_width.len() - after_colons.len()];
        let Some(letter) = after_colons.chars().next() else {
            out += directive;
            return out;
        };
        let whole = &directive[..directive.len() - after_colons.len() + letter.len_utf8()];
        rest = &directive[whole.len()..];
        out += &one(at, zone, flags, width, colons, letter).unwrap_or_else(|| whole.to_owned());
    }
    out + rest
}

fn one(
    at: Timestamp,
    zone: &TimeZone,
    flags: &str,
    width: &str,
    colons: &str,
    letter: char,
) -> Option<String> {
    let inner = |format: &str| Some(print(at, format, zone));
    let text = match letter {
        '%' => return Some("%".into()),
        'n' => return Some("\n".into()),
        't' => return Some("\t".into()),
        'N' => {
            let nanos = format!("{:09}", at.0.rem_euclid(1_000_000_000));
            let most = width.parse().unwrap_or(9).min(9);
            return Some(nanos[..most].to_owned());
        }
        's' => at.seconds().to_string(),
        'c' => inner("%a %b %e %H:%M:%S %Y")?,
        'D' | 'x' => inner("%m/%d/%y")?,
        'X' | 'T' => inner("%H:%M:%S")?,
        'F' => inner("%Y-%m-%d")?,
        'R' => inner("%H:%M")?,
        'r' => inner("%I:%M:%S %p")?,
        letter => {
            let pattern = format!("%{}{colons}{letter}", flags.replace('+', ""));
            times::format_in(at, &pattern, zone)?
        }
    };
    let width = super::width::width(width);
    let zeros = text.starts_with(|letter: char| letter.is_ascii_digit()) && !flags.contains('_');
    Some(if zeros { format!("{text:0>width$}") } else { format!("{text:>width$}") })
}
