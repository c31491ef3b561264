//! What the journal does when nothing goes wrong.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak, mpsc};
use std::thread;
use std::time::Duration;

use homefs_core::ErrorKind;
use homefs_testkit::CrashDisk;

use super::*;

#[test]
fn records_are_read_back_in_order_across_segments_and_opens() {
    for maps in [true, false] {
        let disk = CrashDisk::new();
        disk.set_maps(maps);
        let mut ends = Vec::new();
        for round in 0..3 {
            let journal = open(&disk).unwrap();
            assert_eq!(journal.end(), ends.last().copied().unwrap_or_default());
            for number in round * 40..(round + 1) * 40 {
                ends.push(append(&journal, &payload(number)).unwrap());
            }
            let expected: Vec<_> = (0..ends.len()).map(|n| (ends[n], payload(n))).collect();
            assert_eq!(read_from(&journal, Position(0)).unwrap(), expected);
            for from in [0, 7, 39, ends.len() - 1] {
                assert_eq!(read_from(&journal, ends[from]).unwrap(), expected[from + 1..]);
            }
            journal.close().unwrap();
            assert_eq!(journal.synced(), journal.end());
            assert_eq!(append(&journal, b"x").unwrap_err().kind(), ErrorKind::Closed);
        }
        assert!(disk.files().len() > 3, "the records fill several segments");
    }
}

#[test]
fn a_visitor_ends_the_reading() {
    let journal = open(&CrashDisk::new()).unwrap();
    for number in 0..10 {
        append(&journal, &payload(number)).unwrap();
    }
    let mut seen = 0;
    let stop_at_three = &mut |_, _: &[u8]| {
        seen += 1;
        Ok(seen < 3)
    };
    journal.read_from(Position(0), stop_at_three).unwrap();
    assert_eq!(seen, 3);
}

