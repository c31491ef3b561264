//! A folder of the host as a source.
//!
//! Every path is walked name by name from the opened folder, and no step follows a link. So
//! whatever others do in the folder meanwhile, what is read lies in a directory that was below it
//! when it was passed. A link is shown with its target and resolved by whoever attached the folder.

use std::collections::BTreeSet;
use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::{Component, Path as HostPath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{
    Error, ErrorKind, Path, Result, SOURCE_READ_BYTES_MAX, Source, SourceKind, SourceNode,
    SourcePage, Tag, Timestamp, check_name, not_found,
};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// Most names of one directory that are told of because they cannot be shown.
const UNSHOWN_MAX: usize = 100;

/// A folder of the host.
#[derive(Debug)]
pub struct FolderSource {
    root: OwnedFd,
    place: PathBuf,
}

impl FolderSource {
    /// Opens a folder, which is then the same one wherever it is moved. No link leads to it:
    /// whoever can replace it must not choose what is shown in its place.
    pub fn open(place: &HostPath) -> Result<Self> {
        let root = open_root(place).map_err(|cause| told("open the folder", cause));
        let root = root.map_err(|error| error.with_path_text(place.display().to_string()))?;
        Ok(Self { root, place: place.to_owned() })
    }

    /// Walks to the directory that holds the path, and returns its name there; `.` for the root.
    fn holder<'a>(&self, path: &'a Path) -> rustix::io::Result<(OwnedFd, &'a str)> {
        let mut dir = self.root.try_clone().map_err(|_| Errno::MFILE)?;
        let mut names = path.names();
        let last = names.next_back().unwrap_or(".");
        for name in names {
            dir = rustix::fs::openat(&dir, name, DIRECTORY | STEP | OFlags::PATH, Mode::empty())?;
        }
        Ok((dir, last))
    }

    /// Opens a file for reading. What it is was looked at before, because opening a device may
    /// already do something, and is looked at again, because it may have been replaced.
    fn file(&self, path: &Path) -> Result<(File, Stat)> {
        let (dir, name) = self.holder(path).map_err(|cause| told("open the file", cause))?;
        let seen = |stat: rustix::io::Result<Stat>| -> Result<Stat> {
            let stat = stat.map_err(|cause| told("open the file", cause))?;
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Ok(stat),
                FileType::Directory => {
                    Err(Error::new(ErrorKind::IsADirectory, "cannot read a directory as a file"))
                }
                FileType::Symlink => {
                    Err(Error::new(ErrorKind::Invalid, "a source does not follow its links"))
                }
                _ => Err(not_a_file()),
            }
        };
        seen(rustix::fs::statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW))?;
        // A pipe that has taken the file's place must not make this wait for a writer.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | STEP;
        let file = rustix::fs::openat(&dir, name, flags, Mode::empty());
        let file = file.map_err(|cause| told("open the file", cause))?;
        let stat = seen(rustix::fs::fstat(&file))?;
        Ok((File::from(file), stat))
    }

    /// Lists a page of an opened directory.
    fn page(dir: &OwnedFd, after: Option<&str>) -> rustix::io::Result<SourcePage> {
        let mut page = SourcePage::default();
        let mut names = BTreeSet::new();
        let mut cut = false;
        for entry in Dir::read_from(dir)? {
            let entry = entry?;
            match shown_name(entry.file_name()) {
                Ok(name)
                    if !matches!(name, "." | "..") && after.is_none_or(|after| name > after) =>
                {
                    names.insert(name.to_owned());
                    // Only a page is kept, however many names there are.
                    if names.len() > PAGE_ENTRIES_MAX {
                        names.pop_last();
                        cut = true;
                    }
                }
                Err(error) if after.is_none() && page.unshown.len() < UNSHOWN_MAX => {
                    page.unshown.push(error);
                }
                Ok(_) | Err(_) => {}
            }
        }
        page.next = cut.then(|| names.last().cloned()).flatten();
        for name in names {
            match node(dir.as_fd(), &name) {
                Ok(Ok(node)) => page.entries.push((name, node)),
                Ok(Err(error)) => page.unshown.push(error.with_path_text(name)),
                // It has gone since its name was read.
                Err(Errno::NOENT) => {}
                Err(cause) => page.unshown.push(told("look at it", cause).with_path_text(name)),
            }
        }
        Ok(page)
    }
}

impl Source for FolderSource {
    fn stat(&self, path: &Path) -> Result<SourceNode> {
        let seen = self.holder(path).and_then(|(dir, name)| node(dir.as_fd(), name));
        let node = seen.map_err(|cause| told("look at it", cause)).and_then(|node| node);
        node.map_err(|error| error.with_path(path))
    }

