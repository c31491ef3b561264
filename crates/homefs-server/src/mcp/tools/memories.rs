//! Memories: keeping, finding and forgetting.

use homefs_api::{time, words};
use homefs_core::{Error, ErrorKind, Path, Result, SpaceName, line_reference};
use homefs_view::{
    Alike, RecallOptions, RememberOptions, SearchKind, SearchOptions, Strategy, Tokenizer,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Row, arguments, path, schema};
use crate::mcp::ToolSet;
use crate::mcp::call::Call;

pub(super) const RECALL: Row = Row {
    name: "recall",
    title: "Recall",
    description: "Recall what answers a question best, from memories and files, by words and \
                  meaning: Markdown with citations, within a budget of tokens.",
    set: ToolSet::Memory,
    operations: &["recall"],
    destroys: false,
    repeats: true,
    input: schema::input::<Recall>,
    run: recall,
};

pub(super) const REMEMBER: Row = Row {
    name: "remember",
    title: "Remember",
    description: "Keep a text as a memory, which recall and search find at once.",
    set: ToolSet::Memory,
    operations: &["remember"],
    destroys: false,
    repeats: false,
    input: schema::input::<Remember>,
    run: remember,
};

pub(super) const SEARCH: Row = Row {
    name: "search",
    title: "Search",
    description: "Find parts of files by words and meaning, the best first. A query may have \
                  \"a phrase\", pref*, -word, tag:t, path:notes, after:2026-01-31, before:….",
    set: ToolSet::Memory,
    operations: &["search"],
    destroys: false,
    repeats: true,
    input: schema::input::<Search>,
    run: search,
};

pub(super) const FORGET: Row = Row {
    name: "forget",
    title: "Forget",
    description: "Remove a memory, or any file or directory, to the trash.",
    set: ToolSet::Memory,
    operations: &["forget"],
    destroys: true,
    repeats: false,
    input: schema::input::<Forget>,
    run: forget,
};

pub(super) const CONTEXT: Row = Row {
    name: "context",
    title: "Context",
    description: "Tell what to know at the start: what is pinned, what matters most, and what \
                  else there is.",
    set: ToolSet::Memory,
    operations: &["context"],
    destroys: false,
    repeats: true,
    input: schema::input::<Context>,
    run: |call, given| {
        let given: Context = arguments(given)?;
        let standing = call.client().context(given.max_tokens, Tokenizer::default())?;
        Ok(Answer::text(standing.text).with("tokens", standing.tokens).measured())
    },
};

#[derive(Deserialize, JsonSchema)]
struct Recall {
    /// What to answer
    question: String,
    /// The most tokens of the answer
    #[serde(default = "recall_tokens")]
    max_tokens: usize,
    /// What counts most: balanced, relevance, importance or recency
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
    title: Option<String>,
    /// How much it matters, from 0 to 1
    importance: Option<f64>,
    #[serde(default)]
    tags: Vec<String>,
    /// Forget it by itself after 7d, or at a time
    ttl: Option<String>,
    /// Where it goes, such as shared/market, if not to the home
    space: Option<String>,
    /// Where it comes from
    source: Option<String>,
    /// What to do if nearly the same is there already
    alike: Option<Alike>,
    /// Path or handle of the memory that this one takes the place of
    supersedes: Option<String>,
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
    kind: SearchKind,
    /// Also what ignore rules name, and files that are no text
    #[serde(default)]
    all: bool,
}

fn search_limit() -> usize {
    SearchOptions::default().limit
}

#[derive(Deserialize, JsonSchema)]
struct Forget {
    /// What to forget
    path: String,
    /// Erase it for good, from the history too
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
    let answer = Answer::text(recalled.text).measured();
    let answer = answer.with("tokens", recalled.tokens).with("unseen", recalled.unseen);
    with_unsearched(call, answer, &options.below)
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
        alike: given.alike,
        supersedes: given.supersedes.as_deref().map(path).transpose()?,
    };
    let kept = call.client().remember(&given.text, &options)?;
    let text = match &kept.alike {
        Some(alike) => format!("Remembered at {}, nearly the same as {alike}", kept.path),
        None => format!("Remembered at {}", kept.path),
    };
    Ok(Answer::text(text).with("path", kept.path.as_str()).at(kept.version))
}

fn search(call: &Call, given: Value) -> Result<Answer> {
    let given: Search = arguments(given)?;
    let Search { query, limit, kind, .. } = given;
    let below = below(given.below.as_deref())?;
    let options = SearchOptions { limit, kind, below, all: given.all, ..SearchOptions::default() };
    let hits = call.client().search(&query, &options)?;
    let shown: Vec<String> = hits
        .iter()
        .map(|hit| {
            let title = if hit.title.is_empty() { "" } else { "  " };
            format!(
                "{:.2}  {}{}{title}{}\n      {}",
                hit.score,
                hit.path,
                line_reference(hit.lines),
                hit.title,
                hit.excerpt
            )
        })
        .collect();
    let text = if shown.is_empty() { "Nothing found".into() } else { shown.join("\n") };
    let answer = Answer::text(text).or("narrow the query, or give a smaller limit");
    with_unsearched(call, answer, &options.below)
}

/// Says which sources were not searched.
fn with_unsearched(call: &Call, answer: Answer, below: &Path) -> Result<Answer> {
    let unsearched = words::unsearched(&call.client().sources()?, below);
    Ok(match unsearched {
        Some(unsearched) => answer.note(format!("[{unsearched}]")),
        None => answer,
    })
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
    Ok(Answer::text(text).with("path", receipt.path.as_str()))
}
