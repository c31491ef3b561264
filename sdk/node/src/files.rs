//! Reading and writing files, and what else is more than a translation.

use bytes::Bytes;
use homefs_api::resolve_path;
use homefs_core::{Error, ErrorKind, Path, Result, Timestamp, Version};
use homefs_view::Moment;
use napi::Env;
use napi::bindgen_prelude::{Buffer, Either, PromiseRaw, Uint8Array};
use napi_derive::napi;

use crate::error::thrown;
use crate::home::{Core, Home};
use crate::options::{MemoryCommand, ReadOptions, SetAttrs, WriteOptions, invalid, moment};
use crate::task;

/// The longest string of JavaScript.
const TEXT_BYTES_MAX: usize = 0x1fff_ffe8;

#[napi]
impl Home {
    /// Writes a whole file, and makes the directories on its way; returns the version.
    #[napi(strict)]
    pub fn write<'env>(
        &self,
        env: &'env Env,
        path: String,
        content: Either<String, Uint8Array>,
        options: Option<WriteOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        if let Some(done) = self.write_at_once(&path, &content, options.as_ref(), false) {
            return task::done(env, done);
        }
        let (core, content) = (self.core.clone(), owned(content));
        task::soon(env, move || write(&core, &path, &content, options))
    }

    /// Writes a whole file, and makes the directories on its way; returns the version.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn write_sync(
        &self,
        path: String,
        content: Either<String, &[u8]>,
        options: Option<WriteOptions>,
    ) -> napi::Result<i64> {
        let outcome = write(&self.core, &path, borrowed(&content), options);
        outcome.map_err(|error| thrown(&error))
    }

    /// Adds to the end of a file, or makes it; returns the version.
    #[napi(strict)]
    pub fn append<'env>(
        &self,
        env: &'env Env,
        path: String,
        content: Either<String, Uint8Array>,
        options: Option<WriteOptions>,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        if let Some(done) = self.write_at_once(&path, &content, options.as_ref(), true) {
            return task::done(env, done);
        }
        let (core, content) = (self.core.clone(), owned(content));
        task::soon(env, move || append(&core, &path, &content, options))
    }

    /// Adds to the end of a file, or makes it; returns the version.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn append_sync(
        &self,
        path: String,
        content: Either<String, &[u8]>,
        options: Option<WriteOptions>,
    ) -> napi::Result<i64> {
        let outcome = append(&self.core, &path, borrowed(&content), options);
        outcome.map_err(|error| thrown(&error))
    }
}

