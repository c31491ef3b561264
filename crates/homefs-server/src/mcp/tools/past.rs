//! The past of files.

use homefs_api::time;
use homefs_core::{Result, Version};
use homefs_view::Moment;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Row, arguments, path, read, schema};
use crate::mcp::ToolSet;
use crate::mcp::call::Call;

pub(super) const HISTORY: Row = Row {
    name: "history",
    title: "History",
    description: "List the versions of a file, newest first; with version, show what it was then.",
    set: ToolSet::Files,
    operations: &["log", "read_past", "diff"],
    destroys: false,
    repeats: true,
    input: schema::input::<History>,
    run: history,
};

pub(super) const RESTORE: Row = Row {
    name: "restore",
    title: "Restore",
    description: "Make an old version of a file the present one. Without version, bring back from \
                  the trash what was removed.",
    set: ToolSet::Files,
    operations: &["restore", "untrash"],
    destroys: true,
    repeats: true,
    input: schema::input::<Restore>,
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
    /// Show the content of this version
    version: Option<u64>,
    /// With version, show how it differs from now
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
        // One more than is shown tells that there is more.
        let content = client.read_past(&place, then, 0, call.room() + 1)?;
        let is_cut = content.len() > call.room();
        let how = "restore it to read it in parts, or compare it by diff";
        let answer = Answer::text(read::text(content.into())).at(version).or(how);
        if !is_cut {
            return Ok(answer);
        }
        // What was read of it does not tell how long it was.
        let next = Version(version.0.saturating_add(1));
        return Ok(match client.log(&place, Some(next), 1)?.first() {
            Some(edition) => answer.of(edition.size),
            None => answer,
        });
    }
    let editions = client.log(&place, given.before.map(Version), given.limit)?;
    let lines: Vec<String> = editions
        .iter()
        .map(|edition| {
            let (version, when) = (edition.version, time::rfc3339(edition.time));
            format!("{version}  {when}  {}  {} bytes", edition.agent, edition.size)
        })
        .collect();
    Ok(Answer::text(lines.join("\n")).or("give a smaller limit, and before for older ones"))
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
