//! How the floor answers, and for how long the kernel may keep it.

use std::time::{Duration, SystemTime};

use fuser::{Errno, FileAttr, FileType, Generation, INodeNo, ReplyAttr, ReplyEmpty, ReplyEntry};

/// How long the kernel may keep what it was told: for ever, as nothing changes behind its back.
pub(super) const LIFETIME: Duration = Duration::from_secs(1 << 30);
/// Inodes are not used twice, so there is one generation of them.
pub(super) const GENERATION: Generation = Generation(0);

/// What a name without a node stands for.
pub(super) const NO_NODE: FileAttr = FileAttr {
    ino: INodeNo(0),
    size: 0,
    blocks: 0,
    atime: SystemTime::UNIX_EPOCH,
    mtime: SystemTime::UNIX_EPOCH,
    ctime: SystemTime::UNIX_EPOCH,
    crtime: SystemTime::UNIX_EPOCH,
    kind: FileType::RegularFile,
    perm: 0,
    nlink: 0,
    uid: 0,
    gid: 0,
    rdev: 0,
    blksize: 0,
    flags: 0,
};

/// Answers with attributes.
pub(super) fn attributes(reply: ReplyAttr, found: Result<FileAttr, Errno>) {
    match found {
        Ok(attributes) => reply.attr(&LIFETIME, &attributes),
        Err(error) => reply.error(error),
    }
}

/// Answers with a node that a name stands for.
pub(super) fn entry(reply: ReplyEntry, found: Result<FileAttr, Errno>) {
    match found {
        Ok(attributes) => reply.entry(&LIFETIME, &attributes, GENERATION),
        Err(error) => reply.error(error),
    }
}

/// Answers that something was done.
pub(super) fn empty<T>(reply: ReplyEmpty, done: &Result<T, Errno>) {
    match done {
        Ok(_) => reply.ok(),
        Err(error) => reply.error(*error),
    }
}
