//! What callers hear of the store, its remote, its sources and its shell.

use std::collections::HashMap;

use napi_derive::napi;
use serde::Deserialize;

/// What a sync did to one space.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synced {
    /// The space.
    pub space: String,
    /// The commit that this machine and the remote agree on; 0 before the first.
    pub commit: i64,
    /// Nodes that changed here.
    pub pulled: i64,
    /// Nodes that changed there.
    pub pushed: i64,
    /// Conflicts that were noted.
    pub conflicts: i64,
}

/// One thing that two machines changed.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conflict {
    /// What names it.
    pub number: String,
    /// Where it is.
    pub path: String,
    /// What both did.
    pub what: String,
    /// The other machine.
    pub machine: String,
    /// When, as RFC 3339.
    pub time: String,
    /// The content of this side.
    pub ours: Option<ConflictSide>,
    /// The content of the other side.
    pub theirs: Option<ConflictSide>,
    /// Where the other content is kept beside it.
    pub beside: Option<String>,
}

/// One content of a conflict.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConflictSide {
    /// Its length in bytes.
    pub size: i64,
    /// Its digest.
    pub digest: String,
}

/// One source that is attached.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "as the command line names it")]
pub struct Source {
    /// Where it is shown.
    pub path: String,
    /// Its address.
    pub source: String,
    /// How it is read.
    pub settings: HashMap<String, String>,
    /// Whether changes are refused.
    pub read_only: bool,
}

/// One thing that was changed over a source.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceChange {
    /// Where.
    pub path: String,
    /// What was done.
    #[napi(ts_type = "'added' | 'changed' | 'removed'")]
    pub change: String,
    /// What it is.
    #[napi(
        ts_type = "'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'character device' | 'block device'"
    )]
    pub kind: Option<String>,
}

/// The remote of a store.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remote {
    /// Where it is; none if the store's file cannot be read.
    pub address: Option<String>,
    /// The server.
    pub endpoint: Option<String>,
    /// The region of an S3 bucket.
    pub region: Option<String>,
    /// Whether an S3 bucket is named in the path.
    pub path_style: Option<bool>,
    /// Whether no other machine ever writes there.
    pub single_writer: Option<bool>,
    /// The agent whose home is at the address itself.
    pub home_at_prefix: Option<String>,
    /// What people call this machine.
    pub machine: Option<String>,
    /// Whether this machine only reads there.
    pub read_only: Option<bool>,
    /// Why the owner leaves it alone, if it does.
    pub unused: Option<String>,
    /// How the store and its remote stand; in `status` only.
    pub status: Option<RemoteStatus>,
}

/// How a store and its remote stand.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteStatus {
    /// What was asked of the remote.
    pub requests: Option<Requests>,
    /// Bytes sent.
    pub sent_bytes: Option<i64>,
    /// Bytes received.
    pub received_bytes: Option<i64>,
    /// How each space stands.
    pub spaces: Vec<SpaceSync>,
}

/// What was asked of a remote.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// Reads.
    pub gets: i64,
    /// Writes.
    pub puts: i64,
    /// Deletions.
    pub deletes: i64,
    /// Listings.
    pub lists: i64,
    /// How many failed.
    pub failures: i64,
}

/// How a space and its remote stand.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpaceSync {
    /// The space.
    pub space: String,
    /// The commit that both agree on.
    pub commit: i64,
    /// When they last agreed, as RFC 3339.
    pub agreed: Option<String>,
    /// Changes that the remote lacks.
    pub ahead: i64,
    /// When the oldest of them was made, as RFC 3339.
    pub waiting_since: Option<String>,
    /// Readable copies to be written.
    pub copies_due: i64,
    /// Files that are not pushed, because their contents are lost here and nowhere else.
    pub withheld: Vec<String>,
    /// Files that keep an older content here, because the remote names a newer one and does not
    /// have it.
    pub missing: Vec<String>,
    /// Conflicts that nobody has resolved.
    pub conflicts: i64,
    /// Why syncing fails, if it does.
    pub failure: Option<String>,
    /// When it is tried again, as RFC 3339.
    pub retry_at: Option<String>,
}

/// How one index is doing.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// Its space.
    pub space: String,
    /// Files in it.
    pub files: i64,
    /// Docs in it.
    pub docs: i64,
    /// Docs that wait for their vectors.
    pub waiting: i64,
    /// What makes the vectors.
    pub embedder: String,
    /// Bytes in memory.
    pub memory_bytes: i64,
    /// Bytes of its file.
    pub file_bytes: i64,
    /// Searches since it was opened.
    pub searches: i64,
}

/// What would free room on a full disk.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Freeable {
    /// Contents of what is in the trash.
    pub trash_bytes: i64,
    /// Older contents of what is not.
    pub history_bytes: i64,
}

/// What all homes of a store cost together.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Spaces open now.
    pub spaces_open: u32,
    /// Bytes in the journal that are not released yet.
    pub journal_bytes: i64,
    /// Bytes in the journal that power loss would take.
    pub unsynced_bytes: i64,
    /// Bytes in the journal that are not folded yet.
    pub unfolded_bytes: i64,
    /// Bytes of small contents in memory.
    pub memory_bytes: i64,
    /// Bytes of unsettled contents in memory.
    pub staging_bytes: i64,
}

/// How a store is.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Its directory.
    pub dir: String,
    /// The process that owns it.
    pub pid: u32,
    /// The version of homefs that the owner runs.
    pub version: String,
    /// The format of its directory.
    pub format: u32,
    /// What all homes cost together; told to operators only.
    pub load: Option<Load>,
    /// Why the store takes no more changes, if it does not.
    pub poisoned: Option<String>,
    /// Why folding fails, if it does.
    pub fold_failure: Option<String>,
    /// Spaces that can only be read, or not even that, and why.
    #[napi(ts_type = "Array<[string, string]>")]
    pub failed_spaces: Vec<Vec<String>>,
    /// Free bytes of the disk.
    pub disk_free_bytes: i64,
    /// What would free room, if the disk is full.
    pub disk_full: Option<Freeable>,
    /// How the open indexes are doing.
    pub indexes: Vec<Index>,
    /// Why docs get no vectors, if the embedder fails.
    pub embedder_failure: Option<String>,
    /// The remote, if there is one.
    pub remote: Option<Remote>,
    /// Scripts of the owner that were given up and run on.
    pub abandoned_scripts: u32,
}

/// What came of a script.
#[napi(object, object_from_js = false)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error, and why it was stopped.
    pub stderr: String,
    /// Its exit status; 124 if it ran out of time, 137 if another limit stopped it, 130 if it was interrupted.
    pub status: i32,
    /// Whether output was cut off at the limit.
    pub truncated: bool,
}
