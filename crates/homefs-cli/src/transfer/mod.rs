//! Copies trees between the host and a store: byte for byte, verified, and able to go on after an
//! interruption, because what is there already is skipped.

mod export;
mod import;

use std::io::{self, Read, Seek, SeekFrom, Write};

use homefs_api::Client;
use homefs_core::{Error, ErrorKind, Path};
use homefs_view::{Moment, Stat, plain_mode};
use serde_json::{Value, json};

pub(crate) use export::export;
pub(crate) use import::import;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::output::Output;
use crate::progress::Progress;
use crate::text;

/// What is kept of modes.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Modes {
    /// Keep setuid, setgid and sticky bits of what comes from or goes to the host; needs
    /// --operator
    #[arg(long)]
    preserve_special: bool,
}

impl Modes {
    /// Refuses what only an operator may ask for.
    pub(crate) fn check(self, context: &Context) -> Result<()> {
        let is_operators = context.who()?.operator && context.groups().is_none();
        if self.preserve_special && !is_operators {
            return Err(Failure::new("special bits are an operator's affair")
                .hint("--preserve-special takes --operator, and no --groups"));
        }
        Ok(())
    }

    /// Returns what is kept of a mode.
    fn of(self, mode: u32) -> u32 {
        if self.preserve_special { mode } else { plain_mode(mode) }
    }
}

/// What a transfer did.
#[derive(Default)]
pub(crate) struct Report {
    /// Files whose content was copied.
    copied: u64,
    /// Their bytes.
    bytes: u64,
    /// Files that were there already.
    same: u64,
    /// Directories.
    directories: u64,
    /// Symbolic links.
    links: u64,
    /// What had to get another name, and the name.
    renamed: Vec<(String, String)>,
    /// What was left out, and why.
    problems: Vec<String>,
}

impl Report {
    /// Notes what was left out; errors that concern more than one path end the transfer.
    fn leave_out(&mut self, error: Error) -> homefs_core::Result<()> {
        match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::AlreadyExists
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::NotEmpty
            | ErrorKind::Denied
            | ErrorKind::Invalid
            | ErrorKind::Conflict => {
                self.problems.push(error.to_string());
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// Prints what was done; anything left out makes the answer "no".
    pub(crate) fn finish(self, output: &Output, verb: &str) -> Result<()> {
        for (from, to) in &self.renamed {
            output.say(format_args!("renamed: {from} is now {to}, because that name is reserved"));
        }
        for problem in &self.problems {
            output.say(format_args!("left out: {problem}"));
        }
        let sentence = format!(
            "{verb} {} ({}), {} already there, {}, {}; every copy was read back and compared",
            text::count(self.copied, "file"),
            text::size(self.bytes),
            self.same,
            text::count(self.directories, "directory"),
            text::count(self.links, "link"),
        );
        output.changed(&self.json(), sentence)?;
        match self.problems.len() as u64 {
            0 => Ok(()),
            left => Err(Failure::no(format!("{} left out", text::count(left, "path")))),
        }
    }

    fn json(&self) -> Value {
        let renamed = self.renamed.iter().map(|(from, to)| json!({ "from": from, "to": to }));
        json!({
            "files": self.copied,
            "bytes": self.bytes,
            "same": self.same,
            "directories": self.directories,
            "links": self.links,
            "renamed": renamed.collect::<Vec<_>>(),
            "left_out": self.problems,
        })
    }
}

/// The directory that was left out last. What is below it must be left out too: a link in its
/// place could lead the copy elsewhere. Trees are copied top down, so one is enough.
#[derive(Default)]
struct LeftOut(Option<Path>);

impl LeftOut {
    /// Tells whether a path is below it.
    fn has(&self, path: &Path) -> bool {
        self.0.as_ref().is_some_and(|dir| path.starts_with(dir))
    }
}

/// Returns what a path of the store names; `None` if nothing.
pub(crate) fn stat(client: &Client, path: &Path) -> homefs_core::Result<Option<Stat>> {
    match client.stat(path) {
        Ok(stat) => Ok(Some(stat)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Hashes what a file of the store holds.
fn stored_digest(client: &Client, path: &Path) -> homefs_core::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    client.read_to(path, Moment::Now, &mut hasher)?;
    Ok(hasher.finalize())
}

/// Hashes what a file of the host holds.
fn host_digest(path: &std::path::Path) -> homefs_core::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut crate::host::open(path)?, &mut hasher)
        .map_err(|error| crate::host::failed("read the host file", path, error))?;
    Ok(hasher.finalize())
}

/// The copy is not what was copied.
fn not_as_written(path: &impl ToString) -> Error {
    Error::new(ErrorKind::Corrupt, "the copy does not read back as written")
        .with_path_text(path.to_string())
}

/// Passes bytes on while it hashes and counts them.
struct Meter<'a, T> {
    inner: T,
    hasher: blake3::Hasher,
    progress: &'a Progress,
    bytes: u64,
}

impl<'a, T> Meter<'a, T> {
    fn new(inner: T, progress: &'a Progress) -> Self {
        Self { inner, hasher: blake3::Hasher::new(), progress, bytes: 0 }
    }

    fn note(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.progress.add(bytes.len() as u64);
    }
}

impl<T: Read> Read for Meter<'_, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.note(&buffer[..count]);
        Ok(count)
    }
}

impl<T: Seek> Seek for Meter<'_, T> {
    /// Begins anew: what is read again is counted again by those who watch, and once in the sum.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.hasher.reset();
        self.bytes = 0;
        self.inner.seek(to)
    }
}

impl<T: Write> Write for Meter<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.note(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
