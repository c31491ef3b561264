//! What callers hear: the records that the command line prints as JSON.
//!
//! Each is read from that very JSON, so that a field that one of them has more than the other is
//! found by the first call.

mod memory;
mod store;

use std::collections::HashMap;

use homefs_core::{Error, ErrorKind, Result};
use napi_derive::napi;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use memory::*;
pub use store::*;

/// Makes a record of its JSON.
pub(crate) fn record<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| {
        let message = "a record has another shape than its type";
        Error::new(ErrorKind::Internal, message).with_source(error)
    })
}

/// Makes records of what is listed.
pub(crate) fn records<T: DeserializeOwned, I>(
    items: &[I],
    json: impl Fn(&I) -> Value,
) -> Result<Vec<T>> {
    items.iter().map(|item| record(json(item))).collect()
}

/// What is known of a file or directory.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stat {
    /// Where it is.
    pub path: String,
    /// What it is.
    #[napi(
        ts_type = "'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'character device' | 'block device'"
    )]
    pub kind: String,
    /// Its length in bytes; of a link that of its target.
    pub size: i64,
    /// Permission bits as octal text, such as `0644`.
    pub mode: String,
    /// Owning user on the host.
    pub uid: u32,
    /// Owning group on the host.
    pub gid: u32,
    /// Names that lead to it.
    pub links: u32,
    /// When it was made, as RFC 3339.
    pub created: String,
    /// When its content last changed, as RFC 3339.
    pub modified: String,
    /// When anything about it last changed, as RFC 3339.
    pub changed: String,
    /// From when on it is no longer there, as RFC 3339.
    pub expires: Option<String>,
    /// Its last change.
    pub version: i64,
    /// The space that holds it.
    pub space: String,
    /// Its node, the same through renames.
    pub node: String,
}

/// What is noted about a file or directory.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// Where it is.
    pub path: String,
    /// How much it matters, from 0 to 1.
    pub importance: Option<f64>,
    /// Its tags.
    pub tags: Vec<String>,
    /// From when on it is no longer there, as RFC 3339.
    pub expires: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// What it is called.
    pub title: Option<String>,
    /// Other notes by key.
    pub other: HashMap<String, String>,
}

/// A line that matches.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// Its file.
    pub path: String,
    /// Its number, counted from 1.
    pub line: i64,
    /// What it says.
    pub text: String,
    /// The lines before it.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// One settled content of a file.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edition {
    /// The change that made it.
    pub version: i64,
    /// When, as RFC 3339.
    pub time: String,
    /// By whom.
    pub agent: String,
    /// The machine on which it was written; none for this one.
    pub machine: Option<String>,
    /// Its length in bytes.
    pub size: i64,
}

/// A removed node that can be brought back.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trashed {
    /// Where it was.
    pub path: String,
    /// What it was.
    #[napi(
        ts_type = "'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'character device' | 'block device'"
    )]
    pub kind: String,
    /// Its length in bytes.
    pub size: i64,
    /// The change that removed it.
    pub version: i64,
    /// When, as RFC 3339.
    pub time: String,
    /// By whom.
    pub agent: String,
    /// Its node.
    pub node: String,
}

/// One change that a watch saw.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// What changed.
    pub path: String,
    /// What it is.
    #[napi(
        ts_type = "'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'character device' | 'block device'"
    )]
    pub kind: String,
    /// What happened to it.
    #[napi(ts_type = "'changed' | 'removed'")]
    pub action: String,
    /// The change.
    pub version: i64,
    /// The space.
    pub space: String,
    /// When, as RFC 3339.
    pub time: String,
    /// By whom.
    pub agent: String,
}

/// One rule of access.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Where, inside the space.
    pub path: String,
    /// Who: an agent, or a group as `group:NAME`.
    pub subject: String,
    /// What.
    #[napi(ts_type = "'read' | 'write' | 'manage'")]
    pub right: String,
}

/// One space.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "as the command line names it")]
pub struct Space {
    /// Its name.
    pub space: String,
    /// Where it is seen.
    pub path: String,
    /// Bytes that live in it.
    pub bytes: i64,
    /// Nodes that live in it.
    pub nodes: i64,
    /// Most bytes.
    pub bytes_max: Option<i64>,
    /// Most nodes.
    pub nodes_max: Option<i64>,
    /// What the agent may do there.
    #[napi(ts_type = "'read' | 'write' | 'manage'")]
    pub right: Option<String>,
}
