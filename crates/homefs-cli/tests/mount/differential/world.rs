//! One of the two places: its open files, and what every step gives there.

use std::fmt;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    self, AtFlags, Dir, FileType, Mode, OFlags, SeekFrom, Stat, Timespec, Timestamps,
};
use rustix::io::{Errno, Result};
use rustix::path::Arg;

use super::step::{SLOTS, Slot, Step, index};
use crate::mapped::Mapped;

/// Times before this were set by a step, those after it by the clock.
const CLOCK_BEGINS: i64 = 1_000_000_000;

/// What a step gives.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    Done,
    Number(u64),
    Bytes(Runs),
    Texts(Vec<String>),
    Node(Node),
    /// The step made no call, because there is no such open file or nothing to map.
    Nothing,
}

/// What is compared of a node's attributes.
#[derive(Debug, PartialEq)]
pub(super) struct Node {
    pub(super) kind: FileType,
    mode: u32,
    owner: (u32, u32),
    /// Not of directories, where it is free.
    links: Option<u64>,
    /// Not of directories, where it is free.
    size: Option<u64>,
    /// If it was set, not if the clock gave it.
    modified: Option<(i64, u64)>,
}

/// Bytes that are shown as runs of equal ones.
#[derive(PartialEq)]
pub(super) struct Runs(Vec<u8>);

impl fmt::Debug for Runs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.0.chunk_by(|left, right| left == right);
        formatter.debug_list().entries(runs.map(|run| (run[0], run.len()))).finish()
    }
}

/// A directory and the files that are open in it.
pub(super) struct World {
    root: OwnedFd,
    slots: Vec<Option<OwnedFd>>,
}

impl World {
    pub(super) fn new(root: &Path) -> Self {
        let root = fs::open(root, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())
            .expect("the directory is there");
        Self { root, slots: (0..SLOTS).map(|_| None).collect() }
    }

    /// Makes a step.
    pub(super) fn perform(&mut self, step: &Step) -> Result<Outcome> {
        match step {
            Step::Open { slot, path, flags, mode } => {
                self.slots[*slot] = Some(fs::openat(&self.root, path, *flags, *mode)?);
                Ok(Outcome::Done)
            }
            Step::Close { slot } => {
                self.slots[*slot] = None;
                Ok(Outcome::Done)
            }
            Step::CopyRange { from, from_offset, to, to_offset, len } => {
                let (Some(from), Some(to)) = (&self.slots[*from], &self.slots[*to]) else {
                    return Ok(Outcome::Nothing);
                };
                copy((from, *from_offset), (to, *to_offset), *len)
            }
            step => match step.slot() {
                Some(slot) => match &self.slots[slot] {
                    Some(file) => on_file(file, step),
                    None => Ok(Outcome::Nothing),
                },
                None => self.on_path(step),
            },
        }
    }

    /// Makes a step that names nodes.
    fn on_path(&self, step: &Step) -> Result<Outcome> {
        let root = &self.root;
        match step {
            Step::Stat { path } => return self.stat(path),
            Step::Truncate { path, size } => {
                let file = fs::openat(root, path, OFlags::WRONLY, Mode::empty())?;
                fs::ftruncate(file, *size)?;
            }
            Step::Rename { from, to, flags } => fs::renameat_with(root, from, root, to, *flags)?,
            Step::Link { from, to } => fs::linkat(root, from, root, to, AtFlags::empty())?,
            Step::Symlink { target, path } => fs::symlinkat(target, root, path)?,
            Step::ReadLink { path } => {
                let target = fs::readlinkat(root, path, Vec::new())?;
                return Ok(Outcome::Texts(vec![target.to_string_lossy().into_owned()]));
            }
            Step::Unlink { path } => fs::unlinkat(root, path, AtFlags::empty())?,
            Step::MakeDir { path, mode } => fs::mkdirat(root, path, *mode)?,
            Step::RemoveDir { path } => fs::unlinkat(root, path, AtFlags::REMOVEDIR)?,
            Step::List { path } => return self.list(path),
            Step::SetMode { path, mode } => fs::chmodat(root, path, *mode, AtFlags::empty())?,
            Step::SetTime { path, seconds, nanoseconds } => {
                let time = Timespec { tv_sec: *seconds, tv_nsec: *nanoseconds };
                let times = Timestamps { last_access: time, last_modification: time };
                fs::utimensat(root, path, &times, AtFlags::SYMLINK_NOFOLLOW)?;
            }
            step => return self.on_attributes(step),
        }
        Ok(Outcome::Done)
    }