#[napi]
impl Home {
    /// Reads a file as text, which must be UTF-8; `readBytes` reads any.
    #[napi(strict)]
    pub fn read<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: Option<ReadOptions>,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        let version = options.and_then(|options| options.version);
        if version.is_none()
            && let Some(bytes) = self.read_at_once(&path)
        {
            return task::done(env, bytes.and_then(|bytes| text(&path, bytes.into())));
        }
        let core = self.core.clone();
        task::soon(env, move || read(&core, &path, version).and_then(|bytes| text(&path, bytes)))
    }

    /// Reads a file as text, which must be UTF-8; `readBytes` reads any.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn read_sync(&self, path: String, options: Option<ReadOptions>) -> napi::Result<String> {
        let version = options.and_then(|options| options.version);
        let read = read(&self.core, &path, version).and_then(|bytes| text(&path, bytes));
        read.map_err(|error| thrown(&error))
    }

    /// Reads a file as bytes, or a part of it: `length` bytes from `offset` on, fewer at its end.
    #[napi(strict)]
    pub fn read_bytes<'env>(
        &self,
        env: &'env Env,
        path: String,
        offset: Option<i64>,
        length: Option<i64>,
        options: Option<ReadOptions>,
    ) -> napi::Result<PromiseRaw<'env, Buffer>> {
        let version = options.and_then(|options| options.version);
        if version.is_none()
            && offset.unwrap_or(0) == 0
            && length.is_none()
            && let Some(bytes) = self.read_at_once(&path)
        {
            return task::done(env, bytes.map(|bytes| Buffer::from(Vec::from(bytes))));
        }
        let core = self.core.clone();
        task::soon(env, move || read_bytes(&core, &path, offset, length, version))
    }

    /// Reads a file as bytes, or a part of it: `length` bytes from `offset` on, fewer at its end.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn read_bytes_sync(
        &self,
        path: String,
        offset: Option<i64>,
        length: Option<i64>,
        options: Option<ReadOptions>,
    ) -> napi::Result<Buffer> {
        let version = options.and_then(|options| options.version);
        let read = read_bytes(&self.core, &path, offset, length, version);
        read.map_err(|error| thrown(&error))
    }

    /// Ends the use of the store; what it owned is synced to disk, and later calls fail.
    #[napi(strict)]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>> {
        let core = self.core.clone();
        task::late(env, move || core.close())
    }

    /// Ends the use of the store; what it owned is synced to disk, and later calls fail.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn close_sync(&self) -> napi::Result<()> {
        self.core.close().map_err(|error| thrown(&error))
    }

    /// Returns where a path leads when every link on it is followed.
    ///
    /// @internal
    #[napi(strict)]
    pub fn realpath<'env>(
        &self,
        env: &'env Env,
        path: String,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        let core = self.core.clone();
        task::soon(env, move || realpath(&core, &path))
    }

    /// Returns where a path leads when every link on it is followed.
    ///
    /// @internal
    #[napi(strict)]
    pub fn realpath_sync(&self, path: String) -> napi::Result<String> {
        realpath(&self.core, &path).map_err(|error| thrown(&error))
    }

    /// Sets attributes of a file or directory; returns the version.
    ///
    /// @internal
    #[napi(strict)]
    pub fn set_attrs<'env>(
        &self,
        env: &'env Env,
        path: String,
        attrs: SetAttrs,
    ) -> napi::Result<PromiseRaw<'env, i64>> {
        let core = self.core.clone();
        task::soon(env, move || set_attrs(&core, &path, &attrs))
    }

    /// Sets attributes of a file or directory; returns the version.
    ///
    /// @internal
    #[napi(strict)]
    pub fn set_attrs_sync(&self, path: String, attrs: SetAttrs) -> napi::Result<i64> {
        set_attrs(&self.core, &path, &attrs).map_err(|error| thrown(&error))
    }

    /// Does what a command of Anthropic's memory tool asks for, on `/memories`; returns what the
    /// tool says to the model, as the `detail` of an error does.
    ///
    /// @internal
    #[napi(strict)]
    pub fn memory_command<'env>(
        &self,
        env: &'env Env,
        command: MemoryCommand,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        let core = self.core.clone();
        task::soon(env, move || memory_command(&core, &command))
    }

    /// Does what a command of Anthropic's memory tool asks for, on `/memories`; returns what the
    /// tool says to the model, as the `detail` of an error does.
    ///
    /// @internal
    #[napi(strict)]
    pub fn memory_command_sync(&self, command: MemoryCommand) -> napi::Result<String> {
        memory_command(&self.core, &command).map_err(|error| thrown(&error))
    }
}

impl Home {
    /// Writes or appends what is short, if that needs no waiting.
    fn write_at_once(
        &self,
        path: &str,
        content: &Either<String, Uint8Array>,
        options: Option<&WriteOptions>,
        appends: bool,
    ) -> Option<Result<i64>> {
        let (path, options) = (parse(path).ok()?, WriteOptions::read(options).ok()?);
        let client = self.core.changing().ok()?;
        let content = match content {
            Either::A(text) => text.as_bytes(),
            Either::B(bytes) => bytes,
        };
        Some(client.write_at_once(&path, content, &options, appends)?.map(number))
    }

    /// Reads a whole file that is short, if that needs no waiting.
    fn read_at_once(&self, path: &str) -> Option<Result<Bytes>> {
        self.core.client.read_at_once(&parse(path).ok()?)
    }
}

fn text(file: &str, bytes: Vec<u8>) -> Result<String> {
    if bytes.len() > TEXT_BYTES_MAX {
        let message = "the file is too long for a string; readBytes reads it";
        return Err(Error::new(ErrorKind::LimitExceeded, message).with_path(&parse(file)?));
    }
    String::from_utf8(bytes).or_else(|_| {
        let error = invalid("the file is not UTF-8 text; readBytes reads it");
        Err(error.with_path(&parse(file)?))
    })
}

