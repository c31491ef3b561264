//! Random system calls on the mount and on a plain directory: every call has the same outcome, and
//! in the end the trees are the same.

mod step;
mod tree;
mod world;

use std::fs;
use std::path::PathBuf;

use crate::harness::{Mounted, is_extended};
use crate::random::Random;
use crate::special::SPECIAL;

use step::Step;
use world::World;

/// Steps of one sequence.
const STEPS: u64 = 500;

#[test]
fn random_calls_have_the_outcomes_of_a_plain_directory() {
    check(if is_extended() { 600 } else { 40 }, SPECIAL, false);
}

#[test]
fn what_random_calls_made_outlives_the_mount() {
    check(if is_extended() { 100 } else { 10 }, SPECIAL, true);
}

#[test]
fn random_calls_have_the_same_outcomes_where_nothing_is_special() {
    check(if is_extended() { 100 } else { 10 }, &[], false);
}

/// Makes a sequence of random calls for each seed.
fn check(seeds: u64, options: &[&'static str], killed: bool) {
    let Some(mut mounted) = Mounted::with(60 + seeds, options) else { return };
    let is_special = !options.is_empty();
    let mut pair = Pair { mounted: &mut mounted, killed, runs: 0 };
    for seed in 0..seeds {
        let mut random = Random::new(seed);
        let steps = (0..STEPS).map(|number| step::any(&mut random, number));
        let steps: Vec<Step> =
            steps.map(|step| if is_special { step } else { step.plain() }).collect();
        let difference = pair.differs(&steps).map(|_| shrink(&mut pair, steps));
        assert!(difference.is_none(), "seed {seed}\n{}", difference.unwrap_or_default());
    }
}

/// Takes steps away as long as what is left still differs; tells what is left, and how.
fn shrink(pair: &mut Pair<'_>, mut steps: Vec<Step>) -> String {
    let mut why = String::from("it did not differ again");
    let mut size = steps.len();
    while size > 0 {
        let mut start = 0;
        while start < steps.len() {
            let end = (start + size).min(steps.len());
            let fewer = [&steps[..start], &steps[end..]].concat();
            if let Some(found) = pair.differs(&fewer) {
                (steps, why) = (fewer, found);
            } else {
                start = end;
            }
        }
        size /= 2;
    }
    let steps: Vec<String> = steps.iter().map(|step| format!("  {step:?}")).collect();
    format!("{}\n{why}", steps.join("\n"))
}

/// The two places that are compared.
struct Pair<'a> {
    mounted: &'a mut Mounted,
    /// Whether the mount dies before the trees are compared.
    killed: bool,
    runs: usize,
}

impl Pair<'_> {
    /// Makes the steps in two new directories; tells how they differ.
    fn differs(&mut self, steps: &[Step]) -> Option<String> {
        self.runs += 1;
        let places = ["mount", "plain"].map(|place| {
            let dir = self.mounted.beside(place).join(self.runs.to_string());
            fs::create_dir(&dir).expect("make a directory");
            dir
        });
        let difference = perform(&places, steps).or_else(|| {
            if self.killed {
                self.mounted.kill();
                self.mounted.start();
            }
            compare_trees(&places)
        });
        for place in places {
            fs::remove_dir_all(place).expect("remove the directory");
        }
        difference
    }
}

/// Makes the steps in both places, one by one, until their outcomes differ.
fn perform(places: &[PathBuf; 2], steps: &[Step]) -> Option<String> {
    let [mut mount, mut plain] = places.each_ref().map(|place| World::new(place));
    steps.iter().find_map(|step| {
        let (found, expected) = (mount.perform(step), plain.perform(step));
        (found != expected)
            .then(|| format!("{step:?}\n   mount: {found:?}\n   plain: {expected:?}"))
    })
}

/// Tells where the trees differ.
fn compare_trees(places: &[PathBuf; 2]) -> Option<String> {
    let [found, expected] = places.each_ref().map(|place| tree::describe(place));
    let mut names = found.keys().chain(expected.keys());
    let name = names.find(|name| found.get(*name) != expected.get(*name))?;
    let (found, expected) = (found.get(name), expected.get(name));
    Some(format!("in the end, at {name:?}\n   mount: {found:?}\n   plain: {expected:?}"))
}
