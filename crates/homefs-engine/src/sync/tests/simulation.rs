//! Many machines, a remote that fails, and a seed that decides everything.

use std::fmt::Write as _;

use homefs_testkit::{Fault, FaultKind, RemoteOperation};

use super::desk::{Desk, at};
use super::{agree, desks};
use crate::{RenameMode, WriteOptions};

/// A source of numbers that a seed decides (`SplitMix64`).
struct Dice(u64);

impl Dice {
    /// Returns a number below `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }

    /// Returns one of several things.
    fn pick<'t, T>(&mut self, things: &'t [T]) -> &'t T {
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
fn act(desk: &Desk, dice: &mut Dice, step: u64, words: &mut Vec<String>) {
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

fn simulate(seed: u64) {
    let mut dice = Dice(seed);
    let (server, desks) = desks(2 + dice.roll(3));
    server.shuffle(seed);
    let mut words = Vec::new();
    for step in 0..30 {
        let desk = dice.pick(&desks);
        if dice.roll(3) > 0 {
            act(desk, &mut dice, step, &mut words);
            continue;
        }
        if dice.roll(3) == 0 {
            let kind = *dice.pick(&[FaultKind::Reset, FaultKind::Status(503)]);
            let fault = if dice.roll(2) == 0 { Fault::before(kind) } else { Fault::after(kind) };
            let fault = fault.skip(dice.roll(3));
            let on = *dice.pick(&[RemoteOperation::Get, RemoteOperation::Put]);
            server.fail(fault.on(on));
        }
        // Whether it comes about or not, nothing may be lost.
        desk.round().ok();
    }
    server.heal();
    agree(&desks);
    let all: Vec<u8> = desks[0].tree().into_values().flat_map(|seen| seen.content).collect();
    let all = String::from_utf8_lossy(&all);
    for word in words {
        let count = all.matches(&format!("{word} ")).count();
        assert_eq!(count, 1, "{word} is there {count} times");
    }
}

#[test]
fn machines_agree_and_lose_nothing_whatever_happens() {
    for seed in 0..1000 {
        if let Err(panic) = std::panic::catch_unwind(|| simulate(seed)) {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(panic);
        }
    }
}
