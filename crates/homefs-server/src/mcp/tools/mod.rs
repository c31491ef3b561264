//! The tools: one table, and a file for each family.
//!
//! Those of the official file system server have its names, its arguments and its words, so that a
//! client can have a home instead of a directory and not notice; ours follow.

mod edit;
mod grep;
mod list;
mod memories;
mod memory;
mod past;
mod read;
mod schema;
mod shell;
mod write;

use homefs_api::{Client, OPERATIONS, resolve_path};
use homefs_core::{Error, ErrorKind, Path, Result, Version};
use homefs_engine::Kind;
use rmcp::model::{ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::call::Call;

/// The longest file that is read as a whole.
pub(super) const WHOLE_BYTES_MAX: u64 = 32 << 20;

/// Every tool, in the order in which clients see them.
pub(super) const TOOLS: &[Row] = &[
    read::READ_FILE,
    read::READ_TEXT_FILE,
    read::READ_MEDIA_FILE,
    read::READ_MULTIPLE_FILES,
    write::WRITE_FILE,
    edit::EDIT_FILE,
    write::CREATE_DIRECTORY,
    list::LIST_DIRECTORY,
    list::LIST_DIRECTORY_WITH_SIZES,
    list::DIRECTORY_TREE,
    write::MOVE_FILE,
    list::SEARCH_FILES,
    list::GET_FILE_INFO,
    list::LIST_ALLOWED_DIRECTORIES,
    memories::RECALL,
    memories::REMEMBER,
    memories::SEARCH,
    memories::FORGET,
    memories::CONTEXT,
    grep::GREP,
    shell::SHELL,
    past::HISTORY,
    past::RESTORE,
    memory::MEMORY,
];

/// A tool, and which operations it uses.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// Names in the table of operations; whether one changes something tells whether the tool does.
    pub(super) operations: &'static [&'static str],
    /// Whether it may take something away, though the history keeps it.
    pub(super) destroys: bool,
    /// Whether doing it twice is doing it once.
    pub(super) repeats: bool,
    pub(super) input: fn() -> JsonObject,
    pub(super) output: fn() -> JsonObject,
    pub(super) run: fn(&Call, Value) -> Result<Answer>,
}

impl Row {
    /// Tells whether it changes what a view shows.
    pub(super) fn changes(&self) -> bool {
        OPERATIONS.iter().any(|known| known.changes && self.operations.contains(&known.name))
    }

    /// Returns it as clients see it.
    pub(super) fn shown(&self) -> Tool {
        let changes = self.changes();
        let annotations = ToolAnnotations::from_raw(
            Some(self.title.into()),
            Some(!changes),
            changes.then_some(self.destroys),
            changes.then_some(self.repeats),
            Some(false),
        );
        Tool::new(self.name, self.description, (self.input)())
            .with_title(self.title)
            .with_raw_output_schema((self.output)().into())
            .with_annotations(annotations)
    }
}

/// What is known of a tool without calling it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolInfo {
    /// Its name.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The operations it uses, as the table of operations names them.
    pub operations: &'static [&'static str],
    /// Whether it changes what a view shows.
    pub changes: bool,
}

/// Lists the tools that MCP clients get.
pub fn tools() -> impl Iterator<Item = ToolInfo> {
    TOOLS.iter().map(|row| ToolInfo {
        name: row.name,
        title: row.title,
        operations: row.operations,
        changes: row.changes(),
    })
}

/// Finds a tool.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    TOOLS.iter().find(|row| row.name == name)
}

/// What a tool answers: for models, and the same for programs.
pub(super) struct Answer {
    pub(super) content: Vec<ContentBlock>,
    pub(super) structured: Value,
}

impl Answer {
    /// Answers with a text.
    fn text(text: String) -> Self {
        let structured = json!({ "content": text });
        Self { content: vec![ContentBlock::text(text)], structured }
    }

    /// Adds something that programs see.
    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.structured[name] = value.into();
        self
    }

    /// Adds the version of a file.
    fn at(self, version: Version) -> Self {
        self.with("version", version.0)
    }

    /// Adds what a record of the command line's JSON has.
    fn with_all(mut self, record: Value) -> Self {
        if let (Value::Object(all), Value::Object(record)) = (&mut self.structured, record) {
            all.extend(record);
        }
        self
    }
}

/// Reads the arguments of a tool.
fn arguments<T: DeserializeOwned>(mut arguments: Value) -> Result<T> {
    with_integers(&mut arguments);
    serde_json::from_value(arguments).map_err(|error| {
        Error::new(ErrorKind::Invalid, format!("the arguments do not fit the tool: {error}"))
    })
}

/// Makes integers of numbers such as `2.0`: JSON has one kind of number, and some clients write all
/// of them so.
fn with_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|_| number.is_f64());
            if let Some(whole) = whole.and_then(|whole| format!("{whole}").parse::<i64>().ok()) {
                *value = whole.into();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(with_integers),
        Value::Object(members) => members.values_mut().for_each(with_integers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Reads a path as models write it: from the root of the home, which is also `~`.
fn path(text: &str) -> Result<Path> {
    let below_home = match text.strip_prefix('~') {
        Some("") => "/",
        Some(rest) if rest.starts_with('/') => rest,
        _ => text,
    };
    resolve_path(below_home)
}

/// Reads a file that is short enough, and its version: not later than the content is.
pub(super) fn whole(client: &Client, path: &Path) -> Result<(Vec<u8>, Version)> {
    let path = &client.real_path(path)?;
    let stat = client.stat(path)?;
    if stat.kind == Kind::File && stat.size > WHOLE_BYTES_MAX {
        let message = format!("is longer than {WHOLE_BYTES_MAX} bytes; read it in parts");
        return Err(Error::new(ErrorKind::LimitExceeded, message).with_path(path));
    }
    Ok((client.read(path)?.into(), stat.version))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_tool_names_operations_that_exist() {
        let known: HashSet<_> = OPERATIONS.iter().map(|operation| operation.name).collect();
        for tool in tools() {
            assert!(tool.operations.iter().all(|name| known.contains(name)), "{}", tool.name);
            assert!(!tool.operations.is_empty() || tool.name == "list_allowed_directories");
        }
        let names: HashSet<_> = tools().map(|tool| tool.name).collect();
        assert_eq!(names.len(), TOOLS.len());
        let page = include_str!("../../../../../docs/mcp.md");
        for name in names {
            assert!(
                page.contains(&format!("`{name}`")),
                "docs/mcp.md does not say what {name} does"
            );
        }
    }

    #[test]
    fn schemas_are_plain_objects() {
        for row in TOOLS {
            for schema in [(row.input)(), (row.output)()] {
                let text = serde_json::to_string(&schema).unwrap();
                assert_eq!(schema["type"], "object", "{}", row.name);
                for word in ["$ref", "$defs", "$schema", "\"null\"", "uint"] {
                    assert!(!text.contains(word), "{}: {word} in {text}", row.name);
                }
            }
        }
    }

    #[test]
    fn paths_are_taken_as_models_write_them() {
        for (text, expected) in [
            ("a", "/a"),
            ("/a/../b/./c/", "/b/c"),
            ("~", "/"),
            ("~/a", "/a"),
            ("~a", "/~a"),
            ("../../etc/passwd", "/etc/passwd"),
            (".", "/"),
        ] {
            assert_eq!(path(text).unwrap().as_str(), expected);
        }
        assert!(path("").is_err() && path("a\0").is_err());
    }
}
