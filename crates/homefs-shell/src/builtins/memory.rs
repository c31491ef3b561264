//! `recall`, `search` and `remember`: what the home knows, and what it is to know.

use std::str::FromStr;

use homefs_core::{Error, ErrorKind, Path, Result, line_reference};
use homefs_view::{Hit, RecallOptions, RememberOptions, SearchOptions, unsearched};

use super::options::{Item, Spec, Takes, parse};
use super::tool::Run;

/// Runs `recall`.
pub(crate) fn recall(run: &mut Run<'_>) -> i32 {
    const SPECS: &[Spec] = &[
        ('t', "max-tokens", Takes::Value),
        ('s', "strategy", Takes::Value),
        ('b', "below", Takes::Value),
    ];
    finish(run, |run| {
        let mut options = RecallOptions::default();
        let question = words(run, SPECS, |run, name, value| {
            match name {
                "max-tokens" => options.max_tokens = number(name, value)?,
                "strategy" => options.strategy = value.parse()?,
                "below" => options.below = run.path(value)?,
                _ => return Err(invalid(format!("--{name} is unknown"))),
            }
            Ok(())
        })?;
        let recalled = run.ground.files.home.recall(&question, &options)?;
        run.out.extend_from_slice(recalled.text.as_bytes());
        say_unsearched(run, &options.below)?;
        Ok(i32::from(recalled.memories.is_empty()))
    })
}

/// Runs `search`.
pub(crate) fn search(run: &mut Run<'_>) -> i32 {
    const SPECS: &[Spec] =
        &[('n', "limit", Takes::Value), ('b', "below", Takes::Value), ('a', "all", Takes::Nothing)];
    finish(run, |run| {
        let mut options = SearchOptions::default();
        let query = words(run, SPECS, |run, name, value| {
            match name {
                "limit" => options.limit = number(name, value)?,
                "all" => options.all = true,
                "below" => options.below = run.path(value)?,
                _ => return Err(invalid(format!("--{name} is unknown"))),
            }
            Ok(())
        })?;
        let hits = run.ground.files.home.search(&query, &options)?;
        show(run, &hits);
        say_unsearched(run, &options.below)?;
        Ok(i32::from(hits.is_empty()))
    })
}

/// Says which sources were not searched.
fn say_unsearched(run: &mut Run<'_>, below: &Path) -> Result<()> {
    let sources = run.ground.files.home.sources()?;
    if let Some(unsearched) = unsearched(&sources, below) {
        run.complain(&unsearched);
    }
    Ok(())
}

/// Runs `remember`.
pub(crate) fn remember(run: &mut Run<'_>) -> i32 {
    const SPECS: &[Spec] = &[
        ('t', "title", Takes::Value),
        ('i', "importance", Takes::Value),
        (' ', "tag", Takes::Value),
        (' ', "ttl", Takes::Value),
        (' ', "space", Takes::Value),
        (' ', "source", Takes::Value),
        (' ', "supersedes", Takes::Value),
    ];
    finish(run, |run| {
        let mut options = RememberOptions::default();
        let text = words(run, SPECS, |run, name, value| {
            match name {
                "title" => options.title = Some(value.to_owned()),
                "importance" => options.importance = Some(number(name, value)?),
                "tag" => options.tags.push(value.to_owned()),
                "ttl" => options.ttl = Some(value.to_owned()),
                "space" => options.space = Some(value.parse()?),
                "supersedes" => options.supersedes = Some(run.path(value)?),
                "source" => options.source = Some(value.to_owned()),
                _ => return Err(invalid(format!("--{name} is unknown"))),
            }
            Ok(())
        })?;
        let kept = run.ground.files.home.remember(&text, &options)?;
        run.line(kept.path.as_str());
        Ok(0)
    })
}

/// Prints hits: where each is, and the sentence that fits best.
pub(crate) fn show(run: &mut Run<'_>, hits: &[Hit]) {
    for hit in hits {
        let place = format!("{}{}", hit.path, line_reference(hit.lines));
        run.line(format!("{:.2}  {place}  {}", hit.score, hit.title).trim_end());
        let excerpt = hit.excerpt.split_whitespace().collect::<Vec<_>>().join(" ");
        if !excerpt.is_empty() {
            run.line(&format!("      {excerpt}"));
        }
    }
}

/// Ends a command with its status, or with what is wrong.
pub(crate) fn finish(run: &mut Run<'_>, act: impl FnOnce(&mut Run<'_>) -> Result<i32>) -> i32 {
    act(run).unwrap_or_else(|error| {
        run.complain(&error.to_string());
        2
    })
}

/// Gives options to `set`, and returns the operands as one text; standard input if there are none.
fn words(
    run: &Run<'_>,
    specs: &[Spec],
    mut set: impl FnMut(&Run<'_>, &str, &str) -> Result<()>,
) -> Result<String> {
    let mut operands = Vec::new();
    for item in parse(specs, None, run.args).map_err(invalid)? {
        match item {
            Item::Operand(operand) => operands.push(operand),
            Item::Option(name, value) => set(run, name, value.unwrap_or_default())?,
        }
    }
    match operands[..] {
        [] | ["-"] => Ok(String::from_utf8_lossy(run.stdin).into_owned()),
        _ => Ok(operands.join(" ")),
    }
}

/// Reads a number.
fn number<T: FromStr>(name: &str, text: &str) -> Result<T> {
    text.parse().map_err(|_| invalid(format!("--{name} takes a number, not '{text}'")))
}

/// Makes the error of a command line that makes no sense.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, message.into())
}
