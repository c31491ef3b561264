//! What callers hear of memories.

use napi_derive::napi;
use serde::Deserialize;

/// A doc that was found.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hit {
    /// Where its file is.
    pub path: String,
    /// The last change of the file.
    pub version: i64,
    /// Its first and last line, counted from 1.
    #[napi(ts_type = "[number, number]")]
    pub lines: Vec<u32>,
    /// The headings it stands under, or the title of the file.
    pub title: String,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// The part of words, from 0 to 1.
    pub text_score: f64,
    /// The part of meaning, from 0 to 1.
    pub vector_score: f64,
    /// The sentence that fits best.
    pub excerpt: String,
    /// When the file was last written, as RFC 3339.
    pub modified: String,
}

/// The memories that fit a question and a budget.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recall {
    /// Compact Markdown to be quoted, the most useful first.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
    /// What the text is made of, in its order.
    pub memories: Vec<Recollection>,
    /// How every candidate was judged, if asked.
    pub explained: Option<Vec<Explained>>,
    /// Files that were asked for by their names only, since their contents are not here yet.
    pub unseen: u32,
}

/// One memory of a recall.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recollection {
    /// Where its file is.
    pub path: String,
    /// The last change of the file.
    pub version: i64,
    /// The first and last line that is quoted, counted from 1.
    #[napi(ts_type = "[number, number]")]
    pub lines: Vec<u32>,
    /// What is quoted.
    pub text: String,
    /// Relevance, importance and recency together.
    pub score: f64,
    /// When the file was last written, as RFC 3339.
    pub modified: String,
    /// Its tokens, citation included.
    pub tokens: u32,
}

/// How a candidate was judged.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explained {
    /// Where its file is.
    pub path: String,
    /// Its first and last line, counted from 1.
    #[napi(ts_type = "[number, number]")]
    pub lines: Vec<u32>,
    /// How well it fits.
    pub relevance: f64,
    /// The factor of its importance.
    pub importance: f64,
    /// The factor of its age.
    pub recency: f64,
    /// All together.
    pub score: f64,
    /// Its tokens.
    pub tokens: u32,
    /// What became of it.
    #[napi(ts_type = "'kept' | 'excerpted' | 'duplicate' | 'below_minimum' | 'no_room' | 'empty'")]
    pub outcome: String,
    /// What says the same.
    pub duplicate_of: Option<String>,
}

/// A memory that was kept.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remembered {
    /// Where.
    pub path: String,
    /// The change that made it.
    pub version: i64,
    /// The memory that was nearly the same, if one was looked for and found.
    pub alike: Option<String>,
}

/// What forgetting took away, and where.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forgotten {
    /// Where it was.
    pub path: String,
    /// How many nodes.
    pub nodes: i64,
    /// How many bytes they held last.
    pub bytes: i64,
    /// The places from which it is erased for good; none if it is in the trash.
    pub erased_from: Vec<String>,
    /// Until when it can be brought back, as RFC 3339, unless it is erased.
    pub in_trash_until: Option<String>,
    /// How far the erasing has come beyond this machine, if there is a remote.
    pub remote: Option<PurgedThere>,
}

/// How far a purge has come beyond this machine.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PurgedThere {
    /// The commit that erased it from the remote.
    pub commit: Option<i64>,
    /// Machines that have not confirmed it yet.
    pub waiting: Vec<String>,
}

/// What a note links to, and what links to it.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Links {
    /// Links in the note, in order.
    pub to: Vec<LinkTo>,
    /// Notes with a link to it.
    pub from: Vec<String>,
}

/// A link in a note.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkTo {
    /// What is written.
    pub target: String,
    /// The note it leads to, if there is one.
    pub path: Option<String>,
}

/// One tag.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tag {
    /// The tag.
    pub tag: String,
    /// How many files have it.
    pub count: i64,
}

/// A file as timelines and lists of stale files show it.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noted {
    /// Where it is.
    pub path: String,
    /// Its title, or its first heading or words.
    pub title: String,
    /// When it was last written, as RFC 3339.
    pub modified: String,
    /// How much it matters.
    pub importance: f64,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it was last read on this machine, as RFC 3339, as far as anybody noticed.
    pub read: Option<String>,
    /// Its node.
    pub node: String,
}

/// What an agent should know at its start.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Compact Markdown.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
}
