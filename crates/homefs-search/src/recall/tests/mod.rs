//! Tests of recall.
#![expect(clippy::cast_precision_loss, reason = "numbers of tests are small")]

mod budget;
mod choice;
mod duplicates;
mod older;
mod sentences;
mod standing;
mod tokens;

use super::*;

const DAY: i64 = 86_400_000_000_000;
const NOW: i64 = 20_000 * DAY;

/// A note with nothing special about it.
fn note(path: &str, text: &str, relevance: f32) -> Candidate {
    let lines = u32::try_from(text.trim_end_matches('\n').matches('\n').count()).unwrap() + 1;
    Candidate {
        path: path.to_owned(),
        handle: "^483920".into(),
        version: 7,
        lines: (1, lines),
        is_whole: true,
        text: text.to_owned(),
        title: String::new(),
        relevance,
        importance: 0.5,
        modified: NOW - 3 * DAY,
        vector: None,
        digest: text.bytes().fold(1, |sum, byte| sum * 31 % 1_000_000_007 + u64::from(byte)),
        newer: None,
    }
}

fn options(max_tokens: usize) -> Options {
    let strategy = Strategy::Balanced;
    let tokenizer = Tokenizer::O200k;
    Options { max_tokens, strategy, min_score: 0.0, tokenizer, paths: false, now: NOW }
}

/// Recalls with a table of counts of its own.
fn recall_once(candidates: &[Candidate], options: &Options, question: &str) -> Recalled {
    recall(candidates.to_vec(), options, question, &Counts::default())
}
