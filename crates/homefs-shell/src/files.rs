//! The files that scripts see: a [`Home`], as the engine of the shell asks for files.
//!
//! Everything is answered from the home, so nothing of the host can be seen. Errors carry the
//! number that Linux gives them, from which commands make the words that real tools print.

use std::io;
use std::path::{Path as HostPath, PathBuf};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bashkit::{DirEntry, FileSystem, FileSystemExt, FileType, FsLimits, FsUsage, Metadata};
use bytes::Bytes;
use homefs_core::limits::{LINKS_FOLLOWED_MAX, PAGE_ENTRIES_MAX};
use homefs_core::{Error, ErrorCode, ErrorKind, Path, Result, Timestamp};
use homefs_view::{
    Entry, Kind, RenameMode, SetAttrs, Special, Stat, WriteOptions, is_handle, pages,
};

use crate::home::Home;
use crate::interrupt::Interrupter;
use crate::nesting::Programs;
use crate::repairs::Repaired;

/// The size that directories show, as they do on common file systems of Linux.
pub(crate) const DIRECTORY_BYTES: u64 = 4096;

/// Where scripts put what they need for a moment; made when something is first put there.
const SCRATCH: &str = "/tmp";

/// What is empty, and takes everything.
const NULL: &str = "/dev/null";

/// A home as the engine's file system.
#[derive(Clone)]
pub(crate) struct Files {
    pub(crate) home: Arc<dyn Home>,
    /// Ends what goes through a tree together with its script.
    pub(crate) interrupter: Interrupter,
    /// How many bytes a command may hold at once.
    pub(crate) memory_bytes: usize,
    /// The files that the script's commands read as programs.
    pub(crate) programs: Programs,
    /// Which permission bits new nodes do not get.
    pub(crate) mask: Mask,
}

/// Which permission bits new nodes do not get, as `umask` sets them for a session.
#[derive(Clone, Debug)]
pub(crate) struct Mask(Arc<AtomicU32>);

impl Default for Mask {
    fn default() -> Self {
        Self(Arc::new(AtomicU32::new(MASK)))
    }
}

impl Mask {
    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, bits: u32) {
        self.0.store(bits & 0o777, Ordering::Relaxed);
    }

    /// Returns how files are written: those that are new get the bits that are left to them.
    pub(crate) fn of_files(&self) -> WriteOptions {
        let bits = Some(self.get()).filter(|bits| *bits != MASK);
        WriteOptions { mode: bits.map(|bits| 0o666 & !bits), ..WriteOptions::default() }
    }

    /// Gives a directory that was just made the bits that are left to it.
    pub(crate) fn apply(&self, home: &dyn Home, path: &Path) -> Result<()> {
        match self.get() {
            MASK => Ok(()),
            bits => {
                let set = SetAttrs { mode: Some(0o777 & !bits), ..SetAttrs::default() };
                home.set_attrs(path, &set).map(drop)
            }
        }
    }
}

/// Which bits they are at first: with these, the home's own bits are right.
const MASK: u32 = 0o022;

impl Files {
    /// Tells of a path, with links followed; also returns where they led.
    pub(crate) fn stat_followed(&self, path: &Path) -> Result<(Path, Stat)> {
        let mut at = path.clone();
        for _ in 0..LINKS_FOLLOWED_MAX {
            let stat = self.home.stat(&at)?;
            if stat.kind != Kind::Link {
                return Ok((at, stat));
            }
            let parent = at.parent().unwrap_or_else(Path::root);
            at = Path::resolve(parent.as_str(), &self.home.read_link(&at)?)?;
        }
        let error = Error::new(ErrorKind::Invalid, "too many symbolic links");
        Err(error.with_code(ErrorCode::TooManyLinks).with_path(path))
    }

