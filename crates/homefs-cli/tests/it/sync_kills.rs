//! Processes that are killed while they write and sync, on two machines with one bucket: what was
//! acknowledged is there once, on both.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use homefs_testkit::S3Exchange;

use crate::harness::Home;
use crate::sync::{Bucket, follow, machine};

/// Appends of each machine in a round.
const APPENDS: u64 = 4;
/// Most requests of a round before an owner is killed.
const REQUESTS_MAX: u64 = 40;
/// How often it is looked whether a round has ended before an owner was killed.
const LOOK: Duration = Duration::from_millis(5);
/// Longest wait before a writer is killed, in looks at it: about as long as it lives.
const LOOKS_MAX: u64 = 20_000;

/// Lines that a machine has appended.
#[derive(Default)]
struct Written {
    acknowledged: Vec<String>,
    /// Their writers were killed, so they may be there or not.
    unsure: Vec<String>,
}

#[test]
fn what_was_acknowledged_is_there_once_whoever_is_killed() {
    let is_extended = std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1");
    let (seeds, rounds) = if is_extended { (40, 30) } else { (4, 15) };
    for seed in 0..seeds {
        check(seed, rounds);
    }
}

fn check(seed: u64, rounds: u64) {
    let bucket = Bucket::new();
    let machines = [machine(), machine()];
    machines[0].ok(&["write", "log.md", "first\n"]);
    bucket.add(&machines[0]);
    machines[0].ok(&["sync"]);
    bucket.clone_to(&machines[1]);
    let mut random = Random(seed);
    let mut written: [Written; 2] = Default::default();
    for round in 0..rounds {
        let mut owners = machines.each_ref().map(|home| Some(follow(home)));
        bucket.server.clear_log();
        let kills = [0, 1].map(|_| (random.below(REQUESTS_MAX), random.below(2)));
        let moments = [0, 1].map(|_| random.below(LOOKS_MAX));
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writers = [0, 1].map(|number| {
                let (home, moment) = (&machines[number], moments[number]);
                let name = format!("machine {number} round {round}");
                scope.spawn(move || append(home, &name, moment))
            });
            scope.spawn(|| {
                for (requests, number) in kills {
                    let is_time = |log: &[S3Exchange]| log.len() as u64 >= requests;
                    let is_over = || over.load(Ordering::Relaxed);
                    while !is_over() && !bucket.server.wait_for(LOOK, is_time) {}
                    // Killed, and not replaced: commands own the store for themselves then.
                    drop(owners[usize::from(number == 1)].take());
                }
            });
            for (written, writer) in written.iter_mut().zip(writers) {
                let Written { acknowledged, unsure } = writer.join().expect("commands end");
                written.acknowledged.extend(acknowledged);
                written.unsure.extend(unsure);
            }
            over.store(true, Ordering::Relaxed);
        });
    }
    for home in [&machines[0], &machines[1], &machines[0]] {
        home.ok(&["sync"]);
    }
    check_all(&machines, &written, seed);
}

/// Appends lines by one command each, of which the last is killed at some moment.
fn append(home: &Home, name: &str, moment: u64) -> Written {
    let mut written = Written::default();
    for number in 0..APPENDS {
        let line = format!("{name} line {number}");
        home.ok(&["append", "log.md", &line]);
        written.acknowledged.push(line);
    }
    let line = format!("{name} last");
    let mut writer = home.command().args(["append", "log.md", &line]).spawn().expect("it starts");
    for _ in 0..moment {
        if writer.try_wait().expect("it can be asked").is_some() {
            break;
        }
    }
    drop(writer.kill());
    let status = writer.wait().expect("it ends");
    let lines = if status.success() { &mut written.acknowledged } else { &mut written.unsure };
    lines.push(line);
    written
}

/// Checks that both machines have the same lines, and every line that they should.
fn check_all(machines: &[Home; 2], written: &[Written; 2], seed: u64) {
    let logs = machines.each_ref().map(|home| home.ok(&["cat", "log.md"]));
    assert_eq!(logs[0], logs[1], "seed {seed}");
    let count = |line: &str| logs[0].lines().filter(|found| *found == line).count();
    let mut known = 1;
    for Written { acknowledged, unsure } in written {
        for line in acknowledged {
            assert_eq!(count(line), 1, "seed {seed}: {line:?} in\n{}", logs[0]);
        }
        for line in unsure {
            assert!(count(line) <= 1, "seed {seed}: {line:?} in\n{}", logs[0]);
        }
        known += acknowledged.len() + unsure.iter().filter(|line| count(line) == 1).count();
    }
    // Nothing else: no part of a line, and no file beside it.
    assert_eq!(logs[0].lines().filter(|line| !line.is_empty()).count(), known, "{}", logs[0]);
    for home in machines {
        assert_eq!(home.ok(&["ls", "/"]).trim(), "log.md", "seed {seed}");
        home.ok(&["fsck"]);
    }
}

/// A sequence of numbers that its seed decides.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        // A step of SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 31)) % bound
    }
}
