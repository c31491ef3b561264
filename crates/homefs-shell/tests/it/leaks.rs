//! Whatever an agent asks, the answer does not depend on what it may not read.
//!
//! Two stores that differ only in what is hidden from an agent give it the same answers, byte for
//! byte. Ids of nodes are drawn at random, so they are compared by what they name; that they tell
//! nothing else is tested where they are drawn. Two stores that do not differ show that nothing but
//! ids does.

mod questions;
mod world;

use std::collections::BTreeMap;

use homefs_core::Path;

use self::questions::Question;
use self::world::{Dice, World};
use crate::hostile::is_extended;

/// Replaces the ids that eve sees, and the inode numbers that follow from them, by what they name.
fn plain(world: &World, answer: &str) -> String {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let seen = world.eve.walk(&Path::root(), None, 1000).expect("eve may").items;
    let trashed = world.eve.trash(None, 1000).expect("eve may").items;
    let seen = seen.into_iter().map(|found| (found.stat.node, found.path));
    let gone = trashed.into_iter().map(|gone| (gone.node, gone.path));
    for (node, path) in seen.chain(gone).filter(|(node, _)| node.0 >> 64 != 0) {
        names.entry(node.to_string()).or_insert_with(|| format!("<id of {path}>"));
        let inode = node.0 & (u128::MAX >> 65);
        names.entry(inode.to_string()).or_insert_with(|| format!("<inode of {path}>"));
    }
    let dir = world.dir.path().display().to_string();
    let mut plain = answer.replace(&dir, "<store>");
    for (id, name) in &names {
        plain = plain.replace(id, name);
    }
    // Columns are as wide as the longest number.
    let line = |line: &str| {
        line.split(' ').filter(|word| !word.is_empty()).map(masked).collect::<Vec<_>>().join(" ")
    };
    plain.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a word without the digits of a handle, which follow from an id that was drawn.
fn masked(word: &str) -> String {
    match word.split_once('^') {
        Some((before, rest)) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            format!("{before}^{}{}", "0".repeat(digits), &rest[digits..])
        }
        None => word.to_owned(),
    }
}

/// Asks questions of two stores; tells of the first answers that differ.
fn difference(seen: u64, hidden: (u64, u64), count: usize) -> Result<(), String> {
    let mut worlds = [World::new(seen, hidden.0), World::new(seen, hidden.1)];
    let mut paths: Vec<String> = worlds.iter().flat_map(World::hidden_paths).collect();
    paths.sort();
    paths.dedup();
    let mut dice = Dice::new(seen ^ 0xface);
    assert_eq!(worlds[0].version(), worlds[1].version(), "as many changes in both");
    for number in 0..count {
        if number == count / 2 {
            for world in &mut worlds {
                // What is hidden goes on while she asks.
                let mut same = Dice::new(seen ^ 0xbeef);
                world.hide(&mut same);
                world.hide_elsewhere().expect("others may");
            }
        }
        if number == count - 5 {
            for world in &worlds {
                world.fill().expect("an operator may");
            }
        }
        let question = Question::draw(&mut dice, &paths);
        compare(&worlds, &question)
            .map_err(|told| format!("seen {seen}, hidden {hidden:?}, question {number}: {told}"))?;
    }
    Ok(())
}

fn compare(worlds: &[World; 2], question: &Question) -> Result<(), String> {
    let [one, other] = [&worlds[0], &worlds[1]].map(|world| {
        let answer = question.ask(world);
        plain(world, &answer)
    });
    if one == other {
        return Ok(());
    }
    let line = one.lines().zip(other.lines()).find(|(one, other)| one != other);
    let lines = (one.lines().count(), other.lines().count());
    Err(format!("{question:?}\n{lines:?} lines, the first that differ: {line:#?}"))
}

fn seeds(usual: u64) -> std::ops::Range<u64> {
    0..if is_extended() { 40 * usual } else { usual }
}

#[test]
fn what_is_hidden_changes_no_answer() {
    let look = |seed| difference(seed, (2 * seed, 2 * seed + 1), 60).err();
    // Told at once: an extended run is long.
    let faults = seeds(8).filter_map(look).inspect(|fault| println!("{fault}"));
    assert_eq!(faults.count(), 0, "leaks");
}

#[test]
fn stores_that_do_not_differ_give_the_same_answers() {
    let look = |seed| difference(seed, (seed, seed), 60).err();
    let faults = seeds(2).filter_map(look).inspect(|fault| println!("{fault}"));
    assert_eq!(faults.count(), 0, "what is noise");
}

#[test]
fn no_question_about_what_is_hidden_tells_of_it() {
    let worlds = [World::new(1, 101), World::new(1, 202)];
    let hidden = worlds[0].hidden_paths();
    let only = hidden.iter().find(|path| !worlds[1].hidden_paths().contains(path));
    let only = only.expect("the stores differ").clone();
    let mut faults = Vec::new();
    for path in ["/", "/shared/lab", "/shared/lab/way", "/shared/lab/open/kept.md", &only] {
        let questions = (0..).map_while(|kind| Question::of_kind(kind, path));
        faults.extend(questions.filter_map(|question| compare(&worlds, &question).err()));
    }
    assert!(faults.is_empty(), "{} leaks:\n{}", faults.len(), faults.join("\n=====\n"));
}
