//! Memories.

use homefs_api::json;
use homefs_core::{Result, SpaceName};
use homefs_engine::{SearchKind, Strategy, Tokenizer};
use napi::bindgen_prelude::Either;

use crate::files::{parse, parse_or_root};
use crate::home::Home;
use crate::methods::methods;
use crate::options::{
    ContextOptions, ForgetOptions, LimitOptions, MemoryCommand, RecallOptions, RememberOptions,
    SearchOptions, StaleOptions, TimelineOptions, invalid, timestamp, word,
};
use crate::records::{
    Forgotten, Hit, Links, Noted, Recall, Remembered, Standing, Tag, record, records,
};

/// The budget if nobody says one.
const TOKENS_MAX: u32 = 2000;
/// Hits that are returned if nobody says how many.
const HITS: u32 = 10;
/// Files that are listed if nobody says how many.
const FILES: u32 = 20;
/// Days after which a file is stale if nobody says how many.
const DAYS: u32 = 90;

methods! {
    "Finds docs by words and meaning, the best first; every write that returned before is seen."
    ""
    "In a query, `\"two words\"` are a phrase, `pref*` finds words that begin so, `-word` leaves"
    "out, and `tag:t`, `path:notes`, `after:2026-01-31` and `before:2026-01-31` narrow."
    soon search search_sync
    |core, query: [String], options: [Option<SearchOptions>]| -> [Vec<Hit>] {
        let SearchOptions { limit, kind, space, below, signal: _ } =
            options.unwrap_or_default();
        let kind = kind.map_or(Ok(SearchKind::Hybrid), |text| word("kind", &text))?;
        let options = homefs_engine::SearchOptions {
            limit: limit.unwrap_or(HITS) as usize,
            kind,
            spaces: spaces(space)?,
            below: parse_or_root(below)?,
        };
        records(&core.client.search(&query, &options)?, json::hit)
    }

    "Answers a question with the memories that matter, within a budget of tokens: 2000 if not given."
    soon recall recall_sync
    |core, question: [String], max_tokens: [Option<u32>], options: [Option<RecallOptions>]|
    -> [Recall] {
        let given = options.unwrap_or_default();
        let explain = given.explain.unwrap_or(false);
        let options = recall_options(max_tokens, given)?;
        record(json::recalled(&core.client.recall(&question, &options)?, explain))
    }

    "Keeps a text as a memory: a Markdown file under `/memories`."
    soon remember remember_sync
    |core, text: [String], options: [Option<RememberOptions>]| -> [Remembered] {
        let given = options.unwrap_or_default();
        let options = homefs_engine::RememberOptions {
            title: given.title,
            importance: given.importance,
            tags: given.tags.unwrap_or_default(),
            ttl: given.ttl,
            space: given.space.map(|space| space.parse()).transpose()?,
            source: given.source,
            alike: given.alike.map(|text| word("alike", &text)).transpose()?,
        };
        record(json::remembered(&core.changing()?.remember(&text, &options)?))
    }

    "Lets a memory go, to the trash or for good; works on every file and directory."
    soon forget forget_sync
    |core, path: [String], options: [Option<ForgetOptions>]| -> [Forgotten] {
        let purge = options.and_then(|options| options.purge).unwrap_or(false);
        record(json::forgotten(&core.changing()?.forget(&parse(&path)?, purge)?))
    }

    "Finds the files that are most like a file."
    soon related related_sync
    |core, path: [String], options: [Option<LimitOptions>]| -> [Vec<Hit>] {
        let limit = options.and_then(|options| options.limit).unwrap_or(HITS) as usize;
        records(&core.client.related(&parse(&path)?, limit)?, json::hit)
    }

    "Returns what an agent should know at its start, within a budget of tokens: 2000 if not given."
    soon context context_sync
    |core, max_tokens: [Option<u32>], options: [Option<ContextOptions>]| -> [Standing] {
        let tokenizer = tokenizer(options.and_then(|options| options.tokenizer))?;
        let max_tokens = max_tokens.unwrap_or(TOKENS_MAX) as usize;
        record(json::standing(&core.client.context(max_tokens, tokenizer)?))
    }

    "Lists what a note links to, and what links to it."
    soon links links_sync |core, path: [String]| -> [Links] {
        record(json::links(&core.client.links(&parse(&path)?)?))
    }

    "Counts the tags at and below a path."
    soon tags tags_sync |core, path: [Option<String>]| -> [Vec<Tag>] {
        records(&core.client.tags(&parse_or_root(path)?)?, json::tag)
    }

    "Lists files by when they were written, newest first."
    soon timeline timeline_sync
    |core, below: [Option<String>], options: [Option<TimelineOptions>]| -> [Vec<Noted>] {
        let TimelineOptions { after, before, limit } = options.unwrap_or_default();
        let options = homefs_engine::TimelineOptions {
            after: after.as_deref().map(timestamp).transpose()?,
            before: before.as_deref().map(timestamp).transpose()?,
            limit: limit.unwrap_or(FILES) as usize,
            below: parse_or_root(below)?,
        };
        records(&core.client.timeline(&options)?, json::noted)
    }

    "Lists files that nobody has read for long and that matter little."
    soon stale stale_sync
    |core, below: [Option<String>], options: [Option<StaleOptions>]| -> [Vec<Noted>] {
        let StaleOptions { days, limit } = options.unwrap_or_default();
        let limit = limit.unwrap_or(FILES) as usize;
        let files = core.client.stale(days.unwrap_or(DAYS), limit, &parse_or_root(below)?)?;
        records(&files, json::noted)
    }

    "Does what a command of Anthropic's memory tool asks for, on `/memories`; returns what the tool"
    "says to the model, as the `detail` of an error does."
    ""
    "@internal"
    soon memory_command memory_command_sync |core, command: [MemoryCommand]| -> [String] {
        let command: homefs_api::MemoryCommand = serde_json::to_value(command)
            .and_then(serde_json::from_value)
            .map_err(|error| invalid(error.to_string()))?;
        if command.changes() { core.changing()? } else { &core.client }.memory_command(&command)
    }
}

fn recall_options(
    max_tokens: Option<u32>,
    given: RecallOptions,
) -> Result<homefs_engine::RecallOptions> {
    #[expect(clippy::cast_possible_truncation, reason = "scores have no more digits")]
    let min_score = given.min_score.unwrap_or(0.0) as f32;
    Ok(homefs_engine::RecallOptions {
        max_tokens: max_tokens.unwrap_or(TOKENS_MAX) as usize,
        strategy: given.strategy.map_or(Ok(Strategy::Balanced), |text| text.parse())?,
        spaces: spaces(given.space)?,
        below: parse_or_root(given.below)?,
        min_score,
        tokenizer: tokenizer(given.tokenizer)?,
    })
}

fn tokenizer(text: Option<String>) -> Result<Tokenizer> {
    text.map_or(Ok(Tokenizer::O200k), |text| text.parse())
}

fn spaces(names: Option<Either<String, Vec<String>>>) -> Result<Vec<SpaceName>> {
    let names = match names {
        Some(Either::A(name)) => vec![name],
        Some(Either::B(names)) => names,
        None => Vec::new(),
    };
    names.iter().map(|name| name.parse()).collect()
}
