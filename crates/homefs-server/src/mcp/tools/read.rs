//! Reading files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homefs_core::{Error, ErrorKind, Result};
use rmcp::model::{ContentBlock, ResourceContents};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::parts::{last_lines, lines_from};
use super::{Answer, Row, arguments, path, schema, whole};
use crate::mcp::ToolSet;
use crate::mcp::call::Call;
use crate::mcp::{media, resources};

pub(super) const READ_FILE: Row = Row {
    name: "read_file",
    title: "Read File (Deprecated)",
    description: "The same as read_text_file, by its old name.",
    ..READ_TEXT_FILE
};

pub(super) const READ_TEXT_FILE: Row = Row {
    name: "read_text_file",
    title: "Read Text File",
    description: "Read a file as text: all of it, lines from offset on, its head or its tail. What \
                  is longer than fits is cut after a line, and the offset of the next one told.",
    set: ToolSet::Files,
    operations: &["stat", "read", "read_at", "read_link"],
    destroys: false,
    repeats: true,
    input: schema::input::<Text>,
    run: |call, given| read_text(call, &arguments(given)?),
};

pub(super) const READ_MEDIA_FILE: Row = Row {
    name: "read_media_file",
    title: "Read Media File",
    description: "Read an image, a sound or other bytes.",
    set: ToolSet::Files,
    operations: &["stat", "read", "read_link"],
    destroys: false,
    repeats: true,
    input: schema::input::<PathArgument>,
    run: read_media,
};

pub(super) const READ_MULTIPLE_FILES: Row = Row {
    name: "read_multiple_files",
    title: "Read Multiple Files",
    description: "Read several files as text, each after its path.",
    set: ToolSet::Files,
    operations: &["stat", "read", "read_link"],
    destroys: false,
    repeats: true,
    input: schema::input::<Many>,
    run: read_many,
};

/// A path alone.
#[derive(Deserialize, JsonSchema)]
pub(super) struct PathArgument {
    /// From the root of the home
    pub(super) path: String,
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    /// From the root of the home
    path: String,
    /// Only so many last lines
    tail: Option<usize>,
    /// Only so many first lines
    head: Option<usize>,
    /// The first line to read, from 1
    offset: Option<usize>,
    /// The most lines to read
    limit: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
struct Many {
    #[schemars(length(min = 1))]
    paths: Vec<String>,
}

fn read_text(call: &Call, given: &Text) -> Result<Answer> {
    let (client, room) = (call.client(), call.room());
    let place = path(&given.path)?;
    // None of no lines is meant by 0, as in the official server.
    let some = |lines: Option<usize>| lines.filter(|lines| *lines > 0);
    let (head, tail) = (some(given.head), some(given.tail));
    let (offset, limit) = (some(given.offset), some(given.limit));
    let refused = |message: &str| Err(Error::new(ErrorKind::Invalid, message));
    if head.is_some() && tail.is_some() {
        return refused("Cannot specify both head and tail parameters simultaneously");
    }
    if (head.or(tail)).is_some() && (offset.or(limit)).is_some() {
        return refused("give offset and limit, or head, or tail");
    }
    let version = client.stat(&client.real_path(&place)?)?.version;
    let mut part = match tail {
        Some(lines) => last_lines(client, &place, lines, room)?,
        None => lines_from(client, &place, offset.unwrap_or(1), head.or(limit), room)?,
    };
    // The official server ends the last of the first lines nowhere.
    if head.is_some() && part.note.is_none() && part.text.ends_with('\n') {
        part.text.pop();
    }
    let answer = Answer::text(part.text).at(version).measured();
    let answer = match part.next.filter(|_| head.is_none()) {
        Some(next) => answer.with("next_offset", next),
        None => answer,
    };
    Ok(match part.note {
        Some(note) => answer.note(note).with("truncated", true),
        None => answer,
    })
}

/// Makes text of whatever a file has.
pub(super) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn read_media(call: &Call, given: Value) -> Result<Answer> {
    let place = path(&arguments::<PathArgument>(given)?.path)?;
    let (bytes, version) = whole(call.client(), &place)?;
    let data = STANDARD.encode(bytes);
    let name = place.name().unwrap_or_default();
    let known =
        media::kind(name).filter(|kind| kind.starts_with("image/") || kind.starts_with("audio/"));
    let block = match known {
        Some(kind) if kind.starts_with("image/") => ContentBlock::image(data, kind),
        Some(kind) => ContentBlock::audio(data, kind),
        None => {
            let uri = resources::uri(&place);
            let contents = ResourceContents::blob(data, uri).with_mime_type(media::BYTES);
            ContentBlock::resource(contents)
        }
    };
    Ok(Answer::blocks(vec![block]).at(version))
}

/// What stands between two files.
const BETWEEN: &str = "\n---\n";

fn read_many(call: &Call, given: Value) -> Result<Answer> {
    let given: Many = arguments(given)?;
    if given.paths.is_empty() {
        let message = "At least one file path must be provided";
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    let mut shown: Vec<String> = Vec::new();
    let mut left = call.room();
    // Those for which there is no room are named, as far as that takes little.
    let mut of_names = call.room() / 8;
    for (at, place) in given.paths.iter().enumerate() {
        if of_names == 0 {
            let more = given.paths.len() - at;
            shown.push(format!("[{more} more files are not shown: there is no room left]"));
            break;
        }
        let is_full = left == 0;
        let read = path(place).and_then(|place| match left {
            0 => Err(Error::new(ErrorKind::LimitExceeded, "there is no room left; read it alone")),
            _ => lines_from(call.client(), &place, 1, None, left),
        });
        let text = match read {
            Ok(part) => {
                let note = part.note.map_or(String::new(), |note| format!("{note}\n"));
                // What is cut leaves no room.
                left = if note.is_empty() { left } else { 0 };
                format!("{place}:\n{}\n{note}", part.text)
            }
            Err(error) => format!("{place}: Error - {error}"),
        };
        let taken = if is_full { &mut of_names } else { &mut left };
        *taken = taken.saturating_sub(text.len() + BETWEEN.len());
        shown.push(text);
    }
    Ok(Answer::text(shown.join(BETWEEN)).measured())
}
