//! Files and directories.

use std::io::Cursor;

use homefs_api::{json, resolve_path};
use homefs_core::{Error, ErrorKind, Path, Result, Timestamp, Version};
use homefs_engine::{Edit, Kind, Moment};
use napi::Env;
use napi::bindgen_prelude::{Buffer, Either, PromiseRaw, Uint8Array};
use napi_derive::napi;

use crate::error::thrown;
use crate::home::{Core, Home};
use crate::methods::methods;
use crate::options::{
    EditOptions, ReadOptions, RecursiveOptions, SetAttrs, WriteOptions, invalid, moment,
};
use crate::records::{Stat, record};
use crate::task;

/// Contents from this length on are sent in pieces: one message carries 64 MiB.
const PIECES_FROM_BYTES: usize = 16 << 20;
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

methods! {
    "Reads a file as text, which must be UTF-8; `readBytes` reads any."
    soon read read_sync |core, path: [String], options: [Option<ReadOptions>]| -> [String] {
        let version = options.and_then(|options| options.version);
        let path = parse(&path)?;
        let bytes = read(core, &path, version)?;
        if bytes.len() > TEXT_BYTES_MAX {
            let message = "the file is too long for a string; readBytes reads it";
            return Err(Error::new(ErrorKind::LimitExceeded, message).with_path(&path));
        }
        String::from_utf8(bytes).map_err(|_| {
            invalid("the file is not UTF-8 text; readBytes reads it").with_path(&path)
        })
    }

    "Reads a file as bytes, or a part of it: `length` bytes from `offset` on, fewer at its end."
    soon read_bytes read_bytes_sync
    |core, path: [String], offset: [Option<i64>], length: [Option<i64>],
        options: [Option<ReadOptions>]| -> [Buffer] {
        let version = options.and_then(|options| options.version);
        let path = parse(&path)?;
        if offset.unwrap_or(0) == 0 && length.is_none() {
            return read(core, &path, version).map(Buffer::from);
        }
        let negative = |_| invalid("offset and length cannot be negative").with_path(&path);
        let offset = u64::try_from(offset.unwrap_or(0)).map_err(negative)?;
        let length = usize::try_from(length.unwrap_or(i64::MAX)).map_err(negative)?;
        let moment = version.map_or(Ok(Moment::Now), moment)?;
        core.client.read_here(&path, moment, offset, Some(length)).map(Buffer::from)
    }

    "Replaces the one exact occurrence of a text in a file, or all of them; returns the version."
    soon edit edit_sync
    |core, path: [String], old_text: [String], new_text: [String], options: [Option<EditOptions>]|
    -> [i64] {
        let options = options.unwrap_or_default();
        let edit = match options.all {
            Some(true) => Edit::ReplaceAll { old: old_text, new: new_text },
            _ => Edit::Replace { old: old_text, new: new_text },
        };
        core.changing()?.edit(&parse(&path)?, &edit, &options.read()?).map(number)
    }

    "Inserts lines into a text after a line, where 0 is before the first; returns the version."
    soon insert insert_sync
    |core, path: [String], line: [u32], text: [String], options: [Option<EditOptions>]| -> [i64] {
        let edit = Edit::Insert { line: line as usize, text };
        let options = options.unwrap_or_default().read()?;
        core.changing()?.edit(&parse(&path)?, &edit, &options).map(number)
    }

    "Removes a file or directory to the trash; returns the version."
    soon delete delete_sync
    |core, path: [String], options: [Option<RecursiveOptions>]| -> [i64] {
        let recursive = options.and_then(|options| options.recursive).unwrap_or(false);
        core.changing()?.remove(&parse(&path)?, recursive).map(number)
    }

    "Tells what is known of a file or directory; a link is not followed."
    soon stat stat_sync |core, path: [String]| -> [Stat] {
        let path = parse(&path)?;
        record(json::stat(&path, &core.client.stat(&path)?))
    }

    "Tells whether there is something at a path."
    soon exists exists_sync |core, path: [String]| -> [bool] {
        core.client.kind(&parse(&path)?).map(|kind| kind.is_some())
    }

    "Tells whether there is a file at a path."
    soon is_file is_file_sync |core, path: [String]| -> [bool] {
        core.client.kind(&parse(&path)?).map(|kind| kind == Some(Kind::File))
    }

    "Tells whether there is a directory at a path."
    soon is_dir is_dir_sync |core, path: [String]| -> [bool] {
        core.client.kind(&parse(&path)?).map(|kind| kind == Some(Kind::Directory))
    }

    "Sets attributes of a file or directory; returns the version."
    ""
    "@internal"
    soon set_attrs set_attrs_sync |core, path: [String], attrs: [SetAttrs]| -> [i64] {
        let attrs = homefs_engine::SetAttrs {
            mode: attrs.mode,
            uid: attrs.uid,
            gid: attrs.gid,
            modified: attrs.modified.map(timestamp),
            accessed: attrs.accessed.map(timestamp),
            ..homefs_engine::SetAttrs::default()
        };
        core.changing()?.set_attrs(&parse(&path)?, &attrs).map(number)
    }
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
    let (path, options) = (parse(file)?, WriteOptions::read(options)?);
    let version = if content.len() < PIECES_FROM_BYTES {
        core.changing()?.write(&path, content, &options)
    } else {
        core.changing()?.write_from(&path, &mut Cursor::new(content), &options)
    };
    version.map(number)
}

fn append(core: &Core, file: &str, content: &[u8], options: Option<WriteOptions>) -> Result<i64> {
    core.changing()?.append(&parse(file)?, content, &WriteOptions::read(options)?).map(number)
}

/// Reads a whole file.
fn read(core: &Core, path: &Path, version: Option<Either<i64, String>>) -> Result<Vec<u8>> {
    let moment = version.map_or(Ok(Moment::Now), moment)?;
    if moment == Moment::Now {
        match core.client.read(path) {
            // It is too long for one message.
            Err(error) if error.kind() == ErrorKind::LimitExceeded => {}
            outcome => return outcome.map(Vec::from),
        }
    }
    core.client.read_here(path, moment, 0, None)
}

/// Reads milliseconds since the epoch.
#[expect(clippy::cast_possible_truncation, reason = "what is out of range stops at its bounds")]
fn timestamp(milliseconds: f64) -> Timestamp {
    Timestamp((milliseconds * 1e6) as i64)
}
