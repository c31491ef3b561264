//! Attributes as the kernel wants them, and how long it may keep them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{Errno, FileAttr, FileType, Generation, INodeNo, TimeOrNow};
use homefs_core::Timestamp;
use homefs_view::{Kind, Special, Stat, TimeTo};

use crate::errno::Answer;

/// How long the kernel keeps what nobody changes without telling it: for ever.
pub(crate) const FOREVER: Duration = Duration::from_secs(1 << 40);
/// Inode numbers are never used again, so they need no generation.
pub(crate) const GENERATION: Generation = Generation(0);
/// How much of a file one read or write of a program should take.
const BLOCK_BYTES: u32 = 128 * 1024;

/// Translates a stat, with the mode that is to be shown.
pub(crate) fn file_attr(number: u64, stat: &Stat, mode: u32) -> FileAttr {
    FileAttr {
        ino: INodeNo(number),
        size: stat.size,
        blocks: stat.size.div_ceil(512),
        atime: system_time(stat.accessed),
        mtime: system_time(stat.modified),
        ctime: system_time(stat.changed),
        crtime: system_time(stat.created),
        kind: file_type(stat.kind),
        perm: u16::try_from(mode & 0o7777).unwrap_or(0),
        nlink: stat.links,
        uid: stat.uid,
        gid: stat.gid,
        rdev: match stat.kind {
            Kind::Special(Special::Character(device) | Special::Block(device)) => device,
            _ => 0,
        },
        blksize: BLOCK_BYTES,
        flags: 0,
    }
}

/// Translates a kind.
pub(crate) fn file_type(kind: Kind) -> FileType {
    match kind {
        Kind::File => FileType::RegularFile,
        Kind::Directory => FileType::Directory,
        Kind::Link => FileType::Symlink,
        Kind::Special(Special::Fifo) => FileType::NamedPipe,
        Kind::Special(Special::Socket) => FileType::Socket,
        Kind::Special(Special::Character(_)) => FileType::CharDevice,
        Kind::Special(Special::Block(_)) => FileType::BlockDevice,
    }
}

/// Returns how long the kernel may keep what it learns of a node: what expires, until then.
pub(crate) fn lifetime(stat: &Stat, now: impl FnOnce() -> Timestamp) -> Duration {
    match stat.expires {
        None => FOREVER,
        Some(expires) => expires.since(now()),
    }
}

/// Translates a time.
pub(crate) fn system_time(time: Timestamp) -> SystemTime {
    let nanos = Duration::from_nanos(time.0.unsigned_abs());
    if time.0 < 0 { UNIX_EPOCH - nanos } else { UNIX_EPOCH + nanos }
}

/// Translates a time of the kernel; one beyond what homefs can keep becomes the nearest.
pub(crate) fn timestamp(time: SystemTime) -> Timestamp {
    let nanos = |span: Duration| i64::try_from(span.as_nanos()).unwrap_or(i64::MAX);
    Timestamp(match time.duration_since(UNIX_EPOCH) {
        Ok(after) => nanos(after),
        Err(before) => -nanos(before.duration()),
    })
}

/// Translates what a time becomes.
pub(crate) fn time_to(time: TimeOrNow) -> TimeTo {
    match time {
        TimeOrNow::Now => TimeTo::Now,
        TimeOrNow::SpecificTime(time) => TimeTo::At(timestamp(time)),
    }
}

/// Reads what `mknod` is to make.
pub(crate) fn made_kind(mode: u32, device: u32) -> Answer<Kind> {
    Ok(match mode & libc::S_IFMT {
        libc::S_IFREG | 0 => Kind::File,
        libc::S_IFIFO => Kind::Special(Special::Fifo),
        libc::S_IFSOCK => Kind::Special(Special::Socket),
        libc::S_IFCHR => Kind::Special(Special::Character(device)),
        libc::S_IFBLK => Kind::Special(Special::Block(device)),
        _ => return Err(Errno::EINVAL),
    })
}

/// What the kernel may remember of a name that means nothing.
pub(crate) fn nothing() -> FileAttr {
    FileAttr {
        ino: INodeNo(0),
        size: 0,
        blocks: 0,
        atime: system_time(Timestamp(0)),
        mtime: system_time(Timestamp(0)),
        ctime: system_time(Timestamp(0)),
        crtime: system_time(Timestamp(0)),
        kind: FileType::RegularFile,
        perm: 0,
        nlink: 0,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 0,
        flags: 0,
    }
}