fn read_bytes(
    core: &Core,
    file: &str,
    offset: Option<i64>,
    length: Option<i64>,
    version: Option<Either<i64, String>>,
) -> Result<Buffer> {
    if offset.unwrap_or(0) == 0 && length.is_none() {
        return read(core, file, version).map(Buffer::from);
    }
    let path = parse(file)?;
    let negative = |_| invalid("offset and length cannot be negative").with_path(&path);
    let offset = u64::try_from(offset.unwrap_or(0)).map_err(negative)?;
    let length = usize::try_from(length.unwrap_or(i64::MAX)).map_err(negative)?;
    let moment = version.map_or(Ok(Moment::Now), moment)?;
    core.client.read_here(&path, moment, offset, Some(length)).map(Buffer::from)
}

fn realpath(core: &Core, path: &str) -> Result<String> {
    core.client.real_path(&parse(path)?).map(|path| path.to_string())
}

fn set_attrs(core: &Core, path: &str, attrs: &SetAttrs) -> Result<i64> {
    let attrs = homefs_view::SetAttrs {
        mode: attrs.mode,
        uid: attrs.uid,
        gid: attrs.gid,
        modified: attrs.modified.map(timestamp),
        accessed: attrs.accessed.map(timestamp),
        ..homefs_view::SetAttrs::default()
    };
    core.changing()?.set_attrs(&parse(path)?, &attrs).map(number)
}

fn memory_command(core: &Core, command: &MemoryCommand) -> Result<String> {
    let command: homefs_api::MemoryCommand = serde_json::to_value(command)
        .and_then(serde_json::from_value)
        .map_err(|error| invalid(error.to_string()))?;
    if command.changes() { core.changing()? } else { &core.client }.memory_command(&command)
}

/// Reads a path as callers write it.
pub(crate) fn parse(text: &str) -> Result<Path> {
    // Most paths are in their normal form, which is cheaper to see than to make.
    Path::parse(text).or_else(|_| resolve_path(text))
}

/// Reads a path that need not be given.
pub(crate) fn parse_or_root(text: Option<String>) -> Result<Path> {
    text.map_or_else(|| Ok(Path::root()), |text| parse(&text))
}

/// Returns a version as JavaScript has it.
pub(crate) fn number(version: Version) -> i64 {
    version.0.cast_signed()
}

/// Copies what is written later, so that the caller may use its memory again at once.
fn owned(content: Either<String, Uint8Array>) -> Vec<u8> {
    match content {
        Either::A(text) => text.into_bytes(),
        Either::B(bytes) => bytes.to_vec(),
    }
}

fn borrowed<'a>(content: &'a Either<String, &'a [u8]>) -> &'a [u8] {
    match content {
        Either::A(text) => text.as_bytes(),
        Either::B(bytes) => bytes,
    }
}

fn write(core: &Core, file: &str, content: &[u8], options: Option<WriteOptions>) -> Result<i64> {
    let (path, options) = (parse(file)?, WriteOptions::read(options.as_ref())?);
    core.changing()?.write_whole(&path, content, &options).map(number)
}

fn append(core: &Core, file: &str, content: &[u8], options: Option<WriteOptions>) -> Result<i64> {
    core.changing()?
        .append(&parse(file)?, content, &WriteOptions::read(options.as_ref())?)
        .map(number)
}

/// Reads a whole file.
fn read(core: &Core, file: &str, version: Option<Either<i64, String>>) -> Result<Vec<u8>> {
    let path = parse(file)?;
    let moment = version.map_or(Ok(Moment::Now), moment)?;
    if moment == Moment::Now {
        match core.client.read(&path) {
            // It is too long for one message.
            Err(error) if error.kind() == ErrorKind::LimitExceeded => {}
            outcome => return outcome.map(Vec::from),
        }
    }
    core.client.read_here(&path, moment, 0, None)
}

/// Reads milliseconds since the epoch.
#[expect(clippy::cast_possible_truncation, reason = "what is out of range stops at its bounds")]
fn timestamp(milliseconds: f64) -> Timestamp {
    Timestamp((milliseconds * 1e6) as i64)
}
