//! What a caller says and hears about memories: plain data.

use homefs_core::{Path, SpaceName, Timestamp};
use serde::{Deserialize, Serialize};

pub use homefs_search::recall::Count;
pub use homefs_search::text::slug;
pub use homefs_wire::records::{
    Explained, Forgotten, Hit, LinkTo, Links, Noted, Recall as Recalled, Recollection, Remembered,
    Standing,
};
pub use homefs_wire::words::{Alike, Outcome, SearchKind, Strategy, Tokenizer};

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
    /// Files that are ignored, too.
    pub all: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            limit: 10,
            kind: SearchKind::Hybrid,
            spaces: Vec::new(),
            below: Path::root(),
            all: false,
        }
    }
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
    /// What is less relevant is left out, however important and new it is: in the units of the
    /// floor of 0.3, below which nothing is an answer.
    pub min_score: f32,
    /// Whose tokens are counted.
    pub tokenizer: Tokenizer,
    /// Whether the text cites paths and versions instead of handles.
    pub paths: bool,
    /// Whether what is ignored is told among what was left out.
    pub explain: bool,
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
            paths: false,
            explain: false,
        }
    }
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
    /// The memory that it takes the place of, which is told as older from then on.
    pub supersedes: Option<Path>,
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
