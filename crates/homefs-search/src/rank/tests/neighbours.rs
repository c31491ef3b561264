//! Docs lend to their neighbours where the order of docs means something.

use super::{file, index, plain};
use crate::{
    index::{Body, Index},
    rank::{Scope, search},
};

const SUBJECTS: [[&str; 3]; 8] = [
    [
        "tomato seedlings in the greenhouse",
        "compost for the vegetable beds",
        "pruning the pear tree",
    ],
    [
        "a violin sonata by Brahms",
        "the orchestra tunes its strings",
        "a cello concerto on the radio",
    ],
    ["kernel panic after the upgrade", "the server rebooted twice", "a driver crashed the machine"],
    ["mortgage rates rise again", "the bank approved the loan", "interest on the savings account"],
    ["a goalkeeper saved the penalty", "the striker scored twice", "the team won the football cup"],
    ["dough rises in the warm oven", "bread with rye flour", "the bakery sells fresh rolls"],
    ["the surgeon closed the wound", "a nurse changed the bandage", "the patient left hospital"],
    ["snow fell in the mountains", "skiers waited for the lift", "an avalanche blocked the pass"],
];

/// Files of one directory, a minute apart: by subject, or with the subjects mixed.
fn store(mixed: bool) -> Index {
    let mut index = index();
    let count = SUBJECTS.len();
    for at in 0..count * 3 {
        let (subject, part) = if mixed { (at % count, at / count) } else { (at / 3, at % 3) };
        let node = at as u128;
        let minute = i64::try_from(at).expect("few");
        let text = SUBJECTS[subject][part];
        index.put(file(node, &format!("/log/{at}.md"), minute), Body::Text(text.as_bytes()));
    }
    // What is looked for says nothing by itself, and stands behind its subject.
    let mut last = file(99, "/log/99.md", if mixed { 100 } else { 2 });
    last.created += 1;
    index.put(last, Body::Text(b"it looks fine so far, thank you"));
    index
}

fn rank_of_last(index: &Index) -> Option<usize> {
    let scopes = [Scope::whole(index)];
    let hits = search(&scopes, &plain("pruning the pear tree"), 30);
    hits.iter().position(|hit| super::path(&scopes, hit) == "/log/99.md")
}

#[test]
fn what_follows_a_hit_is_lifted() {
    assert!(rank_of_last(&store(false)).is_some_and(|rank| rank <= 4));
    assert!(rank_of_last(&store(true)).is_none_or(|rank| rank > 4));
}

#[test]
fn a_long_time_parts_neighbours() {
    let mut index = store(false);
    let mut late = index.file(99).expect("it was put").clone();
    late.created += 3 * 3_600_000_000_000;
    index.put(late, Body::Text(b"it looks fine so far, thank you"));
    assert!(rank_of_last(&index).is_none_or(|rank| rank > 4));
}
