//! Tests of the journal on a disk that crashes, fails and fills up.

mod bounds;
mod crash;
mod damage;
mod golden;
mod use_cases;

use std::path::Path as HostPath;
use std::thread;
use std::time::Duration;

use homefs_core::Result;
use homefs_testkit::CrashDisk;

use super::format::Mark;
use super::{Effect, Journal, JournalSettings, Position};

/// Where the journal under test is.
const DIR: &str = "/journal";

/// Small segments, and no sync that no barrier asks for.
fn settings() -> JournalSettings {
    JournalSettings {
        segment_bytes: 8192,
        flush_interval: Duration::from_hours(1),
        bytes_max: 1 << 20,
        wait_max: Duration::from_secs(10),
        ..JournalSettings::default()
    }
}

fn open(disk: &CrashDisk) -> Result<Journal> {
    open_with(disk, settings())
}

fn open_with(disk: &CrashDisk, settings: JournalSettings) -> Result<Journal> {
    Journal::open(HostPath::new(DIR), disk.process(), settings, Box::new(|| Ok(())))
}

/// The payload of the `number`th record: of any length up to 400 bytes, always the same.
fn payload(number: usize) -> Vec<u8> {
    let length = 1 + number * 97 % 400;
    (0..length).map(|at| u8::try_from((number * 31 + at) % 251).unwrap()).collect()
}

fn append(journal: &Journal, payload: &[u8]) -> Result<Position> {
    journal.append(Effect::Keeps, |buffer| {
        buffer.extend_from_slice(payload);
        Ok(())
    })
}

/// Every record after `from`, with its end.
fn read_from(journal: &Journal, from: Position) -> Result<Vec<(Position, Vec<u8>)>> {
    let mut records = Vec::new();
    journal.read_from(from, &mut |end, payload| {
        records.push((end, payload.to_vec()));
        Ok(true)
    })?;
    Ok(records)
}

fn payloads(journal: &Journal) -> Vec<Vec<u8>> {
    let records = read_from(journal, journal.first()).expect("the journal reads");
    records.into_iter().map(|(_, payload)| payload).collect()
}

/// The highest sync mark on the disk.
fn mark(disk: &CrashDisk) -> Mark {
    let pages = disk.files().into_values().map(|mut bytes| {
        bytes.resize(4096, 0);
        Mark::decode(&bytes)
    });
    pages.fold(Mark::default(), Mark::max)
}

/// Waits until the mark of a barrier that has returned is written.
fn wait_for_mark(disk: &CrashDisk, synced: Position) {
    while mark(disk).synced < synced {
        thread::yield_now();
    }
}
