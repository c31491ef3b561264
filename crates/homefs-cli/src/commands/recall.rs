//! `homefs recall`.

use homefs_core::{Path, SpaceName, line_reference};
use homefs_view::{Explained, Outcome, RecallOptions, Recalled, Strategy, Tokenizer};

use super::{question, search};
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::{json, text};

/// Answer a question with the memories that matter, within a budget of tokens
///
/// Prints Markdown to be quoted, the most useful first, each with a handle such as `^483920`, which
/// every command takes instead of a path; never more than --max-tokens. Every write that returned
/// before is seen. If nothing is known about it, that is said, and the exit status is 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The question; `-` or nothing reads it from standard input
    #[arg(
        value_name = "QUESTION",
        allow_hyphen_values = true,
        value_parser = super::write::argument
    )]
    question: Option<String>,
    /// Most tokens of the answer
    #[arg(long, default_value_t = 2000, value_name = "COUNT")]
    max_tokens: usize,
    /// What counts beside relevance: balanced, relevance, importance or recency
    #[arg(long, default_value = "balanced")]
    strategy: Strategy,
    /// Only in this space, such as shared/market; may be given again
    #[arg(long = "space", value_name = "SPACE")]
    spaces: Vec<SpaceName>,
    /// Only at and below this path
    #[arg(long, value_name = "PATH", value_parser = Path::parse, default_value = "/")]
    below: Path,
    /// Leave out what is less relevant, such as 0.5; below 0.3 nothing is an answer
    #[arg(long, default_value_t = 0.0, value_name = "SCORE")]
    min_score: f32,
    /// Whose tokens are counted: o200k, cl100k or approx
    #[arg(long, default_value = "o200k")]
    tokenizer: Tokenizer,
    /// Cite paths and versions instead of handles
    #[arg(long)]
    paths: bool,
    /// Show how every candidate was judged, and what was left out and why
    #[arg(long)]
    explain: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let question = question::read(context, self.question)?;
        let options = RecallOptions {
            max_tokens: self.max_tokens,
            strategy: self.strategy,
            spaces: self.spaces,
            below: self.below,
            min_score: self.min_score,
            tokenizer: self.tokenizer,
            paths: self.paths,
            explain: self.explain,
        };
        let recalled = context.client()?.recall(&question, &options)?;
        let output = &context.output;
        if output.json {
            output.json(&json::recalled(recalled.clone(), self.explain))?;
        } else {
            output.content(&recalled.text)?;
            search::say_unseen(context, recalled.unseen);
            search::say_unsearched(context, &options.below)?;
            if self.explain {
                explain(context, &recalled, self.max_tokens)?;
            }
        }
        // The text says it in words, if there is room for them.
        if recalled.memories.is_empty() { Err(Failure::no("")) } else { Ok(()) }
    }
}

fn explain(context: &Context, recalled: &Recalled, max_tokens: usize) -> Result<()> {
    let output = &context.output;
    let heading = format!("{} of {max_tokens} tokens", recalled.tokens);
    if !recalled.text.is_empty() {
        output.line("")?;
    }
    output.line(output.paint(Style::Bold, &heading))?;
    let names = ["score", "relevance", "importance", "recency", "tokens", "what became", "of"];
    let mut rows = vec![names.map(str::to_owned).to_vec()];
    rows.extend(recalled.explained.iter().map(row));
    let lines = text::columns(&rows, &[0, 1, 2, 3, 4]);
    lines.into_iter().try_for_each(|line| output.line(line))
}

fn row(explained: &Explained) -> Vec<String> {
    let Explained { path, lines, relevance, importance, recency, score, tokens, .. } = explained;
    vec![
        format!("{score:.3}"),
        format!("{relevance:.3}"),
        format!("× {importance:.2}"),
        format!("× {recency:.2}"),
        tokens.to_string(),
        text::printable(&became(explained)),
        text::printable(&format!("{path}{}", line_reference(*lines))),
    ]
}

/// Says what became of a candidate.
fn became(explained: &Explained) -> String {
    match explained.outcome {
        Outcome::Kept => "kept".into(),
        Outcome::Excerpted => "kept in part".into(),
        Outcome::Duplicate => {
            format!("says the same as {}", explained.duplicate_of.as_deref().unwrap_or_default())
        }
        Outcome::BelowMinimum => "scores too little".into(),
        Outcome::NoAnswer => "is no answer".into(),
        Outcome::NoRoom => "no room".into(),
        Outcome::Empty => "empty".into(),
        Outcome::Ignored => "is ignored".into(),
    }
}