    /// Reads a whole file, if it is not more than a command may hold.
    pub(crate) fn read(&self, path: &Path) -> Result<Bytes> {
        // One call for most files; of others it is asked how long they are, or why they cannot be read.
        let small = self.home.read_many(slice::from_ref(path)).unwrap_or_default().pop();
        if let Some(content) = small.filter(|content| content.len() <= self.memory_bytes) {
            return Ok(content);
        }
        let size = self.home.stat(path).map_or(0, |stat| stat.size);
        if size > self.memory_bytes as u64 {
            let message = format!(
                "has {size} bytes, and a script may hold {}: read it in parts",
                self.memory_bytes
            );
            let error = Error::new(ErrorKind::LimitExceeded, message);
            return Err(error.with_code(ErrorCode::FileTooLarge).with_path(path));
        }
        self.home.read(path)
    }

    /// Lists a whole directory, in the order of names.
    pub(crate) fn children(&self, path: &Path) -> Result<Vec<Entry>> {
        if self.interrupter.is_over() {
            return Err(Error::new(ErrorKind::Unavailable, "the script is at its end"));
        }
        pages::all(|after| self.home.list(path, after, PAGE_ENTRIES_MAX))
    }

    /// Returns the file that a path means by its handle: one of those below its directory, else any,
    /// so that it does not matter in which directory a script stands.
    pub(crate) fn meant(&self, path: Path) -> Result<Path> {
        let Some(name) = path.name().filter(|name| is_handle(name)) else { return Ok(path) };
        let meant = self.home.meant(&path)?;
        if meant != path || self.home.stat(&path).is_ok() {
            return Ok(meant);
        }
        let bare = Path::root().join(name)?;
        let meant = self.home.meant(&bare)?;
        Ok(if meant == bare { path } else { meant })
    }

    /// Reads a path of the engine, which is absolute already.
    fn place(&self, path: &HostPath) -> bashkit::Result<Path> {
        self.meant(named(path)?).map_err(|error| engine_error(&error))
    }

    /// Makes the directory for scratch files if `path` is to be made below it.
    pub(crate) fn prepare_scratch(&self, path: &Path) -> Result<()> {
        let scratch = Path::parse(SCRATCH)?;
        if !path.starts_with(&scratch) || self.home.stat(&scratch).is_ok() {
            return Ok(());
        }
        self.home.make_dir(&scratch, true).map(drop)
    }
}

/// Returns the words that tools print for an error.
pub(crate) fn reason(error: &Error) -> &'static str {
    match error.code() {
        Some(ErrorCode::NameTooLong) => return "File name too long",
        Some(ErrorCode::TooManyLinks) => return "Too many levels of symbolic links",
        Some(ErrorCode::FileTooLarge) => return "File too large",
        Some(ErrorCode::NotWhole) => return "Parts of the page are missing, or have no order",
        _ => {}
    }
    match error.kind() {
        ErrorKind::NotFound => "No such file or directory",
        ErrorKind::AlreadyExists => "File exists",
        ErrorKind::NotADirectory => "Not a directory",
        ErrorKind::IsADirectory => "Is a directory",
        ErrorKind::NotEmpty => "Directory not empty",
        ErrorKind::Denied => "Permission denied",
        ErrorKind::Conflict => "Stale file handle",
        ErrorKind::LimitExceeded => "No space left on device",
        ErrorKind::Unavailable => "Resource temporarily unavailable",
        ErrorKind::Corrupt => "Structure needs cleaning",
        ErrorKind::Unsupported => "Operation not supported",
        ErrorKind::Closed | ErrorKind::ReadOnly => "Read-only file system",
        ErrorKind::Internal => "Input/output error",
        _ => "Invalid argument",
    }
}

/// Makes the engine's error of ours.
pub(crate) fn engine_error(error: &Error) -> bashkit::Error {
    let kind = io::Error::from_raw_os_error(error.kind().errno()).kind();
    io::Error::new(kind, reason(error)).into()
}

/// Reads a path of the engine as it stands there.
fn named(path: &HostPath) -> bashkit::Result<Path> {
    let text = path.to_str().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    Path::resolve("/", text).map_err(|error| engine_error(&error))
}

/// Returns a moment as the standard library has it.
pub(crate) fn time_of(moment: Timestamp) -> SystemTime {
    let distance = Duration::from_nanos(moment.0.unsigned_abs());
    let time = if moment.0 < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    };
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}

