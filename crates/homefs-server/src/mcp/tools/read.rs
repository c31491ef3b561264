//! Reading files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homefs_api::Client;
use homefs_core::{Error, ErrorKind, Path, Result};
use rmcp::model::{ContentBlock, ResourceContents};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Row, WHOLE_BYTES_MAX, arguments, path, schema, whole};
use crate::mcp::call::Call;
use crate::mcp::{media, resources};

pub(super) const READ_FILE: Row = Row {
    name: "read_file",
    title: "Read File (Deprecated)",
    description: "Read the complete contents of a file as text. DEPRECATED: Use read_text_file \
                  instead.",
    ..READ_TEXT_FILE
};

pub(super) const READ_TEXT_FILE: Row = Row {
    name: "read_text_file",
    title: "Read Text File",
    description: "Read the complete contents of a file of the home as text. Use 'head' to read \
                  only the first N lines, or 'tail' to read only the last N lines. The answer has \
                  the file's version, which write_file and edit_file take as expected_version.",
    operations: &["stat", "read", "read_at", "read_link"],
    destroys: false,
    repeats: true,
    input: schema::input::<Text>,
    output: schema::versioned,
    run: |call, given| read_text(call.client(), &arguments(given)?),
};

pub(super) const READ_MEDIA_FILE: Row = Row {
    name: "read_media_file",
    title: "Read Media File",
    description: "Read a file and return it as a base64-encoded content block with its MIME type. \
                  Image and audio files are returned as image/audio content; any other file type \
                  is returned as an embedded resource.",
    operations: &["stat", "read", "read_link"],
    destroys: false,
    repeats: true,
    input: schema::input::<Place>,
    output: || {
        let block = json!({ "type": "object", "properties": { "type": { "type": "string" } } });
        let mut schema = schema::output(json!({ "version": schema::version() }));
        schema["properties"]["content"] = json!({ "type": "array", "items": block });
        schema
    },
    run: read_media,
};

pub(super) const READ_MULTIPLE_FILES: Row = Row {
    name: "read_multiple_files",
    title: "Read Multiple Files",
    description: "Read the contents of multiple files simultaneously. This is more efficient than \
                  reading files one by one when you need to analyze or compare multiple files. \
                  Each file's content is returned with its path as a reference. Failed reads for \
                  individual files won't stop the entire operation.",
    operations: &["stat", "read", "read_link"],
    destroys: false,
    repeats: true,
    input: schema::input::<Many>,
    output: schema::text,
    run: read_many,
};

/// A path alone.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Place {
    /// Path from the root of the home
    pub(super) path: String,
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    /// Path from the root of the home
    path: String,
    /// If provided, returns only the last N lines of the file
    tail: Option<usize>,
    /// If provided, returns only the first N lines of the file
    head: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
struct Many {
    /// Paths of the files to read
    #[schemars(length(min = 1))]
    paths: Vec<String>,
}

fn read_text(client: &Client, given: &Text) -> Result<Answer> {
    let place = path(&given.path)?;
    // None of no lines is meant by 0, as in the official server.
    let (head, tail) = (given.head.filter(|n| *n > 0), given.tail.filter(|n| *n > 0));
    let version = client.stat(&client.real_path(&place)?)?.version;
    let text = match (head, tail) {
        (Some(_), Some(_)) => {
            let message = "Cannot specify both head and tail parameters simultaneously";
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        (Some(lines), None) => first_lines(client, &place, lines)?,
        (None, Some(lines)) => last_lines(client, &place, lines)?,
        (None, None) => text(whole(client, &place)?.0),
    };
    Ok(Answer::text(text).at(version))
}

/// Makes text of whatever a file has.
pub(super) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// How much of a file is read at once to find lines.
const PART: usize = 256 << 10;

/// Reads the first lines of a file that may be of any length.
fn first_lines(client: &Client, path: &Path, lines: usize) -> Result<String> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut left = lines;
    loop {
        let part = client.read_at(path, bytes.len() as u64, PART)?;
        let from = bytes.len();
        bytes.extend_from_slice(&part);
        for (at, byte) in part.iter().enumerate() {
            left -= usize::from(*byte == b'\n');
            if left == 0 {
                bytes.truncate(from + at);
                return Ok(text(bytes));
            }
        }
        if part.is_empty() {
            // The last line need not end.
            if bytes.ends_with(b"\n") {
                bytes.pop();
            }
            return Ok(text(bytes));
        }
        check_length(bytes.len() as u64, path)?;
    }
}

/// Reads the last lines of a file that may be of any length; what follows the last line's end
/// counts as one.
fn last_lines(client: &Client, path: &Path, lines: usize) -> Result<String> {
    let size = client.stat(&client.real_path(path)?)?.size;
    let mut bytes: Vec<u8> = Vec::new();
    let mut start = size;
    let mut found = 0;
    while start > 0 && found < lines {
        let from = start.saturating_sub(PART as u64);
        let part = client.read_at(path, from, usize::try_from(start - from).unwrap_or(PART))?;
        found += part.split(|byte| *byte == b'\n').count() - 1;
        bytes = [&part[..], &bytes[..]].concat();
        start = from;
        check_length(bytes.len() as u64, path)?;
    }
    let all = text(bytes).replace("\r\n", "\n");
    let shown: Vec<&str> = all.split('\n').collect();
    Ok(shown[shown.len().saturating_sub(lines)..].join("\n"))
}

fn check_length(bytes: u64, path: &Path) -> Result<()> {
    if bytes <= WHOLE_BYTES_MAX {
        return Ok(());
    }
    let message = format!("has more than {WHOLE_BYTES_MAX} bytes in so many lines");
    Err(Error::new(ErrorKind::LimitExceeded, message).with_path(path))
}

fn read_media(call: &Call, given: Value) -> Result<Answer> {
    let place = path(&arguments::<Place>(given)?.path)?;
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
    let structured = json!({ "content": [block] });
    Ok(Answer { content: vec![block], structured }.at(version))
}

fn read_many(call: &Call, given: Value) -> Result<Answer> {
    let given: Many = arguments(given)?;
    if given.paths.is_empty() {
        let message = "At least one file path must be provided";
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    let mut shown: Vec<String> = Vec::new();
    let mut bytes = 0;
    for place in &given.paths {
        let read = path(place).and_then(|place| whole(call.client(), &place));
        shown.push(match read {
            Ok((content, _)) => format!("{place}:\n{}\n", text(content)),
            Err(error) => format!("{place}: Error - {error}"),
        });
        bytes += shown.last().map_or(0, |part| part.len() as u64);
        if bytes > WHOLE_BYTES_MAX {
            let message = format!("the files have more than {WHOLE_BYTES_MAX} bytes together");
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
    }
    Ok(Answer::text(shown.join("\n---\n")))
}
