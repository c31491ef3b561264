//! The files that scripts see: a [`Home`], as the engine of the shell asks for files.
//!
//! Everything is answered from the home, so nothing of the host can be seen. Errors carry the
//! number that Linux gives them, from which commands make the words that real tools print.

use std::io;
use std::path::{Path as HostPath, PathBuf};
use std::slice;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bashkit::{DirEntry, FileSystem, FileSystemExt, FileType, FsLimits, FsUsage, Metadata};
use bytes::Bytes;
use homefs_core::limits::{LINKS_FOLLOWED_MAX, PAGE_ENTRIES_MAX};
use homefs_core::{Error, ErrorKind, Path, Result, Timestamp};
use homefs_engine::{Entry, Kind, RenameMode, SetAttrs, Special, Stat, WriteOptions};

use crate::home::Home;
use crate::interrupt::Interrupter;
use crate::nesting::Programs;

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
}

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
        Err(Error::new(ErrorKind::Invalid, TOO_MANY_LINKS).with_path(path))
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
            return Err(Error::new(ErrorKind::LimitExceeded, message).with_path(path));
        }
        self.home.read(path)
    }

    /// Lists a whole directory, in the order of names.
    pub(crate) fn children(&self, path: &Path) -> Result<Vec<Entry>> {
        if self.interrupter.is_over() {
            return Err(Error::new(ErrorKind::Unavailable, "the script is at its end"));
        }
        let mut page = self.home.list(path, None, PAGE_ENTRIES_MAX)?;
        let mut entries = page.items;
        while let Some(after) = page.next {
            page = self.home.list(path, Some(&after), PAGE_ENTRIES_MAX)?;
            entries.append(&mut page.items);
        }
        Ok(entries)
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

/// What an error about links in a circle says; the number for it has no kind of its own.
const TOO_MANY_LINKS: &str = "too many symbolic links";

/// Returns the words that tools print for an error.
pub(crate) fn reason(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotFound => "No such file or directory",
        ErrorKind::AlreadyExists => "File exists",
        ErrorKind::NotADirectory => "Not a directory",
        ErrorKind::IsADirectory => "Is a directory",
        ErrorKind::NotEmpty => "Directory not empty",
        ErrorKind::Denied => "Permission denied",
        ErrorKind::Invalid if error.message() == TOO_MANY_LINKS => {
            "Too many levels of symbolic links"
        }
        ErrorKind::Invalid if error.message().contains("longer than") => "File name too long",
        ErrorKind::Conflict => "Stale file handle",
        ErrorKind::LimitExceeded if error.message().contains("in parts") => "File too large",
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

/// Reads a path of the engine, which is absolute already.
fn path_of(path: &HostPath) -> bashkit::Result<Path> {
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
        let path = path_of(path)?;
        let content = self.read(&path).map_err(|error| engine_error(&error))?;
        if let Some(why) = self.programs.refusal(&path, &content) {
            self.interrupter.stop(why);
            return Err(bashkit::Error::Cancelled);
        }
        // The engine wants bytes of its own; contents that nobody else holds are not copied.
        Ok(content.into())
    }

    async fn write_file(&self, path: &HostPath, content: &[u8]) -> bashkit::Result<()> {
        let path = path_of(path)?;
        let options = WriteOptions::default();
        let written =
            self.prepare_scratch(&path).and_then(|()| self.home.write(&path, content, &options));
        written.map(drop).map_err(|error| engine_error(&error))
    }

    async fn append_file(&self, path: &HostPath, content: &[u8]) -> bashkit::Result<()> {
        let path = path_of(path)?;
        let options = WriteOptions::default();
        let written =
            self.prepare_scratch(&path).and_then(|()| self.home.append(&path, content, &options));
        written.map(drop).map_err(|error| engine_error(&error))
    }

    async fn mkdir(&self, path: &HostPath, recursive: bool) -> bashkit::Result<()> {
        let path = path_of(path)?;
        let made = self.prepare_scratch(&path).and_then(|()| match self.stat_followed(&path) {
            Ok((_, stat)) if recursive && stat.kind == Kind::Directory => Ok(()),
            Ok(_) => Err(Error::new(ErrorKind::AlreadyExists, "exists already")),
            Err(_) => self.home.make_dir(&path, recursive).map(drop),
        });
        made.map_err(|error| engine_error(&error))
    }

    async fn remove(&self, path: &HostPath, recursive: bool) -> bashkit::Result<()> {
        let path = path_of(path)?;
        self.home.remove(&path, recursive).map(drop).map_err(|error| engine_error(&error))
    }

    // The engine follows links itself, on top of this: here they are what they are.
    async fn stat(&self, path: &HostPath) -> bashkit::Result<Metadata> {
        if path == HostPath::new(NULL) {
            return Ok(Metadata { mode: 0o666, ..Metadata::default() });
        }
        let path = path_of(path)?;
        self.home.stat(&path).map(|stat| metadata(&stat)).map_err(|error| engine_error(&error))
    }

    async fn read_dir(&self, path: &HostPath) -> bashkit::Result<Vec<DirEntry>> {
        let path = path_of(path)?;
        let entries = self.children(&path).map_err(|error| engine_error(&error))?;
        let entry =
            |entry: Entry| DirEntry { metadata: metadata(&entry.stat), name: entry.name.into() };
        Ok(entries.into_iter().map(entry).collect())
    }

    async fn exists(&self, path: &HostPath) -> bashkit::Result<bool> {
        if path == HostPath::new(NULL) {
            return Ok(true);
        }
        let path = path_of(path)?;
        match self.stat_followed(&path) {
            Ok(_) => Ok(true),
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::Invalid => Ok(false),
                _ => Err(engine_error(&error)),
            },
        }
    }

    async fn rename(&self, from: &HostPath, to: &HostPath) -> bashkit::Result<()> {
        let (from, to) = (path_of(from)?, path_of(to)?);
        let moved = self.prepare_scratch(&to).and_then(|()| self.move_to(&from, &to));
        moved.map_err(|error| engine_error(&error))
    }

    async fn copy(&self, from: &HostPath, to: &HostPath) -> bashkit::Result<()> {
        let (from, to) = (path_of(from)?, path_of(to)?);
        let copied = self.prepare_scratch(&to).and_then(|()| {
            let (from, _) = self.stat_followed(&from)?;
            let to = self.stat_followed(&to).map_or(to, |(to, _)| to);
            self.home.copy(&from, &to, false)?;
            Ok(())
        });
        copied.map_err(|error| engine_error(&error))
    }

    async fn symlink(&self, target: &HostPath, link: &HostPath) -> bashkit::Result<()> {
        let path = path_of(link)?;
        let target = target.to_string_lossy();
        let made = self.prepare_scratch(&path).and_then(|()| self.home.symlink(&target, &path));
        made.map(drop).map_err(|error| engine_error(&error))
    }

    async fn read_link(&self, path: &HostPath) -> bashkit::Result<PathBuf> {
        let path = path_of(path)?;
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
        let path = path_of(path)?;
        let changed = self.stat_followed(&path).and_then(|(at, _)| self.home.set_attrs(&at, set));
        changed.map(drop).map_err(|error| engine_error(&error))
    }
}