#[test]
fn a_failed_fill_appends_nothing() {
    let journal = open(&CrashDisk::new()).unwrap();
    let failed = journal.append(Effect::Keeps, |buffer| {
        buffer.push(1);
        Err(homefs_core::Error::new(ErrorKind::Invalid, "no"))
    });
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(append(&journal, b"").unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(journal.end(), Position(0));
    append(&journal, b"a").unwrap();
    assert_eq!(payloads(&journal), [b"a".to_vec()]);
}

#[test]
fn a_record_longer_than_a_segment_gets_its_own() {
    let disk = CrashDisk::new();
    let expected = [vec![1; 100], vec![2; 50_000], vec![3; 100]];
    let journal = open(&disk).unwrap();
    for payload in &expected {
        append(&journal, payload).unwrap();
    }
    assert_eq!(payloads(&journal), expected);
    drop(journal);
    assert_eq!(payloads(&open(&disk).unwrap()), expected);
}

#[test]
fn released_segments_are_used_again_and_never_read_as_new() {
    let disk = CrashDisk::new();
    let journal = open(&disk).unwrap();
    for number in 0..400 {
        let end = append(&journal, &payload(number)).unwrap();
        if number % 20 == 19 {
            journal.release(end).unwrap();
            assert!(journal.first() <= end);
            assert!(disk.files().len() <= 5, "released files do not pile up");
        }
    }
    assert_eq!(read_from(&journal, Position(0)).unwrap_err().kind(), ErrorKind::NotFound);
    let (first, expected) = (journal.first(), payloads(&journal));
    assert!(first > Position(0) && expected.last() == Some(&payload(399)));
    disk.crash_process();
    let journal = open(&disk).unwrap();
    assert_eq!((journal.first(), payloads(&journal)), (first, expected));
}

#[test]
fn after_a_roll_everything_before_can_be_released() {
    let disk = CrashDisk::new();
    let journal = open(&disk).unwrap();
    journal.roll().unwrap();
    let end = append(&journal, b"old").unwrap();
    journal.release(end).unwrap();
    assert_eq!(journal.first(), Position(0), "the newest segment stays");
    journal.roll().unwrap();
    journal.roll().unwrap();
    journal.release(end).unwrap();
    assert_eq!(journal.first(), end);
    append(&journal, b"new").unwrap();
    disk.crash_power(1);
    let journal = open(&disk).unwrap();
    assert_eq!(journal.first(), end);
    assert!(payloads(&journal).len() <= 1);
}

#[test]
fn a_scrubbed_record_is_on_no_file() {
    let disk = CrashDisk::new();
    let journal = open(&disk).unwrap();
    let secret = b"a secret to be erased".as_slice();
    let lingers = || disk.files().values().any(|f| f.windows(secret.len()).any(|w| w == secret));
    for _ in 0..40 {
        append(&journal, &[secret, &[0; 380]].concat()).unwrap();
    }
    journal.release(journal.end()).unwrap();
    assert!(lingers());
    journal.scrub().unwrap();
    journal.release(journal.end()).unwrap();
    assert!(!lingers());
    append(&journal, b"after").unwrap();
    assert_eq!(payloads(&journal), [b"after".to_vec()]);
}

#[test]
fn a_segment_that_is_started_while_others_are_released_does_not_hide_that() {
    let (disk, later) = (CrashDisk::new(), Arc::new(OnceLock::<Weak<Journal>>::new()));
    let (asked, is_asked) = (Arc::clone(&later), AtomicBool::new(false));
    let scrub = Box::new(move || {
        // Where the newest segment is empty, the next one begins where it does.
        if let Some(journal) = asked.get().and_then(Weak::upgrade)
            && !is_asked.swap(true, Ordering::Relaxed)
        {
            journal.scrub().unwrap();
        }
        Ok(())
    });
    let journal = Journal::open(HostPath::new(DIR), disk.process(), settings(), scrub).unwrap();
    let journal = Arc::new(journal);
    let secret = b"a secret to be erased".as_slice();
    let end = append(&journal, secret).unwrap();
    journal.barrier(end).unwrap();
    journal.roll().unwrap();
    later.set(Arc::downgrade(&journal)).unwrap();
    journal.release(end).unwrap();
    assert!(!disk.files().values().any(|f| f.windows(secret.len()).any(|w| w == secret)));
    drop(journal);
    disk.crash_power(3);
    let journal = open(&disk).unwrap();
    assert_eq!((journal.first(), journal.end()), (end, end));
}

/// Who waits for a release looks only when it is told, and an empty segment that is started until
/// then is one more to release.
#[test]
fn a_release_ends_also_if_segments_are_started_all_the_time() {
    let disk = CrashDisk::new();
    let journal = Arc::new(open(&disk).unwrap());
    let over = Arc::new(AtomicBool::new(false));
    let (scrubbing, is_over) = (journal.clone(), over.clone());
    let scrubber = thread::spawn(move || {
        while !is_over.load(Ordering::Relaxed) {
            scrubbing.scrub().unwrap();
        }
    });
    let (told, hears) = mpsc::channel();
    let releaser = thread::spawn(move || {
        for number in 0..200 {
            let end = append(&journal, &payload(number)).unwrap();
            journal.barrier(end).unwrap();
            journal.release(end).unwrap();
            told.send(()).unwrap();
        }
    });
    let ended = loop {
        if let Err(ended) = hears.recv_timeout(Duration::from_mins(1)) {
            break ended;
        }
    };
    over.store(true, Ordering::Relaxed);
    assert_eq!(ended, mpsc::RecvTimeoutError::Disconnected, "a release hangs");
    releaser.join().unwrap();
    scrubber.join().unwrap();
}

#[test]
fn many_appenders_share_syncs() {
    let disk = CrashDisk::new();
    let journal = Arc::new(open_with(&disk, JournalSettings::default()).unwrap());
    let threads: Vec<_> = (0..8_usize)
        .map(|thread| {
            let journal = journal.clone();
            thread::spawn(move || {
                for number in 0..100 {
                    let end = append(&journal, &payload(thread * 100 + number)).unwrap();
                    journal.barrier(end).unwrap();
                    assert!(journal.synced() >= end);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let mut found = payloads(&journal);
    let mut expected: Vec<_> = (0..800).map(payload).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    disk.crash_power(0);
    assert_eq!(payloads(&open(&disk).unwrap()).len(), 800);
}

#[test]
fn a_reader_follows_appenders_without_stopping_them() {
    let disk = CrashDisk::new();
    let journal = Arc::new(open(&disk).unwrap());
    let writer = thread::spawn({
        let journal = journal.clone();
        move || {
            for number in 0..500 {
                append(&journal, &payload(number)).unwrap();
            }
        }
    });
    let (mut seen, mut count) = (Position(0), 0);
    while count < 500 {
        assert!(journal.wait_beyond(seen, Duration::from_secs(10)));
        for (end, found) in read_from(&journal, seen).unwrap() {
            assert_eq!(found, payload(count));
            (seen, count) = (end, count + 1);
        }
    }
    writer.join().unwrap();
    assert!(!journal.wait_beyond(seen, Duration::ZERO));
}

#[test]
fn a_follower_that_waits_is_woken() {
    let journal = Arc::new(open(&CrashDisk::new()).unwrap());
    let follower = thread::spawn({
        let journal = journal.clone();
        move || journal.wait_beyond(Position(0), Duration::from_mins(10))
    });
    while !follower.is_finished() {
        journal.wake();
        thread::yield_now();
    }
    assert!(!follower.join().unwrap());
}
