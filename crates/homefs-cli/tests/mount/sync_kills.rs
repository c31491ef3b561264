//! Mounts that sync, on two machines with one bucket, are killed while programs append: what was
//! acknowledged is there once, on both.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::harness::{Mounted, is_extended};
use crate::random::Random;
use crate::sync::World;

/// Deaths of each machine, after which new ones begin: a log that grows for ever would be all
/// that is tested.
const DEATHS: u64 = 75;
/// Most lines that a machine appends before it dies.
const LINES_MAX: u64 = 40;
/// How long a program thinks between two lines; so slow that some are pushed meanwhile.
const PAUSE: Duration = Duration::from_millis(10);

/// Lines that a machine has appended.
#[derive(Default)]
struct Written {
    acknowledged: Vec<String>,
    /// The mount died meanwhile, so they may be there or not.
    unsure: Vec<String>,
}

#[test]
fn what_was_acknowledged_is_there_once_whichever_mount_is_killed() {
    let seeds = if is_extended() { 67 } else { 2 };
    for seed in 0..seeds {
        check(seed);
    }
}

fn check(seed: u64) {
    let Some(mut world) = World::new(2) else { return };
    let over = AtomicBool::new(false);
    let written: Vec<Written> = std::thread::scope(|scope| {
        // Whoever is killed is seldom alone on a machine.
        scope.spawn(|| while !over.load(Ordering::Relaxed) {});
        let live = |(number, mounted)| scope.spawn(move || live_and_die(mounted, number, seed));
        let machines: Vec<_> = world.machines.iter_mut().enumerate().map(live).collect();
        let written: Vec<_> = machines.into_iter().map(|machine| machine.join()).collect();
        over.store(true, Ordering::Relaxed);
        written.into_iter().map(|written| written.unwrap()).collect()
    });
    for at in [0, 1, 0] {
        world.machines[at].homefs(&["sync"]);
    }
    world.check_same();
    let log = world.machines[0].homefs(&["cat", "log.md"]);
    let count = |line: &str| log.lines().filter(|found| *found == line).count();
    let mut known = 0;
    for Written { acknowledged, unsure } in &written {
        for line in acknowledged {
            assert_eq!(count(line), 1, "seed {seed}: {line:?} in\n{log}");
        }
        for line in unsure {
            assert!(count(line) <= 1, "seed {seed}: {line:?} in\n{log}");
        }
        known += acknowledged.len() + unsure.iter().filter(|line| count(line) == 1).count();
    }
    // Nothing else: no part of a line, and no file beside it.
    assert_eq!(log.lines().filter(|line| !line.is_empty()).count(), known, "seed {seed}:\n{log}");
    for mounted in &world.machines {
        assert_eq!(mounted.homefs(&["ls", "/"]).trim(), "log.md", "seed {seed}");
        mounted.homefs(&["fsck"]);
    }
}

/// Appends a line after the other through a mount that dies again and again.
fn live_and_die(mounted: &mut Mounted, machine: usize, seed: u64) -> Written {
    let mut random = Random::new(2 * seed + machine as u64);
    let mut written = Written::default();
    for death in 0..DEATHS {
        let log = mounted.path("log.md");
        for number in 0..random.below(LINES_MAX) {
            let line = format!("machine {machine} death {death} line {number}");
            append(&log, &line).unwrap();
            written.acknowledged.push(line);
            std::thread::sleep(PAUSE);
        }
        // The last is written while the mount dies.
        let line = format!("machine {machine} death {death} last");
        let writer = std::thread::spawn({
            let line = line.clone();
            move || append(&log, &line)
        });
        mounted.kill();
        let lines = match writer.join().unwrap() {
            Ok(()) => &mut written.acknowledged,
            Err(_) => &mut written.unsure,
        };
        lines.push(line);
        mounted.start();
    }
    written
}

fn append(log: &Path, line: &str) -> io::Result<()> {
    let mut file = File::options().create(true).append(true).open(log)?;
    file.write_all(format!("{line}\n").as_bytes())
}
