//! A folder of the host that takes changes back.
//!
//! As in [`FolderSource`](super::FolderSource), every path is walked name by name and no step
//! follows a link, so that nothing outside the folder is ever changed.

use std::ffi::CString;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::{Path as HostPath, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use homefs_core::{Error, ErrorKind, Path, Result, SourceTarget, not_found};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::folder::open_root;

/// A folder of the host, to be changed.
#[derive(Debug)]
pub struct FolderTarget {
    root: OwnedFd,
    place: PathBuf,
    /// Numbers the files that are being written.
    count: AtomicU64,
}

/// What is opened must be a directory, and no step follows a link.
const STEP: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
/// How deep a tree is that is removed as a whole: less than any path of homefs goes, so that few
/// descriptors and little of the stack are used.
const DEPTH_MAX: usize = 500;
/// Bits of new files and directories, before the process's mask.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
const DIRECTORY_MODE: Mode = Mode::from_raw_mode(0o777);
/// The bits of a file that stay when its content is replaced: not those by which a program has the
/// rights of its owner, which were given to the old content.
const PERMISSIONS: u32 = 0o777;

impl FolderTarget {
    /// Opens a folder, which is then the same one wherever it is moved; no link leads to it.
    pub fn open(place: &HostPath) -> Result<Self> {
        let root = open_root(place).map_err(|cause| told("open the folder", cause))?;
        Ok(Self { root, place: place.to_owned(), count: AtomicU64::new(0) })
    }

    /// Walks to the directory that holds the path, and returns its name there.
    fn holder<'a>(&self, path: &'a Path) -> Result<(OwnedFd, &'a str)> {
        let step = |dir: &OwnedFd, name: &str| {
            rustix::fs::openat(dir, name, STEP | OFlags::PATH, Mode::empty())
                .map_err(|cause| told("open the directory", cause))
        };
        let mut names = path.names();
        let last = names
            .next_back()
            .ok_or_else(|| Error::new(ErrorKind::Invalid, "the folder itself is not changed"))?;
        let mut dir = self.root.try_clone().map_err(|cause| Error::io("open the folder", cause))?;
        for name in names {
            dir = step(&dir, name)?;
        }
        Ok((dir, last))
    }

    /// Puts what `make` makes under a name of its own in the place of a file or link.
    fn put(
        &self,
        path: &Path,
        make: impl FnOnce(&OwnedFd, &str, Option<Mode>) -> Result<()>,
    ) -> Result<()> {
        let put = || {
            let (dir, name) = self.holder(path)?;
            let mode = match rustix::fs::statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
                    Some(Mode::from_raw_mode(stat.st_mode & PERMISSIONS))
                }
                _ => None,
            };
            let count = self.count.fetch_add(1, Ordering::Relaxed);
            let aside = format!(".homefs-{}-{count}", std::process::id());
            let placed = make(&dir, &aside, mode).and_then(|()| {
                rustix::fs::renameat(&dir, &aside, &dir, name)
                    .map_err(|cause| told("put it into place", cause))
            });
            if placed.is_err() {
                // What stays behind is small and named after what left it.
                rustix::fs::unlinkat(&dir, &aside, AtFlags::empty()).ok();
            }
            placed
        };
        put().map_err(|error| self.at(error, path))
    }

    fn at(&self, error: Error, path: &Path) -> Error {
        error.with_path_text(format!("{}{path}", self.place.display()))
    }
}

impl SourceTarget for FolderTarget {
    fn remove(&self, path: &Path) -> Result<()> {
        let removed = self.holder(path).and_then(|(dir, name)| {
            remove(&dir, name, DEPTH_MAX).map_err(|cause| told("remove it", cause))
        });
        match removed {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(|error| self.at(error, path)),
        }
    }

    fn make_dir(&self, path: &Path) -> Result<()> {
        let made = self.holder(path).and_then(|(dir, name)| {
            match rustix::fs::mkdirat(&dir, name, DIRECTORY_MODE) {
                Err(Errno::EXIST) => rustix::fs::openat(&dir, name, STEP, Mode::empty()).map(drop),
                made => made,
            }
            .map_err(|cause| told("make the directory", cause))
        });
        made.map_err(|error| self.at(error, path))
    }

    fn link(&self, path: &Path, target: &str) -> Result<()> {
        self.put(path, |dir, aside, _| {
            rustix::fs::symlinkat(target, dir, aside).map_err(|cause| told("make the link", cause))
        })
    }

    fn write(&self, path: &Path, next: &mut dyn FnMut() -> Result<Bytes>) -> Result<()> {
        self.put(path, |dir, aside, mode| {
            let flags =
                OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = rustix::fs::openat(dir, aside, flags, FILE_MODE);
            let mut file = File::from(file.map_err(|cause| told("make the file", cause))?);
            loop {
                let part = next()?;
                if part.is_empty() {
                    break;
                }
                file.write_all(&part).map_err(|cause| Error::io("write the file", cause))?;
            }
            if let Some(mode) = mode {
                rustix::fs::fchmod(&file, mode).map_err(|cause| told("set its mode", cause))?;
            }
            file.sync_all().map_err(|cause| Error::io("write the file", cause))
        })
    }
}

/// Removes a name, and everything below it, if that is not deeper than this.
fn remove(dir: &OwnedFd, name: &str, depth: usize) -> rustix::io::Result<()> {
    match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
        Err(Errno::ISDIR) => {}
        removed => return removed,
    }
    // What is too deep for homefs to show is not removed unseen.
    let depth = depth.checked_sub(1).ok_or(Errno::NOTEMPTY)?;
    let below = rustix::fs::openat(dir, name, STEP, Mode::empty())?;
    // Read whole, so that of every directory on the way only one descriptor is open.
    let names: Vec<CString> = Dir::read_from(&below)?
        .map(|entry| entry.map(|entry| entry.file_name().to_owned()))
        .collect::<rustix::io::Result<_>>()?;
    for name in names.iter().filter(|name| !matches!(name.to_bytes(), b"." | b"..")) {
        // Neither is a name that homefs could not show.
        remove(&below, name.to_str().map_err(|_| Errno::NOTEMPTY)?, depth)?;
    }
    rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR)
}

fn told(attempt: &str, cause: Errno) -> Error {
    match cause {
        Errno::NOENT => not_found(),
        Errno::NOTDIR | Errno::LOOP => {
            let message = "not a directory, or a link to one, which is not followed";
            Error::new(ErrorKind::NotADirectory, message)
        }
        cause => Error::io(attempt, cause.into()),
    }
}
