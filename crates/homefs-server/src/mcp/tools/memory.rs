//! The memory tool of Anthropic, with its commands and its words.

use homefs_api::MemoryCommand;
use homefs_core::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Row, arguments, schema};
use crate::mcp::call::Call;

pub(super) const MEMORY: Row = Row {
    name: "memory",
    title: "Memory",
    description: "Commands of Anthropic's memory tool on the directory /memories: view{path, \
                  view_range?}, create{path, file_text}, str_replace{path, old_str, new_str}, \
                  insert{path, insert_line, insert_text}, delete{path}, rename{old_path, \
                  new_path}. Paths begin with /memories.",
    operations: &["stat", "read", "list", "read_link", "write", "make_dir", "remove", "rename"],
    destroys: true,
    repeats: false,
    input: schema::input::<Given>,
    output: schema::text,
    run,
};

/// Every member of every command; which are needed depends on the command.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used; MemoryCommand reads the arguments")]
struct Given {
    /// What to do
    command: Name,
    /// The file or directory, below /memories
    path: Option<String>,
    /// For view: the first and last line to show; -1 is the end
    view_range: Option<Vec<i64>>,
    /// For create: the content
    file_text: Option<String>,
    /// For `str_replace`: what must occur once
    old_str: Option<String>,
    /// For `str_replace`: what takes its place
    new_str: Option<String>,
    /// For insert: the line after which to insert; 0 is before the first
    insert_line: Option<i64>,
    /// For insert: what to insert
    insert_text: Option<String>,
    /// For rename: what to rename
    old_path: Option<String>,
    /// For rename: its new name
    new_path: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Name {
    View,
    Create,
    StrReplace,
    Insert,
    Delete,
    Rename,
}

fn run(call: &Call, given: Value) -> Result<Answer> {
    let command: MemoryCommand = arguments(given)?;
    call.client().memory_command(&command).map(Answer::text)
}
