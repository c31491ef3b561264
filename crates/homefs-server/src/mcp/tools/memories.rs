//! Memories: keeping, finding and forgetting.

use homefs_api::{json, time};
use homefs_core::{Error, ErrorKind, Path, Result, SpaceName};
use homefs_engine::{
    Alike, RecallOptions, RememberOptions, SearchKind, SearchOptions, Strategy, Tokenizer,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Row, arguments, path, schema};
use crate::mcp::call::Call;

pub(super) const RECALL: Row = Row {
    name: "recall",
    title: "Recall",
    description: "Recall the memories that answer a question best, as Markdown with citations \
                  that fits a budget of tokens. Searches files and memories by words and by \
                  meaning; recent and important ones count more.",
    operations: &["recall"],
    destroys: false,
    repeats: true,
    input: schema::input::<Recall>,
    output: || {
        schema::output(json!({
            "tokens": { "type": "integer", "description": "The tokens of the text" },
            "memories": { "type": "array", "items": { "type": "object" },
                "description": "Where each part comes from, with path, version, lines and score" },
            "unseen": { "type": "integer", "description":
                "Files that were asked for by their names only, since their contents are not here" },
        }))
    },
    run: recall,
};

pub(super) const REMEMBER: Row = Row {
    name: "remember",
    title: "Remember",
    description: "Keep a text as a memory: a file of its own below /memories, which recall and \
                  search find at once.",
    operations: &["remember"],
    destroys: false,
    repeats: false,
    input: schema::input::<Remember>,
    output: || {
        schema::output(json!({
            "path": { "type": "string", "description": "Where it is kept" },
            "version": schema::version(),
        }))
    },
    run: remember,
};

pub(super) const SEARCH: Row = Row {
    name: "search",
    title: "Search",
    description: "Find parts of files by their words and their meaning, the best first. In the \
                  query, \"two words\" are a phrase, pref* finds words that begin so, -word leaves \
                  out, and tag:t, path:notes, after:2026-01-31 and before:2026-01-31 narrow.",
    operations: &["search"],
    destroys: false,
    repeats: true,
    input: schema::input::<Search>,
    output: || {
        schema::output(json!({
            "hits": { "type": "array", "items": { "type": "object" },
                "description": "Each with path, version, lines, title, score and excerpt" },
        }))
    },
    run: search,
};

pub(super) const FORGET: Row = Row {
    name: "forget",
    title: "Forget",
    description: "Remove a memory, or any file or directory with all below it. It goes to the \
                  trash, from which restore brings it back; with purge it is erased for good, from \
                  the history too.",
    operations: &["forget"],
    destroys: true,
    repeats: false,
    input: schema::input::<Forget>,
    output: || {
        schema::output(json!({
            "path": { "type": "string" },
            "nodes": { "type": "integer", "description": "How many files and directories" },
            "bytes": { "type": "integer", "description": "How many bytes they had" },
        }))
    },
    run: forget,
};

pub(super) const CONTEXT: Row = Row {
    name: "context",
    title: "Context",
    description: "Return what an agent should know at its start, as Markdown within a budget of \
                  tokens: what is pinned, what matters most, and what else there is.",
    operations: &["context"],
    destroys: false,
    repeats: true,
    input: schema::input::<Context>,
    output: || schema::output(json!({ "tokens": { "type": "integer" } })),
    run: |call, given| {
        let given: Context = arguments(given)?;
        let standing = call.client().context(given.max_tokens, Tokenizer::default())?;
        Ok(Answer::text(standing.text).with("tokens", standing.tokens))
    },
};

#[derive(Deserialize, JsonSchema)]
struct Recall {
    /// What to answer
    question: String,
    /// The most tokens of the answer
    #[serde(default = "recall_tokens")]
    max_tokens: usize,
    /// What counts beside relevance: balanced, relevance, importance or recency
    strategy: Option<String>,
    /// Only at and below this path
    below: Option<String>,
    /// Only these spaces, such as shared/market
    #[serde(default)]
    spaces: Vec<String>,
}

fn recall_tokens() -> usize {
    RecallOptions::default().max_tokens
}

