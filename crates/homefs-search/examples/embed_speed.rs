//! Prints how long the models and the search among vectors take:
//! `cargo run --release -p homefs-search --example embed_speed [FOLDER]`, the folder with a model
//! of BERT's kind to compare with.
#![expect(clippy::disallowed_methods, reason = "a stopwatch needs the real time")]
#![expect(clippy::print_stdout, reason = "the numbers are for whoever runs it")]

use std::hint::black_box;
use std::time::Instant;

use homefs_core::{Embedder, HostDisk, Role};
use homefs_search::embed::{Bert, Encoder, Quantised, Query, StaticModel, VectorSet};

fn main() {
    models();
    if let Some(folder) = std::env::args().nth(1) {
        given(&folder);
    }
    search();
}

/// Prints the least, the median and nearly the longest time of a call.
fn measure<T>(name: &str, rounds: usize, mut call: impl FnMut() -> T) {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            black_box(call());
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (least, median, late) = (times[0], times[rounds / 2], times[rounds * 99 / 100]);
    println!("{name:<36} least {least:>8.1} µs  median {median:>8.1} µs  p99 {late:>8.1} µs");
}

/// What notes look like.
const TEXT: &str = "We decided on Tuesday to move the nightly backups from the old server in \
    Hamburg to the new bucket, because restores took four hours. Maria will write the runbook; \
    RSI > 70 means exit. ";

/// Measures both models.
fn models() {
    measure("load static", 1, StaticModel::built_in);
    measure("load encoder", 1, Encoder::built_in);
    let (static_model, encoder) = (StaticModel::built_in(), Encoder::built_in());
    let long = TEXT.repeat(600);
    for bytes in [64, 1024, 100 * 1024] {
        measure(&format!("static {bytes} B"), 1000, || static_model.embed(&long[..bytes]));
    }
    let mut tokens = 0;
    measure("tokens of 1024 B", 1000, || static_model.tokens(&long[..1024], |_| tokens += 1));
    for words in [1, 2, 3, 4, 5, 10, 20, 60, 126] {
        let text = "word ".repeat(words);
        measure(&format!("encoder {words} tokens"), 1000, || encoder.embed(&text, Role::Query));
    }
}

/// Measures a model that is given.
fn given(folder: &str) {
    let start = Instant::now();
    let model = Bert::open(&HostDisk, folder.as_ref()).expect("a model is in the folder");
    println!("load {:<31} {:.0} ms", model.name(), start.elapsed().as_secs_f64() * 1e3);
    for tokens in [5, 10, 20, 60, 128] {
        let text = "word ".repeat(tokens - 2);
        measure(&format!("given model, {tokens} tokens"), 50, || model.embed(&text, Role::Memory));
    }
    let text = "word ".repeat(18);
    measure("given model, 64 texts of 20 tokens", 5, || {
        model.embed_many(&[&*text; 64], Role::Memory)
    });
    let text = "When did we decide to move the backups?";
    measure("short text, given model", 50, || model.embed(text, Role::Query));
    measure("short text, encoder", 1000, || Encoder::built_in().embed(text, Role::Query));
    measure("short text, static", 1000, || StaticModel::built_in().embed(text));
}

/// Measures the search among vectors.
fn search() {
    for dimensions in [192, 256] {
        let mut numbers = noise();
        let mut set = VectorSet::new(dimensions).expect("the length is allowed");
        let query = Query::new(&numbers.by_ref().take(dimensions).collect::<Vec<_>>());
        for count in [1_000, 10_000, 100_000] {
            while set.len() < count {
                let vector: Vec<f32> = numbers.by_ref().take(dimensions).collect();
                set.push(&Quantised::new(&vector)).expect("it has the length");
            }
            for (name, step) in [("all", 1), ("one in 100", 100)] {
                let weight = |slot: u32| f32::from(u8::from(slot.is_multiple_of(step)));
                measure(&format!("top 50 of {count} × {dimensions}, {name}"), 100, || {
                    set.search(&query, 50, weight).expect("it has the length")
                });
            }
        }
    }
}

/// Returns numbers between -1 and 1 that look random.
fn noise() -> impl Iterator<Item = f32> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from((state >> 48) as u16) / 32768.0 - 1.0
    })
}
