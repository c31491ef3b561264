//! Scripts on the home.

use std::time::Duration;

use homefs_api::{Limits, ShellCall};
use homefs_core::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Row, arguments, read, schema};
use crate::mcp::call::Call;

pub(super) const SHELL: Row = Row {
    name: "shell",
    title: "Shell",
    description: "Run a bash script on the home, and nothing but the home: no programs and no \
                  network of the host. Has the usual commands (grep, rg, find, sed, awk, jq, sort, \
                  diff and more; help lists them) and homefs, for memories and the history. With \
                  session, the directory, variables and functions last from call to call.",
    operations: &[
        "read",
        "write",
        "append",
        "stat",
        "set_attrs",
        "read_link",
        "make_dir",
        "symlink",
        "link",
        "remove",
        "rename",
        "copy",
        "list",
        "candidates",
        "meta",
        "set_meta",
        "log",
        "diff",
        "restore",
        "trash",
        "untrash",
        "search",
        "related",
        "recall",
        "remember",
        "forget",
        "tags",
        "context",
        "spaces",
    ],
    destroys: true,
    repeats: false,
    input: schema::input::<Given>,
    output: || {
        schema::output(json!({
            "stdout": { "type": "string" },
            "stderr": { "type": "string" },
            "status": { "type": "integer", "description":
                "The exit status; 124 if time ran out, 137 if another limit was reached" },
            "truncated": { "type": "boolean", "description": "Whether output was cut off" },
        }))
    },
    run,
};

#[derive(Deserialize, JsonSchema)]
struct Given {
    /// The script
    script: String,
    /// The name of a session that lasts
    session: Option<String>,
    /// What the script reads from standard input
    #[serde(default)]
    stdin: String,
    /// Stop the script after fewer than the usual 10 seconds
    timeout_seconds: Option<f64>,
}

/// Returns the limits of a script: a model may ask for less time, and never for more.
fn limits(timeout_seconds: Option<f64>) -> Limits {
    let most = Limits::of_tool();
    let seconds = most.time.as_secs_f64();
    let asked = timeout_seconds.map_or(seconds, |asked| asked.clamp(0.001, seconds));
    Limits { time: Duration::from_secs_f64(asked), ..most }
}

fn run(call: &Call, given: Value) -> Result<Answer> {
    let given: Given = arguments(given)?;
    let limits = limits(given.timeout_seconds);
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
    let (stdout, stderr) = (read::text(output.stdout), read::text(output.stderr));
    let status = match output.status {
        0 => String::new(),
        status => format!("[exit status {status}]"),
    };
    let text = [stdout.as_str(), &stderr, &status].concat();
    Ok(Answer::text(text).with_all(json!({
        "stdout": stdout,
        "stderr": stderr,
        "status": output.status,
        "truncated": output.truncated,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_can_ask_for_less_time_only() {
        let most = Limits::of_tool().time;
        for asked in [None, Some(600.0), Some(1e300), Some(f64::INFINITY)] {
            assert_eq!(limits(asked).time, most, "{asked:?}");
        }
        assert_eq!(limits(Some(0.5)).time, Duration::from_millis(500));
        assert_eq!(limits(Some(-1.0)).time, Duration::from_millis(1));
    }
}