    fn list(&self, dir: &Path, after: Option<&str>) -> Result<SourcePage> {
        let opened = self.holder(dir).and_then(|(holder, name)| {
            rustix::fs::openat(&holder, name, DIRECTORY | STEP, Mode::empty())
        });
        let page = opened.and_then(|opened| Self::page(&opened, after));
        page.map_err(|cause| told("list the directory", cause).with_path(dir))
    }

    fn read(&self, path: &Path, offset: u64, len: usize) -> Result<Bytes> {
        let (file, stat) = self.file(path).map_err(|error| error.with_path(path))?;
        let size = u64::try_from(stat.st_size).unwrap_or_default();
        let len = len.min(SOURCE_READ_BYTES_MAX) as u64;
        let len = usize::try_from(len.min(size.saturating_sub(offset))).unwrap_or_default();
        let mut content = vec![0; len];
        let mut filled = 0;
        while filled < len {
            let count = file.read_at(&mut content[filled..], offset + filled as u64);
            match count.map_err(|cause| Error::io("read the file", cause).with_path(path))? {
                // It has been cut short since.
                0 => break,
                count => filled += count,
            }
        }
        content.truncate(filled);
        Ok(content.into())
    }

    fn seen_by(self: Arc<Self>, _groups: &BTreeSet<String>) -> Arc<dyn Source> {
        self
    }

    fn whole(self: Arc<Self>) -> Arc<dyn Source> {
        self
    }

    fn describe(&self) -> String {
        self.place.display().to_string()
    }
}

/// Walks to a folder of the host, name by name, without following a link.
pub(super) fn open_root(place: &HostPath) -> rustix::io::Result<OwnedFd> {
    let step = |dir: BorrowedFd<'_>, name: &OsStr| {
        rustix::fs::openat(dir, name, DIRECTORY | STEP | OFlags::PATH, Mode::empty())
    };
    let start = if place.is_absolute() { "/" } else { "." };
    let mut dir = step(rustix::fs::CWD, start.as_ref())?;
    for component in place.components() {
        match component {
            Component::RootDir | Component::CurDir => {}
            component => dir = step(dir.as_fd(), component.as_os_str())?,
        }
    }
    Ok(dir)
}

/// What is opened must be a directory.
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);
/// How every step below the root is made.
const STEP: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);

/// Looks at a name in a directory; the inner error says why it cannot be shown.
fn node(dir: BorrowedFd<'_>, name: &str) -> rustix::io::Result<Result<SourceNode>> {
    let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => SourceKind::File,
        FileType::Directory => SourceKind::Directory,
        FileType::Symlink => match rustix::fs::readlinkat(dir, name, Vec::new())?.into_string() {
            Ok(target) => SourceKind::Link { target },
            Err(_) => return Ok(Err(unshown("the link's target is not UTF-8"))),
        },
        _ => return Ok(Err(not_a_file())),
    };
    let size = u64::try_from(stat.st_size).unwrap_or_default();
    let nanos =
        stat.st_mtime.saturating_mul(1_000_000_000).saturating_add_unsigned(stat.st_mtime_nsec);
    let tag = format!(
        "{:x}-{nanos:x}-{:x}.{:x}-{size:x}",
        stat.st_ino, stat.st_ctime, stat.st_ctime_nsec
    );
    let size_bytes = (kind == SourceKind::File).then_some(size);
    Ok(Ok(SourceNode {
        kind,
        size_bytes,
        modified: Some(Timestamp(nanos)),
        tag: Some(Tag::new(tag)),
    }))
}

/// Returns a name as homefs can show it.
fn shown_name(name: &CStr) -> Result<&str> {
    match name.to_str() {
        Ok(name @ ("." | "..")) => Ok(name),
        Ok(name) => match check_name(name) {
            Ok(()) => Ok(name),
            Err(error) => Err(error.with_path_text(name)),
        },
        Err(_) => {
            let error = unshown("the name is not UTF-8");
            Err(error.with_path_text(name.to_string_lossy()))
        }
    }
}

/// Makes an error of a failed host call.
fn told(attempt: &str, cause: Errno) -> Error {
    match cause {
        Errno::NOENT => not_found(),
        Errno::NOTDIR | Errno::LOOP => {
            let message = "not a directory, or a link to one, which a source does not follow";
            Error::new(ErrorKind::NotADirectory, message)
        }
        cause => Error::io(attempt, cause.into()),
    }
}

fn not_a_file() -> Error {
    unshown("neither a file nor a directory nor a link")
}

fn unshown(why: &str) -> Error {
    Error::new(ErrorKind::Unsupported, why)
}
