//! The index against one made from scratch.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{DIMENSIONS, embed, file, found, grep, index, known, vector_of};
use crate::{
    embed::Quantised,
    index::{Body, File, Index, Source},
};

#[derive(Debug, Clone)]
enum Content {
    Text(String),
    Binary(String),
    Unread,
}

impl Content {
    fn body(&self) -> Body<'_> {
        match self {
            Self::Text(text) => Body::Text(text.as_bytes()),
            Self::Binary(text) => Body::Binary(text.as_bytes()),
            Self::Unread => Body::Unread,
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Put(u128, Content),
    /// The content stays, the facts change.
    Change(u128, String),
    Remove(u128),
    Embed(usize),
    Delta,
    Whole,
}

fn content() -> impl Strategy<Value = Content> {
    let word = prop::sample::select(vec![
        "red ",
        "blue ",
        "sell ",
        "selling ",
        "studies ",
        "of ",
        "foo.bar ",
        "[[red]] ",
        "\n\n",
        "\n# Plan ",
        "日本語 ",
        "\n---\n",
    ]);
    let words = prop::collection::vec(word, 0..25).prop_map(|words| words.concat());
    prop_oneof![
        8 => words.clone().prop_map(Content::Text),
        // Of several docs.
        1 => (words.clone(), 3..30_usize).prop_map(|(words, times)| Content::Text(words.repeat(times))),
        1 => words.prop_map(Content::Binary),
        1 => Just(Content::Unread),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let path = prop::sample::select(vec!["/red.md", "/b/blue.md", "/plan"]).prop_map(str::to_owned);
    prop_oneof![
        6 => (0..12_u128, content()).prop_map(|(node, content)| Step::Put(node, content)),
        2 => (0..12_u128, path).prop_map(|(node, path)| Step::Change(node, path)),
        2 => (0..12_u128).prop_map(Step::Remove),
        2 => (0..5_usize).prop_map(Step::Embed),
        2 => Just(Step::Delta),
        1 => Just(Step::Whole),
    ]
}

/// Fails unless two indexes say the same.
fn check_same(one: &Index, other: &Index) {
    assert_eq!(known(one), known(other));
    assert_eq!(one.waiting_count(), other.waiting_count());
    assert_eq!(one.waiting(usize::MAX).len(), one.waiting_count());
    for query in ["red", "sell blue -plan", "\"red blue\"", "s*", "studies 日本", "red.md of"] {
        assert_eq!(found(one, query), found(other, query), "{query}");
    }
    for literal in ["sell", "foo.bar", "日本"] {
        assert_eq!(grep(one, literal), grep(other, literal), "{literal}");
    }
}

/// What an index would be that was given the present files only.
fn from_scratch(model: &BTreeMap<u128, (File, Content)>, like: &Index) -> Index {
    let mut index = index();
    for (file, content) in model.values() {
        index.put(file.clone(), content.body());
    }
    let embedded = known(like);
    for node in model.keys() {
        for (doc, known) in index.docs_of(*node).zip(&embedded[node].docs) {
            if known.vector.as_ref().is_some_and(|vector| vector.0 == Source::Embedder) {
                index.embed(doc, known.digest, &vector_of(known.digest)).expect("it fits");
            }
        }
    }
    index
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_index_is_what_its_files_are(steps in prop::collection::vec(step(), 1..60)) {
        let (mut index, mut copy) = (index(), index());
        let mut model: BTreeMap<u128, (File, Content)> = BTreeMap::new();
        for (version, step) in (1..).zip(steps) {
            match step {
                Step::Put(node, content) => {
                    let facts = File { version, ..file(node, "/a.md") };
                    index.put(facts.clone(), content.body());
                    model.insert(node, (facts, content));
                }
                Step::Change(node, path) => {
                    if let Some((facts, content)) = model.get_mut(&node) {
                        *facts = File { version, importance: 0.9, ..file(node, &path) };
                        index.put(facts.clone(), content.body());
                    }
                }
                Step::Remove(node) => {
                    prop_assert_eq!(index.remove(node), model.remove(&node).is_some());
                }
                Step::Embed(limit) => embed(&mut index, limit),
                Step::Delta => {
                    if let Some(delta) = index.delta() {
                        copy.apply(&delta).unwrap();
                    }
                    check_same(&index, &copy);
                }
                Step::Whole => {
                    let whole = index.whole();
                    index = Index::of_whole(&whole).unwrap();
                    copy.apply(&whole).unwrap();
                    check_same(&index, &copy);
                }
            }
            index.set_version(version);
            prop_assert!((0.0..=1.0).contains(&index.garbage()));
        }
        check_same(&index, &from_scratch(&model, &index));
    }
}

#[test]
fn an_embedded_vector_is_the_rounded_one() {
    let mut index = index();
    index.put(file(1, "/a"), Body::Text(b"words"));
    embed(&mut index, 1);
    let digest = index.doc(0).unwrap().digest;
    let expected = Quantised::new(&vector_of(digest));
    assert_eq!(index.vector(0), Some((Source::Embedder, expected)));
    assert_eq!(index.vectors().dimensions(), DIMENSIONS);
    let query = crate::embed::Query::new(&vector_of(digest));
    assert_eq!(index.vectors().search(&query, 5, |_| 1.0).unwrap()[0].doc, 0);
    assert!(index.vectors().search(&query, 5, |_| 0.0).unwrap().is_empty());
}
