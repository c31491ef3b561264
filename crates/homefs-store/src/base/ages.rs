//! The ages of versions: a note now and then of how long the space had lived at which version.

use std::time::Duration;

use homefs_core::{Timestamp, Version};
use rusqlite::{Connection, OptionalExtension as _};

use super::fault::Fault;
use super::lived::Lived;
use super::rows;

/// Notes are at least so far apart: a version is taken for that much younger than it may be.
const APART: Duration = Duration::from_hours(1);

/// Reads how long the space has lived.
pub(super) fn read(connection: &Connection) -> Result<Lived, Fault> {
    let mut statement = connection.prepare("SELECT time, at, doubt FROM lived")?;
    let mut found = statement.query([])?;
    let row = found.next()?.ok_or_else(|| Fault::Damaged("the base has no age".into()))?;
    let doubt: Option<Vec<u8>> = row.get(2)?;
    let doubt = doubt.map(|doubt| postcard::from_bytes(&doubt)).transpose();
    Ok(Lived {
        time: Duration::from_nanos(rows::number(row, 0)?),
        at: row.get::<_, Option<i64>>(1)?.map(Timestamp),
        doubt: doubt.map_err(|error| Fault::Damaged(format!("a doubt: {error}")))?,
    })
}

/// Writes how long the space has lived.
pub(super) fn write(connection: &Connection, lived: &Lived) -> Result<(), Fault> {
    let doubt = lived.doubt.map(|doubt| postcard::to_stdvec(&doubt)).transpose();
    let doubt = doubt.map_err(|error| Fault::Damaged(format!("a doubt: {error}")))?;
    connection.prepare_cached("UPDATE lived SET time = ?1, at = ?2, doubt = ?3")?.execute((
        nanos(lived.time),
        lived.at.map(|at| at.0),
        doubt,
    ))?;
    Ok(())
}

/// Notes that the space had a version when it had lived so long, and forgets what tells nothing
/// of ages up to `age_max`.
pub(super) fn mark(
    connection: &Connection,
    lived: Duration,
    version: Version,
    age_max: Duration,
) -> Result<(), Fault> {
    let mut last = connection
        .prepare_cached("SELECT lived, version FROM ages ORDER BY lived DESC LIMIT 1 OFFSET ?1")?;
    let mut last = |before: i64| {
        let numbers = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        last.query_row([before], numbers).optional()
    };
    let newest = last(0)?;
    if newest.is_some_and(|(_, newest)| newest >= version.0.cast_signed()) {
        return Ok(());
    }
    if let (Some((newest, _)), Some((older, _))) = (newest, last(1)?)
        && newest - older < nanos(APART)
    {
        connection.prepare_cached("DELETE FROM ages WHERE lived = ?1")?.execute([newest])?;
    }
    connection
        .prepare_cached("INSERT OR REPLACE INTO ages VALUES (?1, ?2)")?
        .execute((nanos(lived), version.0.cast_signed()))?;
    connection
        .prepare_cached(
            "DELETE FROM ages WHERE lived < (SELECT max(lived) FROM ages WHERE lived <= ?1)",
        )?
        .execute([nanos(lived.saturating_sub(age_max))])?;
    Ok(())
}

/// Forgets which versions the space had after it had lived so long, so that they count as younger.
pub(super) fn unmark(connection: &Connection, lived: Duration) -> Result<(), Fault> {
    connection.prepare_cached("DELETE FROM ages WHERE lived > ?1")?.execute([nanos(lived)])?;
    Ok(())
}

/// Returns a version that is so old, and all before it with it; 0 if none is.
pub(super) fn made_by(
    connection: &Connection,
    lived: Duration,
    age: Duration,
) -> Result<Version, Fault> {
    let Some(then) = lived.checked_sub(age) else { return Ok(Version(0)) };
    let mut statement = connection
        .prepare_cached("SELECT coalesce(max(version), 0) FROM ages WHERE lived <= ?1")?;
    let version: i64 = statement.query_row([nanos(then)], |row| row.get(0))?;
    Ok(Version(version.cast_unsigned()))
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}
