//! What says the same twice is there once.

use super::*;
use crate::embed::StaticModel;

fn outcome_of_second(first: &str, second: &str) -> Outcome {
    let vector = |text: &str| Some(Quantised::new(&StaticModel::built_in().embed(text)));
    let one = Candidate { vector: vector(first), ..note("/one.md", first, 0.9) };
    let two = Candidate { vector: vector(second), ..note("/two.md", second, 0.8) };
    recall_once(&[one, two], &options(1_000), "").explained[1].outcome
}

#[test]
fn only_what_says_the_same_is_dropped() {
    let cases = [
        ("The deploy key rotates every 90 days.", "The deploy key rotates every 90 days.", true),
        ("The deploy key rotates every 90 days.", "deploy key rotates every 90 days", true),
        ("The deploy key rotates every 90 days.", "The deploy key rotates every 30 days.", false),
        ("Anna likes strong coffee.", "Anna does not like strong coffee.", false),
        ("Anna can eat nuts at home.", "Anna can't eat nuts at home.", false),
        ("Anna likes strong coffee.", "Berlin is the capital of Germany.", false),
    ];
    for (first, second, same) in cases {
        let outcome = outcome_of_second(first, second);
        let expected = if same { Outcome::Duplicate } else { Outcome::Kept };
        assert_eq!(outcome, expected, "{first} {second}");
        assert_eq!(says_the_same(first, second), same, "{first} {second}");
    }
}

#[test]
fn vectors_of_different_embedders_are_not_compared() {
    let one = Candidate { vector: Some(Quantised::new(&[1.0; 3])), ..note("/one.md", "A b.", 0.9) };
    let two = Candidate { vector: Some(Quantised::new(&[1.0; 4])), ..note("/two.md", "B a.", 0.8) };
    assert_eq!(recall_once(&[one, two], &options(100), "").items.len(), 2);
}