    /// Makes a step with an extended attribute of a node, which has to be opened for it.
    fn on_attributes(&self, step: &Step) -> Result<Outcome> {
        let open = |path: &str| {
            fs::openat(&self.root, path, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty())
        };
        match step {
            Step::SetAttribute { path, name, byte, len, flags } => {
                fs::fsetxattr(open(path)?, name, &vec![*byte; *len], *flags)?;
                Ok(Outcome::Done)
            }
            Step::GetAttribute { path, name } => {
                let mut value = vec![0; 1_000];
                let len = fs::fgetxattr(open(path)?, name, &mut value)?;
                value.truncate(len);
                Ok(Outcome::Bytes(Runs(value)))
            }
            Step::RemoveAttribute { path, name } => {
                fs::fremovexattr(open(path)?, name)?;
                Ok(Outcome::Done)
            }
            Step::ListAttributes { path } => {
                let mut names = vec![0; 1_000];
                let len = fs::flistxattr(open(path)?, &mut names)?;
                let names = names[..len].split(|byte| *byte == 0).filter(|name| !name.is_empty());
                let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
                Ok(Outcome::Texts(sorted(names.collect())))
            }
            other => unreachable!("{other:?} names no attribute"),
        }
    }

    fn stat(&self, path: &str) -> Result<Outcome> {
        let stat = fs::statat(&self.root, path, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Outcome::Node(Node::of(&stat)))
    }

    fn list(&self, path: &str) -> Result<Outcome> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let dir = fs::openat(&self.root, path, flags, Mode::empty())?;
        let mut names = Vec::new();
        for entry in Dir::new(dir)? {
            let entry = entry?;
            names.push(format!("{} {:?}", entry.file_name().to_string_lossy(), entry.file_type()));
        }
        Ok(Outcome::Texts(sorted(names)))
    }
}

/// Makes a step with an open file.
fn on_file(file: &OwnedFd, step: &Step) -> Result<Outcome> {
    let number = |len: usize| Ok(Outcome::Number(len as u64));
    match step {
        Step::Read { len, .. } => {
            let mut bytes = vec![0; *len];
            let len = rustix::io::read(file, &mut bytes)?;
            bytes.truncate(len);
            return Ok(Outcome::Bytes(Runs(bytes)));
        }
        Step::ReadAt { offset, len, .. } => {
            return Ok(Outcome::Bytes(Runs(read_at(file, *offset, *len)?)));
        }
        Step::Write { byte, len, .. } => {
            return number(rustix::io::write(file, &vec![*byte; *len])?);
        }
        Step::WriteAt { offset, byte, len, .. } => {
            return number(rustix::io::pwrite(file, &vec![*byte; *len], *offset)?);
        }
        Step::Resize { size, .. } => fs::ftruncate(file, *size)?,
        Step::Allocate { flags, offset, len, .. } => fs::fallocate(file, *flags, *offset, *len)?,
        Step::ReadExtents { .. } => return read_extents(file),
        Step::MapRead { offset, len, .. } => {
            let Some(len) = mappable(file, *offset, *len)? else { return Ok(Outcome::Nothing) };
            let mapped = Mapped::new(file, offset + len, false)?;
            return Ok(Outcome::Bytes(Runs(mapped.read(*offset, len))));
        }
        Step::MapWrite { offset, byte, len, sync, .. } => {
            let Some(len) = mappable(file, *offset, *len)? else { return Ok(Outcome::Nothing) };
            let mapped = Mapped::new(file, offset + len, true)?;
            mapped.fill(*offset, len, *byte);
            if *sync {
                mapped.sync()?;
            }
        }
        Step::Sync { .. } => fs::fsync(file)?,
        Step::StatOpen { .. } => return Ok(Outcome::Node(Node::of(&fs::fstat(file)?))),
        other => unreachable!("{other:?} has no open file"),
    }
    Ok(Outcome::Done)
}

