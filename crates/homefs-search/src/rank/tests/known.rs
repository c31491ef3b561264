//! Whether a few notes answer a question: where "nothing known" is said too often, people notice
//! first, and where too seldom, models make something of it.

use homefs_core::{Embedder, Role};

use super::{index, put};
use crate::{
    embed::BuiltIn,
    index::Index,
    rank::{FLOOR, Question, Scope, meaning, search},
};

/// Notes, questions that they answer, and questions that they do not.
const STORES: &str = include_str!("known.tsv");

/// The notes of a store.
fn notes(store: &str) -> Vec<String> {
    let lines = store.lines().filter_map(|line| line.split_once('\t'));
    let notes = lines.flat_map(|(kind, text)| match kind.strip_suffix(" notes") {
        Some(count) => {
            let count: u32 = count.parse().expect("a number");
            (0..count).map(|number| text.replace("{n}", &number.to_string())).collect()
        }
        None if kind == "note" => vec![text.replace("\\n", "\n")],
        None => Vec::new(),
    });
    notes.collect()
}

/// The questions of a store that were not told right: those that it answers, those it does not, and
/// those that make no sense.
fn wrong(store: &str, embedder: Option<BuiltIn>) -> [Vec<&str>; 3] {
    let notes = notes(store);
    let mut index = index();
    for (number, note) in notes.iter().enumerate() {
        put(&mut index, &format!("/{number}.md"), note);
    }
    if let Some(embedder) = &embedder {
        for doc in index.waiting(usize::MAX) {
            let known = index.doc(doc).expect("it waits");
            let digest = known.digest;
            let note = &notes[usize::try_from(known.file.node).expect("few") - 1];
            let vector = embedder.embed(meaning(note), Role::Memory).expect("it is a text");
            index.embed(doc, digest, &vector).expect("it is of its length");
        }
    }
    let is_wrong = |kind: &str, is_known: bool| {
        let lines = store.lines().filter_map(|line| line.split_once('\t'));
        let asked = lines.filter(|(of, _)| *of == kind).map(|(_, question)| question);
        asked.filter(|question| knows(&index, question, embedder.as_ref()) != is_known).collect()
    };
    [is_wrong("+", true), is_wrong("-", false), is_wrong("!", false)]
}

fn knows(index: &Index, question: &str, embedder: Option<&BuiltIn>) -> bool {
    let vector = embedder.map(|one| one.embed(question, Role::Query).expect("it is a text"));
    let question =
        Question { text: question, plain: true, vector: vector.as_deref(), ..Question::default() };
    let hits = search(&[Scope::whole(index)], &question, 1);
    hits.first().is_some_and(|hit| hit.score >= FLOOR)
}

/// Checks how many questions of all stores are told wrong, of those answered and of those not.
#[track_caller]
fn check(embedder: Option<BuiltIn>, most: [usize; 2]) {
    let stores = STORES.split("\n\n").map(|store| wrong(store, embedder));
    let [mut lost, mut told] = [Vec::new(), Vec::new()];
    stores.for_each(|[of_store, not_of_store, nonsense]| {
        lost.extend(of_store);
        told.extend(not_of_store);
        assert!(nonsense.is_empty(), "{nonsense:?}");
    });
    let found = [lost.len(), told.len()];
    assert!(found[0] <= most[0] && found[1] <= most[1], "{found:?}: {lost:#?} {told:#?}");
}

#[test]
fn what_a_few_notes_know_is_told_from_what_they_do_not() {
    // Of 147 and 144; those lost share no word with what answers them.
    check(Some(BuiltIn::Encoder), [15, 27]);
}

#[test]
fn it_is_so_before_there_are_vectors_of_the_embedder() {
    check(None, [8, 33]);
}
