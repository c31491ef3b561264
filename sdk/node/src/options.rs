//! What callers may say.
//!
//! An option `signal` is only for the types: `index.cjs` acts on it.

use std::collections::HashMap;
use std::time::Duration;

use homefs_api::time;
use homefs_core::{Error, ErrorKind, Result, Timestamp, Version};
use homefs_engine::{Durability, Moment};
use napi::bindgen_prelude::{Either, Uint8Array};
use napi_derive::napi;
use serde::Serialize;

/// Which home is opened, and how.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct OpenOptions {
    /// On whose behalf calls are made; found as the command line finds it if not given, which is
    /// `me` if nothing else is said.
    pub agent: Option<String>,
    /// The directory of the store; found as the command line finds it if not given.
    pub store: Option<String>,
    /// Holds every right.
    pub operator: Option<bool>,
    /// The root shows every space instead of the home; takes `operator`.
    pub all: Option<bool>,
    /// Leaves the remote alone, if this process comes to own the store.
    pub offline: Option<bool>,
    /// Refuses every change made through this home.
    pub read_only: Option<bool>,
    /// How long a call waits for an owner that does not answer, in milliseconds.
    pub deadline: Option<f64>,
    /// Runs each session of scripts in a process of its own, which has nothing but this home; needs
    /// the command `homefs` on the PATH.
    pub workers: Option<bool>,
    /// Ends the wait.
    #[allow(dead_code, reason = "the other side acts on it")]
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// How a file is written.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct WriteOptions {
    /// Only if the file's last change is this one; 0 means that nothing is there.
    pub expected_version: Option<i64>,
    /// When the call returns: when the change survives the death of the process (`memory`, if not
    /// given), power loss (`journal`), or the loss of the machine (`remote`).
    #[napi(ts_type = "'memory' | 'journal' | 'remote'")]
    pub durability: Option<String>,
    /// Ends the wait; the change may be made all the same.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

impl WriteOptions {
    /// Returns what the engine is told.
    pub(crate) fn read(options: Option<Self>) -> Result<homefs_engine::WriteOptions> {
        let Self { expected_version, durability, signal: _ } = options.unwrap_or_default();
        write_options(expected_version, durability)
    }
}

/// How a text is edited.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct EditOptions {
    /// Replace every occurrence; else there must be exactly one.
    pub all: Option<bool>,
    /// Only if the file's last change is this one.
    pub expected_version: Option<i64>,
    /// When the call returns; see `WriteOptions`.
    #[napi(ts_type = "'memory' | 'journal' | 'remote'")]
    pub durability: Option<String>,
}

impl EditOptions {
    /// Returns what the engine is told.
    pub(crate) fn read(self) -> Result<homefs_engine::WriteOptions> {
        let options = write_options(self.expected_version, self.durability)?;
        Ok(homefs_engine::WriteOptions { parents: false, ..options })
    }
}

fn write_options(
    expected_version: Option<i64>,
    durability: Option<String>,
) -> Result<homefs_engine::WriteOptions> {
    let durability = durability.map(|text| word("durability", &text)).transpose()?;
    Ok(homefs_engine::WriteOptions {
        if_version: expected_version.map(version).transpose()?,
        durability: durability.unwrap_or(Durability::Memory),
        parents: true,
        ..homefs_engine::WriteOptions::default()
    })
}

/// Which content of a file is read.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct ReadOptions {
    /// The content that it had: a version, or a time such as `2h ago`, `yesterday` or RFC 3339.
    #[napi(ts_type = "number | string")]
    pub version: Option<Either<i64, String>>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// How a node is removed or copied.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct RecursiveOptions {
    /// Directories too, with everything in them.
    pub recursive: Option<bool>,
}

/// How a directory is made.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct MkdirOptions {
    /// Make missing directories on the way, and be content with one that exists; true if not given.
    pub parents: Option<bool>,
}

/// How a node is moved.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct MvOptions {
    /// Fail if the new path exists.
    pub no_replace: Option<bool>,
    /// Swap the two.
    pub exchange: Option<bool>,
}

/// Attributes to set; what is not given stays.
#[napi(object, object_to_js = false)]
pub struct SetAttrs {
    /// Permission bits.
    pub mode: Option<u32>,
    /// Owning user.
    pub uid: Option<u32>,
    /// Owning group.
    pub gid: Option<u32>,
    /// Modification time, in milliseconds since 1970.
    pub modified: Option<f64>,
    /// Access time, in milliseconds since 1970.
    pub accessed: Option<f64>,
}

