//! Mounts that sync, on two machines with one bucket, are killed while programs append: what was
//! acknowledged is there once, on both.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use homefs_testkit::{Fault, FaultKind, RemoteOperation, S3Exchange};

use crate::harness::is_extended;
use crate::random::Random;
use crate::sync::World;

/// Pairs of machines that are tried at once.
const AT_ONCE: usize = 4;
/// Deaths of each machine, after which new ones begin: a log that grows for ever would be all
/// that is tested.
const DEATHS: u64 = 40;
/// Most requests to the server before a death that comes at any moment.
const REQUESTS_MAX: u64 = 40;
/// Most lines that a machine appends in a life.
const LINES_MAX: u64 = 60;
/// Most pushes of a machine while the other is away; after some of them an index leads to HEAD.
const PUSHES_MAX: u64 = 12;
/// How long a program thinks between two lines, so that some are pushed meanwhile.
const PAUSE: Duration = Duration::from_millis(10);
/// The object that says what is newest.
const HEAD: &str = "p/agents/me/.homefs/HEAD";

/// Lines that were appended.
#[derive(Default)]
struct Written {
    acknowledged: Vec<String>,
    /// The mount died meanwhile, so they may be there or not.
    unsure: Vec<String>,
}

impl Written {
    /// Appends lines until the mount dies, or there are enough.
    fn add_until_death(&mut self, log: &Path, name: &str) {
        for number in 0..LINES_MAX {
            let line = format!("{name} line {number}");
            if append(log, &line).is_err() {
                return self.unsure.push(line);
            }
            self.acknowledged.push(line);
            std::thread::sleep(PAUSE);
        }
    }

    /// Checks that a log has each line as often as it should, and nothing else.
    fn check(&self, log: &str, seed: u64) {
        let count = |line: &String| log.matches(&format!("{line}\n")).count();
        for line in &self.acknowledged {
            assert_eq!(count(line), 1, "seed {seed}: {line:?}");
        }
        for line in &self.unsure {
            assert!(count(line) <= 1, "seed {seed}: {line:?}");
        }
        let known = self.acknowledged.iter().chain(&self.unsure);
        let known: BTreeSet<&str> = known.map(String::as_str).chain([""]).collect();
        for line in log.lines() {
            assert!(self.untorn(line).any(|line| known.contains(line)), "seed {seed}: {line:?}");
        }
    }

    /// Returns what a line may be, without a part that a death has left: the kernel cuts what
    /// programs write where a page ends, perhaps just before the end of a line.
    fn untorn<'l>(&self, line: &'l str) -> impl Iterator<Item = &'l str> {
        let parts = self.unsure.iter().flat_map(|torn| (1..=torn.len()).map(|end| &torn[..end]));
        [line].into_iter().chain(parts.filter_map(|part| line.strip_prefix(part)))
    }
}

#[test]
fn what_was_acknowledged_is_there_once_whichever_mount_is_killed() {
    let seeds = if is_extended() { 125 } else { 2 };
    let next = AtomicU64::new(0);
    // Whoever dies and starts again mostly waits.
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                let seeds_left =
                    || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < seeds);
                std::iter::from_fn(seeds_left).for_each(check);
            });
        }
    });
}

fn check(seed: u64) {
    let Some(mut world) = World::new(2) else { return };
    let mut random = Random::new(seed);
    let mut written = Written::default();
    for death in 0..DEATHS {
        die(&mut world, &mut random, death, &mut written);
        live_on(&mut world, &mut random, death, &mut written);
    }
    for at in [0, 1, 0] {
        world.machines[at].homefs(&["sync"]);
    }
    world.check_same();
    written.check(&world.machines[0].homefs(&["cat", "log.md"]), seed);
    for mounted in &world.machines {
        assert_eq!(mounted.homefs(&["ls", "/"]).trim(), "log.md", "seed {seed}");
        mounted.homefs(&["fsck"]);
    }
}

/// Lets both machines append, and kills both: at any moment, or when one has moved HEAD and has
/// not heard of it.
fn die(world: &mut World, random: &mut Random, death: u64, written: &mut Written) {
    let is_unheard = random.once_in(2);
    let requests = random.below(REQUESTS_MAX);
    world.server.clear_log();
    if is_unheard {
        let unheard = Fault::after(FaultKind::Timeout).on(RemoteOperation::Put);
        world.server.fail(unheard.below(HEAD));
    }
    let World { machines, server } = world;
    let logs: Vec<PathBuf> = machines.iter().map(|mounted| mounted.path("log.md")).collect();
    std::thread::scope(|scope| {
        let write = |(machine, log): (usize, PathBuf)| {
            scope.spawn(move || {
                let mut written = Written::default();
                written.add_until_death(&log, &format!("machine {machine} life {death}"));
                written
            })
        };
        let writers: Vec<_> = logs.into_iter().enumerate().map(write).collect();
        let is_time = |log: &[S3Exchange]| {
            if is_unheard {
                return log.iter().any(|exchange| exchange.status.is_none());
            }
            log.len() as u64 >= requests
        };
        let is_over = || writers.iter().all(ScopedJoinHandle::is_finished);
        while !is_over() && !server.wait_for(PAUSE, is_time) {}
        for mounted in machines.iter_mut() {
            mounted.kill();
        }
        for writer in writers {
            let Written { acknowledged, unsure } = writer.join().unwrap();
            written.acknowledged.extend(acknowledged);
            written.unsure.extend(unsure);
        }
    });
    server.heal();
}

/// Starts one machine again, which pushes some lines, and then the other.
fn live_on(world: &mut World, random: &mut Random, death: u64, written: &mut Written) {
    let first = usize::from(random.once_in(2));
    let machines = &mut world.machines;
    machines[first].start();
    let pushes = if random.once_in(4) { random.below(PUSHES_MAX) } else { 0 };
    for number in 0..pushes {
        let line = format!("machine {first} after {death} line {number}");
        append(&machines[first].path("log.md"), &line).unwrap();
        written.acknowledged.push(line);
        machines[first].homefs(&["sync"]);
    }
    machines[1 - first].start();
}

fn append(log: &Path, line: &str) -> io::Result<()> {
    let mut file = File::options().create(true).append(true).open(log)?;
    file.write_all(format!("{line}\n").as_bytes())
}
