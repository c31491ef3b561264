//! What callers hear of memories.

use homefs_core::{NodeId, Path, SpaceName, Timestamp, Version};

use super::records;
use crate::words::Outcome;

records! {
    /// A part of a file that a search found.
    pub struct Hit {
        /// Where its file is.
        pub path: Path,
        /// The last change of the file.
        pub version: Version,
        /// Its first and last line, counted from 1.
        pub lines: (u32, u32),
        /// The headings it stands under, or the title of the file; may be empty.
        pub title: String,
        /// How well it fits, from 0 to 1.
        pub score: f32,
        /// The part of words, from 0 to 1.
        pub text_score: f32,
        /// The part of meaning, from 0 to 1.
        pub vector_score: f32,
        /// The sentence that fits best.
        pub excerpt: String,
        /// When the file was last written.
        pub modified: Timestamp,
    }

    /// The memories that answer a question and fit a budget.
    pub struct Recall {
        /// Compact Markdown to be quoted, the most useful first.
        pub text: String,
        /// Its tokens.
        pub tokens: usize,
        /// What the text is made of, in its order.
        pub memories: Vec<Recollection>,
        /// How every candidate was judged; none unless that was asked.
        pub explained: Vec<Explained>,
        /// Files that were asked for by their names only, since their contents are not here yet.
        pub unseen: u64,
        /// Where sources are attached whose files were not searched; `grep` finds their lines.
        pub unsearched: Vec<Path>,
    }

    /// One memory of a recall.
    pub struct Recollection {
        /// Where its file is.
        pub path: Path,
        /// The handle of its file, which every face takes instead of the path.
        pub handle: String,
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
        /// Whether another memory was said to take its place.
        pub older: bool,
        /// Its tokens, citation included.
        pub tokens: usize,
    }

    /// How a recall judged a candidate.
    pub struct Explained {
        /// Where its file is.
        pub path: String,
        /// Its first and last line, counted from 1.
        pub lines: (u32, u32),
        /// How well it fits.
        pub relevance: f32,
        /// The factor of its importance.
        pub importance: f32,
        /// The factor of its age.
        pub recency: f32,
        /// All together.
        pub score: f32,
        /// Its tokens.
        pub tokens: usize,
        /// What became of it.
        pub outcome: Outcome,
        /// What says the same.
        pub duplicate_of: Option<String>,
    }

    /// A memory that was kept.
    #[derive(Eq)]
    pub struct Remembered {
        /// Where.
        pub path: Path,
        /// The change that made it.
        pub version: Version,
        /// The memory that was nearly the same, if one was looked for and found.
        pub alike: Option<Path>,
    }

    /// What forgetting took away, and where.
    #[derive(Eq)]
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

    /// How far the purges of a space have come beyond this machine.
    #[derive(Eq)]
    pub struct PurgedThere {
        /// The last commit that purged something; none while a purge made here is still to be
        /// pushed, or where nothing was ever purged.
        pub commit: Option<u64>,
        /// Machines that have pushed before, and have not said yet that they erased it too.
        pub waiting: Vec<String>,
    }

    /// What a note links to, and what links to it.
    #[derive(Default, Eq)]
    pub struct Links {
        /// Links in the note, in order.
        pub to: Vec<LinkTo>,
        /// Notes with a link to it.
        pub from: Vec<Path>,
    }

    /// A link in a note.
    #[derive(Eq)]
    pub struct LinkTo {
        /// What is written.
        pub target: String,
        /// The note it leads to, if there is one.
        pub path: Option<Path>,
    }

    /// A tag, and how many files have it.
    pub struct Tag {
        /// The tag.
        pub tag: String,
        /// How many files have it.
        pub count: u64,
    }

    /// A file as timelines and lists of stale files show it.
    pub struct Noted {
        /// Where it is.
        pub path: Path,
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
        /// Its node.
        pub node: NodeId,
    }

    /// What an agent should know at its start.
    #[derive(Default, Eq)]
    pub struct Standing {
        /// Compact Markdown: what is pinned, what matters most, and what else there is.
        pub text: String,
        /// Its tokens.
        pub tokens: usize,
    }

    /// How the index of a space is doing.
    #[derive(Eq)]
    pub struct IndexStatus {
        /// Its space.
        pub space: SpaceName,
        /// Files in it.
        pub files: u64,
        /// Docs in it.
        pub docs: u64,
        /// Docs that wait for their vectors.
        pub waiting: u64,
        /// The embedder that gives docs their vectors.
        pub embedder: String,
        /// Bytes of memory, nearly.
        pub memory_bytes: u64,
        /// Bytes of its file.
        pub file_bytes: u64,
        /// Searches that looked into it since it was opened.
        pub searches: u64,
    }
}
