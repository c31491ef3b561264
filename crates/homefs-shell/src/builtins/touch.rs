//! `touch`, as GNU's.

use homefs_core::{Clock as _, ErrorKind, Path, Result, SystemClock, Timestamp};
use homefs_view::{SetAttrs, Stat};
use jiff::civil::Date;

use super::date::zone_of;
use super::moment;
use super::names::Read;
use super::options::{Spec, Takes};
use super::tool::Run;
use crate::files::reason;

const SPECS: &[Spec] = &[
    ('a', "a", Takes::Nothing),
    ('c', "no-create", Takes::Nothing),
    ('d', "date", Takes::Value),
    ('f', "f", Takes::Nothing),
    ('h', "no-dereference", Takes::Nothing),
    ('m', "m", Takes::Nothing),
    ('r', "reference", Takes::Value),
    ('t', "t", Takes::Value),
    (' ', "time", Takes::Value),
];

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let Some(read) = Read::new(run, SPECS) else { return 1 };
    if read.operands.is_empty() {
        run.complain_of_usage("missing file operand");
        return 1;
    }
    let set = match times(run, &read) {
        Ok(set) => set,
        Err(message) => {
            run.complain(&message);
            return 1;
        }
    };
    let mut status = 0;
    // `-` is standard output; neither that nor what is no file has times here.
    let is_file = |operand: &&String| !matches!(operand.as_str(), "-" | "/dev/null");
    for operand in read.operands.iter().filter(is_file) {
        if let Err(error) = touch(run, &read, operand, &set) {
            run.complain(&format!("cannot touch '{operand}': {}", reason(&error)));
            status = 1;
        }
    }
    status
}

/// Sets the times of a file; makes it if it is not there.
fn touch(run: &Run<'_>, read: &Read, operand: &str, set: &SetAttrs) -> Result<()> {
    let files = &run.ground.files;
    let path = match stat(run, read, operand) {
        Ok((path, _)) => path,
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Err(_) if read.has("no-create") => return Ok(()),
        // A link that is not there is not made, and a directory by `mkdir` alone.
        Err(error) if read.has("no-dereference") || operand.ends_with('/') => return Err(error),
        Err(_) => {
            let path = run.path(operand)?;
            files.prepare_scratch(&path)?;
            files.home.write(&path, b"", &files.mask.of_files())?;
            files.stat_followed(&path)?.0
        }
    };
    files.home.set_attrs(&path, set).map(drop)
}

/// Tells where a file is, and of it: of what a link leads to, unless links are meant themselves.
fn stat(run: &Run<'_>, read: &Read, operand: &str) -> Result<(Path, Stat)> {
    let path = run.path(operand)?;
    if read.has("no-dereference") {
        let stat = run.ground.files.home.stat(&path)?;
        return Ok((path, stat));
    }
    run.ground.files.stat_followed(&path)
}

/// Returns the times that are set.
fn times(run: &Run<'_>, read: &Read) -> Result<SetAttrs, String> {
    let now = SystemClock.now();
    let (mut accessed, mut modified, mut given) = (now, now, 0);
    let value = |wanted: &str| {
        let found = read.options.iter().rev().find(|option| option.0 == wanted);
        found.and_then(|option| option.1.as_deref())
    };
    if let Some(name) = value("reference") {
        let (_, stat) = stat(run, read, name)
            .map_err(|error| format!("failed to get attributes of '{name}': {}", reason(&error)))?;
        (accessed, modified, given) = (stat.accessed, stat.modified, 1);
    }
    if let Some(text) = value("date") {
        let zone = zone_of(run);
        // What is said is measured from the times of the other file, if there is one.
        let at = |from| moment::parse(text, from, &zone);
        let invalid = || format!("invalid date format {}", run.quoted(text));
        accessed = at(accessed).ok_or_else(invalid)?;
        modified = at(modified).ok_or_else(invalid)?;
    }
    if let Some(stamp) = value("t") {
        let at = stamped(run, stamp, now);
        let at = at.ok_or_else(|| format!("invalid date format {}", run.quoted(stamp)))?;
        (accessed, modified) = (at, at);
        given += 1 + usize::from(value("date").is_some());
    }
    if given > 1 {
        return Err("cannot specify times from more than one source".into());
    }
    let mut which = (read.has("a"), read.has("m"));
    for (_, word) in read.options.iter().filter(|option| option.0 == "time") {
        match word.as_deref().unwrap_or_default() {
            "access" | "atime" | "use" => which.0 = true,
            "modify" | "mtime" => which.1 = true,
            other => {
                return Err(format!("invalid argument {} for '--time'", run.quoted(other)));
            }
        }
    }
    let is_both = which.0 == which.1;
    Ok(SetAttrs {
        accessed: (is_both || which.0).then_some(accessed),
        modified: (is_both || which.1).then_some(modified),
        ..SetAttrs::default()
    })
}

/// Reads `[[CC]YY]MMDDhhmm[.ss]`, a local time.
fn stamped(run: &Run<'_>, stamp: &str, now: Timestamp) -> Option<Timestamp> {
    let (digits, seconds) = stamp.split_once('.').unwrap_or((stamp, "00"));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(digits) || !is_number(seconds) || seconds.len() != 2 {
        return None;
    }
    let zone = zone_of(run);
    let year = match digits.len() {
        8 => {
            jiff::Timestamp::from_nanosecond(i128::from(now.0)).ok()?.to_zoned(zone.clone()).year()
        }
        10 => {
            digits[..2].parse().map(|year: i16| year + if year < 69 { 2000 } else { 1900 }).ok()?
        }
        12 => digits[..4].parse().ok()?,
        _ => return None,
    };
    let two = |at: usize| digits[digits.len() - 8 + at..].get(..2)?.parse::<i8>().ok();
    let (month, day, hour, minute) = (two(0)?, two(2)?, two(4)?, two(6)?);
    let day = Date::new(year, month, day).ok()?;
    moment::parse(&format!("{day} {hour:02}:{minute:02}:{seconds}"), now, &zone)
}
