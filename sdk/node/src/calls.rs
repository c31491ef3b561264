//! The methods of a home that only translate, and their options. Made by `cargo xtask gen`; do
//! not edit.

#![allow(
    clippy::doc_markdown,
    clippy::struct_excessive_bools,
    dead_code,
    reason = "they have the words of the table, and `index.cjs` acts on a signal"
)]

use std::collections::HashMap;

use homefs_wire::methods;
use napi::Env;
use napi::bindgen_prelude::{Either, PromiseRaw};
use napi_derive::napi;

use crate::home::Home;
use crate::options::taken;
use crate::records::{
    Conflicting, Edition, Forgotten, Grant, Hit, Links, Match, Metadata, Noted, Recall, Remembered,
    Source, SourceChange, Space, Standing, Stat, Status, Synced, Tag, Trashed,
};

/// What `edit` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct EditOptions {
    /// Replace every occurrence; else there must be exactly one.
    pub all: Option<bool>,
    /// Only if the file's last change is this one.
    pub expected_version: Option<i64>,
    /// When the call returns: when the change survives the end of the process, power loss, or
    /// the loss of the machine; `memory` if not given.
    #[napi(ts_type = "'memory' | 'journal' | 'remote'")]
    pub durability: Option<String>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `insert` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct InsertOptions {
    /// Only if the file's last change is this one.
    pub expected_version: Option<i64>,
    /// When the call returns: when the change survives the end of the process, power loss, or
    /// the loss of the machine; `memory` if not given.
    #[napi(ts_type = "'memory' | 'journal' | 'remote'")]
    pub durability: Option<String>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `grep` can be told by name.
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
    /// Lines to show before each match; 0 if not given.
    pub before: Option<u32>,
    /// Lines to show after each match; 0 if not given.
    pub after: Option<u32>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `mkdir` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct MkdirOptions {
    /// Make missing directories on the way, and be content with one that exists.
    /// It is true if not given.
    pub parents: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `delete` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct DeleteOptions {
    /// Directories too, with everything in them.
    pub recursive: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `mv` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct MvOptions {
    /// Fail if the new path exists.
    pub no_replace: Option<bool>,
    /// Swap the two.
    pub exchange: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `cp` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct CpOptions {
    /// Directories too, with everything in them.
    pub recursive: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `search` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct SearchOptions {
    /// Most hits; 10 if not given.
    pub limit: Option<u32>,
    /// By words, by meaning, or by both; `hybrid` if not given.
    #[napi(ts_type = "'hybrid' | 'text' | 'vector'")]
    pub kind: Option<String>,
    /// Only in this space, such as `shared/market`, or in these.
    #[napi(ts_type = "string | Array<string>")]
    pub space: Option<Either<String, Vec<String>>>,
    /// Only at and below this path.
    pub below: Option<String>,
    /// Also what is no memory: what an ignore rule names, and files that are no text.
    pub all: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `related` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct RelatedOptions {
    /// Most hits; 10 if not given.
    pub limit: Option<u32>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `recall` can be told by name.
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
    /// What is less relevant is left out; 0.0 if not given.
    pub min_score: Option<f64>,
    /// Whose tokens are counted; `o200k` if not given.
    #[napi(ts_type = "'o200k' | 'cl100k' | 'approx'")]
    pub tokenizer: Option<String>,
    /// Cite paths and versions instead of handles.
    pub paths: Option<bool>,
    /// Tell how every candidate was judged.
    pub explain: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `remember` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct RememberOptions {
    /// What it is called; its file is named after it, or after its first words.
    pub title: Option<String>,
    /// How much it matters, from 0 to 1.
    pub importance: Option<f64>,
    /// Its tags.
    #[napi(ts_type = "string | Array<string>")]
    pub tags: Option<Either<String, Vec<String>>>,
    /// When it is forgotten by itself: `7d`, `12h` or a time as RFC 3339.
    pub ttl: Option<String>,
    /// The space it goes to, such as `shared/market`; the agent's home if not given.
    pub space: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// If nearly the same is remembered already, add what is new to it, or link to it.
    #[napi(ts_type = "'merge' | 'link'")]
    pub alike: Option<String>,
    /// The memory that it takes the place of: a recall puts the new one first and marks
    /// that one as older.
    pub supersedes: Option<String>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `forget` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct ForgetOptions {
    /// Erase it from the files, the history, the trash and the index, and with the next sync
    /// from the remote.
    pub purge: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `context` can be told by name.
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

/// What `timeline` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct TimelineOptions {
    /// Not before this: a date, `2h ago` or `yesterday`.
    pub after: Option<String>,
    /// Before this.
    pub before: Option<String>,
    /// Most files; 20 if not given.
    pub limit: Option<u32>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `stale` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct StaleOptions {
    /// Neither read nor written for this many days; 90 if not given.
    pub days: Option<u32>,
    /// Most files; 20 if not given.
    pub limit: Option<u32>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `log` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct LogOptions {
    /// Most versions; 100 if not given.
    pub limit: Option<u32>,
    /// Only those before this version.
    pub before: Option<i64>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `untrash` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct UntrashOptions {
    /// Another path than that where it was.
    pub to: Option<String>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `setMeta` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct SetMetaOptions {
    /// How much it matters, from 0 to 1.
    pub importance: Option<f64>,
    /// What it is called.
    pub title: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// When it expires: `7d`, `1d12h`, `30m`, a time as RFC 3339, or `never`.
    pub ttl: Option<String>,
    /// Its tags, in the place of those that it has.
    pub tags: Option<Either<String, Vec<String>>>,
    /// Tags to add.
    #[napi(ts_type = "string | Array<string>")]
    pub add_tags: Option<Either<String, Vec<String>>>,
    /// Tags to take away.
    #[napi(ts_type = "string | Array<string>")]
    pub remove_tags: Option<Either<String, Vec<String>>>,
    /// Other notes by key; an empty one, or none, takes it away.
    #[napi(ts_type = "Record<string, string | null>")]
    pub other: Option<HashMap<String, Option<String>>>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `sync` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct SyncOptions {
    /// Which way; `both` if not given.
    #[napi(ts_type = "'both' | 'pull' | 'push'")]
    pub direction: Option<String>,
    /// One space, such as `shared/market`; all if not given.
    pub space: Option<String>,
    /// Go on through outages until all is there; so it does if a timeout is given.
    pub wait: Option<bool>,
    /// Give up waiting after so long.
    pub timeout: Option<f64>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `resolve` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct ResolveOptions {
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `remoteAdd` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct RemoteAddOptions {
    /// The server, such as `http://127.0.0.1:9000`.
    pub endpoint: Option<String>,
    /// The region of an S3 bucket.
    pub region: Option<String>,
    /// Name an S3 bucket in the host's name instead of the path.
    pub virtual_host: Option<bool>,
    /// No other machine ever writes there.
    pub single_writer: Option<bool>,
    /// What history calls this machine; its host name if not given.
    pub machine: Option<String>,
    /// Only read there, and send nothing.
    pub read_only: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `remoteRm` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct RemoteRmOptions {
    /// Let it go though what only it has is then out of reach.
    pub force: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `pin` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct PinOptions {
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `unpin` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct UnpinOptions {
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `attach` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct AttachOptions {
    /// Refuse every change below the path.
    pub read_only: Option<bool>,
    /// How the source is read, by the names that its kind has for it.
    pub settings: Option<HashMap<String, String>>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `refresh` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct RefreshOptions {
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `changes` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct ChangesOptions {
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `discardChanges` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct DiscardChangesOptions {
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `writeBack` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct WriteBackOptions {
    pub overwrite: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// What `barrier` can be told by name.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct BarrierOptions {
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

#[napi]
impl Home {
    /// Replaces a text that occurs once in a file, or all its occurrences; returns the version.
    #[napi(strict)]
    pub fn edit<'env>(
        &self,
        env: &'env Env,
        path: String,
        old: String,
        new_one: String,
        options: Option<EditOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Edit {
                path: taken(path)?,
                old: taken(old)?,
                new: taken(new_one)?,
                all: taken(options.all.unwrap_or(false))?,
                expected_version: taken(options.expected_version)?,
                durability: taken(options.durability.unwrap_or_else(|| "memory".into()))?,
            })
        })
    }

    /// Replaces a text that occurs once in a file, or all its occurrences; returns the version.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn edit_sync(
        &self,
        path: String,
        old: String,
        new_one: String,
        options: Option<EditOptions>,
    ) -> napi::Result<i64> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Edit {
                path: taken(path)?,
                old: taken(old)?,
                new: taken(new_one)?,
                all: taken(options.all.unwrap_or(false))?,
                expected_version: taken(options.expected_version)?,
                durability: taken(options.durability.unwrap_or_else(|| "memory".into()))?,
            })
        })
    }

    /// Inserts lines after a line, 0 being before the first; returns the file's version.
    #[napi(strict)]
    pub fn insert<'env>(
        &self,
        env: &'env Env,
        path: String,
        line: u32,
        text: String,
        options: Option<InsertOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Insert {
                path: taken(path)?,
                line: taken(line)?,
                text: taken(text)?,
                expected_version: taken(options.expected_version)?,
                durability: taken(options.durability.unwrap_or_else(|| "memory".into()))?,
            })
        })
    }

    /// Inserts lines after a line, 0 being before the first; returns the file's version.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn insert_sync(
        &self,
        path: String,
        line: u32,
        text: String,
        options: Option<InsertOptions>,
    ) -> napi::Result<i64> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Insert {
                path: taken(path)?,
                line: taken(line)?,
                text: taken(text)?,
                expected_version: taken(options.expected_version)?,
                durability: taken(options.durability.unwrap_or_else(|| "memory".into()))?,
            })
        })
    }

    /// Tells what is known of a node; a last link is not followed.
    #[napi(strict)]
    pub fn stat<'env>(&self, env: &'env Env, path: String) -> napi::Result<PromiseRaw<'env, Stat>> {
        self.ask(env, || Ok(methods::StatOf { path: taken(path)? }))
    }

    /// Tells what is known of a node; a last link is not followed.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn stat_sync(&self, path: String) -> napi::Result<Stat> {
        self.ask_sync(|| Ok(methods::StatOf { path: taken(path)? }))
    }

    /// Tells whether there is something at a path.
    #[napi(strict)]
    pub fn exists<'env>(
        &self,
        env: &'env Env,
        path: String,
    ) -> napi::Result<PromiseRaw<'env, bool>> {
        self.ask(env, || Ok(methods::Exists { path: taken(path)? }))
    }

    /// Tells whether there is something at a path.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn exists_sync(&self, path: String) -> napi::Result<bool> {
        self.ask_sync(|| Ok(methods::Exists { path: taken(path)? }))
    }

    /// Tells whether there is a file at a path.
    #[napi(strict)]
    pub fn is_file<'env>(
        &self,
        env: &'env Env,
        path: String,
    ) -> napi::Result<PromiseRaw<'env, bool>> {
        self.ask(env, || Ok(methods::IsFile { path: taken(path)? }))
    }

    /// Tells whether there is a file at a path.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn is_file_sync(&self, path: String) -> napi::Result<bool> {
        self.ask_sync(|| Ok(methods::IsFile { path: taken(path)? }))
    }

    /// Tells whether there is a directory at a path.
    #[napi(strict)]
    pub fn is_dir<'env>(
        &self,
        env: &'env Env,
        path: String,
    ) -> napi::Result<PromiseRaw<'env, bool>> {
        self.ask(env, || Ok(methods::IsDir { path: taken(path)? }))
    }

    /// Tells whether there is a directory at a path.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn is_dir_sync(&self, path: String) -> napi::Result<bool> {
        self.ask_sync(|| Ok(methods::IsDir { path: taken(path)? }))
    }

    /// Lists a directory by name, the root if none is given; a file is listed as itself.
    #[napi(strict)]
    pub fn ls<'env>(
        &self,
        env: &'env Env,
        path: Option<String>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Stat>>> {
        self.ask(env, || Ok(methods::Ls { path: taken(path)? }))
    }

    /// Lists a directory by name, the root if none is given; a file is listed as itself.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn ls_sync(&self, path: Option<String>) -> napi::Result<Vec<Stat>> {
        self.ask_sync(|| Ok(methods::Ls { path: taken(path)? }))
    }

    /// Shows everything below a directory as a tree, at most so many levels of it.
    #[napi(strict)]
    pub fn tree<'env>(
        &self,
        env: &'env Env,
        path: Option<String>,
        depth: Option<u32>,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        self.ask(env, || Ok(methods::Tree { path: taken(path)?, depth: taken(depth)? }))
    }

    /// Shows everything below a directory as a tree, at most so many levels of it.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn tree_sync(&self, path: Option<String>, depth: Option<u32>) -> napi::Result<String> {
        self.ask_sync(|| Ok(methods::Tree { path: taken(path)?, depth: taken(depth)? }))
    }

    /// Finds nodes below a directory by a pattern; one without `/` matches names at any depth.
    ///
    /// With `/` it matches the path below the directory, where `**` stands for any number of
    /// directories.
    #[napi(strict)]
    pub fn find<'env>(
        &self,
        env: &'env Env,
        pattern: Option<String>,
        path: Option<String>,
    ) -> napi::Result<PromiseRaw<'env, Vec<String>>> {
        self.ask(env, || {
            Ok(methods::Find {
                pattern: taken(pattern.unwrap_or_else(|| "**".into()))?,
                path: taken(path)?,
            })
        })
    }

    /// Finds nodes below a directory by a pattern; one without `/` matches names at any depth.
    ///
    /// With `/` it matches the path below the directory, where `**` stands for any number of
    /// directories.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn find_sync(
        &self,
        pattern: Option<String>,
        path: Option<String>,
    ) -> napi::Result<Vec<String>> {
        self.ask_sync(|| {
            Ok(methods::Find {
                pattern: taken(pattern.unwrap_or_else(|| "**".into()))?,
                path: taken(path)?,
            })
        })
    }

    /// Finds lines that match a regular expression, or a plain text if `literal` is set.
    ///
    /// Files of an attached source that cannot be read are left out; `sources` says which source
    /// does not answer, and why.
    #[napi(strict)]
    pub fn grep<'env>(
        &self,
        env: &'env Env,
        pattern: String,
        path: Option<String>,
        options: Option<GrepOptions>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Match>>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Grep {
                pattern: taken(pattern)?,
                path: taken(path)?,
                glob: taken(options.glob)?,
                ignore_case: taken(options.ignore_case.unwrap_or(false))?,
                literal: taken(options.literal.unwrap_or(false))?,
                limit: taken(options.limit.unwrap_or(1000))?,
                before: taken(options.before.unwrap_or(0))?,
                after: taken(options.after.unwrap_or(0))?,
            })
        })
    }

    /// Finds lines that match a regular expression, or a plain text if `literal` is set.
    ///
    /// Files of an attached source that cannot be read are left out; `sources` says which source
    /// does not answer, and why.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn grep_sync(
        &self,
        pattern: String,
        path: Option<String>,
        options: Option<GrepOptions>,
    ) -> napi::Result<Vec<Match>> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Grep {
                pattern: taken(pattern)?,
                path: taken(path)?,
                glob: taken(options.glob)?,
                ignore_case: taken(options.ignore_case.unwrap_or(false))?,
                literal: taken(options.literal.unwrap_or(false))?,
                limit: taken(options.limit.unwrap_or(1000))?,
                before: taken(options.before.unwrap_or(0))?,
                after: taken(options.after.unwrap_or(0))?,
            })
        })
    }

    /// Lists everything below a directory.
    #[napi(strict)]
    pub fn walk<'env>(
        &self,
        env: &'env Env,
        path: Option<String>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Stat>>> {
        self.ask(env, || Ok(methods::Walk { path: taken(path)? }))
    }

    /// Lists everything below a directory.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn walk_sync(&self, path: Option<String>) -> napi::Result<Vec<Stat>> {
        self.ask_sync(|| Ok(methods::Walk { path: taken(path)? }))
    }

    /// Makes a directory, and those on the way to it; returns its version.
    #[napi(strict)]
    pub fn mkdir<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<MkdirOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Mkdir {
                path: taken(path)?,
                parents: taken(options.parents.unwrap_or(true))?,
            })
        })
    }

    /// Makes a directory, and those on the way to it; returns its version.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn mkdir_sync(&self, path: String, options: Option<MkdirOptions>) -> napi::Result<i64> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Mkdir {
                path: taken(path)?,
                parents: taken(options.parents.unwrap_or(true))?,
            })
        })
    }

    /// Removes a node to the trash; a directory that is not empty only if asked.
    #[napi(strict)]
    pub fn delete<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<DeleteOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Delete {
                path: taken(path)?,
                recursive: taken(options.recursive.unwrap_or(false))?,
            })
        })
    }

    /// Removes a node to the trash; a directory that is not empty only if asked.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn delete_sync(&self, path: String, options: Option<DeleteOptions>) -> napi::Result<i64> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Delete {
                path: taken(path)?,
                recursive: taken(options.recursive.unwrap_or(false))?,
            })
        })
    }

    /// Moves a node to a path, or into a directory; also to another space.
    ///
    /// That is one step within a space; to another space it is a copy and a removal.
    #[napi(strict)]
    pub fn mv<'env>(
        &self,
        env: &'env Env,
        source: String,
        target: String,
        options: Option<MvOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Mv {
                source: taken(source)?,
                target: taken(target)?,
                no_replace: taken(options.no_replace.unwrap_or(false))?,
                exchange: taken(options.exchange.unwrap_or(false))?,
            })
        })
    }

    /// Moves a node to a path, or into a directory; also to another space.
    ///
    /// That is one step within a space; to another space it is a copy and a removal.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn mv_sync(
        &self,
        source: String,
        target: String,
        options: Option<MvOptions>,
    ) -> napi::Result<i64> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Mv {
                source: taken(source)?,
                target: taken(target)?,
                no_replace: taken(options.no_replace.unwrap_or(false))?,
                exchange: taken(options.exchange.unwrap_or(false))?,
            })
        })
    }

    /// Copies a node to a path, or into a directory; a directory only if asked.
    #[napi(strict)]
    pub fn cp<'env>(
        &self,
        env: &'env Env,
        source: String,
        target: String,
        options: Option<CpOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Cp {
                source: taken(source)?,
                target: taken(target)?,
                recursive: taken(options.recursive.unwrap_or(false))?,
            })
        })
    }

    /// Copies a node to a path, or into a directory; a directory only if asked.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn cp_sync(
        &self,
        source: String,
        target: String,
        options: Option<CpOptions>,
    ) -> napi::Result<i64> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Cp {
                source: taken(source)?,
                target: taken(target)?,
                recursive: taken(options.recursive.unwrap_or(false))?,
            })
        })
    }

    /// Makes a symbolic link at a path.
    #[napi(strict)]
    pub fn symlink<'env>(
        &self,
        env: &'env Env,
        target: String,
        path: String,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || Ok(methods::Symlink { target: taken(target)?, path: taken(path)? }))
    }

    /// Makes a symbolic link at a path.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn symlink_sync(&self, target: String, path: String) -> napi::Result<i64> {
        self.ask_sync(|| Ok(methods::Symlink { target: taken(target)?, path: taken(path)? }))
    }

    /// Gives a file one more name.
    #[napi(strict)]
    pub fn link<'env>(
        &self,
        env: &'env Env,
        existing: String,
        new_one: String,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || Ok(methods::Link { existing: taken(existing)?, new: taken(new_one)? }))
    }

    /// Gives a file one more name.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn link_sync(&self, existing: String, new_one: String) -> napi::Result<i64> {
        self.ask_sync(|| Ok(methods::Link { existing: taken(existing)?, new: taken(new_one)? }))
    }

    /// Returns where a symbolic link points.
    #[napi(strict)]
    pub fn readlink<'env>(
        &self,
        env: &'env Env,
        path: String,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        self.ask(env, || Ok(methods::Readlink { path: taken(path)? }))
    }

    /// Returns where a symbolic link points.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn readlink_sync(&self, path: String) -> napi::Result<String> {
        self.ask_sync(|| Ok(methods::Readlink { path: taken(path)? }))
    }

    /// Finds notes by words and meaning, the best first; every write that returned before is seen.
    ///
    /// In a query, `"two words"` are a phrase, `pref*` finds words that begin so, `-word` leaves
    /// out, and `tag:t`, `path:notes`, `after:2026-01-31` and `before:2026-01-31` narrow. What is
    /// attached is not searched: `sources` lists it, and `grep` finds its lines.
    #[napi(strict)]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: String,
        options: Option<SearchOptions>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Hit>>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Search {
                query: taken(query)?,
                limit: taken(options.limit.unwrap_or(10))?,
                kind: taken(options.kind.unwrap_or_else(|| "hybrid".into()))?,
                space: taken(options.space)?,
                below: taken(options.below)?,
                all: taken(options.all.unwrap_or(false))?,
            })
        })
    }

    /// Finds notes by words and meaning, the best first; every write that returned before is seen.
    ///
    /// In a query, `"two words"` are a phrase, `pref*` finds words that begin so, `-word` leaves
    /// out, and `tag:t`, `path:notes`, `after:2026-01-31` and `before:2026-01-31` narrow. What is
    /// attached is not searched: `sources` lists it, and `grep` finds its lines.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn search_sync(
        &self,
        query: String,
        options: Option<SearchOptions>,
    ) -> napi::Result<Vec<Hit>> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Search {
                query: taken(query)?,
                limit: taken(options.limit.unwrap_or(10))?,
                kind: taken(options.kind.unwrap_or_else(|| "hybrid".into()))?,
                space: taken(options.space)?,
                below: taken(options.below)?,
                all: taken(options.all.unwrap_or(false))?,
            })
        })
    }

    /// Finds the files that are most like a file.
    #[napi(strict)]
    pub fn related<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<RelatedOptions>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Hit>>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Related { path: taken(path)?, limit: taken(options.limit.unwrap_or(10))? })
        })
    }

    /// Finds the files that are most like a file.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn related_sync(
        &self,
        path: String,
        options: Option<RelatedOptions>,
    ) -> napi::Result<Vec<Hit>> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Related { path: taken(path)?, limit: taken(options.limit.unwrap_or(10))? })
        })
    }

    /// Answers a question with the memories that matter, within a budget of tokens.
    #[napi(strict)]
    pub fn recall<'env>(
        &self,
        env: &'env Env,
        question: String,
        max_tokens: Option<u32>,
        options: Option<RecallOptions>,
    ) -> napi::Result<PromiseRaw<'env, Recall>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::RecallBy {
                question: taken(question)?,
                max_tokens: taken(max_tokens.unwrap_or(2000))?,
                strategy: taken(options.strategy.unwrap_or_else(|| "balanced".into()))?,
                space: taken(options.space)?,
                below: taken(options.below)?,
                min_score: taken(options.min_score.unwrap_or(0.0))?,
                tokenizer: taken(options.tokenizer.unwrap_or_else(|| "o200k".into()))?,
                paths: taken(options.paths.unwrap_or(false))?,
                explain: taken(options.explain.unwrap_or(false))?,
            })
        })
    }

    /// Answers a question with the memories that matter, within a budget of tokens.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn recall_sync(
        &self,
        question: String,
        max_tokens: Option<u32>,
        options: Option<RecallOptions>,
    ) -> napi::Result<Recall> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::RecallBy {
                question: taken(question)?,
                max_tokens: taken(max_tokens.unwrap_or(2000))?,
                strategy: taken(options.strategy.unwrap_or_else(|| "balanced".into()))?,
                space: taken(options.space)?,
                below: taken(options.below)?,
                min_score: taken(options.min_score.unwrap_or(0.0))?,
                tokenizer: taken(options.tokenizer.unwrap_or_else(|| "o200k".into()))?,
                paths: taken(options.paths.unwrap_or(false))?,
                explain: taken(options.explain.unwrap_or(false))?,
            })
        })
    }

    /// Keeps a text as a memory: a Markdown file below /memories. The same text again makes it
    /// new again; another text under the same title replaces what the agent said before.
    #[napi(strict)]
    pub fn remember<'env>(
        &self,
        env: &'env Env,
        text: String,
        options: Option<RememberOptions>,
    ) -> napi::Result<PromiseRaw<'env, Remembered>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Remember {
                text: taken(text)?,
                title: taken(options.title)?,
                importance: taken(options.importance)?,
                tags: taken(options.tags)?,
                ttl: taken(options.ttl)?,
                space: taken(options.space)?,
                source: taken(options.source)?,
                alike: taken(options.alike)?,
                supersedes: taken(options.supersedes)?,
            })
        })
    }

    /// Keeps a text as a memory: a Markdown file below /memories. The same text again makes it
    /// new again; another text under the same title replaces what the agent said before.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn remember_sync(
        &self,
        text: String,
        options: Option<RememberOptions>,
    ) -> napi::Result<Remembered> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Remember {
                text: taken(text)?,
                title: taken(options.title)?,
                importance: taken(options.importance)?,
                tags: taken(options.tags)?,
                ttl: taken(options.ttl)?,
                space: taken(options.space)?,
                source: taken(options.source)?,
                alike: taken(options.alike)?,
                supersedes: taken(options.supersedes)?,
            })
        })
    }

    /// Lets a memory go, to the trash or for good; works on every file and directory.
    #[napi(strict)]
    pub fn forget<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<ForgetOptions>,
    ) -> napi::Result<PromiseRaw<'env, Forgotten>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Forget {
                path: taken(path)?,
                purge: taken(options.purge.unwrap_or(false))?,
            })
        })
    }

    /// Lets a memory go, to the trash or for good; works on every file and directory.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn forget_sync(
        &self,
        path: String,
        options: Option<ForgetOptions>,
    ) -> napi::Result<Forgotten> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Forget {
                path: taken(path)?,
                purge: taken(options.purge.unwrap_or(false))?,
            })
        })
    }

    /// Erases a node from the tree, the history and the trash; tells what that took.
    #[napi(strict)]
    pub fn purge<'env>(
        &self,
        env: &'env Env,
        path: String,
    ) -> napi::Result<PromiseRaw<'env, Forgotten>> {
        self.ask(env, || Ok(methods::Purge { path: taken(path)? }))
    }

    /// Erases a node from the tree, the history and the trash; tells what that took.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn purge_sync(&self, path: String) -> napi::Result<Forgotten> {
        self.ask_sync(|| Ok(methods::Purge { path: taken(path)? }))
    }

    /// Returns what an agent should know at its start, within a budget of tokens.
    #[napi(strict)]
    pub fn context<'env>(
        &self,
        env: &'env Env,
        max_tokens: Option<u32>,
        options: Option<ContextOptions>,
    ) -> napi::Result<PromiseRaw<'env, Standing>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Context {
                max_tokens: taken(max_tokens.unwrap_or(2000))?,
                tokenizer: taken(options.tokenizer.unwrap_or_else(|| "o200k".into()))?,
            })
        })
    }

    /// Returns what an agent should know at its start, within a budget of tokens.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn context_sync(
        &self,
        max_tokens: Option<u32>,
        options: Option<ContextOptions>,
    ) -> napi::Result<Standing> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Context {
                max_tokens: taken(max_tokens.unwrap_or(2000))?,
                tokenizer: taken(options.tokenizer.unwrap_or_else(|| "o200k".into()))?,
            })
        })
    }

    /// Lists what a note links to, and what links to it.
    #[napi(strict)]
    pub fn links<'env>(
        &self,
        env: &'env Env,
        path: String,
    ) -> napi::Result<PromiseRaw<'env, Links>> {
        self.ask(env, || Ok(methods::LinksOf { path: taken(path)? }))
    }

    /// Lists what a note links to, and what links to it.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn links_sync(&self, path: String) -> napi::Result<Links> {
        self.ask_sync(|| Ok(methods::LinksOf { path: taken(path)? }))
    }

    /// Counts the tags at and below a path.
    #[napi(strict)]
    pub fn tags<'env>(
        &self,
        env: &'env Env,
        path: Option<String>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Tag>>> {
        self.ask(env, || Ok(methods::Tags { path: taken(path)? }))
    }

    /// Counts the tags at and below a path.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn tags_sync(&self, path: Option<String>) -> napi::Result<Vec<Tag>> {
        self.ask_sync(|| Ok(methods::Tags { path: taken(path)? }))
    }

    /// Lists files by when they were last written, newest first.
    #[napi(strict)]
    pub fn timeline<'env>(
        &self,
        env: &'env Env,
        below: Option<String>,
        options: Option<TimelineOptions>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Noted>>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Timeline {
                below: taken(below)?,
                after: taken(options.after)?,
                before: taken(options.before)?,
                limit: taken(options.limit.unwrap_or(20))?,
            })
        })
    }

    /// Lists files by when they were last written, newest first.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn timeline_sync(
        &self,
        below: Option<String>,
        options: Option<TimelineOptions>,
    ) -> napi::Result<Vec<Noted>> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Timeline {
                below: taken(below)?,
                after: taken(options.after)?,
                before: taken(options.before)?,
                limit: taken(options.limit.unwrap_or(20))?,
            })
        })
    }

    /// Lists files that nobody has read for long and that matter little.
    #[napi(strict)]
    pub fn stale<'env>(
        &self,
        env: &'env Env,
        below: Option<String>,
        options: Option<StaleOptions>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Noted>>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Stale {
                below: taken(below)?,
                days: taken(options.days.unwrap_or(90))?,
                limit: taken(options.limit.unwrap_or(20))?,
            })
        })
    }

    /// Lists files that nobody has read for long and that matter little.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn stale_sync(
        &self,
        below: Option<String>,
        options: Option<StaleOptions>,
    ) -> napi::Result<Vec<Noted>> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Stale {
                below: taken(below)?,
                days: taken(options.days.unwrap_or(90))?,
                limit: taken(options.limit.unwrap_or(20))?,
            })
        })
    }

    /// Lists the versions of a file, newest first, also of a removed one.
    #[napi(strict)]
    pub fn log<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<LogOptions>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Edition>>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Log {
                path: taken(path)?,
                limit: taken(options.limit.unwrap_or(100))?,
                before: taken(options.before)?,
            })
        })
    }

    /// Lists the versions of a file, newest first, also of a removed one.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn log_sync(
        &self,
        path: String,
        options: Option<LogOptions>,
    ) -> napi::Result<Vec<Edition>> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Log {
                path: taken(path)?,
                limit: taken(options.limit.unwrap_or(100))?,
                before: taken(options.before)?,
            })
        })
    }

    /// Shows how a file differs between two moments; from the version before the last to now.
    ///
    /// A moment is a version, or a time such as `2h ago`, `yesterday` or RFC 3339. What is shown is a
    /// unified diff, empty if they do not differ.
    #[napi(strict)]
    pub fn diff<'env>(
        &self,
        env: &'env Env,
        path: String,
        from: Option<Either<i64, String>>,
        to: Option<Either<i64, String>>,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        self.ask(env, || {
            Ok(methods::Diff { path: taken(path)?, from: taken(from)?, to: taken(to)? })
        })
    }

    /// Shows how a file differs between two moments; from the version before the last to now.
    ///
    /// A moment is a version, or a time such as `2h ago`, `yesterday` or RFC 3339. What is shown is a
    /// unified diff, empty if they do not differ.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn diff_sync(
        &self,
        path: String,
        from: Option<Either<i64, String>>,
        to: Option<Either<i64, String>>,
    ) -> napi::Result<String> {
        self.ask_sync(|| {
            Ok(methods::Diff { path: taken(path)?, from: taken(from)?, to: taken(to)? })
        })
    }

    /// Makes an old version of a file the present one; returns the new version.
    #[napi(strict)]
    pub fn restore<'env>(
        &self,
        env: &'env Env,
        path: String,
        version: Either<i64, String>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || Ok(methods::Restore { path: taken(path)?, version: taken(version)? }))
    }

    /// Makes an old version of a file the present one; returns the new version.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn restore_sync(&self, path: String, version: Either<i64, String>) -> napi::Result<i64> {
        self.ask_sync(|| Ok(methods::Restore { path: taken(path)?, version: taken(version)? }))
    }

    /// Lists what was removed and can be brought back, the last first.
    #[napi(strict)]
    pub fn trash<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Vec<Trashed>>> {
        self.ask(env, || Ok(methods::Trash {}))
    }

    /// Lists what was removed and can be brought back, the last first.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn trash_sync(&self) -> napi::Result<Vec<Trashed>> {
        self.ask_sync(|| Ok(methods::Trash {}))
    }

    /// Brings back what the last removal of a path took, there or to another path.
    #[napi(strict)]
    pub fn untrash<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<UntrashOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Untrash { path: taken(path)?, to: taken(options.to)? })
        })
    }

    /// Brings back what the last removal of a path took, there or to another path.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn untrash_sync(&self, path: String, options: Option<UntrashOptions>) -> napi::Result<i64> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Untrash { path: taken(path)?, to: taken(options.to)? })
        })
    }

    /// Returns the cursor of this moment, from which changes can be watched.
    #[napi(strict)]
    pub fn cursor<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, String>> {
        self.ask(env, || Ok(methods::Cursor {}))
    }

    /// Returns the cursor of this moment, from which changes can be watched.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn cursor_sync(&self) -> napi::Result<String> {
        self.ask_sync(|| Ok(methods::Cursor {}))
    }

    /// Returns what is noted about a node.
    #[napi(strict)]
    pub fn meta<'env>(
        &self,
        env: &'env Env,
        path: String,
    ) -> napi::Result<PromiseRaw<'env, Metadata>> {
        self.ask(env, || Ok(methods::Meta { path: taken(path)? }))
    }

    /// Returns what is noted about a node.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn meta_sync(&self, path: String) -> napi::Result<Metadata> {
        self.ask_sync(|| Ok(methods::Meta { path: taken(path)? }))
    }

    /// Notes something about a node; what is not named stays, and an empty value removes.
    #[napi(strict)]
    pub fn set_meta<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<SetMetaOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::SetMeta {
                path: taken(path)?,
                importance: taken(options.importance)?,
                title: taken(options.title)?,
                source: taken(options.source)?,
                ttl: taken(options.ttl)?,
                tags: taken(options.tags)?,
                add_tags: taken(options.add_tags)?,
                remove_tags: taken(options.remove_tags)?,
                other: taken(options.other)?,
            })
        })
    }

    /// Notes something about a node; what is not named stays, and an empty value removes.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn set_meta_sync(
        &self,
        path: String,
        options: Option<SetMetaOptions>,
    ) -> napi::Result<i64> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::SetMeta {
                path: taken(path)?,
                importance: taken(options.importance)?,
                title: taken(options.title)?,
                source: taken(options.source)?,
                ttl: taken(options.ttl)?,
                tags: taken(options.tags)?,
                add_tags: taken(options.add_tags)?,
                remove_tags: taken(options.remove_tags)?,
                other: taken(options.other)?,
            })
        })
    }

    /// Lets an agent, or a group as `group:name`, use a part of a shared space.
    #[napi(strict)]
    pub fn grant<'env>(
        &self,
        env: &'env Env,
        path: String,
        who: String,
        right: String,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || {
            Ok(methods::GrantTo { path: taken(path)?, who: taken(who)?, right: taken(right)? })
        })
    }

    /// Lets an agent, or a group as `group:name`, use a part of a shared space.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn grant_sync(&self, path: String, who: String, right: String) -> napi::Result<i64> {
        self.ask_sync(|| {
            Ok(methods::GrantTo { path: taken(path)?, who: taken(who)?, right: taken(right)? })
        })
    }

    /// Takes the rights of an agent or group at a path away.
    #[napi(strict)]
    pub fn revoke<'env>(
        &self,
        env: &'env Env,
        path: String,
        who: String,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || Ok(methods::Revoke { path: taken(path)?, who: taken(who)? }))
    }

    /// Takes the rights of an agent or group at a path away.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn revoke_sync(&self, path: String, who: String) -> napi::Result<i64> {
        self.ask_sync(|| Ok(methods::Revoke { path: taken(path)?, who: taken(who)? }))
    }

    /// Lists the rules of access that hold at a path.
    #[napi(strict)]
    pub fn grants<'env>(
        &self,
        env: &'env Env,
        path: Option<String>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Grant>>> {
        self.ask(env, || Ok(methods::Grants { path: taken(path)? }))
    }

    /// Lists the rules of access that hold at a path.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn grants_sync(&self, path: Option<String>) -> napi::Result<Vec<Grant>> {
        self.ask_sync(|| Ok(methods::Grants { path: taken(path)? }))
    }

    /// Lists the spaces that the agent sees.
    #[napi(strict)]
    pub fn spaces<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Vec<Space>>> {
        self.ask(env, || Ok(methods::Spaces {}))
    }

    /// Lists the spaces that the agent sees.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn spaces_sync(&self) -> napi::Result<Vec<Space>> {
        self.ask_sync(|| Ok(methods::Spaces {}))
    }

    /// Lists the agents that have a home; for operators.
    #[napi(strict)]
    pub fn agents<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Vec<String>>> {
        self.ask(env, || Ok(methods::Agents {}))
    }

    /// Lists the agents that have a home; for operators.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn agents_sync(&self) -> napi::Result<Vec<String>> {
        self.ask_sync(|| Ok(methods::Agents {}))
    }

    /// Makes spaces and their remote agree; with `wait` it goes on through outages.
    #[napi(strict)]
    pub fn sync<'env>(
        &self,
        env: &'env Env,
        options: Option<SyncOptions>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Synced>>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Sync {
                direction: taken(options.direction.unwrap_or_else(|| "both".into()))?,
                space: taken(options.space)?,
                wait: taken(options.wait)?,
                timeout: taken(options.timeout)?,
            })
        })
    }

    /// Makes spaces and their remote agree; with `wait` it goes on through outages.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn sync_sync(&self, options: Option<SyncOptions>) -> napi::Result<Vec<Synced>> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Sync {
                direction: taken(options.direction.unwrap_or_else(|| "both".into()))?,
                space: taken(options.space)?,
                wait: taken(options.wait)?,
                timeout: taken(options.timeout)?,
            })
        })
    }

    /// Tells how the store is.
    #[napi(strict)]
    pub fn status<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Status>> {
        self.ask(env, || Ok(methods::StatusOf {}))
    }

    /// Tells how the store is.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn status_sync(&self) -> napi::Result<Status> {
        self.ask_sync(|| Ok(methods::StatusOf {}))
    }

    /// Lists the conflicts that nobody has resolved, oldest first.
    #[napi(strict)]
    pub fn conflicts<'env>(
        &self,
        env: &'env Env,
    ) -> napi::Result<PromiseRaw<'env, Vec<Conflicting>>> {
        self.ask(env, || Ok(methods::Conflicts {}))
    }

    /// Lists the conflicts that nobody has resolved, oldest first.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn conflicts_sync(&self) -> napi::Result<Vec<Conflicting>> {
        self.ask_sync(|| Ok(methods::Conflicts {}))
    }

    /// Closes conflicts by number, path or pattern, with one of their contents if asked.
    #[napi(strict)]
    pub fn resolve<'env>(
        &self,
        env: &'env Env,
        which: String,
        take: Option<String>,
        options: Option<ResolveOptions>,
    ) -> napi::Result<PromiseRaw<'env, Vec<Conflicting>>> {
        self.ask(env, || {
            let _ = options;
            Ok(methods::Resolve { which: taken(which)?, take: taken(take)? })
        })
    }

    /// Closes conflicts by number, path or pattern, with one of their contents if asked.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn resolve_sync(
        &self,
        which: String,
        take: Option<String>,
        options: Option<ResolveOptions>,
    ) -> napi::Result<Vec<Conflicting>> {
        self.ask_sync(|| {
            let _ = options;
            Ok(methods::Resolve { which: taken(which)?, take: taken(take)? })
        })
    }

    /// Attaches a remote to the store, where copies of all its homes are kept.
    #[napi(strict)]
    pub fn remote_add<'env>(
        &self,
        env: &'env Env,
        address: String,
        options: Option<RemoteAddOptions>,
    ) -> napi::Result<PromiseRaw<'env, ()>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::RemoteAdd {
                address: taken(address)?,
                endpoint: taken(options.endpoint)?,
                region: taken(options.region)?,
                virtual_host: taken(options.virtual_host.unwrap_or(false))?,
                single_writer: taken(options.single_writer.unwrap_or(false))?,
                machine: taken(options.machine)?,
                read_only: taken(options.read_only.unwrap_or(false))?,
            })
        })
    }

    /// Attaches a remote to the store, where copies of all its homes are kept.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn remote_add_sync(
        &self,
        address: String,
        options: Option<RemoteAddOptions>,
    ) -> napi::Result<()> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::RemoteAdd {
                address: taken(address)?,
                endpoint: taken(options.endpoint)?,
                region: taken(options.region)?,
                virtual_host: taken(options.virtual_host.unwrap_or(false))?,
                single_writer: taken(options.single_writer.unwrap_or(false))?,
                machine: taken(options.machine)?,
                read_only: taken(options.read_only.unwrap_or(false))?,
            })
        })
    }

    /// Fetches what only the remote has, unless forgone by `force`, and lets it go; returns how many
    /// bytes were fetched.
    #[napi(strict)]
    pub fn remote_rm<'env>(
        &self,
        env: &'env Env,
        options: Option<RemoteRmOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::RemoteRm { force: taken(options.force.unwrap_or(false))? })
        })
    }

    /// Fetches what only the remote has, unless forgone by `force`, and lets it go; returns how many
    /// bytes were fetched.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn remote_rm_sync(&self, options: Option<RemoteRmOptions>) -> napi::Result<i64> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::RemoteRm { force: taken(options.force.unwrap_or(false))? })
        })
    }

    /// Keeps everything at and below a path on this machine.
    #[napi(strict)]
    pub fn pin<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<PinOptions>,
    ) -> napi::Result<PromiseRaw<'env, ()>> {
        self.ask(env, || {
            let _ = options;
            Ok(methods::Pin { path: taken(path)? })
        })
    }

    /// Keeps everything at and below a path on this machine.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn pin_sync(&self, path: String, options: Option<PinOptions>) -> napi::Result<()> {
        self.ask_sync(|| {
            let _ = options;
            Ok(methods::Pin { path: taken(path)? })
        })
    }

    /// Keeps it there no longer.
    #[napi(strict)]
    pub fn unpin<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<UnpinOptions>,
    ) -> napi::Result<PromiseRaw<'env, ()>> {
        self.ask(env, || {
            let _ = options;
            Ok(methods::Unpin { path: taken(path)? })
        })
    }

    /// Keeps it there no longer.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn unpin_sync(&self, path: String, options: Option<UnpinOptions>) -> napi::Result<()> {
        self.ask_sync(|| {
            let _ = options;
            Ok(methods::Unpin { path: taken(path)? })
        })
    }

    /// Lists the paths that are kept on this machine.
    #[napi(strict)]
    pub fn pins<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Vec<String>>> {
        self.ask(env, || Ok(methods::Pins {}))
    }

    /// Lists the paths that are kept on this machine.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn pins_sync(&self) -> napi::Result<Vec<String>> {
        self.ask_sync(|| Ok(methods::Pins {}))
    }

    /// Shows a folder, a bucket or a collection below a path.
    ///
    /// What is changed there stays in the home and never touches the source by itself.
    #[napi(strict)]
    pub fn attach<'env>(
        &self,
        env: &'env Env,
        source: String,
        path: String,
        options: Option<AttachOptions>,
    ) -> napi::Result<PromiseRaw<'env, ()>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::Attach {
                source: taken(source)?,
                path: taken(path)?,
                read_only: taken(options.read_only.unwrap_or(false))?,
                settings: taken(options.settings)?,
            })
        })
    }

    /// Shows a folder, a bucket or a collection below a path.
    ///
    /// What is changed there stays in the home and never touches the source by itself.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn attach_sync(
        &self,
        source: String,
        path: String,
        options: Option<AttachOptions>,
    ) -> napi::Result<()> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::Attach {
                source: taken(source)?,
                path: taken(path)?,
                read_only: taken(options.read_only.unwrap_or(false))?,
                settings: taken(options.settings)?,
            })
        })
    }

    /// Shows a source no longer; what the home has itself stays.
    #[napi(strict)]
    pub fn detach<'env>(&self, env: &'env Env, path: String) -> napi::Result<PromiseRaw<'env, ()>> {
        self.ask(env, || Ok(methods::Detach { path: taken(path)? }))
    }

    /// Shows a source no longer; what the home has itself stays.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn detach_sync(&self, path: String) -> napi::Result<()> {
        self.ask_sync(|| Ok(methods::Detach { path: taken(path)? }))
    }

    /// Lists the sources that are attached.
    #[napi(strict)]
    pub fn sources<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Vec<Source>>> {
        self.ask(env, || Ok(methods::Sources {}))
    }

    /// Lists the sources that are attached.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn sources_sync(&self) -> napi::Result<Vec<Source>> {
        self.ask_sync(|| Ok(methods::Sources {}))
    }

    /// Looks at once for what has changed at a source.
    #[napi(strict)]
    pub fn refresh<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<RefreshOptions>,
    ) -> napi::Result<PromiseRaw<'env, ()>> {
        self.ask(env, || {
            let _ = options;
            Ok(methods::Refresh { path: taken(path)? })
        })
    }

    /// Looks at once for what has changed at a source.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn refresh_sync(&self, path: String, options: Option<RefreshOptions>) -> napi::Result<()> {
        self.ask_sync(|| {
            let _ = options;
            Ok(methods::Refresh { path: taken(path)? })
        })
    }

    /// Lists what was changed over a source.
    #[napi(strict)]
    pub fn changes<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<ChangesOptions>,
    ) -> napi::Result<PromiseRaw<'env, Vec<SourceChange>>> {
        self.ask(env, || {
            let _ = options;
            Ok(methods::Changes { path: taken(path)? })
        })
    }

    /// Lists what was changed over a source.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn changes_sync(
        &self,
        path: String,
        options: Option<ChangesOptions>,
    ) -> napi::Result<Vec<SourceChange>> {
        self.ask_sync(|| {
            let _ = options;
            Ok(methods::Changes { path: taken(path)? })
        })
    }

    /// Gives up what was changed over a source.
    #[napi(strict)]
    pub fn discard_changes<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<DiscardChangesOptions>,
    ) -> napi::Result<PromiseRaw<'env, ()>> {
        self.ask(env, || {
            let _ = options;
            Ok(methods::DiscardChanges { path: taken(path)? })
        })
    }

    /// Gives up what was changed over a source.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn discard_changes_sync(
        &self,
        path: String,
        options: Option<DiscardChangesOptions>,
    ) -> napi::Result<()> {
        self.ask_sync(|| {
            let _ = options;
            Ok(methods::DiscardChanges { path: taken(path)? })
        })
    }

    /// Does to a source what was changed over it; lists what was done. What was written there
    /// after it was changed here is refused, unless it is to be overwritten.
    #[napi(strict)]
    pub fn write_back<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<WriteBackOptions>,
    ) -> napi::Result<PromiseRaw<'env, Vec<SourceChange>>> {
        self.ask(env, || {
            let options = options.unwrap_or_default();
            Ok(methods::WriteBack {
                path: taken(path)?,
                overwrite: taken(options.overwrite.unwrap_or(false))?,
            })
        })
    }

    /// Does to a source what was changed over it; lists what was done. What was written there
    /// after it was changed here is refused, unless it is to be overwritten.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn write_back_sync(
        &self,
        path: String,
        options: Option<WriteBackOptions>,
    ) -> napi::Result<Vec<SourceChange>> {
        self.ask_sync(|| {
            let options = options.unwrap_or_default();
            Ok(methods::WriteBack {
                path: taken(path)?,
                overwrite: taken(options.overwrite.unwrap_or(false))?,
            })
        })
    }

    /// Returns when everything acknowledged so far survives power loss.
    #[napi(strict)]
    pub fn barrier<'env>(
        &self,
        env: &'env Env,
        options: Option<BarrierOptions>,
    ) -> napi::Result<PromiseRaw<'env, ()>> {
        self.ask(env, || {
            let _ = options;
            Ok(methods::Barrier {})
        })
    }

    /// Returns when everything acknowledged so far survives power loss.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn barrier_sync(&self, options: Option<BarrierOptions>) -> napi::Result<()> {
        self.ask_sync(|| {
            let _ = options;
            Ok(methods::Barrier {})
        })
    }
}
