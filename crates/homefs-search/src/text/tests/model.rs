//! The index against a naive model.

use std::collections::BTreeMap;

use homefs_core::time::Here;
use proptest::prelude::*;

use crate::text::{Clause, Fields, Query, Statistics, TextIndex, Weights, each_word, stem};

/// Terms of one field, place by place.
type Field = Vec<Vec<String>>;

/// Docs as fields with weights.
#[derive(Default)]
struct Model(BTreeMap<u32, Vec<(Field, u32)>>);

fn field_of(text: &str) -> Field {
    let mut places = Field::new();
    each_word(text, |word| {
        if !word.same_place {
            places.push(Vec::new());
        }
        places.last_mut().unwrap().push(stem(word.text));
    });
    places
}

impl Model {
    fn insert(&mut self, doc: u32, title: &str, body: &str) {
        self.0.insert(doc, vec![(field_of(title), 2), (field_of(body), 1)]);
    }

    fn frequency(doc: &[(Field, u32)], clause: &Clause) -> u32 {
        let has = |place: &Vec<String>, term: &String| place.contains(term);
        doc.iter()
            .map(|(field, weight)| {
                let count: usize = match clause {
                    Clause::Term(term) => field.iter().flatten().filter(|one| *one == term).count(),
                    Clause::Prefix(prefix) => {
                        field.iter().flatten().filter(|one| one.starts_with(prefix)).count()
                    }
                    Clause::Phrase(terms) => field
                        .windows(terms.len())
                        .filter(|places| places.iter().zip(terms).all(|(p, t)| has(p, t)))
                        .count(),
                };
                u32::try_from(count).unwrap() * weight
            })
            .sum()
    }

    fn length(doc: &[(Field, u32)]) -> f64 {
        doc.iter().map(|(field, weight)| field.len() as f64 * f64::from(*weight)).sum()
    }

    fn search(&self, query: &Query, limit: usize, filter: impl Fn(u32) -> bool) -> Vec<(u32, f64)> {
        let count = self.0.len() as f64;
        let average = self.0.values().map(|doc| Self::length(doc)).sum::<f64>() / count.max(1.0);
        let rarities: Vec<(&Clause, f64)> = query
            .clauses()
            .map(|clause| {
                let with = self.0.values().filter(|doc| Self::frequency(doc, clause) > 0).count();
                (clause, (1.0 + (count - with as f64 + 0.5) / (with as f64 + 0.5)).ln())
            })
            .collect();
        let mut hits = Vec::new();
        for (id, doc) in &self.0 {
            let has = |clause: &Clause| Self::frequency(doc, clause) > 0;
            let found = query.clauses().any(has);
            if !found
                || !query.required.iter().all(has)
                || query.excluded.iter().any(has)
                || !filter(*id)
            {
                continue;
            }
            let mut score = 0.0;
            for (clause, rarity) in &rarities {
                let frequency = f64::from(Self::frequency(doc, clause));
                let norm = 1.2 * (0.25 + 0.75 * Self::length(doc) / average.max(1.0));
                score += rarity * frequency * 2.2 / (frequency + norm);
            }
            hits.push((*id, score));
        }
        hits.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        hits.truncate(limit);
        hits
    }
}

/// A text of words that are few and unevenly common, some of them names.
fn text(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => prop::sample::select(vec!["the", "red", "of"]),
        3 => prop::sample::select(vec!["stop", "loss", "blue", "sell", "buy"]),
        1 => prop::sample::select(vec!["foo.bar", "snake_case", "camelCase", "rsi", "bar", "zeta"]),
    ];
    prop::collection::vec(word, words).prop_map(|words| words.join(" "))
}

#[derive(Debug, Clone)]
enum Step {
    Push(String, String),
    Remove(u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (text(0..3), text(0..30)).prop_map(|(title, body)| Step::Push(title, body)),
        1 => (0..100_u32).prop_map(Step::Remove),
    ]
}

fn query() -> impl Strategy<Value = String> {
    (text(1..6), text(2..3), prop::sample::select(vec![0, 1, 2, 3, 4])).prop_map(
        |(words, two, kind)| match kind {
            1 => format!("{words} \"{two}\""),
            2 => format!("{words} -zeta"),
            3 => "s* foo.bar".to_owned(),
            4 => format!("\"{two}\""),
            _ => words,
        },
    )
}

