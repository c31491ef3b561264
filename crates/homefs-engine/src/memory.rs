//! What a caller says and hears about memories: plain data.

use homefs_core::{NodeId, Path, SpaceName, Timestamp, Version};
use serde::{Deserialize, Serialize};

use crate::sync::PurgedThere;

pub use homefs_search::rank::Kind as SearchKind;
pub use homefs_search::recall::{Explained, Outcome, Strategy, Tokenizer};

/// What is searched, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// Most hits.
    pub limit: usize,
    /// By words, by meaning, or both.
    pub kind: SearchKind,
    /// Only these spaces; all that the agent sees if empty.
    pub spaces: Vec<SpaceName>,
    /// Only at and below this path.
    pub below: Path,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { limit: 10, kind: SearchKind::Hybrid, spaces: Vec::new(), below: Path::root() }
    }
}

/// A doc that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Where its file is.
    pub path: Path,
    /// The last change of the file.
    pub version: Version,
    /// The first and last line of the doc, counted from 1.
    pub lines: (u32, u32),
    /// The headings it stands under, or the title of the file; may be empty.
    pub title: String,
    /// How well it fits, from 0 to 1.
    pub score: f32,
    /// The part of words, and of vectors, from 0 to 1.
    pub text_score: f32,
    /// See `text_score`.
    pub vector_score: f32,
    /// The sentence that fits best.
    pub excerpt: String,
    /// When the file was last written.
    pub modified: Timestamp,
}

/// How memories are recalled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecallOptions {
    /// The budget; the answer never has more tokens.
    pub max_tokens: usize,
    /// What counts beside relevance.
    pub strategy: Strategy,
    /// Only these spaces; all that the agent sees if empty.
    pub spaces: Vec<SpaceName>,
    /// Only at and below this path.
    pub below: Path,
    /// What scores less is left out.
    pub min_score: f32,
    /// Whose tokens are counted.
    pub tokenizer: Tokenizer,
}

impl Default for RecallOptions {
    fn default() -> Self {
        Self {
            max_tokens: 2000,
            strategy: Strategy::Balanced,
            spaces: Vec::new(),
            below: Path::root(),
            min_score: 0.0,
            tokenizer: Tokenizer::O200k,
        }
    }
}

/// The memories that fit a question and a budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recalled {
    /// Compact Markdown, the most useful first.
    pub text: String,
    /// Its tokens.
    pub tokens: usize,
    /// What the text is made of, in its order.
    pub memories: Vec<Recollection>,
    /// Every candidate with its scores, and what became of it.
    pub explained: Vec<Explained>,
    /// Files that were asked for by their names only, since their contents are not here yet.
    pub unseen: u64,
}

/// One memory of a recall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recollection {
    /// Where its file is.
    pub path: Path,
    /// The last change of the file.
    pub version: Version,
    /// The first and last line that is quoted, counted from 1.
    pub lines: (u32, u32),
    /// What is quoted.
    pub text: String,
    /// Relevance, importance and recency together.
    pub score: f32,
    /// When the file was last written.
    pub modified: Timestamp,
    /// Its tokens, citation included.
    pub tokens: usize,
}

/// How a memory is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RememberOptions {
    /// What it is called; its file is named after it, or after its first words.
    pub title: Option<String>,
    /// How much it matters, from 0 to 1.
    pub importance: Option<f64>,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it is forgotten by itself, as `7d` or as a time.
    pub ttl: Option<String>,
    /// The space it goes to; the agent's home if not given.
    pub space: Option<SpaceName>,
    /// Where it comes from.
    pub source: Option<String>,
    /// What happens if nearly the same is remembered already; nothing if not given.
    pub alike: Option<Alike>,
}

/// What becomes of a memory that is there already, nearly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Alike {
    /// The old one takes up what is new.
    Merge,
    /// The new one is kept with a link to the old.
    Link,
}

/// A memory that was kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// Where.
    pub path: Path,
    /// The change that made it.
    pub version: Version,
    /// The memory that was nearly the same, if one was looked for and found.
    pub alike: Option<Path>,
}

/// What forgetting took away, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// Where it was.
    pub path: Path,
    /// How many nodes.
    pub nodes: u64,
    /// How many bytes they held last.
    pub bytes: u64,
    /// The places from which it is erased for good; none if it is in the trash.
    pub erased_from: Vec<String>,
    /// Until when it can be brought back, unless it is erased.
    pub in_trash_until: Option<Timestamp>,
    /// How far the erasing has come beyond this machine, if there is a remote.
    pub remote: Option<PurgedThere>,
}

/// What a note links to, and what links to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    /// Links in the note, in order.
    pub to: Vec<LinkTo>,
    /// Notes with a link to it.
    pub from: Vec<Path>,
}

/// A link in a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkTo {
    /// What is written.
    pub target: String,
    /// The note it leads to, if there is one.
    pub path: Option<Path>,
}

/// Which files a timeline shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineOptions {
    /// Not before this.
    pub after: Option<Timestamp>,
    /// Before this.
    pub before: Option<Timestamp>,
    /// Most files.
    pub limit: usize,
    /// Only at and below this path.
    pub below: Path,
}

/// A file as timelines and lists of stale files show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Noted {
    /// Where it is.
    pub path: Path,
    /// Its node.
    pub node: NodeId,
    /// Its title, or its first heading or words.
    pub title: String,
    /// When it was last written.
    pub modified: Timestamp,
    /// How much it matters.
    pub importance: f32,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it was last read on this machine, as far as anybody noticed.
    pub read: Option<Timestamp>,
}

/// What an agent should know at its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Compact Markdown: what is pinned, what matters most, and what else there is.
    pub text: String,
    /// Its tokens.
    pub tokens: usize,
}