/// Returns how many of `len` bytes are inside the file; `None` if none is.
fn mappable(file: &OwnedFd, offset: usize, len: usize) -> Result<Option<usize>> {
    let stat = fs::fstat(file)?;
    let size = index(stat.st_size.cast_unsigned());
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    Ok((is_file && len > 0 && offset < size).then(|| len.min(size - offset)))
}

/// Reads until the end or as much as was asked for.
fn read_at(file: &OwnedFd, offset: u64, len: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    let mut filled = 0;
    loop {
        let read = rustix::io::pread(file, &mut bytes[filled..], offset + filled as u64)?;
        filled += read;
        if read == 0 {
            bytes.truncate(filled);
            return Ok(bytes);
        }
    }
}

/// Reads a file by its data extents, and leaves its position where it was.
fn read_extents(file: &OwnedFd) -> Result<Outcome> {
    let stat = fs::fstat(file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(Outcome::Nothing);
    }
    // A file that is not open for reading fails here, wherever it has data.
    read_at(file, 0, 1)?;
    let position = fs::tell(file)?;
    let bytes = extents(file, stat.st_size.cast_unsigned());
    fs::seek(file, SeekFrom::Start(position))?;
    Ok(Outcome::Bytes(Runs(bytes?)))
}

fn extents(file: &OwnedFd, size: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![0; index(size)];
    let mut end = 0;
    loop {
        let start = match fs::seek(file, SeekFrom::Data(end)) {
            Err(Errno::NXIO) => return Ok(bytes),
            start => start?,
        };
        end = fs::seek(file, SeekFrom::Hole(start))?;
        assert!(start < end && end <= size, "data from {start} to {end} of {size}");
        let data = read_at(file, start, index(end - start))?;
        bytes[index(start)..index(end)].copy_from_slice(&data);
    }
}

/// Copies until nothing more is copied.
fn copy(
    (from, mut from_offset): (&OwnedFd, u64),
    (to, mut to_offset): (&OwnedFd, u64),
    len: usize,
) -> Result<Outcome> {
    let mut copied = 0;
    while copied < len {
        let left = len - copied;
        let some =
            fs::copy_file_range(from, Some(&mut from_offset), to, Some(&mut to_offset), left)?;
        if some == 0 {
            break;
        }
        copied += some;
    }
    Ok(Outcome::Number(copied as u64))
}

impl Node {
    fn of(stat: &Stat) -> Self {
        let kind = FileType::from_raw_mode(stat.st_mode);
        let counts = kind != FileType::Directory;
        Self {
            kind,
            mode: stat.st_mode & 0o7777,
            owner: (stat.st_uid, stat.st_gid),
            links: counts.then_some(stat.st_nlink),
            size: counts.then_some(stat.st_size.cast_unsigned()),
            modified: (stat.st_mtime < CLOCK_BEGINS).then_some((stat.st_mtime, stat.st_mtime_nsec)),
        }
    }
}

impl Step {
    /// Returns the open file that the step is made with.
    fn slot(&self) -> Option<Slot> {
        match self {
            Self::Read { slot, .. }
            | Self::ReadAt { slot, .. }
            | Self::Write { slot, .. }
            | Self::WriteAt { slot, .. }
            | Self::Resize { slot, .. }
            | Self::Allocate { slot, .. }
            | Self::ReadExtents { slot }
            | Self::MapRead { slot, .. }
            | Self::MapWrite { slot, .. }
            | Self::Sync { slot }
            | Self::StatOpen { slot } => Some(*slot),
            _ => None,
        }
    }
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}
