//! Several indexes at once, and what of them may be seen.

use std::collections::BTreeMap;

use homefs_core::Role;
use proptest::prelude::*;

use super::{index, plain, put};
use crate::{
    embed::Encoder,
    index::{File, Index},
    rank::{Hit, Kind, Question, Scope, search},
};

const WORDS: [&str; 10] =
    ["garden", "server", "train", "soup", "violin", "harbour", "budget", "winter", "otter", "key"];

/// Paths of docs, each with a word of its own.
const NAMES: [&str; 12] = [
    "/north.md",
    "/south.md",
    "/east.md",
    "/west.md",
    "/red.md",
    "/blue.md",
    "/green.md",
    "/iron.md",
    "/copper.md",
    "/silver.md",
    "/oak.md",
    "/birch.md",
];

fn visible(file: &File) -> bool {
    !file.path.starts_with("/hidden")
}

/// A text of some words.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&WORDS[..]), 1..8).prop_map(|words| words.join(" "))
}

/// What can be seen of hits, numbers of docs aside: those of other docs move them.
fn seen(scopes: &[Scope<'_>], hits: &[Hit]) -> Vec<(usize, String, [u32; 3])> {
    let bits = |hit: &Hit| [hit.score, hit.text, hit.vector].map(f32::to_bits);
    hits.iter().map(|hit| (hit.scope, super::path(scopes, hit), bits(hit))).collect()
}

#[test]
fn scopes_compare() {
    let (mut one, mut other) = (index(), index());
    put(&mut one, "/a.md", "the harbour master keeps the key of the lighthouse");
    put(&mut other, "/b.md", "soup with leeks and potatoes");
    put(&mut other, "/c.md", "the key of the harbour");
    let scopes = [Scope::whole(&one), Scope::whole(&other)];
    let hits = search(&scopes, &plain("who has the lighthouse key"), 10);
    assert_eq!(super::path(&scopes, &hits[0]), "/a.md");
    assert_eq!((hits[0].scope, hits[0].text.to_bits()), (0, 1.0_f32.to_bits()));
    let second = hits.iter().find(|hit| super::path(&scopes, hit) == "/c.md").expect("it is found");
    assert!(second.scope == 1 && second.text > 0.0 && second.text < 1.0, "{second:?}");
}

/// Gives all docs of an index the vectors of the encoder.
fn embed(index: &mut Index, texts: &[(&str, String)]) {
    for (path, text) in texts {
        let node = index.files().find(|file| *file.path == **path).expect("it is there").node;
        for doc in index.docs_of(node) {
            let vector = Encoder::built_in().embed(text, Role::Memory);
            index.embed(doc, crate::index::digest(text), &vector).expect("of its length");
        }
    }
}

#[test]
fn docs_of_several_scopes_score_as_in_one() {
    let texts: Vec<(&str, String)> = NAMES
        .iter()
        .zip(WORDS.iter().cycle().zip(WORDS.iter().cycle().skip(3)))
        .map(|(path, (one, other))| (*path, format!("the {one} near the {other} of {path}")))
        .collect();
    for is_embedded in [false, true] {
        let (mut all, mut parts) = (index(), [index(), index(), index()]);
        for (at, text) in texts.iter().enumerate() {
            put(&mut all, text.0, &text.1);
            put(&mut parts[at * at % 3], text.0, &text.1);
        }
        if is_embedded {
            embed(&mut all, &texts);
            for part in &mut parts {
                let own = |text: &&(&str, String)| part.files().any(|file| *file.path == *text.0);
                let texts: Vec<_> = texts.iter().filter(own).cloned().collect();
                embed(part, &texts);
            }
        }
        for text in ["the garden near the harbour", "who has the key", "otter north", "budget"] {
            let vector = is_embedded.then(|| Encoder::built_in().embed(text, Role::Query));
            for kind in [Kind::Hybrid, Kind::Text, Kind::Vector] {
                let question = Question { kind, vector: vector.as_deref(), ..plain(text) };
                let answer = |scopes: &[Scope<'_>]| {
                    let hits = search(scopes, &question, 100);
                    let score = |hit: &Hit| (super::path(scopes, hit), hit.score);
                    hits.iter().map(score).collect::<BTreeMap<_, _>>()
                };
                let one = answer(&[Scope::whole(&all)]);
                let parted = answer(&parts.each_ref().map(Scope::whole));
                assert!(one.keys().eq(parted.keys()), "{text} {kind:?} {one:?} {parted:?}");
                for ((path, score), other) in one.iter().zip(parted.values()) {
                    assert!((score - other).abs() < 1e-4, "{text} {path} {score} {other}");
                }
            }
        }
    }
}

#[test]
fn equal_docs_stand_in_the_order_of_scopes_and_nodes() {
    let (mut one, mut other) = (index(), index());
    for path in ["/1.md", "/2.md", "/3.md"] {
        put(&mut one, path, "the same words");
        put(&mut other, path, "the same words");
    }
    let scopes = [Scope::whole(&one), Scope::whole(&other)];
    let question = Question { text: "same words", kind: Kind::Vector, ..Question::default() };
    let hits = search(&scopes, &question, 10);
    let places: Vec<_> = hits.iter().map(|hit| (hit.scope, hit.doc)).collect();
    assert_eq!(places, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
}

#[test]
fn without_a_space_in_full_rare_words_count_more() {
    let mut index = index();
    put(&mut index, "/common.md", "a day in the house");
    put(&mut index, "/rare.md", "a sextant in the chest");
    let scopes = [Scope { index: &index, admits: Some(&visible), names: None, counts: false }];
    let question = Question { text: "house sextant", kind: Kind::Text, ..Question::default() };
    let hits = search(&scopes, &question, 10);
    assert_eq!(super::path(&scopes, &hits[0]), "/rare.md");
    assert!(hits[1].score < hits[0].score);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn hidden_docs_change_nothing(
        texts in prop::collection::vec((text(), any::<bool>()), 1..60),
        asked in text(),
        minutes in 1_i64..100,
    ) {
        // The same visible files, once alone and once among hidden ones of the same directories.
        let (mut alone, mut among) = (index(), index());
        for (node, (text, hidden)) in (1_u128..).zip(&texts) {
            let path = format!("/{}/{node}.md", if *hidden { "hidden" } else { "shown" });
            let minute = minutes * i64::try_from(node).expect("few");
            let put = |index: &mut Index| {
                let file = super::file(node, &path, minute);
                index.put(file, crate::index::Body::Text(text.as_bytes()));
            };
            put(&mut among);
            if !hidden {
                put(&mut alone);
            }
        }
        for kind in [Kind::Hybrid, Kind::Text, Kind::Vector] {
            let question = Question { text: &asked, kind, plain: true, ..Question::default() };
            let answer = |index: &Index| {
                let scopes = [Scope { index, admits: Some(&visible), names: None, counts: false }];
                seen(&scopes, &search(&scopes, &question, 100))
            };
            prop_assert_eq!(answer(&alone), answer(&among));
        }
    }

    #[test]
    fn fewer_hits_are_the_first_of_more(
        texts in prop::collection::vec(text(), 1..250),
        asked in text(),
        limit in 0_usize..260,
    ) {
        let mut index = index();
        for (at, text) in texts.iter().enumerate() {
            put(&mut index, &format!("/{at}.md"), text);
        }
        let scopes = [Scope::whole(&index)];
        for kind in [Kind::Hybrid, Kind::Text, Kind::Vector] {
            let question = Question { text: &asked, kind, plain: true, ..Question::default() };
            let all = search(&scopes, &question, 1000);
            let some = search(&scopes, &question, limit);
            prop_assert_eq!(&some[..], &all[..limit.min(all.len())]);
            prop_assert!(all.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
        }
    }
}
