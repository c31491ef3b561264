//! What puts another memory out of date, measured on pairs.

use super::*;
use crate::{embed::StaticModel, recall::older::mark, text::slug};

/// Pairs with what they are.
const PAIRS: &str = include_str!("older.tsv");

/// How often pairs of a half are told right and wrong.
#[derive(Debug, Default)]
struct Told<'a> {
    right: usize,
    missed: Vec<(&'a str, &'a str)>,
    wrong: Vec<(&'a str, &'a str)>,
}

impl Told<'_> {
    fn precision(&self) -> f32 {
        self.right as f32 / (self.right + self.wrong.len()).max(1) as f32
    }

    fn recall(&self) -> f32 {
        self.right as f32 / (self.right + self.missed.len()).max(1) as f32
    }
}

/// A memory that was written some days ago.
fn remembered(text: &str, days: i64) -> Candidate {
    let text = text.replace("\\n", "\n");
    Candidate {
        modified: NOW - days * DAY,
        vector: Some(Quantised::new(&StaticModel::built_in().embed(&text))),
        ..note(&format!("/memories/{}.md", slug(&text, 40)), &text, 0.6)
    }
}

fn told(is_held_out: bool) -> Told<'static> {
    let mut told = Told::default();
    let lines = PAIRS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        let [kind, old, new] = line.split('\t').collect::<Vec<_>>()[..] else {
            unreachable!("no pair: {line}")
        };
        // All pairs with the same first text are in the same half.
        let sum: u32 = old.bytes().map(u32::from).sum();
        if sum.is_multiple_of(2) != is_held_out {
            continue;
        }
        let mut candidates = [remembered(old, 9), remembered(new, 3)];
        mark(&mut candidates);
        let is_older = candidates[0].newer.is_some();
        match (kind, is_older) {
            ("update", true) => told.right += 1,
            ("update", false) => told.missed.push((old, new)),
            ("beside" | "apart", true) => told.wrong.push((old, new)),
            ("beside" | "apart", false) => {}
            _ => unreachable!("no kind: {line}"),
        }
    }
    told
}

#[test]
fn what_is_marked_as_older_is_out_of_date() {
    let (tuned, held) = (told(false), told(true));
    assert!(tuned.right + tuned.missed.len() > 40 && held.right + held.missed.len() > 40);
    println!("tuned: precision {:.3}, recall {:.3}", tuned.precision(), tuned.recall());
    println!("held out: precision {:.3}, recall {:.3}", held.precision(), held.recall());
    assert!(tuned.precision() >= 0.95, "{tuned:#?}");
    assert!(held.precision() >= 0.95 && held.recall() >= 0.7, "{:#?}", held.wrong);
}

/// Notes with their ages in days, as they are told: their texts, and whether they are older.
fn told_of(notes: &[(&str, &str, i64)]) -> Vec<(String, bool)> {
    let candidate = |(path, text, days): &(&str, &str, i64)| Candidate {
        path: (*path).to_owned(),
        // The older one answers better, as it happens.
        relevance: 0.6 + 0.01 * *days as f32,
        ..remembered(text, *days)
    };
    let candidates: Vec<Candidate> = notes.iter().map(candidate).collect();
    let recalled = recall_once(&candidates, &options(1_000), "");
    assert_eq!(
        recalled.text.matches(" (older) ^").count(),
        recalled.items.iter().filter(|item| item.older).count()
    );
    recalled.items.into_iter().map(|item| (item.text, item.older)).collect()
}

#[test]
fn the_newer_of_two_that_disagree_comes_first_and_the_older_says_so() {
    let told = told_of(&[
        ("/memories/the-rent-is-900-eur.md", "The rent is 900 EUR", 30),
        ("/memories/the-rent-is-980-eur.md", "The rent is 980 EUR", 2),
        ("/memories/the-rent-is-paid.md", "The rent is paid by standing order", 3),
        ("/memories/the-rent-is-950-eur.md", "The rent is 950 EUR", 10),
    ]);
    let expected = [
        ("The rent is 980 EUR", false),
        ("The rent is paid by standing order", false),
        ("The rent is 950 EUR", true),
        ("The rent is 900 EUR", true),
    ];
    let place = |text: &str| told.iter().position(|(told, _)| told == text).expect("it is told");
    for (text, is_older) in expected {
        assert_eq!(told[place(text)].1, is_older, "{text}");
    }
    assert!(place(expected[0].0) < place(expected[2].0), "{told:?}");
    assert!(place(expected[0].0) < place(expected[3].0), "{told:?}");
}

#[test]
fn what_stands_elsewhere_is_about_something_else() {
    let [old, new] = ["port = 8080", "port = 9090"];
    for (one, other, is_older) in [
        ("/memories/port-8080.md", "/memories/port-9090.md", true),
        ("/shared/team/memories/port-8080.md", "/memories/port-9090.md", true),
        ("/alpha.md", "/beta.md", false),
        ("/alpha/config.md", "/beta/config.md", false),
        ("/2026-05-01.md", "/2026-05-02.md", true),
    ] {
        let told = told_of(&[(one, old, 3), (other, new, 1)]);
        assert_eq!(told.iter().any(|(_, is_older)| *is_older), is_older, "{one} {other}: {told:?}");
    }
    // Of what was written at once nobody knows which is newer.
    let told = told_of(&[("/memories/a.md", old, 1), ("/memories/a-2.md", new, 1)]);
    assert!(told.iter().all(|(_, is_older)| !is_older), "{told:?}");
}
