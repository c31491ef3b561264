//! The tools: one table, and a file for each family.
//!
//! Those of the official file system server have its names, its arguments and its words, so that a
//! client can have a home instead of a directory and not notice; ours follow.

mod answer;
mod arguments;
mod edit;
mod grep;
mod list;
mod memories;
mod memory;
mod parts;
mod past;
mod read;
mod schema;
mod shell;
mod write;

use homefs_api::{Client, OPERATIONS, resolve_path};
use homefs_core::{Error, ErrorKind, Path, Result, Version};
use homefs_view::Kind;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use super::call::Call;
use super::{Profile, ToolSet};
pub(super) use answer::Answer;
use arguments::arguments;

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
    pub(super) set: ToolSet,
    /// Names in the table of operations; whether one changes something tells whether the tool does.
    pub(super) operations: &'static [&'static str],
    /// Whether it may take something away, though the history keeps it.
    pub(super) destroys: bool,
    /// Whether doing it twice is doing it once.
    pub(super) repeats: bool,
    pub(super) input: fn() -> JsonObject,
    pub(super) run: fn(&Call, Value) -> Result<Answer>,
}

impl Row {
    /// Tells whether it changes what a view shows.
    pub(super) fn changes(&self) -> bool {
        OPERATIONS.iter().any(|known| known.changes && self.operations.contains(&known.name))
    }

    /// Tells whether a server that offers this has it. Where nothing can be changed there are
    /// scripts nevertheless, which are refused what would change something.
    fn is_in(&self, profile: &Profile) -> bool {
        let may = !profile.read_only || self.set == ToolSet::Shell || !self.changes();
        may && profile.tools.contains(&self.set)
    }

    /// Returns it as clients of such a server see it. What it answers has no schema: the answer is
    /// its text.
    pub(super) fn shown(&self, profile: &Profile) -> Tool {
        let changes = self.changes() && !profile.read_only;
        let annotations = ToolAnnotations::from_raw(
            Some(self.title.into()),
            Some(!changes),
            changes.then_some(self.destroys),
            changes.then_some(self.repeats),
            Some(false),
        );
        Tool::new(self.name, self.description, (self.input)())
            .with_title(self.title)
            .with_annotations(annotations)
    }

    /// Does what a client asks for, and answers no more than fits.
    pub(super) fn answer(&self, call: &Call, given: Value) -> Result<Answer> {
        let given = arguments::checked(self.name, &(self.input)(), given)?;
        Ok((self.run)(call, given)?.within(call.room()))
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

/// Lists what clients of such a server see.
pub(super) fn offered(profile: &Profile) -> Vec<Tool> {
    let offered = TOOLS.iter().filter(|tool| tool.is_in(profile));
    offered.map(|tool| tool.shown(profile)).collect()
}

/// Finds a tool.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    TOOLS.iter().find(|row| row.name == name)
}

/// Finds a tool that such a server has, or says why there is none.
pub(super) fn to_call(name: &str, profile: &Profile) -> std::result::Result<&'static Row, String> {
    let Some(tool) = find(name) else {
        let offered = TOOLS.iter().filter(|tool| tool.is_in(profile)).map(|tool| tool.name);
        let near = arguments::nearest(name, offered);
        let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
        return Err(format!("there is no tool {name:?}{near}"));
    };
    if tool.is_in(profile) {
        return Ok(tool);
    }
    Err(if profile.tools.contains(&tool.set) {
        format!("{name} changes the home, which is served read-only")
    } else {
        format!("{name} is not offered here: it is one of --tools {}", tool.set.name())
    })
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

    use homefs_view::{Count as _, Tokenizer};

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
            let schema = (row.input)();
            let text = serde_json::to_string(&schema).unwrap();
            assert_eq!(schema["type"], "object", "{}", row.name);
            for word in ["$ref", "$defs", "$schema", "\"null\"", "uint"] {
                assert!(!text.contains(word), "{}: {word} in {text}", row.name);
            }
        }
    }

    #[test]
    fn what_a_model_is_told_of_the_tools_is_short() {
        for (tools, most) in [
            (vec![ToolSet::Memory], 1500),
            (vec![ToolSet::Files], 3000),
            (vec![ToolSet::Shell], 300),
            (ToolSet::ALL.to_vec(), 4500),
        ] {
            let profile = Profile { tools, ..Profile::default() };
            let list = serde_json::to_string(&offered(&profile)).unwrap();
            let tokens = Tokenizer::O200k.count(&list);
            assert!(tokens <= most, "{:?} take {tokens} tokens, more than {most}", profile.tools);
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
