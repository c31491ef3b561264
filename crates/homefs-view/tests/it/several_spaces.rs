//! Notes of several spaces are compared as if all of them were in one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Path, Timestamp};
use homefs_testkit::VirtualClock;
use homefs_view::{
    Components, RecallOptions, Right, SearchKind, SearchOptions, Settings, Store, Subject, View,
};

use crate::common::{agent, parents, path, view_of};

/// Where notes may be: at home, or in one of two shared spaces.
const PLACES: [&str; 3] = ["/", "/shared/billing", "/shared/market"];

/// Notes: a name, a text, and which of the places has it when they are parted.
const NOTES: [(&str, &str, usize); 14] = [
    ("boiler", "The boiler in the cellar is serviced every October by Mr. Novak.", 0),
    ("cellar", "The key of the cellar hangs behind the kitchen door.", 0),
    ("garden", "The garden gate sticks when it rains; lift it a little.", 0),
    ("invoice", "An invoice is paid within thirty days, or a reminder goes out.", 1),
    ("kitchen", "The kitchen tap drips, the plumber comes on Tuesday.", 0),
    ("market", "The market in Lyon opens at seven and the fish is gone by nine.", 2),
    ("novak", "Mr. Novak prefers to be called in the evening.", 1),
    ("plumber", "The plumber sends his invoice to the office in Lyon.", 2),
    ("refund", "A refund needs the signature of two people from billing.", 1),
    ("reminder", "The second reminder of an invoice adds a fee of five euros.", 1),
    ("roof", "The roof was mended after the storm in March.", 0),
    ("stall", "Our stall at the market is number twelve, beside the cheese.", 2),
    ("storm", "After the storm the insurance paid for the roof and the gate.", 2),
    ("tax", "The tax on fish is lower than the tax on cheese.", 2),
];

const QUESTIONS: [&str; 8] = [
    "who mends the boiler in the cellar",
    "when does the market open",
    "what does a reminder of an invoice cost",
    "who signs a refund",
    "what did the insurance pay for after the storm",
    "the fish and the cheese",
    "when may Mr. Novak be called",
    "where is the key",
];

/// A home with all notes, or with its part of them beside two spaces that others made.
fn home(is_parted: bool) -> (tempfile::TempDir, Store, View) {
    let dir = tempfile::tempdir().expect("a directory");
    let clock = Arc::new(VirtualClock::new(Timestamp(1_769_860_800 * 1_000_000_000)));
    let components = Components { clock: clock.clone(), ..Components::host() };
    let store = Store::open(dir.path(), Settings::default(), components).expect("it opens");
    let (own, other) = (view_of(&store, "me"), view_of(&store, "other"));
    if is_parted {
        for place in &PLACES[1..] {
            other.make_dir(&path(place), false).expect("it may");
            let me = Subject::Agent(agent("me"));
            other.grant(&path(place), &me, Right::Read).expect("it may");
        }
    }
    for (name, text, place) in NOTES {
        // Days apart, so that notes are no neighbours where they are together.
        clock.advance(Duration::from_hours(24));
        let (writer, place) = if is_parted && place > 0 { (&other, place) } else { (&own, 0) };
        let at = path(PLACES[place]).join("notes").and_then(|at| at.join(&format!("{name}.md")));
        writer.write(&at.expect("a good path"), text.as_bytes(), &parents()).expect("it may");
    }
    (dir, store, own)
}

/// The scores of what was found by name, which say the order too.
fn told<'a>(found: impl Iterator<Item = (&'a Path, f32)>) -> BTreeMap<String, f32> {
    found.map(|(path, score)| (path.name().unwrap_or_default().to_owned(), score)).collect()
}

#[track_caller]
fn check_alike(one: &BTreeMap<String, f32>, parted: &BTreeMap<String, f32>, question: &str) {
    assert!(!one.is_empty(), "{question}");
    assert!(one.keys().eq(parted.keys()), "{question}: {one:?} {parted:?}");
    for ((name, score), other) in one.iter().zip(parted.values()) {
        assert!((score - other).abs() < 1e-4, "{question}: {name} {score} {other}");
    }
}

#[test]
fn notes_of_several_spaces_score_as_in_one() {
    let (_dir, _store, one) = home(false);
    let (_parted_dir, _parted_store, parted) = home(true);
    for question in QUESTIONS {
        for kind in [SearchKind::Hybrid, SearchKind::Text, SearchKind::Vector] {
            let options = SearchOptions { kind, limit: NOTES.len(), ..SearchOptions::default() };
            let search = |view: &View| {
                let hits = view.search(question, &options).expect("it may");
                told(hits.iter().map(|hit| (&hit.path, hit.score)))
            };
            check_alike(&search(&one), &search(&parted), &format!("{question} {kind:?}"));
        }
        let recall = |view: &View| {
            let recalled = view.recall(question, &RecallOptions::default()).expect("it may");
            told(recalled.memories.iter().map(|memory| (&memory.path, memory.score)))
        };
        check_alike(&recall(&one), &recall(&parted), question);
    }
}
