//! Finding lines by a pattern.

use homefs_api::words;
use homefs_core::{Path, Result};
use homefs_view::GrepOptions;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Row, arguments, path, schema};
use crate::mcp::ToolSet;
use crate::mcp::call::Call;

/// Lines that one call finds.
const LINES_MAX: usize = 10_000;

pub(super) const GREP: Row = Row {
    name: "grep",
    title: "Grep",
    description: "Find lines of files by a regular expression, each with its path and number.",
    set: ToolSet::Files,
    operations: &["grep"],
    destroys: false,
    repeats: true,
    input: schema::input::<Grep>,
    run: grep,
};

#[derive(Deserialize, JsonSchema)]
struct Grep {
    /// A regular expression
    pattern: String,
    /// Only at and below this path
    path: Option<String>,
    /// Only files whose path matches, such as **/*.md
    glob: Option<String>,
    /// Match letters in either case
    #[serde(default)]
    ignore_case: bool,
    /// Take the pattern as the text itself
    #[serde(default)]
    literal: bool,
    /// Show so many lines before each
    #[serde(default)]
    before: usize,
    /// Show so many lines after each
    #[serde(default)]
    after: usize,
    /// The most lines to find
    #[serde(default = "limit")]
    limit: usize,
}

fn limit() -> usize {
    200
}

fn grep(call: &Call, given: Value) -> Result<Answer> {
    let given: Grep = arguments(given)?;
    let options = GrepOptions {
        below: given.path.as_deref().map_or_else(|| Ok(Path::root()), path)?,
        glob: given.glob,
        literal: given.literal,
        ignore_case: given.ignore_case,
        before: given.before,
        after: given.after,
        limit: given.limit.clamp(1, LINES_MAX),
        since: None,
    };
    let found = call.client().grep_while(&given.pattern, &options, || !call.is_cancelled())?;
    let text = match &found.lines[..] {
        [] => "No matches found".into(),
        lines => words::grep_lines(lines),
    };
    let mut answer = Answer::text(text).or("narrow path, glob or pattern");
    if let Some(unread) = words::unread(&found) {
        answer = answer.note(format!("[{unread}]")).with("unread", found.unread);
    }
    if found.next.is_none() {
        return Ok(answer);
    }
    let note = format!(
        "[these are {} lines, and there may be more; narrow path, glob or pattern, or raise limit]",
        found.lines.len()
    );
    Ok(answer.note(note).with("truncated", true))
}
