//! Crashes at random moments, many times over, with the same records written again after each.

use std::io;

use homefs_testkit::CrashDisk;

use super::*;

#[test]
fn after_a_power_loss_a_prefix_is_left_no_older_than_the_last_barrier() {
    for seed in 0..300 {
        run(seed, true);
    }
}

#[test]
fn after_a_killed_process_every_acknowledged_record_is_left() {
    for seed in 0..100 {
        run(seed, false);
    }
}

#[test]
fn a_release_that_is_not_durable_yet_does_not_cost_a_segment() {
    // The call that fails leaves the release half done; then the process dies, then the power.
    for (nth, seed) in (1..=5).flat_map(|nth| (0..16).map(move |seed| (nth, seed))) {
        let disk = CrashDisk::new();
        let journal = open(&disk).unwrap();
        for _ in 0..2 {
            let end = append(&journal, &payload(300)).unwrap();
            journal.roll().unwrap();
            journal.barrier(end).unwrap();
            wait_for_mark(&disk, end);
        }
        disk.fail_call(nth, io::ErrorKind::Other);
        journal.release(journal.end()).ok();
        disk.crash_process();
        drop(open(&disk).map(std::mem::forget));
        disk.crash_power(seed);
        let opened = open(&disk);
        assert!(opened.is_ok(), "call {nth} seed {seed}: {:?}", opened.err());
    }
}

/// Appends, syncs, releases and crashes as `seed` says, by killed processes only or also by power
/// losses. The records after a crash equal the lost
/// ones, so that bytes left over from before would be taken for new ones if anything let them.
fn run(seed: u64, power: bool) {
    let disk = CrashDisk::new();
    disk.set_maps(seed.is_multiple_of(2));
    let mut random = seed;
    let mut next = |bound: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % bound
    };
    // The end of every record, by its number.
    let mut ends: Vec<Position> = Vec::new();
    let (mut durable, mut released) = (0, Position(0));
    let mut complete = true;
    for _ in 0..8 {
        let journal = open(&disk).unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        assert!(journal.first() <= released, "seed {seed}");
        let found = read_from(&journal, journal.first()).unwrap();
        let before = ends.partition_point(|&end| end <= journal.first());
        let kept = before + found.len();
        assert!(kept >= durable && kept <= ends.len(), "seed {seed}: {kept} of {durable}");
        assert!(!complete || kept == ends.len(), "seed {seed}");
        for (index, (end, found)) in found.into_iter().enumerate() {
            assert_eq!(
                (end, found),
                (ends[before + index], payload(before + index)),
                "seed {seed}"
            );
        }
        ends.truncate(kept);
        for _ in 0..next(60) {
            ends.push(append(&journal, &payload(ends.len())).unwrap());
            match next(20) {
                0 | 1 => {
                    journal.barrier(*ends.last().unwrap()).unwrap();
                    durable = ends.len();
                }
                2 => {
                    let up_to = ends[usize::try_from(next(ends.len() as u64)).unwrap()];
                    journal.release(up_to).unwrap();
                    released = released.max(up_to);
                }
                3 => journal.roll().unwrap(),
                _ => {}
            }
        }
        complete = !power || next(3) == 0;
        if complete {
            disk.crash_process();
        } else {
            disk.crash_power(next(u64::MAX));
        }
    }
}
