//! What callers may say.
//!
//! An option `signal` is only for the types: `index.cjs` acts on it.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use homefs_api::time;
use homefs_core::{Error, ErrorKind, Path, Result, SpaceName, Timestamp, Version};
use homefs_view::Moment;
use homefs_wire::words::{
    Alike, Direction, Durability, Right, SearchKind, Side, Strategy, Tokenizer,
};
use napi::bindgen_prelude::{Either, Uint8Array};
use napi_derive::napi;
use serde::Serialize;

use crate::files::parse;

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
    /// The groups of whom the session is for, in place of the agent's own.
    pub groups: Option<Vec<String>>,
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
    pub(crate) fn read(options: Option<&Self>) -> Result<homefs_view::WriteOptions> {
        let expected = options.and_then(|options| options.expected_version);
        let durability = options.and_then(|options| options.durability.as_deref());
        Ok(homefs_view::WriteOptions {
            if_version: expected.map(version).transpose()?,
            durability: durability.map(str::parse).transpose()?.unwrap_or_default(),
            parents: true,
            ..homefs_view::WriteOptions::default()
        })
    }
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

/// Reads milliseconds.
pub(crate) fn duration(milliseconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(milliseconds / 1e3)
        .map_err(|_| invalid("a duration is a number of milliseconds that is not negative"))
}

/// Makes the error of an argument that makes no sense.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

/// What is made of an argument, as the table of methods has it.
pub(crate) trait Taken<T> {
    fn taken(self) -> Result<T>;
}

/// Makes of an argument what the table of methods has.
pub(crate) fn taken<T>(given: impl Taken<T>) -> Result<T> {
    given.taken()
}

macro_rules! taken {
    ($($from:ty => $to:ty |$given:ident| $made:expr;)*) => {
        $(impl Taken<$to> for $from {
            fn taken(self) -> Result<$to> {
                let $given = self;
                $made
            }
        })*
    };
}

taken! {
    bool => bool |is| Ok(is);
    u32 => u32 |number| Ok(number);
    u32 => usize |number| Ok(number as usize);
    i64 => u64 |number| version(number).map(|version| version.0);
    f64 => f64 |number| Ok(number);
    f64 => Duration |milliseconds| duration(milliseconds);
    String => String |text| Ok(text);
    String => Path |text| parse(&text);
    String => Timestamp |text| time::time(&text);
    String => SpaceName |text| text.parse();
    String => Alike |word| word.parse();
    String => Direction |word| word.parse();
    String => Durability |word| word.parse();
    String => Right |word| word.parse();
    String => SearchKind |word| word.parse();
    String => Side |word| word.parse();
    String => Strategy |word| word.parse();
    String => Tokenizer |word| word.parse();
    Either<i64, String> => Moment |given| moment(given);
}

impl Taken<f32> for f64 {
    #[expect(clippy::cast_possible_truncation, reason = "scores have no more digits")]
    fn taken(self) -> Result<f32> {
        Ok(self as f32)
    }
}

impl<T> Taken<Vec<T>> for Either<String, Vec<String>>
where
    String: Taken<T>,
{
    fn taken(self) -> Result<Vec<T>> {
        match self {
            Self::A(word) => Ok(vec![word.taken()?]),
            Self::B(words) => words.into_iter().map(Taken::taken).collect(),
        }
    }
}

impl<T, U: Taken<Vec<T>>> Taken<Vec<T>> for Option<U> {
    fn taken(self) -> Result<Vec<T>> {
        self.map_or(Ok(Vec::new()), U::taken)
    }
}

impl<T> Taken<BTreeMap<String, T>> for Option<HashMap<String, T>> {
    fn taken(self) -> Result<BTreeMap<String, T>> {
        Ok(self.unwrap_or_default().into_iter().collect())
    }
}

impl<T, U: Taken<T>> Taken<Option<T>> for Option<U> {
    fn taken(self) -> Result<Option<T>> {
        self.map(U::taken).transpose()
    }
}
