//! What the journal does when a bound is reached or the disk fails.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use homefs_core::{Error, ErrorKind};
use homefs_testkit::CrashDisk;

use super::*;

#[test]
fn a_failed_sync_ends_all_appending() {
    let disk = CrashDisk::new();
    let journal = open(&disk).unwrap();
    let durable = append(&journal, b"durable").unwrap();
    journal.barrier(durable).unwrap();
    let end = append(&journal, b"lost").unwrap();
    disk.fail_all_syncs(true);
    assert_eq!(journal.barrier(end).unwrap_err().kind(), ErrorKind::Closed);
    // The disk is well again, but what the failed sync dropped is gone.
    disk.fail_all_syncs(false);
    let error = journal.barrier(end).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert!(std::error::Error::source(&error).is_some(), "the cause is named");
    assert_eq!(append(&journal, b"more").unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(journal.synced(), durable);
    assert!(journal.poisoned().is_some() && journal.close().is_err());
}

#[test]
fn what_records_name_is_synced_before_them() {
    let disk = CrashDisk::new();
    let fails = Box::new(|| Err(io::Error::other("a chunk is not durable")));
    let journal = Journal::open(HostPath::new(DIR), disk.process(), settings(), fails).unwrap();
    let end = append(&journal, b"a").unwrap();
    assert_eq!(journal.barrier(end).unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(mark(&disk).synced, Position(0));
}

#[test]
fn a_full_disk_refuses_until_there_is_room() {
    let disk = CrashDisk::new();
    disk.set_capacity_bytes(3 * 8192);
    let journal = open(&disk).unwrap();
    let mut kept = 0;
    let error = loop {
        match append(&journal, &payload(kept)) {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert_eq!(append(&journal, &[0; 400]).unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert!(journal.poisoned().is_none());
    disk.set_capacity_bytes(u64::MAX);
    append(&journal, &payload(kept)).unwrap();
    journal.barrier(journal.end()).unwrap();
    disk.crash_power(3);
    assert_eq!(payloads(&open(&disk).unwrap()), (0..=kept).map(payload).collect::<Vec<_>>());
}

#[test]
fn a_record_can_be_too_long() {
    let journal = open(&CrashDisk::new()).unwrap();
    let too_long = journal.append(Effect::Keeps, |buffer| {
        buffer.resize((1 << 30) + 1, 0);
        Ok(())
    });
    assert_eq!(too_long.unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn a_writer_waits_for_a_release_but_not_for_ever() {
    let impatient = JournalSettings { bytes_max: 10_000, wait_max: Duration::ZERO, ..settings() };
    let disk = CrashDisk::new();
    let journal = open(&disk).unwrap();
    while journal.end() <= Position(10_000) {
        append(&journal, &[7; 400]).unwrap();
    }
    drop(journal);
    let journal = open_with(&disk, impatient).unwrap();
    assert!(journal.is_crowded() && journal.is_full());
    assert_eq!(journal.admit().unwrap_err().kind(), ErrorKind::Unavailable);
    drop(journal);

    let patient = JournalSettings { wait_max: Duration::from_mins(1), ..impatient };
    let journal = Arc::new(open_with(&disk, patient).unwrap());
    let waiting = thread::spawn({
        let journal = journal.clone();
        move || journal.admit().and_then(|()| append(&journal, b"x")).unwrap()
    });
    journal.roll().unwrap();
    journal.release(journal.end()).unwrap();
    assert!(waiting.join().unwrap() > Position(10_000));
    assert!(!journal.is_crowded());
}

#[test]
fn whichever_call_fails_no_acknowledged_record_is_lost() {
    for maps in [true, false] {
        let calls = run_with_failure(u64::MAX, maps);
        // Calls of the background threads shift from run to run, hence a few more.
        for nth in 1..=calls + 8 {
            run_with_failure(nth, maps);
        }
    }
}

/// Appends, syncs and releases while the `nth` call fails, crashes and checks what is left;
/// returns how many calls were made.
fn run_with_failure(nth: u64, maps: bool) -> u64 {
    let disk = CrashDisk::new();
    disk.set_maps(maps);
    if nth < u64::MAX {
        disk.fail_call(nth, io::ErrorKind::Other);
    }
    let mut acknowledged = Vec::new();
    let mut durable = Position(0);
    for round in 0..2 {
        let Ok(journal) = open(&disk) else { continue };
        for number in round * 40..(round + 1) * 40 {
            if let Ok(end) = append(&journal, &payload(number)) {
                acknowledged.push((end, payload(number)));
                if number % 10 == 9 && journal.barrier(end).is_ok() {
                    durable = end;
                }
                if number % 25 == 24 {
                    // A failed release shows in what follows.
                    journal.release(end).ok();
                }
            }
        }
        journal.close().ok();
    }
    let calls = disk.calls();
    disk.fail_call(u64::MAX / 2, io::ErrorKind::Other);
    for power in [false, true] {
        if power {
            disk.crash_power(nth);
        } else {
            disk.crash_process();
        }
        let journal = open(&disk).unwrap_or_else(|error| panic!("call {nth}: {error:?}"));
        let (first, end) = (journal.first(), journal.end());
        let expected: Vec<_> = acknowledged.iter().filter(|(at, _)| *at > first).collect();
        let found = read_from(&journal, first).unwrap();
        assert!(found.iter().zip(&expected).all(|(a, b)| a == *b), "call {nth}");
        assert!(power || found.len() >= expected.len(), "call {nth}");
        assert!(end >= durable, "call {nth}");
        // Nothing of the second look may hide behind the first open's syncs.
        std::mem::forget(journal);
    }
    calls
}

#[test]
fn a_reserve_is_for_what_frees_room() {
    let disk = CrashDisk::new();
    disk.set_capacity_bytes(100_000);
    let settings = JournalSettings { reserve_bytes: 20_000, ..settings() };
    let journal = open_with(&disk, settings).unwrap();
    let free = |payload: &[u8]| {
        journal.append(Effect::Frees, |buffer| {
            buffer.extend_from_slice(payload);
            Ok(())
        })
    };
    let mut kept = 0;
    let error = loop {
        match append(&journal, &payload(kept)) {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    // Others take what is left, but not what is kept for each byte to be folded.
    let used: u64 = 100_000 - disk.process().space_bytes(HostPath::new(DIR)).unwrap().0;
    disk.set_capacity_bytes(used);
    assert!(used >= 20_000 + 2 * journal.end().0, "{used}, {:?}", journal.end());
    let freed = (0..).take_while(|_| free(&[7; 400]).is_ok()).take(200).count();
    assert!(freed > 20 && journal.is_out_of_room(), "{freed}");
    assert_eq!(append(&journal, b"a").unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert_eq!(append(&journal, b"a").unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert_eq!(payloads(&journal).len(), kept + freed);
    disk.set_capacity_bytes(u64::MAX);
    append(&journal, b"a").unwrap();
    assert!(!journal.is_out_of_room());
    journal.close().unwrap();
    drop(journal);
    assert_eq!(payloads(&open_with(&disk, settings).unwrap()).len(), kept + freed + 1);
}

#[test]
fn what_uses_the_reserve_has_it_until_it_is_done() {
    let disk = CrashDisk::new();
    disk.set_capacity_bytes(100_000);
    let settings = JournalSettings { reserve_bytes: 50_000, ..settings() };
    let journal = open_with(&disk, settings).unwrap();
    append(&journal, b"a").unwrap();
    let free = || disk.process().space_bytes(HostPath::new(DIR)).unwrap().0;
    let before = free();
    let work = || {
        // Whoever keeps room does so all the time.
        journal.keep_reserve();
        Ok(free())
    };
    let done = journal.with_reserve(|| match work() {
        Ok(free) if free < before + 50_000 => Err(Error::new(ErrorKind::LimitExceeded, "no room")),
        done => done,
    });
    assert!(done.unwrap() >= before + 50_000);
    assert!(journal.keep_reserve());
    assert!(free() < before + 50_000, "it is kept again");
}
