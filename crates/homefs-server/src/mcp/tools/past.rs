//! The past of files.

use homefs_api::{json, time};
use homefs_core::{Result, Version};
use homefs_engine::Moment;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Row, WHOLE_BYTES_MAX, arguments, path, read, schema};
use crate::mcp::call::Call;

pub(super) const HISTORY: Row = Row {
    name: "history",
    title: "History",
    description: "List the versions of a file, newest first, with when and by whom each was \
                  written. With version, show the content that it had then; with version and diff, \
                  how it differs from now.",
    operations: &["log", "read_past", "diff"],
    destroys: false,
    repeats: true,
    input: schema::input::<History>,
    output: || {
        schema::output(json!({
            "editions": { "type": "array", "items": { "type": "object" },
                "description": "Each with version, time, agent and size" },
        }))
    },
    run: history,
};

pub(super) const RESTORE: Row = Row {
    name: "restore",
    title: "Restore",
    description: "Make an old version of a file the present one; the version that it replaces \
                  stays in the history. Without version, bring a removed file or directory back \
                  from the trash.",
    operations: &["restore", "untrash"],
    destroys: true,
    repeats: true,
    input: schema::input::<Restore>,
    output: schema::versioned,
    run: restore,
};

#[derive(Deserialize, JsonSchema)]
struct History {
    /// The file
    path: String,
    /// The most versions to list
    #[serde(default = "limit")]
    limit: usize,
    /// Only those before this version
    before: Option<u64>,
    /// Show this version instead
    version: Option<u64>,
    /// Show how it differs from now instead
    #[serde(default)]
    diff: bool,
}

fn limit() -> usize {
    20
}

#[derive(Deserialize, JsonSchema)]
struct Restore {
    /// What to restore
    path: String,
    /// The version that history shows
    version: Option<u64>,
}

fn history(call: &Call, given: Value) -> Result<Answer> {
    let given: History = arguments(given)?;
    let (client, place) = (call.client(), path(&given.path)?);
    if let Some(version) = given.version.map(Version) {
        let then = Moment::Version(version);
        if given.diff {
            return Ok(Answer::text(client.diff(&place, then, Moment::Now)?).at(version));
        }
        let length = usize::try_from(WHOLE_BYTES_MAX).unwrap_or(usize::MAX);
        let content = client.read_past(&place, then, 0, length)?;
        return Ok(Answer::text(read::text(content.into())).at(version));
    }
    let editions = client.log(&place, given.before.map(Version), given.limit)?;
    let lines: Vec<String> = editions
        .iter()
        .map(|edition| {
            let (version, when) = (edition.version, time::rfc3339(edition.time));
            format!("{version}  {when}  {}  {} bytes", edition.agent, edition.size)
        })
        .collect();
    let records: Vec<Value> = editions.iter().map(json::edition).collect();
    Ok(Answer::text(lines.join("\n")).with("editions", records))
}

fn restore(call: &Call, given: Value) -> Result<Answer> {
    let given: Restore = arguments(given)?;
    let place = path(&given.path)?;
    let version = match given.version {
        Some(version) => call.client().restore(&place, Moment::Version(Version(version)))?,
        None => call.client().untrash(&place, None)?,
    };
    Ok(Answer::text(format!("Restored {place}")).at(version))
}
