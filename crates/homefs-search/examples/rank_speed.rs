//! Prints what a search costs at 1,000 and 100,000 docs, the embedding of its question aside.
//!
//! `cargo run --release -p homefs-search --example rank_speed`
#![expect(clippy::disallowed_methods, reason = "a measurement asks the real clock")]
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::time::{Duration, Instant};

use homefs_core::Role;
use homefs_search::{
    embed::Encoder,
    index::{Body, File, Ignored, Index},
    rank::{Kind, Question, Scope, search},
};

const SUBJECTS: [&str; 12] = [
    "the garden",
    "our server",
    "a contract",
    "the train",
    "my brother",
    "this recipe",
    "the budget",
    "a concert",
    "the kitchen",
    "her thesis",
    "the harbour",
    "a bicycle",
];
const EVENTS: [&str; 12] = [
    "was repaired",
    "needs a second look",
    "cost more than planned",
    "made everybody laugh",
    "is due in March",
    "fell behind",
    "was sold to a friend",
    "kept me awake",
    "passed its test",
    "has a new owner",
    "was cancelled",
    "got better with time",
];
const REASONS: [&str; 12] = [
    "because of the rain",
    "after the meeting",
    "as Ada had said",
    "without any notice",
    "for the third time",
    "thanks to the new pump",
    "in spite of the doctor",
    "when the lights went out",
    "before the holidays",
    "on the way to Porto",
    "with the old key",
    "under the blue tarpaulin",
];

fn main() {
    for count in [1_000, 100_000] {
        let mut index = Index::new("encoder-192", 192).expect("the length is supported");
        for at in 0..count {
            put(&mut index, at);
        }
        measure(&index, count, "static", None);
        let vector = Encoder::built_in().embed("why was the train cancelled", Role::Query);
        for doc in index.waiting(usize::MAX) {
            let digest = index.doc(doc).map_or(0, |doc| doc.digest);
            // The time of a search does not depend on what a vector says.
            let turned: Vec<f32> =
                (0..vector.len()).map(|at| vector[(at + doc as usize) % vector.len()]).collect();
            index.embed(doc, digest, &turned).expect("the length is that of the index");
        }
        measure(&index, count, "encoder", Some(&vector));
    }
}

fn measure(index: &Index, count: u32, name: &str, vector: Option<&[f32]>) {
    let questions: Vec<String> = (0..200).map(|at| sentence(at * 7919 + 13)).collect();
    for kind in [Kind::Text, Kind::Vector, Kind::Hybrid] {
        let mut times: Vec<Duration> = questions
            .iter()
            .map(|text| {
                let question = Question { text, kind, plain: true, vector, ..Question::default() };
                let start = Instant::now();
                let hits = search(&[Scope::whole(index)], &question, 20);
                assert_eq!(hits.len(), 20);
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        println!("{count} docs, {name}, {kind:?}: p50 {:?}, p95 {:?}", times[100], times[190]);
    }
}

fn put(index: &mut Index, at: u32) {
    let file = File {
        node: u128::from(at),
        lineage: u128::from(at),
        version: 1,
        path: format!("/notes/{}/{at}.md", at / 500).into(),
        title: "".into(),
        tags: Vec::new(),
        created: i64::from(at) * 60_000_000_000,
        modified: i64::from(at) * 60_000_000_000,
        importance: 0.5,
        source: "".into(),
        supersedes: None,
        ignored: Ignored::No,
        rules: "".into(),
    };
    let text = format!("{}. {}.\n", sentence(at), sentence(at / 3 + 5));
    index.put(file, Body::Text(text.as_bytes()));
}

/// A sentence for a number; near numbers share some of its parts.
fn sentence(number: u32) -> String {
    let pick = |parts: &[&'static str; 12], at: u32| parts[(at % 12) as usize];
    let event = pick(&EVENTS, number / 12);
    format!("{} {event} {} {number}", pick(&SUBJECTS, number), pick(&REASONS, number / 144))
}