fn metadata(stat: &Stat) -> Metadata {
    let file_type = match stat.kind {
        Kind::Directory => FileType::Directory,
        Kind::Link => FileType::Symlink,
        Kind::Special(Special::Fifo) => FileType::Fifo,
        Kind::File | Kind::Special(_) => FileType::File,
    };
    let size = if stat.kind == Kind::Directory { DIRECTORY_BYTES } else { stat.size };
    let (modified, created) = (time_of(stat.modified), time_of(stat.created));
    Metadata { file_type, size, mode: stat.mode, modified, created }
}

impl FileSystemExt for Files {
    fn usage(&self) -> FsUsage {
        FsUsage::default()
    }

    // What the engine's commands make of nothing, such as `truncate` does, is in memory first.
    fn limits(&self) -> FsLimits {
        FsLimits { max_file_size: self.memory_bytes as u64, ..FsLimits::unlimited() }
    }

    fn backend_kind(&self) -> &'static str {
        "homefs"
    }
}

#[async_trait]
impl FileSystem for Files {
    async fn read_file(&self, path: &HostPath) -> bashkit::Result<Vec<u8>> {
        if path == HostPath::new(NULL) {
            return Ok(Vec::new());
        }
        let named = named(path)?;
        // Asked before it is read: what is not there was not handed to anybody who reads later. And
        // by the name it was handed by, which may be a handle.
        let handed = self.programs.handed(&named);
        let path = self.meant(named.clone()).map_err(|error| engine_error(&error))?;
        let content = self.read(&path).map_err(|error| engine_error(&error))?;
        let repaired = match self.programs.refusal(&named, &content) {
            Some(why) => Repaired::Refused(why),
            None => handed.map_or(Repaired::Same, |file| file.repaired(&content)),
        };
        match repaired {
            Repaired::Same => {}
            Repaired::Anew(script) => return Ok(script.into_bytes()),
            Repaired::Refused(why) => {
                self.interrupter.stop(why);
                return Err(bashkit::Error::Cancelled);
            }
        }
        // The engine wants bytes of its own; contents that nobody else holds are not copied.
        Ok(content.into())
    }

    async fn write_file(&self, path: &HostPath, content: &[u8]) -> bashkit::Result<()> {
        let path = self.place(path)?;
        let options = self.mask.of_files();
        let written =
            self.prepare_scratch(&path).and_then(|()| self.home.write(&path, content, &options));
        written.map(drop).map_err(|error| engine_error(&error))
    }

    async fn append_file(&self, path: &HostPath, content: &[u8]) -> bashkit::Result<()> {
        let path = self.place(path)?;
        let options = self.mask.of_files();
        let written =
            self.prepare_scratch(&path).and_then(|()| self.home.append(&path, content, &options));
        written.map(drop).map_err(|error| engine_error(&error))
    }

    async fn mkdir(&self, path: &HostPath, recursive: bool) -> bashkit::Result<()> {
        let path = self.place(path)?;
        let made = self.prepare_scratch(&path).and_then(|()| match self.stat_followed(&path) {
            Ok((_, stat)) if recursive && stat.kind == Kind::Directory => Ok(()),
            Ok(_) => Err(Error::new(ErrorKind::AlreadyExists, "exists already")),
            Err(_) => {
                self.home.make_dir(&path, recursive)?;
                self.mask.apply(&*self.home, &path)
            }
        });
        made.map_err(|error| engine_error(&error))
    }

    async fn remove(&self, path: &HostPath, recursive: bool) -> bashkit::Result<()> {
        let path = self.place(path)?;
        self.home.remove(&path, recursive).map(drop).map_err(|error| engine_error(&error))
    }

    // The engine follows links itself, on top of this: here they are what they are.
    async fn stat(&self, path: &HostPath) -> bashkit::Result<Metadata> {
        if path == HostPath::new(NULL) {
            return Ok(Metadata { mode: 0o666, ..Metadata::default() });
        }
        let path = self.place(path)?;
        self.home.stat(&path).map(|stat| metadata(&stat)).map_err(|error| engine_error(&error))
    }

    async fn read_dir(&self, path: &HostPath) -> bashkit::Result<Vec<DirEntry>> {
        let path = self.place(path)?;
        let entries = self.children(&path).map_err(|error| engine_error(&error))?;
        let entry =
            |entry: Entry| DirEntry { metadata: metadata(&entry.stat), name: entry.name.into() };
        Ok(entries.into_iter().map(entry).collect())
    }

