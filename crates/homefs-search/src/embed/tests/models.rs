//! What both models promise of any text, and what the encoder gives for a known one.

use std::array::from_fn;

use homefs_core::{Embedder, Role};
use proptest::prelude::*;
use serde::Deserialize;

use super::{cosine, noise};
use crate::embed::{Encoder, StaticModel, normalise, simd};

/// A query and what the reference makes of it.
#[derive(Deserialize)]
struct Golden {
    query: String,
    ids: Vec<u32>,
    vec: Vec<f32>,
}

fn golden() -> Golden {
    let text = include_str!("../../../models/encoder/golden.json");
    serde_json::from_str(text).expect("the file is as it was made")
}

fn models() -> [&'static dyn Embedder; 2] {
    [StaticModel::built_in(), Encoder::built_in()]
}

fn check(text: &str) {
    for model in models() {
        for role in [Role::Query, Role::Memory] {
            let vector = model.embed(text, role).expect("a built-in model never fails");
            assert_eq!(Some(vector.len()), model.dimensions().ok());
            let square: f32 = vector.iter().map(|value| value * value).sum();
            let is_zero = vector.iter().all(|value| *value == 0.0);
            assert!(is_zero || (square - 1.0).abs() < 1e-4, "{square} by {}", model.name());
        }
    }
}

#[test]
fn the_encoder_gives_what_the_reference_gives() {
    let golden = golden();
    let encoder = Encoder::built_in();
    assert_eq!(encoder.tokens(&golden.query), golden.ids);
    let vector = encoder.embed(&golden.query, Role::Query);
    let likeness = cosine(&vector, &golden.vec);
    assert!(likeness > 0.9999, "the cosine is {likeness}");
    let memory = encoder.embed(&golden.query, Role::Memory);
    assert!(cosine(&memory, &golden.vec) < 0.999, "the role makes a difference");
}

#[test]
fn a_long_memory_gives_what_the_reference_gives() {
    let tokens: Vec<u32> = (0..60).map(|index| index * 37 % 27_000 + 1).collect();
    let mut vector = simd::run(Encoder::built_in().forward(&tokens, Role::Memory));
    normalise(&mut vector);
    let expected = [-0.46337, 0.05009, 0.16919, 0.02425, -0.17718, -0.12611, -0.00035, -0.10255];
    for (value, expected) in vector.iter().zip(expected) {
        assert!((value - expected).abs() < 1e-4, "{value} where {expected} is right");
    }
}

#[test]
fn an_old_processor_gives_the_same_sums() {
    let mut numbers = noise(7);
    let inputs: Vec<[f32; 6]> = (0..256).map(|_| from_fn(|_| numbers.next().unwrap())).collect();
    let weights: Vec<[f32; 16]> = (0..256).map(|_| from_fn(|_| numbers.next().unwrap())).collect();
    let wide = simd::tile_sums(&inputs, &weights);
    let plain = simd::tile_sums_plain(&inputs, &weights);
    for (wide, plain) in wide.as_flattened().iter().zip(plain.as_flattened()) {
        assert!((wide - plain).abs() < 1e-3, "{wide} {plain}");
    }
}

#[test]
fn any_number_of_tokens_is_embedded() {
    for count in (0..8).chain([126, 127]) {
        check(&"word ".repeat(count));
    }
}

#[test]
fn only_the_first_tokens_are_read() {
    let encoder = Encoder::built_in();
    let (short, long) = ("word ".repeat(126), "word ".repeat(126) + "other words");
    assert_eq!(encoder.embed(&short, Role::Memory), encoder.embed(&long, Role::Memory));
}

#[test]
fn odd_texts_have_a_unit_vector_or_zeros() {
    let long = "a long text, écrit 漢字 \u{0}🦀 ".repeat(4000);
    for text in ["", " \n", "\0", "a\0b", "🦀🦀", "é", "\u{FFFD}", "NEAR(\"a\" OR *)", &long] {
        check(text);
    }
    assert!(StaticModel::built_in().embed("\0 \u{200B}").iter().all(|value| *value == 0.0));
}

#[test]
fn texts_that_mean_the_same_are_nearer() {
    let like = |model: &dyn Embedder, a: &str, b: &str| {
        let embed = |text| model.embed(text, Role::Memory).expect("a built-in model never fails");
        cosine(&embed(a), &embed(b))
    };
    let (a, near, far) = (
        "the dog ran in the park",
        "a puppy was running in the garden",
        "compile error in the parser",
    );
    for model in models() {
        assert!(like(model, a, near) > like(model, a, far) + 0.2, "{}", model.name());
    }
}

#[test]
fn a_weight_of_zero_hides_a_token() {
    let model = StaticModel::built_in();
    let hidden = model
        .embed_weighted("red apple", |token| if model.piece(token) == "apple" { 0.0 } else { 3.0 });
    assert!(cosine(&hidden, &model.embed("red")) > 0.9999);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_text_has_a_unit_vector_or_zeros(text in "\\PC{0,80}") {
        check(&text);
    }
}
