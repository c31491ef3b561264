//! A full or failing disk: a clear error, nothing acknowledged is lost, and it works again later.
#![expect(clippy::disallowed_methods, reason = "a base is a host file")]

use std::sync::Arc;

use homefs_core::{ErrorKind, Path, Timestamp};
use homefs_testkit::{CrashDisk, VirtualClock};
use tempfile::TempDir;

use super::rig;
use crate::{Durability, Settings, Store, View, WriteOptions};

/// A store on a disk that can fail.
struct Place {
    host: TempDir,
    disk: CrashDisk,
    clock: Arc<VirtualClock>,
}

impl Place {
    fn new() -> Self {
        let host = TempDir::new().unwrap();
        std::fs::create_dir_all(host.path().join("spaces/agents/me")).unwrap();
        let clock = Arc::new(VirtualClock::new(Timestamp(1_000_000_000)));
        Self { host, disk: CrashDisk::new(), clock }
    }

    fn open(&self, seed: u64) -> (Store, View) {
        let settings = Settings { segment_bytes: 64 << 10, ..Settings::default() };
        rig::open(&self.host, &self.disk, &self.clock, &settings, seed).unwrap()
    }

    /// Leaves this many bytes of room on the disk.
    fn leave(&self, bytes: u64) {
        let (free, all) = self.disk.process().space_bytes(self.host.path()).unwrap();
        self.disk.set_capacity_bytes(all - free + bytes);
    }

    fn make_room(&self) {
        self.disk.set_capacity_bytes(u64::MAX);
    }
}

fn file(number: usize) -> Path {
    Path::parse(&format!("/{number}")).unwrap()
}

fn content(number: usize) -> Vec<u8> {
    format!("{number} ").repeat(2000).into_bytes()
}

fn write(view: &View, number: usize) -> homefs_core::Result<()> {
    view.write(&file(number), &content(number), &WriteOptions::default()).map(drop)
}

#[track_caller]
fn check(view: &View, count: usize) {
    for number in 0..count {
        assert!(view.read(&file(number)).unwrap() == content(number), "{number}");
    }
    assert_eq!(view.list(&Path::root(), None, 10_000).unwrap().items.len(), count);
}

#[test]
fn a_full_disk_in_the_journal_refuses_and_loses_nothing() {
    let place = Place::new();
    let (store, view) = place.open(1);
    write(&view, 0).unwrap();
    // Else what is folded would make room.
    rig::home(&store).base.set_full(true).unwrap();
    place.leave(200_000);
    let mut count = 1;
    let error = loop {
        match write(&view, count) {
            Ok(()) => count += 1,
            Err(error) => break error,
        }
        assert!(count < 1000, "the disk never was full");
    };
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error:?}");
    check(&view, count);
    // Still full after the process dies, still nothing lost.
    place.disk.crash_process();
    drop((store, view));
    let (store, view) = place.open(2);
    check(&view, count);
    place.make_room();
    write(&view, count).unwrap();
    check(&view, count + 1);
    store.close().unwrap();
    let (_store, view) = place.open(3);
    check(&view, count + 1);
}

#[test]
fn who_writes_faster_than_records_are_folded_waits_for_room() {
    let place = Place::new();
    let (store, view) = place.open(1);
    write(&view, 0).unwrap();
    // Room for a part of what is written, with what is kept to fold it.
    place.leave(600_000);
    (1..300).for_each(|number| write(&view, number).unwrap());
    check(&view, 300);
    store.close().unwrap();
    let (_store, view) = place.open(2);
    check(&view, 300);
}

#[test]
fn a_disk_without_room_for_a_spare_segment_does_not_keep_the_store_from_closing() {
    let place = Place::new();
    let (store, view) = place.open(1);
    write(&view, 0).unwrap();
    place.leave(0);
    store.close().unwrap();
    let (_store, view) = place.open(2);
    check(&view, 1);
}

#[test]
fn a_full_disk_in_the_chunks_refuses_and_loses_nothing() {
    let place = Place::new();
    let (store, view) = place.open(1);
    let big: Vec<u8> = (0..3_000_000u32).map(|at| (at % 253) as u8).collect();
    let path = Path::parse("/big").unwrap();
    view.write(&path, &big, &WriteOptions::default()).unwrap();
    view.barrier().unwrap();
    place.leave(1_500_000);
    let changed: Vec<u8> = big.iter().map(|byte| byte ^ 1).collect();
    let error = view.write(&path, &changed, &WriteOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error:?}");
    let error = view.append(&path, &changed, &WriteOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error:?}");
    assert!(view.read(&path).unwrap() == big);
    // A range write is acknowledged before it becomes chunks, so it must stay.
    view.write_at(&path, 10, b"range").unwrap();
    place.make_room();
    view.write(&Path::parse("/other").unwrap(), &changed, &WriteOptions::default()).unwrap();
    store.close().unwrap();
    let (store, view) = place.open(2);
    let mut expected = big;
    expected[10..15].copy_from_slice(b"range");
    assert!(view.read(&path).unwrap() == expected);
    assert_eq!(store.verify().unwrap(), []);
}

#[test]
fn a_full_disk_in_the_base_is_told_and_loses_nothing() {
    let place = Place::new();
    let (store, view) = place.open(1);
    write(&view, 0).unwrap();
    view.log(&file(0), None, 1).unwrap();
    rig::home(&store).base.set_full(true).unwrap();
    (1..50).for_each(|number| write(&view, number).unwrap());
    // What asks for the past needs the base; the present does not.
    let error = view.log(&file(0), None, 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error:?}");
    assert!(store.status().fold_failure.is_some());
    check(&view, 50);
    rig::home(&store).base.set_full(false).unwrap();
    assert_eq!(view.log(&file(49), None, 9).unwrap().len(), 1);
    store.close().unwrap();
    let (store, view) = place.open(2);
    check(&view, 50);
    assert_eq!(store.verify().unwrap(), []);
}

#[test]
fn a_base_that_stays_full_does_not_keep_the_store_from_closing() {
    let place = Place::new();
    let (store, view) = place.open(1);
    write(&view, 0).unwrap();
    view.log(&file(0), None, 1).unwrap();
    rig::home(&store).base.set_full(true).unwrap();
    (1..50).for_each(|number| write(&view, number).unwrap());
    // Closing is not about the fold: what it lacks is in the journal.
    store.close().unwrap();
    let (_store, view) = place.open(2);
    check(&view, 50);
}

#[test]
fn a_failed_sync_stops_changes_and_nothing_else() {
    let place = Place::new();
    let (store, view) = place.open(1);
    write(&view, 0).unwrap();
    place.disk.fail_all_syncs(true);
    write(&view, 1).unwrap();
    assert_eq!(view.barrier().unwrap_err().kind(), ErrorKind::Closed);
    // Asking again must not claim success, even where the disk does by now.
    place.disk.fail_all_syncs(false);
    assert_eq!(view.barrier().unwrap_err().kind(), ErrorKind::Closed);
    let durable = WriteOptions { durability: Durability::Journal, ..WriteOptions::default() };
    for answer in [
        view.write(&file(2), b"x", &WriteOptions::default()),
        view.write(&file(2), b"x", &durable),
        view.append(&file(0), b"x", &WriteOptions::default()),
        view.write_at(&file(0), 0, b"x"),
        view.remove(&file(0), false),
    ] {
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::Closed);
    }
    check(&view, 2);
    assert!(store.status().poisoned.is_some());
    drop((store, view));
    let (_store, view) = place.open(2);
    check(&view, 2);
    write(&view, 2).unwrap();
    view.barrier().unwrap();
    check(&view, 3);
}
