//! Prints what putting, loading and searching an index cost at 1,000 and 100,000 notes.
//!
//! `cargo run --release -p homefs-search --example index_speed`
#![expect(clippy::disallowed_methods, reason = "a measurement asks the real clock")]
#![expect(clippy::print_stdout, reason = "its output is its purpose")]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of a measurement are small"
)]

use std::time::{Duration, Instant};

use homefs_core::Result;
use homefs_core::time::Here;
use homefs_search::{
    embed::Query as VectorQuery,
    index::{Body, File, Ignored, Index},
    text::{Need, Query, Statistics},
};

const DAY_NANOS: i64 = 86_400_000_000_000;

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

    fn text(&mut self, bytes: usize) -> String {
        let mut text = String::new();
        while text.len() < bytes {
            text += &self.word();
            text.push(' ');
        }
        text
    }
}

fn file(node: u32) -> File {
    File {
        node: u128::from(node) << 64 | 7,
        lineage: u128::from(node) << 64 | 7,
        version: u64::from(node) + 1,
        path: format!("/memory/{}/note-{node}.md", node % 100).into(),
        title: "".into(),
        tags: Vec::new(),
        created: i64::from(node % 700 + 20_000) * DAY_NANOS,
        modified: i64::from(node % 700 + 20_000) * DAY_NANOS,
        importance: 0.5,
        source: "".into(),
        supersedes: None,
        ignored: Ignored::No,
        rules: "".into(),
    }
}

fn main() -> Result<()> {
    Index::new("warm", 1)?.put(file(0), Body::Text(b"The static model is read at its first use."));
    for (count, bytes) in [(1_000, 150), (100_000, 150), (100_000, 200)] {
        let mut speaker = Speaker(1);
        let texts: Vec<String> = (0..count).map(|_| speaker.text(bytes)).collect();
        let total: usize = texts.iter().map(String::len).sum();
        let mut index = Index::new("encoder", 192)?;
        let start = Instant::now();
        for (node, text) in (0..).zip(&texts) {
            index.put(file(node), Body::Text(text.as_bytes()));
        }
        println!("{count} notes of {bytes} bytes: put {:?}", start.elapsed() / count);
        let start = Instant::now();
        let delta = index.delta().map_or(0, |delta| delta.len());
        println!("  first delta, {} bytes a note, {:?}", delta / count as usize, start.elapsed());
        sizes("static vectors", &mut index, total)?;
        embed_all(&mut index, &mut speaker)?;
        let whole = sizes("embedded", &mut index, total)?;
        loads(&whole)?;
        searches(&index, &mut speaker)?;
        changes(&mut index, &texts);
    }
    Ok(())
}

/// Prints what an index weighs, and returns it whole.
fn sizes(name: &str, index: &mut Index, text_bytes: usize) -> Result<Vec<u8>> {
    let start = Instant::now();
    let whole = index.whole();
    let (took, count) = (start.elapsed(), index.doc_count());
    *index = Index::of_whole(&whole)?;
    println!(
        "  {name}: whole {} bytes a note in {took:?}, memory {}, bound {}",
        whole.len() / count,
        index.size_bytes() / count,
        text_bytes * 3 / 2 / count + 400,
    );
    Ok(whole)
}

fn embed_all(index: &mut Index, speaker: &mut Speaker) -> Result<()> {
    let mut took = Duration::ZERO;
    while index.waiting_count() > 0 {
        for doc in index.waiting(64) {
            let digest = index.doc(doc).map_or(0, |doc| doc.digest);
            let vector: Vec<f32> = (0..192).map(|_| speaker.next() as f32 - 1e9).collect();
            let start = Instant::now();
            index.embed(doc, digest, &vector)?;
            took += start.elapsed();
        }
    }
    println!("  embed {:?}", took / index.doc_count() as u32);
    Ok(())
}

fn loads(whole: &[u8]) -> Result<()> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        let mut index = Index::new("encoder", 192)?;
        index.apply(whole)?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    println!("  load: best {:?}, median {:?}", times[0], times[2]);
    Ok(())
}

fn searches(index: &Index, speaker: &mut Speaker) -> Result<()> {
    for words in [1, 3, 8] {
        let texts: Vec<String> =
            (0..200).map(|_| (0..words).map(|_| speaker.word() + " ").collect()).collect();
        measure(&format!("{words} words"), &texts, |text| {
            let query = Query::plain(text);
            let statistics = Statistics::gather([index.text()], &query);
            index.text().search(&query, &statistics, 200, |_| true).len()
        });
    }
    let texts: Vec<String> =
        (0..200).map(|_| format!("\"{}{}\"", speaker.word() + " ", speaker.word())).collect();
    measure("phrase of two", &texts, |text| {
        let query = Query::parse(text, &Here::default());
        let statistics = Statistics::gather([index.text()], &query);
        index.text().search(&query, &statistics, 50, |_| true).len()
    });
    measure("grep", &texts, |text| {
        index.candidates(&Need::of_literal(text.trim_matches('"'), false)).len()
    });
    let vector: Vec<f32> = (0..192).map(|_| speaker.next() as f32 - 1e9).collect();
    let query = VectorQuery::new(&vector);
    let start = Instant::now();
    let hits = index.vectors().search(&query, 200, |_| 1.0)?;
    println!("  vectors: {} hits in {:?}", hits.len(), start.elapsed());
    Ok(())
}

fn measure(name: &str, texts: &[String], mut search: impl FnMut(&str) -> usize) {
    let mut times: Vec<_> = texts
        .iter()
        .map(|text| {
            let start = Instant::now();
            assert!(search(text) < usize::MAX);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |share: usize| times[times.len() * share / 100];
    println!("  {name}: p50 {:?} p99 {:?}", at(50), at(99));
}

/// What files cost that are put again.
fn changes(index: &mut Index, texts: &[String]) {
    let texts = &texts[..1000];
    let start = Instant::now();
    for (node, text) in (0..).zip(texts) {
        index.put(File { importance: 0.9, ..file(node) }, Body::Text(text.as_bytes()));
    }
    let took = start.elapsed() / 1000;
    let start = Instant::now();
    let delta = index.delta().map_or(0, |delta| delta.len() / 1000);
    println!("  put of the same text {took:?}; delta {delta} bytes a note, {:?}", start.elapsed());
    let start = Instant::now();
    for node in 0..1000 {
        index.remove(file(node).node);
    }
    println!("  remove {:?}, garbage {:.3}", start.elapsed() / 1000, index.garbage());
}
