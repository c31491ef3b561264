//! Many machines, a remote that fails, and a seed that decides everything.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::Timestamp;
use homefs_testkit::{Fault, FaultKind, MemoryServer, RemoteOperation, VirtualClock};

use super::agree;
use super::desk::{Desk, at};
use crate::sync::format::keys;
use crate::{RenameMode, WriteOptions};

/// A source of numbers that a seed decides (`SplitMix64`).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    /// Returns a number below `sides`.
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }

    /// Returns one of several things.
    pub(super) fn pick<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        let at = self.roll(things.len() as u64);
        &things[usize::try_from(at).expect("an index fits")]
    }

    /// Returns a path in a small tree, so that machines meet.
    fn path(&mut self) -> String {
        let mut path = String::new();
        for _ in 0..=self.roll(2) {
            write!(path, "/{}", self.pick(&["a", "b", "c"])).expect("a string grows");
        }
        path
    }
}

/// Does something at random; whether it can be done does not matter.
pub(super) fn act(desk: &Desk, dice: &mut Dice, step: u64, words: &mut Vec<String>) {
    let view = &desk.view;
    let (path, other) = (at(&dice.path()), at(&dice.path()));
    let parents = WriteOptions { parents: true, ..WriteOptions::default() };
    match dice.roll(10) {
        0..=2 => {
            let text = format!("line {step}\nanother {}\n", dice.roll(5));
            view.write(&path, text.as_bytes(), &parents).ok();
        }
        3 | 4 => {
            // Notes are only added to: every word of them must be there in the end.
            let note = at(&format!("/notes-{}.md", dice.roll(3)));
            let word = format!("word-{step}");
            let line = format!("{word} at {step}\n");
            if view.append(&note, line.as_bytes(), &parents).is_ok() {
                words.push(word);
            }
        }
        5 => drop(view.rename(&path, &other, RenameMode::Replace)),
        6 => drop(view.remove(&path, true)),
        7 => drop(view.make_dir(&path, true)),
        8 => drop(view.link(&path, &other)),
        _ => drop(view.write(&path, format!("{step}").repeat(70_000).as_bytes(), &parents)),
    }
}

/// What may happen while a machine makes a round.
fn trouble(server: &MemoryServer, desk: &Desk, dice: &mut Dice) {
    let kind = *dice.pick(&[FaultKind::Reset, FaultKind::Status(503), FaultKind::Truncate]);
    let fault = if dice.roll(2) == 0 { Fault::before(kind) } else { Fault::after(kind) };
    let fault = fault.skip(dice.roll(4));
    server.fail(match dice.roll(3) {
        0 => fault.on(RemoteOperation::Get),
        1 => fault.on(RemoteOperation::Put),
        // As if the machine died there: nothing of this round reaches the server any more.
        _ => fault.of(desk.name()).until_healed(),
    });
}

fn simulate(seed: u64) {
    let mut dice = Dice(seed);
    let server = MemoryServer::new();
    let start = Timestamp(1_000_000_000_000_000);
    server.set_now(start);
    server.shuffle(seed);
    // Clocks are wrong by up to an hour.
    let clock = |dice: &mut Dice| {
        let skew = Duration::from_secs(dice.roll(3600));
        Arc::new(VirtualClock::new(Timestamp(start.0 + i64::try_from(skew.as_nanos()).unwrap())))
    };
    let mut desks: Vec<Desk> = (1..=2 + dice.roll(3))
        .map(|number| Desk::new(&server, number, &clock(&mut dice)))
        .collect();
    let mut words = Vec::new();
    for step in 0..30 {
        let at = usize::try_from(dice.roll(desks.len() as u64)).expect("an index fits");
        if dice.roll(3) > 0 {
            act(&desks[at], &mut dice, step, &mut words);
            continue;
        }
        if dice.roll(3) == 0 {
            trouble(&server, &desks[at], &mut dice);
        }
        // Whether it comes about or not, nothing may be lost.
        desks[at].round().ok();
        match dice.roll(12) {
            0 => {
                server.heal();
                desks[at].crash();
            }
            1 if desks.len() < 5 => {
                server.heal();
                let number = desks.len() as u64 + 1;
                desks.push(Desk::new(&server, number, &clock(&mut dice)));
            }
            _ => {}
        }
    }
    server.heal();
    agree(&desks);
    let all: Vec<u8> = desks[0].tree().into_values().flat_map(|seen| seen.content).collect();
    let all = String::from_utf8_lossy(&all);
    for word in words {
        let count = all.matches(&format!("{word} ")).count();
        assert_eq!(count, 1, "{word} is there {count} times");
    }
    let commits = server.objects().into_keys().filter_map(|key| keys::commit_of(&key));
    let head = desks[0].pair.head().expect("it is known").map_or(0, |head| head.commit.seq);
    let mut linear = commits.map(|commit| commit.seq).collect::<Vec<_>>();
    linear.sort_unstable();
    linear.dedup();
    assert!(linear.into_iter().eq(1..=head), "the history has gaps");
}

/// Tries every fourth seed; `HOMEFS_SEEDS=5000..6000` for others than the usual ones.
fn try_seeds(quarter: usize) {
    #[expect(clippy::disallowed_methods, reason = "a switch of the developer, not a setting")]
    let asked = std::env::var("HOMEFS_SEEDS").ok();
    let range = asked.and_then(|text| {
        let (first, end) = text.split_once("..")?;
        Some(first.parse().ok()?..end.parse().ok()?)
    });
    for seed in range.unwrap_or(0..1000).skip(quarter).step_by(4) {
        if let Err(panic) = std::panic::catch_unwind(|| simulate(seed)) {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(panic);
        }
    }
}

// Four tests, so that they run at the same time.

#[test]
fn machines_agree_and_lose_nothing_whatever_happens() {
    try_seeds(0);
}

#[test]
fn machines_agree_and_lose_nothing_whatever_happens_second() {
    try_seeds(1);
}

#[test]
fn machines_agree_and_lose_nothing_whatever_happens_third() {
    try_seeds(2);
}

#[test]
fn machines_agree_and_lose_nothing_whatever_happens_last() {
    try_seeds(3);
}
