//! Scripts on the home.

use std::time::Duration;

use homefs_api::{Limits, SHELL_OPERATIONS, ShellCall};
use homefs_core::Result;
use rmcp::model::ContentBlock;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::answer::end_within;
use super::{Answer, Row, arguments, read, schema};
use crate::mcp::ToolSet;
use crate::mcp::call::Call;

pub(super) const SHELL: Row = Row {
    name: "shell",
    title: "Shell",
    description: "Run a bash script on the home, without programs or network of the host. It has \
                  grep, find, sed, awk, jq, diff and more (`help` lists them), recall, search and \
                  remember for memories, and homefs for versions and the trash.",
    set: ToolSet::Shell,
    operations: SHELL_OPERATIONS,
    destroys: true,
    repeats: false,
    input: schema::input::<Given>,
    run,
};

#[derive(Deserialize, JsonSchema)]
struct Given {
    /// The script
    script: String,
    /// A session whose directory, variables and functions last from call to call
    session: Option<String>,
    /// What the script reads from standard input
    #[serde(default)]
    stdin: String,
    /// Stop the script after fewer than the usual 10 seconds
    timeout_seconds: Option<f64>,
}

/// What of the room for an answer is for standard error at least, if there is so much.
const ERROR_BYTES: usize = 4 << 10;

/// Returns the limits of a script: a model may ask for less time, and never for more. It prints no
/// more than an answer has room for.
fn limits(timeout_seconds: Option<f64>, output_bytes: usize) -> Limits {
    let most = Limits::of_tool();
    let seconds = most.time.as_secs_f64();
    let asked = timeout_seconds.map_or(seconds, |asked| asked.clamp(0.001, seconds));
    Limits { time: Duration::from_secs_f64(asked), output_bytes, ..most }
}

fn run(call: &Call, given: Value) -> Result<Answer> {
    let given: Given = arguments(given)?;
    let limits = limits(given.timeout_seconds, call.room());
    let notes = call.notes();
    let shell_call = ShellCall {
        script: given.script,
        limits,
        stdin: given.stdin.into_bytes(),
        sink: Some(Box::new(move |_, bytes| {
            let text = String::from_utf8_lossy(bytes);
            if let Some(line) = text.lines().rfind(|line| !line.trim().is_empty()) {
                notes(line.chars().take(200).collect());
            }
        })),
        ..ShellCall::default()
    };
    let session = given.session.as_deref();
    let output = call.sessions().run_told(session, shell_call, |running| call.runs(running))?;
    let (mut stdout, mut stderr) = (read::text(output.stdout), read::text(output.stderr));
    let bytes = stdout.len() + stderr.len();
    // Neither drowns the other: what is wrong is often told at the end.
    let of_error = stderr.len().min(ERROR_BYTES.min(call.room() / 2));
    stdout.truncate(end_within(&stdout, call.room() - of_error));
    stderr.truncate(end_within(&stderr, call.room() - stdout.len()));
    let truncated = output.truncated || stdout.len() + stderr.len() < bytes;
    let mut said: Vec<String> = [stdout, stderr].into();
    if truncated {
        let how = "narrow it with grep, head or tail, or write it to a file and read that in parts";
        said.push(format!("[the output is cut; {how}]"));
    }
    if output.status != 0 {
        said.push(format!("[exit status {}]", output.status));
    }
    said.retain(|said| !said.is_empty());
    // A client may want to show something.
    if said.is_empty() {
        said.push(String::new());
    }
    let answer = Answer::blocks(said.into_iter().map(ContentBlock::text).collect()).measured();
    Ok(answer.with("status", output.status).with("truncated", truncated))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_can_ask_for_less_time_only() {
        let (most, time) = (Limits::of_tool().time, |asked| limits(asked, 9).time);
        for asked in [None, Some(600.0), Some(1e300), Some(f64::INFINITY)] {
            assert_eq!(time(asked), most, "{asked:?}");
        }
        assert_eq!(time(Some(0.5)), Duration::from_millis(500));
        assert_eq!(time(Some(-1.0)), Duration::from_millis(1));
    }
}