#[derive(Deserialize, JsonSchema)]
struct Remember {
    /// What to remember
    text: String,
    /// What it is called; its file is named after it, or after its first words
    title: Option<String>,
    /// How much it matters, from 0 to 1
    importance: Option<f64>,
    /// Its tags
    #[serde(default)]
    tags: Vec<String>,
    /// When it is forgotten by itself, as 7d or as a time
    ttl: Option<String>,
    /// The space it goes to, such as shared/market; the agent's home if not given
    space: Option<String>,
    /// Where it comes from
    source: Option<String>,
    /// If nearly the same is remembered already: merge into the old one, or link to it
    alike: Option<IfAlike>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum IfAlike {
    Merge,
    Link,
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// What to look for
    query: String,
    /// The most hits
    #[serde(default = "search_limit")]
    limit: usize,
    /// Only at and below this path
    below: Option<String>,
    /// By words, by meaning, or both
    #[serde(default)]
    kind: Kind,
}

fn search_limit() -> usize {
    SearchOptions::default().limit
}

#[derive(Clone, Copy, Default, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    Hybrid,
    Text,
    Vector,
}

#[derive(Deserialize, JsonSchema)]
struct Forget {
    /// What to forget
    path: String,
    /// Erase it for good
    #[serde(default)]
    purge: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Context {
    /// The most tokens of the answer
    #[serde(default = "context_tokens")]
    max_tokens: usize,
}

fn context_tokens() -> usize {
    1000
}

fn below(text: Option<&str>) -> Result<Path> {
    text.map_or_else(|| Ok(Path::root()), path)
}

fn space(text: &str) -> Result<SpaceName> {
    text.parse()
}

fn recall(call: &Call, given: Value) -> Result<Answer> {
    let given: Recall = arguments(given)?;
    let strategy = given.strategy.as_deref().map(str::parse::<Strategy>).transpose();
    let options = RecallOptions {
        max_tokens: given.max_tokens,
        strategy: strategy
            .map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?
            .unwrap_or_default(),
        below: below(given.below.as_deref())?,
        spaces: given.spaces.iter().map(|name| space(name)).collect::<Result<_>>()?,
        ..RecallOptions::default()
    };
    let recalled = call.client().recall(&given.question, &options)?;
    let mut record = json::recalled(&recalled, false);
    // The text is the content already.
    if let Value::Object(members) = &mut record {
        members.remove("text");
    }
    Ok(Answer::text(recalled.text).with_all(record))
}

fn remember(call: &Call, given: Value) -> Result<Answer> {
    let given: Remember = arguments(given)?;
    let options = RememberOptions {
        title: given.title,
        importance: given.importance,
        tags: given.tags,
        ttl: given.ttl,
        space: given.space.as_deref().map(space).transpose()?,
        source: given.source,
        alike: given.alike.map(|alike| match alike {
            IfAlike::Merge => Alike::Merge,
            IfAlike::Link => Alike::Link,
        }),
    };
    let kept = call.client().remember(&given.text, &options)?;
    let text = match &kept.alike {
        Some(alike) => format!("Remembered at {}, nearly the same as {alike}", kept.path),
        None => format!("Remembered at {}", kept.path),
    };
    Ok(Answer::text(text).with_all(json::remembered(&kept)))
}

fn search(call: &Call, given: Value) -> Result<Answer> {
    let given: Search = arguments(given)?;
    let kind = match given.kind {
        Kind::Hybrid => SearchKind::Hybrid,
        Kind::Text => SearchKind::Text,
        Kind::Vector => SearchKind::Vector,
    };
    let below = below(given.below.as_deref())?;
    let options = SearchOptions { limit: given.limit, kind, below, ..SearchOptions::default() };
    let hits = call.client().search(&given.query, &options)?;
    let shown: Vec<String> = hits
        .iter()
        .map(|hit| {
            let (first, last) = hit.lines;
            let title = if hit.title.is_empty() { "" } else { "  " };
            format!(
                "{:.2}  {}:{first}-{last}{title}{}\n      {}",
                hit.score, hit.path, hit.title, hit.excerpt
            )
        })
        .collect();
    let text = if shown.is_empty() { "Nothing found".into() } else { shown.join("\n") };
    Ok(Answer::text(text).with("hits", hits.iter().map(json::hit).collect::<Vec<_>>()))
}

fn forget(call: &Call, given: Value) -> Result<Answer> {
    let given: Forget = arguments(given)?;
    let receipt = call.client().forget(&path(&given.path)?, given.purge)?;
    let text = match receipt.in_trash_until {
        Some(until) => {
            let until = time::rfc3339(until);
            format!("Forgot {}; restore brings it back until {until}", receipt.path)
        }
        None => format!("Erased {} from {}", receipt.path, receipt.erased_from.join(", ")),
    };
    Ok(Answer::text(text).with_all(json::forgotten(&receipt)))
}
