//! How much is found in a small store of a conversation and of notes; floors, so that a change of
//! the ranking cannot lose quality unseen. `cargo xtask eval` measures more.

use homefs_core::Role;

use super::file;
use crate::{
    embed::Encoder,
    index::{Body, Index},
    rank::{Kind, Question, Scope, meaning, search},
};

const TALK: &str = include_str!("corpus/talk.txt");
const NOTES: &str = include_str!("corpus/notes.txt");
const QUESTIONS: &str = include_str!("corpus/questions.txt");

/// The turns of a talk are files made a minute apart.
fn put_talk(index: &mut Index) {
    for (at, line) in (1_u32..).zip(TALK.lines()) {
        let file = file(at.into(), &format!("/t{at}.md"), at.into());
        index.put(file, Body::Text(line.as_bytes()));
    }
}

/// Notes are made days apart.
fn put_notes(index: &mut Index) {
    for (at, line) in (1_u32..).zip(NOTES.lines()) {
        let file = file(u128::from(at) + 1000, &format!("/n{at}.md"), i64::from(at) * 5000);
        index.put(file, Body::Text(line.as_bytes()));
    }
}

/// Gives each turn the vector of the encoder.
fn embed_talk(index: &mut Index) {
    let lines: Vec<&str> = TALK.lines().collect();
    // Unoptimised, the encoder takes its time.
    let (first, second) = lines.split_at(lines.len() / 2);
    let embed = |lines: &[&str]| -> Vec<Vec<f32>> {
        lines.iter().map(|line| Encoder::built_in().embed(meaning(line), Role::Memory)).collect()
    };
    let vectors = std::thread::scope(|scope| {
        let second = scope.spawn(|| embed(second));
        let mut vectors = embed(first);
        vectors.extend(second.join().expect("the encoder does not fail"));
        vectors
    });
    for (node, vector) in (1..).zip(vectors) {
        for doc in index.docs_of(node) {
            let digest = index.doc(doc).expect("it was put").digest;
            index.embed(doc, digest, &vector).expect("the length is that of the index");
        }
    }
}

/// The share of the evidence in this index that is among the first five hits, in per mille.
fn recall_at_5(index: &Index, kind: Kind, encoder: bool) -> usize {
    let scopes = [Scope::whole(index)];
    let known: Vec<String> = index.files().map(|file| file.path.to_string()).collect();
    let (mut found, mut all) = (0, 0);
    for line in QUESTIONS.lines() {
        let (text, evidence) = line.split_once(" => ").expect("a question and its evidence");
        let evidence = evidence.split(',').map(|name| format!("/{name}.md"));
        let evidence: Vec<String> = evidence.filter(|path| known.contains(path)).collect();
        if evidence.is_empty() {
            continue;
        }
        let vector = encoder.then(|| Encoder::built_in().embed(text, Role::Query));
        let vector = vector.as_deref();
        let question = Question { text, kind, plain: true, vector, ..Question::default() };
        let hits = search(&scopes, &question, 5);
        let paths: Vec<String> = hits.iter().map(|hit| super::path(&scopes, hit)).collect();
        all += evidence.len();
        found += evidence.iter().filter(|path| paths.contains(path)).count();
    }
    found * 1000 / all
}

#[test]
fn words_and_static_vectors_find_enough() {
    let mut index = super::index();
    put_talk(&mut index);
    put_notes(&mut index);
    let reached = [Kind::Text, Kind::Hybrid].map(|kind| recall_at_5(&index, kind, false));
    let floors = [456, 673];
    assert!(reached.iter().zip(floors).all(|(reached, floor)| *reached >= floor), "{reached:?}");
}

#[test]
fn the_encoder_finds_enough() {
    let mut index = super::index();
    put_talk(&mut index);
    embed_talk(&mut index);
    let reached = [(Kind::Text, false), (Kind::Hybrid, true)]
        .map(|(kind, encoder)| recall_at_5(&index, kind, encoder));
    let floors = [269, 615];
    assert!(reached.iter().zip(floors).all(|(reached, floor)| *reached >= floor), "{reached:?}");
}
