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

fn run(call: &Call, given: Value) -> Result<Answer> {
    let given: Given = arguments(given)?;
    let mut limits = Limits::of_tool();
    if let Some(seconds) = given.timeout_seconds {
        // A model may ask for less, and never for more.
        limits.time = Duration::from_secs_f64(seconds.clamp(0.001, limits.time.as_secs_f64()));
    }
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
