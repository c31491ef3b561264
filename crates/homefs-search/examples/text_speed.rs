//! Prints what insertion, search and the trigram filter cost at 1,000 and 100,000 docs.
//!
//! `cargo run --release -p homefs-search --example text_speed`
#![expect(clippy::disallowed_methods, reason = "a measurement asks the real clock")]
#![expect(clippy::print_stdout, reason = "its output is its purpose")]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of a measurement are small"
)]

use std::time::Instant;

use homefs_core::time::Here;
use homefs_search::text::{Fields, Need, Query, Statistics, TextIndex, Trigrams};

/// Words with the frequencies of a language: the rank of a word is its rarity.
struct Speaker(u64);

impl Speaker {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.0 >> 33
    }

    fn word(&mut self) -> String {
        let even = self.next() as f64 / (1_u64 << 31) as f64;
        // The inverse of a distribution by which the word of rank n has a share of about 1/n.
        let rank = (60_000_f64).powf(even) as u64;
        let letters = b"etaoinshrdlu";
        let mut word = String::new();
        let mut rest = rank * 7 + 11;
        while rest > 0 {
            word.push(char::from(letters[(rest % 12) as usize]));
            rest /= 12;
        }
        word
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word() + " ").collect()
    }
}

fn main() {
    for count in [1_000_u32, 100_000] {
        let mut speaker = Speaker(1);
        let texts: Vec<String> = (0..count).map(|_| speaker.text(60)).collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        let mut index = TextIndex::default();
        let mut files = Trigrams::default();
        let start = Instant::now();
        for body in &texts {
            index.push(Fields { body, ..Fields::default() });
        }
        let inserted = start.elapsed();
        let start = Instant::now();
        for body in &texts {
            files.push(body.as_bytes());
        }
        println!(
            "{count} docs of {} bytes: insert {:?}, {} bytes a doc; trigrams {:?}, {} bytes a file",
            bytes / count as usize,
            inserted / count,
            index.size_bytes() / count as usize,
            start.elapsed() / count,
            files.size_bytes() / count as usize,
        );
        let kib = speaker.text(300);
        let start = Instant::now();
        for _ in 0..1000 {
            index.push(Fields { body: &kib[..1024], ..Fields::default() });
        }
        println!("  insert of 1 KiB {:?}", start.elapsed() / 1000);
        let start = Instant::now();
        for doc in 0..1000 {
            index.remove(count + doc);
        }
        println!("  remove of 1 KiB {:?}", start.elapsed() / 1000);
        searches(&index, &mut speaker);
        for pattern in ["inshrd", "(?i)THE.*rdlu"] {
            let need = Need::of_regex(pattern, false);
            let start = Instant::now();
            let found = files.candidates(&need).count();
            println!("  trigrams {pattern}: {found} files in {:?}", start.elapsed());
        }
    }
}

fn searches(index: &TextIndex, speaker: &mut Speaker) {
    let mut time = |name: &str, make: &mut dyn FnMut(&mut Speaker) -> String| {
        let queries: Vec<String> = (0..200).map(|_| make(speaker)).collect();
        let mut times: Vec<_> = queries
            .iter()
            .map(|text| {
                let start = Instant::now();
                let query = Query::parse(text, &Here::default());
                let statistics = Statistics::gather([index], &query);
                let hits = index.search(&query, &statistics, 50, |_| true);
                assert!(hits.len() <= 50);
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        println!("  {name}: p50 {:?} p99 {:?} max {:?}", times[100], times[197], times[199]);
    };
    for words in [1, 3, 5, 8] {
        time(&format!("{words} words"), &mut |speaker| speaker.text(words));
    }
    time("32 words", &mut |speaker| speaker.text(32));
    time("8 most common words", &mut |_| {
        let mut common = Speaker(3);
        (0..400)
            .map(|_| common.word())
            .filter(|word| word.len() < 3)
            .take(8)
            .collect::<Vec<_>>()
            .join(" ")
    });
    time("phrase of two", &mut |speaker| format!("\"{}\"", speaker.text(2)));
    time("prefix of three", &mut |speaker| format!("{:.3}*", speaker.word()));
}
