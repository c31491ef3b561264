//! Recall: hits packed as text that can be quoted, within a budget of tokens.
//!
//! [`recall`] scores candidates by relevance, importance and age, drops what says the same twice,
//! cuts long docs to the sentences that answer, and writes one list item for each memory with
//! where it stands. [`standing`] does the same for what an agent should know at its start. Both
//! are pure: the same candidates, options and question give the same text, and the only thing
//! kept between calls is [`Counts`], which makes them fast and changes nothing.

use crate::embed::Quantised;

mod approximate;
mod counts;
mod duplicates;
mod excerpt;
mod format;
mod older;
mod packing;
mod scores;
mod sentences;
mod standing;
mod tokens;

#[cfg(test)]
mod tests;

pub use homefs_wire::records::Explained;
pub use homefs_wire::words::Outcome;

pub use counts::Counts;
pub use duplicates::says_the_same;
pub use excerpt::Quoting;
pub use packing::recall;
pub use scores::Strategy;
pub use standing::{Directory, Standing, standing};
pub use tokens::{Count, Tokenizer, token_table};

/// A doc that may be recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its file, as the agent sees it.
    pub path: String,
    /// The handle of its file, which is how it is cited.
    pub handle: String,
    /// The version of the file that it stands in.
    pub version: u64,
    /// Its first and last line, counted from 1.
    pub lines: (u32, u32),
    /// Whether it is all that its file says.
    pub is_whole: bool,
    /// Its text.
    pub text: String,
    /// What it is called; quoted if it has no text.
    pub title: String,
    /// How well it answers, from 0 to 1.
    pub relevance: f32,
    /// How much it matters, from 0 to 1; 0.5 if nobody said.
    pub importance: f32,
    /// When it was changed last, in nanoseconds since 1970.
    pub modified: i64,
    /// Its vector. Vectors of one length are taken to be of one embedder.
    pub vector: Option<Quantised>,
    /// The digest of its text: docs with the same one say the same.
    pub digest: u64,
    /// The file that has taken the place of its own, if one has, as the agent sees it.
    pub newer: Option<String>,
}

/// How recall packs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The budget: the text never has more tokens.
    pub max_tokens: usize,
    /// What counts beside relevance.
    pub strategy: Strategy,
    /// Candidates of less relevance are dropped, however important and new they are: it is in the
    /// units of the floor below which nothing is an answer. Whatever it is, nothing is recalled if the best
    /// of them is not relevant enough to be an answer, and what is far less relevant than it is not.
    pub min_score: f32,
    /// What counts tokens.
    pub tokenizer: Tokenizer,
    /// Whether paths and versions are cited instead of handles.
    pub paths: bool,
    /// The present, in nanoseconds since 1970.
    pub now: i64,
}

/// What was recalled.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recalled {
    /// The memories of the text, in its order: the best first.
    pub items: Vec<Memory>,
    /// All of them as a Markdown list.
    pub text: String,
    /// The tokens of the text.
    pub tokens: usize,
    /// What became of each candidate, the best first.
    pub explained: Vec<Explained>,
}

/// A doc, or a part of it, in a recall.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its file, as the agent sees it.
    pub path: String,
    /// The handle of its file.
    pub handle: String,
    /// The version of the file that it stands in.
    pub version: u64,
    /// The first and last line of what is quoted.
    pub lines: (u32, u32),
    /// What is quoted, as it stands in the doc: whole sentences, or a part of one that is too long,
    /// at whose ends the text has a `…`.
    pub text: String,
    /// Its score.
    pub score: f32,
    /// The time since its file was changed, in nanoseconds.
    pub age: i64,
    /// Whether another memory has taken its place.
    pub older: bool,
    /// The tokens of its item, with the citation.
    pub tokens: usize,
}