/// Notes to set; what is not given stays.
#[napi(object, object_to_js = false)]
pub struct SetMeta {
    /// How much it matters, from 0 to 1.
    pub importance: Option<f64>,
    /// What it is called; empty takes it away.
    pub title: Option<String>,
    /// Where it comes from; empty takes it away.
    pub source: Option<String>,
    /// When it expires: `7d`, `1d12h`, `30m`, a time as RFC 3339, or `never`.
    pub ttl: Option<String>,
    /// Its tags, in the place of those that it has.
    pub tags: Option<Vec<String>>,
    /// Tags to add.
    pub add_tags: Option<Vec<String>>,
    /// Tags to take away.
    pub remove_tags: Option<Vec<String>>,
    /// Other notes by key; empty or null takes one away.
    #[napi(ts_type = "Record<string, string | null>")]
    pub other: Option<HashMap<String, Option<String>>>,
}

/// Which editions a log shows.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct LogOptions {
    /// Most editions; 100 if not given.
    pub limit: Option<u32>,
    /// Only those before this version.
    pub before: Option<i64>,
}

/// What is searched, and how.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct SearchOptions {
    /// Most hits; 10 if not given.
    pub limit: Option<u32>,
    /// By words, by meaning, or by both, which is the default.
    #[napi(ts_type = "'hybrid' | 'text' | 'vector'")]
    pub kind: Option<String>,
    /// Only in this space, such as `shared/market`, or in these.
    #[napi(ts_type = "string | Array<string>")]
    pub space: Option<Either<String, Vec<String>>>,
    /// Only at and below this path.
    pub below: Option<String>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// How memories are recalled.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct RecallOptions {
    /// What counts beside relevance; `balanced` if not given.
    #[napi(ts_type = "'balanced' | 'relevance' | 'importance' | 'recency'")]
    pub strategy: Option<String>,
    /// Only in this space, such as `shared/market`, or in these.
    #[napi(ts_type = "string | Array<string>")]
    pub space: Option<Either<String, Vec<String>>>,
    /// Only at and below this path.
    pub below: Option<String>,
    /// What scores less is left out.
    pub min_score: Option<f64>,
    /// Whose tokens are counted; `o200k` if not given.
    #[napi(ts_type = "'o200k' | 'cl100k' | 'approx'")]
    pub tokenizer: Option<String>,
    /// Tell how every candidate was judged.
    pub explain: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// How tokens are counted.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct ContextOptions {
    /// Whose tokens are counted; `o200k` if not given.
    #[napi(ts_type = "'o200k' | 'cl100k' | 'approx'")]
    pub tokenizer: Option<String>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// How a memory is kept.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct RememberOptions {
    /// What it is called; its file is named after it, or after its first words.
    pub title: Option<String>,
    /// How much it matters, from 0 to 1.
    pub importance: Option<f64>,
    /// Its tags.
    pub tags: Option<Vec<String>>,
    /// When it is forgotten by itself: `7d`, `12h` or a time as RFC 3339.
    pub ttl: Option<String>,
    /// The space it goes to, such as `shared/market`; the agent's home if not given.
    pub space: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// If nearly the same is remembered already, add what is new to it, or link to it.
    #[napi(ts_type = "'merge' | 'link'")]
    pub alike: Option<String>,
}

/// How a memory is let go.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct ForgetOptions {
    /// Erase it from the files, the history, the trash and the index, and with the next sync from
    /// the remote.
    pub purge: Option<bool>,
}

/// A command of the memory tool, with the names that models know.
#[napi(object, object_to_js = false)]
#[derive(Serialize)]
pub struct MemoryCommand {
    /// What to do.
    #[napi(ts_type = "'view' | 'create' | 'str_replace' | 'insert' | 'delete' | 'rename'")]
    pub command: String,
    /// What it is about, for all but `rename`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The first and last line to view, counted from 1; -1 is the end.
    #[napi(js_name = "view_range")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_range: Option<Vec<i64>>,
    /// What to create.
    #[napi(js_name = "file_text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_text: Option<String>,
    /// What to replace.
    #[napi(js_name = "old_str")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_str: Option<String>,
    /// What takes its place.
    #[napi(js_name = "new_str")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_str: Option<String>,
    /// The line after which to insert.
    #[napi(js_name = "insert_line")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insert_line: Option<i64>,
    /// What to insert.
    #[napi(js_name = "insert_text")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insert_text: Option<String>,
    /// What to rename.
    #[napi(js_name = "old_path")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// Its new path.
    #[napi(js_name = "new_path")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
}