fn check(index: &TextIndex, model: &Model, text: &str, limit: usize) {
    let query = Query::parse(text, &Here::default());
    let statistics = Statistics::gather([index], &query);
    let even = |doc: u32| doc.is_multiple_of(2);
    for filter in [&(|_| true) as &dyn Fn(u32) -> bool, &even] {
        let hits = index.search(&query, &statistics, limit, filter);
        let all = model.search(&query, usize::MAX, filter);
        let expected = &all[..limit.min(all.len())];
        assert_eq!(hits.len(), expected.len(), "{text}");
        for (hit, (_, score)) in hits.iter().zip(expected) {
            // Equal scores may be summed to different last digits, so that docs change places.
            let (_, own) = all.iter().find(|(doc, _)| *doc == hit.doc).expect("a doc that matches");
            assert!((f64::from(hit.score) - own).abs() < 1e-4, "{text}: {hit:?} {own}");
            assert!((f64::from(hit.score) - score).abs() < 1e-4, "{text}: {hit:?} {score}");
        }
        let sorted = hits.is_sorted_by(|one, other| {
            one.score > other.score || (one.score == other.score && one.doc < other.doc)
        });
        assert!(sorted, "{hits:?}");
    }
}

proptest! {
    #[test]
    fn the_index_agrees_with_a_naive_model(
        steps in prop::collection::vec(step(), 1..150),
        queries in prop::collection::vec(query(), 1..6),
        limit in 1..20_usize,
    ) {
        let mut index = TextIndex::new(Weights::default());
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Push(title, body) => {
                    let fields = Fields { title: &title, body: &body, ..Fields::default() };
                    model.insert(index.push(fields), &title, &body);
                }
                Step::Remove(doc) => {
                    prop_assert_eq!(index.remove(doc), model.0.remove(&doc).is_some());
                }
            }
        }
        prop_assert_eq!(index.len(), model.0.len());
        for text in queries {
            check(&index, &model, &text, limit);
        }
    }
}

#[test]
fn many_docs_pushed_and_removed_agree_with_the_model() {
    // More docs than a window and a block.
    let words = ["alpha", "beta", "gamma", "delta", "common", "common", "common", "rare"];
    let mut index = TextIndex::default();
    let mut model = Model::default();
    let mut seed = 7_u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for round in 0..20_000_u32 {
        if round % 3 == 2 {
            let doc = u32::try_from(next(u64::from(round))).unwrap();
            assert_eq!(index.remove(doc), model.0.remove(&doc).is_some());
            continue;
        }
        let body: Vec<String> = (0..=next(12))
            .map(|_| format!("{}{}", words[next(8) as usize], ["", "", "x", "y"][next(4) as usize]))
            .collect();
        let body = body.join(" ");
        model.insert(index.push(Fields { body: &body, ..Fields::default() }), "", &body);
    }
    assert_eq!(index.len(), model.0.len());
    for text in ["common", "rare common alpha beta", "rarex gammay common", "\"common rare\" alpha"]
    {
        check(&index, &model, text, 10);
    }
}

#[test]
fn scores_do_not_depend_on_history() {
    let texts = ["stop loss at ten", "sell the stop", "loss loss", "buy and sell and stop"];
    let body = |text| Fields { body: text, ..Fields::default() };
    let (mut one, mut other) = (TextIndex::default(), TextIndex::default());
    for text in texts {
        one.push(body(text));
        let removed = other.push(body("loss stop something else that is long"));
        other.push(body(text));
        other.remove(removed);
    }
    let query = Query::parse("stop loss sell", &Here::default());
    let found =
        |index: &TextIndex| index.search(&query, &Statistics::gather([index], &query), 3, |_| true);
    let scores = |index: &TextIndex| found(index).iter().map(|hit| hit.score).collect::<Vec<_>>();
    assert_eq!(scores(&one), scores(&other));
}

#[test]
fn frequencies_may_come_from_outside() {
    let mut index = TextIndex::default();
    for doc in 0..10 {
        let body = if doc == 9 { "rare common" } else { "common" };
        index.push(Fields { body, ..Fields::default() });
    }
    let query = Query::parse("common rare", &Here::default());
    let mut statistics = Statistics::gather([&index], &query);
    assert_eq!(statistics.frequencies[&Clause::Term("rare".into())], 1);
    let before = index.search(&query, &statistics, 1, |_| true)[0].score;
    statistics.documents = 1000;
    assert!(index.search(&query, &statistics, 1, |_| true)[0].score > before);
    statistics.frequencies.clear();
    assert_eq!(index.search(&query, &statistics, 1, |_| true)[0].doc, 9);
}
