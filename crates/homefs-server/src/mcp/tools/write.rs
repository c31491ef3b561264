//! Writing files and moving them about.

use homefs_core::{Error, ErrorKind, Result, Version};
use homefs_view::{RenameMode, WriteOptions};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::read::PathArgument;
use super::{Answer, Row, arguments, path, schema};
use crate::mcp::ToolSet;
use crate::mcp::call::Call;

pub(super) const WRITE_FILE: Row = Row {
    name: "write_file",
    title: "Write File",
    description: "Write a whole file, and the directories it needs. What was there before stays in \
                  the history.",
    set: ToolSet::Files,
    operations: &["write"],
    destroys: true,
    repeats: true,
    input: schema::input::<Write>,
    run: write,
};

pub(super) const CREATE_DIRECTORY: Row = Row {
    name: "create_directory",
    title: "Create Directory",
    description: "Make a directory, and those above it, unless it is there already.",
    set: ToolSet::Files,
    operations: &["make_dir"],
    destroys: false,
    repeats: true,
    input: schema::input::<PathArgument>,
    run: |call, given| {
        let given: PathArgument = arguments(given)?;
        call.client().make_dir(&path(&given.path)?, true)?;
        Ok(Answer::text(format!("Successfully created directory {}", given.path)))
    },
};

pub(super) const MOVE_FILE: Row = Row {
    name: "move_file",
    title: "Move File",
    description: "Move or rename a file or directory.",
    set: ToolSet::Files,
    operations: &["rename"],
    destroys: true,
    repeats: false,
    input: schema::input::<Move>,
    run: rename,
};

#[derive(Deserialize, JsonSchema)]
struct Write {
    /// From the root of the home
    path: String,
    /// The whole content
    content: String,
    /// Fail if the file is not at this version; 0 if it must not exist
    expected_version: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
struct Move {
    /// What to move
    source: String,
    /// Where to; nothing may be there
    destination: String,
}

fn write(call: &Call, given: Value) -> Result<Answer> {
    let given: Write = arguments(given)?;
    let options = WriteOptions {
        if_version: given.expected_version.map(Version),
        parents: true,
        ..WriteOptions::default()
    };
    let version = call.client().write(&path(&given.path)?, given.content.as_bytes(), &options)?;
    Ok(Answer::text(format!("Successfully wrote to {}", given.path)).at(version))
}

fn rename(call: &Call, given: Value) -> Result<Answer> {
    let Move { source, destination } = arguments(given)?;
    let (from, to) = (path(&source)?, path(&destination)?);
    let moved = call.client().rename(&from, &to, RenameMode::NoReplace);
    let version = moved.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            let message = format!("Destination already exists: {to}");
            Error::new(ErrorKind::AlreadyExists, message)
        }
        _ => error,
    })?;
    Ok(Answer::text(format!("Successfully moved {source} to {destination}")).at(version))
}