    async fn exists(&self, path: &HostPath) -> bashkit::Result<bool> {
        if path == HostPath::new(NULL) {
            return Ok(true);
        }
        let path = self.place(path)?;
        match self.stat_followed(&path) {
            Ok(_) => Ok(true),
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::Invalid => Ok(false),
                _ => Err(engine_error(&error)),
            },
        }
    }

    async fn rename(&self, from: &HostPath, to: &HostPath) -> bashkit::Result<()> {
        let (from, to) = (self.place(from)?, self.place(to)?);
        let moved = self.prepare_scratch(&to).and_then(|()| self.move_to(&from, &to));
        moved.map_err(|error| engine_error(&error))
    }

    async fn copy(&self, from: &HostPath, to: &HostPath) -> bashkit::Result<()> {
        let (from, to) = (self.place(from)?, self.place(to)?);
        let copied = self.prepare_scratch(&to).and_then(|()| {
            let (from, _) = self.stat_followed(&from)?;
            let to = self.stat_followed(&to).map_or(to, |(to, _)| to);
            self.home.copy(&from, &to, false)?;
            Ok(())
        });
        copied.map_err(|error| engine_error(&error))
    }

    async fn symlink(&self, target: &HostPath, link: &HostPath) -> bashkit::Result<()> {
        let path = self.place(link)?;
        let target = target.to_string_lossy();
        let made = self.prepare_scratch(&path).and_then(|()| self.home.symlink(&target, &path));
        made.map(drop).map_err(|error| engine_error(&error))
    }

    async fn read_link(&self, path: &HostPath) -> bashkit::Result<PathBuf> {
        let path = self.place(path)?;
        let target = self.home.read_link(&path).map_err(|error| engine_error(&error))?;
        Ok(target.into())
    }

    async fn chmod(&self, path: &HostPath, mode: u32) -> bashkit::Result<()> {
        let set = SetAttrs { mode: Some(mode), ..SetAttrs::default() };
        self.set_attrs(path, &set)
    }

    async fn set_modified_time(&self, path: &HostPath, time: SystemTime) -> bashkit::Result<()> {
        let nanos = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
            Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
        };
        let set = SetAttrs { modified: Some(Timestamp(nanos)), ..SetAttrs::default() };
        self.set_attrs(path, &set)
    }
}

impl Files {
    /// Moves a node, from one space to another by copying it.
    fn move_to(&self, from: &Path, to: &Path) -> Result<()> {
        match self.home.rename(from, to, RenameMode::Replace) {
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                self.home.copy(from, to, true)?;
                self.home.remove(from, true).map(drop)
            }
            moved => moved.map(drop),
        }
    }

    fn set_attrs(&self, path: &HostPath, set: &SetAttrs) -> bashkit::Result<()> {
        let path = self.place(path)?;
        let changed = self.stat_followed(&path).and_then(|(at, _)| self.home.set_attrs(&at, set));
        changed.map(drop).map_err(|error| engine_error(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_say_what_an_error_is_whatever_its_message() {
        let invalid = |message: &str| Error::new(ErrorKind::Invalid, message);
        for (error, said) in [
            (Path::parse(&"x".repeat(256)).unwrap_err(), "File name too long"),
            (Path::parse(&"/x".repeat(4096)).unwrap_err(), "File name too long"),
            (invalid("a pattern cannot be longer than 9 bytes"), "Invalid argument"),
            (
                invalid("a circle").with_code(ErrorCode::TooManyLinks),
                "Too many levels of symbolic links",
            ),
            (invalid("a file").with_code(ErrorCode::FileTooLarge), "File too large"),
            (
                Error::new(ErrorKind::Corrupt, "a page").with_code(ErrorCode::NotWhole),
                "Parts of the page are missing, or have no order",
            ),
            (Error::new(ErrorKind::LimitExceeded, "a quota"), "No space left on device"),
            (homefs_core::not_found(), "No such file or directory"),
        ] {
            assert_eq!(reason(&error), said, "{error}");
        }
    }
}
