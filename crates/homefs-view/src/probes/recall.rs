//! `:recall`: the memories below a directory that answer a question, within a budget.

use homefs_core::{Path, Result, line_reference};

use super::table::Table;
use super::{Arguments, On, Probe, flag, number, question};
use crate::memory::{Explained, Outcome, RecallOptions};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "recall",
    on: On::Directory,
    arguments: &["query", "max_tokens", "strategy", "min_score", "tokenizer", "paths", "explain"],
    help: "the memories that answer a question within max_tokens; explain=1: why these",
    read,
    write: None,
};

fn read(view: &View, directory: &Path, arguments: &Arguments) -> Result<String> {
    let usual = RecallOptions::default();
    let named = |key| arguments.get(key);
    let options = RecallOptions {
        max_tokens: number(arguments, "max_tokens", usual.max_tokens)?,
        strategy: named("strategy").map_or(Ok(usual.strategy), str::parse)?,
        min_score: number(arguments, "min_score", usual.min_score)?,
        tokenizer: named("tokenizer").map_or(Ok(usual.tokenizer), str::parse)?,
        paths: flag(arguments, "paths")?,
        explain: flag(arguments, "explain")?,
        below: directory.clone(),
        spaces: usual.spaces,
    };
    let recalled = view.recall(question(arguments)?, &options)?;
    if !options.explain {
        return Ok(recalled.text);
    }
    let note = format!("{} of {} tokens.", recalled.tokens, options.max_tokens);
    let rows = recalled.explained.into_iter().map(row).collect();
    let columns =
        ["score", "relevance", "importance", "recency", "tokens", "path", "lines", "outcome"];
    Ok(recalled.text + "\n" + &Table { columns, rows, note }.text(arguments)?)
}

fn row(explained: Explained) -> [serde_json::Value; 8] {
    let number = |number: f32| format!("{number:.3}").into();
    let same = explained.duplicate_of.unwrap_or_default();
    let outcome = match explained.outcome {
        Outcome::Kept => "kept".to_owned(),
        Outcome::Excerpted => "some sentences".to_owned(),
        Outcome::Duplicate => format!("says what {same} says"),
        Outcome::BelowMinimum => "below min_score".to_owned(),
        Outcome::NoAnswer => "no answer".to_owned(),
        Outcome::NoRoom => "no room".to_owned(),
        Outcome::Empty => "says nothing".to_owned(),
        Outcome::Ignored => "is ignored".to_owned(),
    };
    [
        number(explained.score),
        number(explained.relevance),
        number(explained.importance),
        number(explained.recency),
        explained.tokens.into(),
        explained.path.into(),
        line_reference(explained.lines).into(),
        outcome.into(),
    ]
}
