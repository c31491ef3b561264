//! The memory tool of Anthropic, with its commands and its words.

use homefs_api::MemoryCommand;
use homefs_core::{Error, ErrorKind, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Row, arguments, schema};
use crate::mcp::ToolSet;
use crate::mcp::call::Call;

pub(super) const MEMORY: Row = Row {
    name: "memory",
    title: "Memory",
    description: "Keep notes as files below /memories: view{path, view_range?}, create{path, \
                  file_text}, str_replace{path, old_str, new_str}, insert{path, insert_line, \
                  insert_text}, delete{path}, rename{old_path, new_path}.",
    set: ToolSet::Memory,
    operations: &["stat", "read", "list", "read_link", "write", "make_dir", "remove", "rename"],
    destroys: true,
    repeats: false,
    input: schema::input::<Given>,
    run,
};

/// What each command needs.
const NEEDS: [(&str, &[&str]); 6] = [
    ("view", &["path"]),
    ("create", &["path", "file_text"]),
    ("str_replace", &["path", "old_str"]),
    ("insert", &["path", "insert_line", "insert_text"]),
    ("delete", &["path"]),
    ("rename", &["old_path", "new_path"]),
];

/// Every member of every command; which are needed depends on the command.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used; MemoryCommand reads the arguments")]
struct Given {
    /// What to do
    command: Name,
    path: Option<String>,
    /// The first and last line; -1 is the end
    view_range: Option<Vec<i64>>,
    file_text: Option<String>,
    /// Must occur once
    old_str: Option<String>,
    new_str: Option<String>,
    /// The line after which to insert
    insert_line: Option<i64>,
    insert_text: Option<String>,
    old_path: Option<String>,
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
    let name = given["command"].as_str().unwrap_or_default();
    let needs =
        NEEDS.iter().find(|(command, _)| *command == name).map_or(&[][..], |(_, needs)| needs);
    if let Some(missing) = needs.iter().find(|needed| given.get(**needed).is_none()) {
        return Err(Error::new(ErrorKind::Invalid, format!("{name} needs {missing}")));
    }
    let command: MemoryCommand = arguments(given)?;
    let answer = call.client().memory_command(&command).map(Answer::text)?;
    Ok(answer.or("go on with view_range"))
}