/// How many are listed.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct LimitOptions {
    /// Most of them; 10 if not given.
    pub limit: Option<u32>,
}

/// Where what was removed comes back.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct UntrashOptions {
    /// Another path than that where it was.
    pub to: Option<String>,
}

/// What is looked for in the lines of files.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct GrepOptions {
    /// Only in files whose names match, such as `*.md`.
    pub glob: Option<String>,
    /// Take upper and lower case as the same.
    pub ignore_case: Option<bool>,
    /// The pattern is a text, not a regular expression.
    pub literal: Option<bool>,
    /// Most matches; 1000 if not given.
    pub limit: Option<u32>,
    /// Lines to show before each match.
    pub before: Option<u32>,
    /// Lines to show after each match.
    pub after: Option<u32>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// Which files a timeline shows.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct TimelineOptions {
    /// Not before this: a date, `2h ago` or `yesterday`.
    pub after: Option<String>,
    /// Before this.
    pub before: Option<String>,
    /// Most files; 20 if not given.
    pub limit: Option<u32>,
}

/// Which files are stale.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct StaleOptions {
    /// Neither read nor written for this many days; 90 if not given.
    pub days: Option<u32>,
    /// Most files; 20 if not given.
    pub limit: Option<u32>,
}

/// What is synced, and how long it is tried.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct SyncOptions {
    /// Which way; both if not given.
    #[napi(ts_type = "'both' | 'pull' | 'push'")]
    pub direction: Option<String>,
    /// One space, such as `shared/market`; all if not given.
    pub space: Option<String>,
    /// Go on through outages until all is there.
    pub wait: Option<bool>,
    /// Give up waiting after this many milliseconds.
    pub timeout: Option<f64>,
    /// Ends the wait; what has begun goes on in the background.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What ends a wait.
#[napi(object, object_to_js = false)]
pub struct BarrierOptions {
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// How a source is shown.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct AttachOptions {
    /// Refuse every change below the path.
    pub read_only: Option<bool>,
    /// How the source is read, such as `{ suffix: '.md' }`.
    pub settings: Option<HashMap<String, String>>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// How a script runs.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct ShOptions {
    /// The session that it goes on with: its directory, variables and functions are kept. A
    /// session begins with its first script; without a name nothing is kept.
    pub session: Option<String>,
    /// Stop it after this many milliseconds; 30,000 if not given.
    pub timeout: Option<f64>,
    /// What commands read that read standard input.
    #[napi(ts_type = "string | Uint8Array")]
    pub stdin: Option<Either<String, Uint8Array>>,
    /// What `$1`, `$2` and so on are.
    pub args: Option<Vec<String>>,
    /// Most bytes of its output; 1 MiB if not given.
    pub output_max: Option<u32>,
    /// Ends the script.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// Reads a version.
pub(crate) fn version(number: i64) -> Result<Version> {
    u64::try_from(number).map(Version).map_err(|_| invalid("a version cannot be negative"))
}

/// Reads a moment.
pub(crate) fn moment(given: Either<i64, String>) -> Result<Moment> {
    match given {
        Either::A(number) => version(number).map(Moment::Version),
        Either::B(text) => time::moment(&text),
    }
}

/// Reads a time, not a version.
pub(crate) fn timestamp(text: &str) -> Result<Timestamp> {
    match time::moment(text)? {
        Moment::Time(time) => Ok(time),
        Moment::Now => Ok(time::now()),
        Moment::Version(_) => Err(invalid("write it as `2h ago`, `yesterday` or `2026-01-31`")),
    }
}

/// Reads milliseconds.
pub(crate) fn duration(milliseconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(milliseconds / 1e3)
        .map_err(|_| invalid("a duration is a number of milliseconds that is not negative"))
}

/// Reads one of the words that a setting can have.
pub(crate) fn word<T: serde::de::DeserializeOwned>(setting: &str, text: &str) -> Result<T> {
    serde_json::from_value(text.into()).map_err(|error| invalid(format!("{setting}: {error}")))
}

/// Makes the error of an argument that makes no sense.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, message)
}
