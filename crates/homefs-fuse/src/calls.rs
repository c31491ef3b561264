//! The calls of the kernel, each turned into one of the engine.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path as HostPath;
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, CopyFileRangeFlags, Errno, FileAttr, FileHandle, FileType, Filesystem,
    Generation, INodeNo, InitFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr,
    ReplyCreate, ReplyData, ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry, ReplyLseek,
    ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr, Request, TimeOrNow, WriteFlags,
};
use homefs_core::limits::{FILE_BYTES_MAX, NAME_BYTES_MAX};
use homefs_core::{ErrorKind, Timestamp};
use homefs_engine::{Kind, MakeNode, Range, RenameMode, Seek, SetNode, Special, TimeTo, XattrMode};

use crate::errno::{Answer, errno, errno_across, name};
use crate::face::{Entry, Face};
use crate::inodes::{Inode, ROOT};
use crate::stat::{FOREVER, file_attr, file_type, lifetime, system_time, timestamp};

/// Inode numbers are never used again, so they need no generation.
pub(crate) const GENERATION: Generation = Generation(0);
/// Most bytes of one write of the kernel.
const WRITE_BYTES_MAX: u32 = 1 << 20;
/// Most calls that the kernel has under way in the background, such as reading ahead.
const BACKGROUND_MAX: u16 = 64;

/// Sets up the connection.
fn set_up(config: &mut KernelConfig) -> io::Result<()> {
    // Opening and closing cost no call; cutting at opening then comes as a call of its own, which
    // the flag FUSE_ATOMIC_O_TRUNC would take away.
    let wanted = [
        InitFlags::FUSE_NO_OPEN_SUPPORT,
        InitFlags::FUSE_NO_OPENDIR_SUPPORT,
        InitFlags::FUSE_PARALLEL_DIROPS,
        InitFlags::FUSE_DO_READDIRPLUS,
        InitFlags::FUSE_READDIRPLUS_AUTO,
        InitFlags::FUSE_CACHE_SYMLINKS,
        InitFlags::FUSE_EXPLICIT_INVAL_DATA,
        // The rights bits are dropped here, so the kernel need not ask before every write.
        InitFlags::FUSE_HANDLE_KILLPRIV_V2,
        InitFlags::FUSE_ASYNC_READ,
        InitFlags::FUSE_BIG_WRITES,
    ];
    for flag in wanted {
        if config.add_capabilities(flag).is_err() {
            tracing::debug!(?flag, "the kernel does not offer a flag");
        }
    }
    let refused = |what: &str| io::Error::other(format!("the kernel refuses {what}"));
    config.set_max_write(WRITE_BYTES_MAX).map_err(|_| refused("long writes"))?;
    config.set_max_background(BACKGROUND_MAX).map_err(|_| refused("reading ahead"))?;
    let nanosecond = Duration::from_nanos(1);
    config.set_time_granularity(nanosecond).map_err(|_| refused("times in nanoseconds"))?;
    Ok(())
}

/// What the kernel may remember of a name that means nothing.
fn nothing() -> FileAttr {
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

fn answer_attr(reply: ReplyAttr, (attr, lifetime): Entry) {
    reply.attr(&lifetime, &attr);
}

fn answer_xattr(reply: ReplyXattr, size: u32, value: &[u8]) {
    let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
    match size {
        0 => reply.size(length),
        room if room < length => reply.error(Errno::ERANGE),
        _ => reply.data(value),
    }
}

/// Reads what `mknod` is to make.
fn made_kind(mode: u32, device: u32) -> Answer<Kind> {
    Ok(match mode & libc::S_IFMT {
        libc::S_IFREG | 0 => Kind::File,
        libc::S_IFIFO => Kind::Special(Special::Fifo),
        libc::S_IFSOCK => Kind::Special(Special::Socket),
        libc::S_IFCHR => Kind::Special(Special::Character(device)),
        libc::S_IFBLK => Kind::Special(Special::Block(device)),
        _ => return Err(Errno::EINVAL),
    })
}

fn time_to(time: TimeOrNow) -> TimeTo {
    match time {
        TimeOrNow::Now => TimeTo::Now,
        TimeOrNow::SpecificTime(time) => TimeTo::At(timestamp(time)),
    }
}

impl Filesystem for Face {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        set_up(config)
    }

    fn lookup(&self, _: &Request, parent: INodeNo, text: &OsStr, reply: ReplyEntry) {
        self.serve(
            reply,
            || self.find(parent, name(text)?),
            |reply, found| match found {
                Some(entry) => self.answer_entry(reply, entry),
                None => reply.entry(&FOREVER, &nothing(), GENERATION),
            },
        );
    }

    fn forget(&self, _: &Request, number: INodeNo, count: u64) {
        self.forget_one(number.0, count);
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        self.serve(reply, || self.attr(number), answer_attr);
    }

    fn setattr(
        &self,
        request: &Request,
        number: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        accessed: Option<TimeOrNow>,
        modified: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        self.serve(
            reply,
            || {
                let node = match self.inode(number)? {
                    Inode::Node(node) => node,
                    Inode::Probe(probe) => {
                        if size.is_some() {
                            probe.truncate();
                        }
                        return self.attr(number);
                    }
                };
                if size.is_some_and(|size| size > FILE_BYTES_MAX) {
                    return Err(Errno::EFBIG);
                }
                let owned_anew = uid.is_some() || gid.is_some();
                let is_directory = owned_anew
                    && self.nodes.stat(&node).is_ok_and(|stat| stat.kind == Kind::Directory);
                let set = SetNode {
                    mode,
                    uid,
                    gid,
                    size,
                    accessed: accessed.map(time_to),
                    modified: modified.map(time_to),
                    drop_privileges: (owned_anew && !is_directory)
                        || (size.is_some() && request.uid() != 0),
                };
                let stat = self.nodes.set(&node, &set).map_err(|error| errno(&error))?;
                Ok((file_attr(number.0, &stat), lifetime(&stat, || self.nodes.now())))
            },
            answer_attr,
        );
    }

    fn readlink(&self, _: &Request, number: INodeNo, reply: ReplyData) {
        self.serve(
            reply,
            || self.nodes.read_link(&self.node(number)?).map_err(|error| errno(&error)),
            |reply, target| reply.data(target.as_bytes()),
        );
    }

    fn mknod(
        &self,
        request: &Request,
        parent: INodeNo,
        text: &OsStr,
        mode: u32,
        _umask: u32,
        device: u32,
        reply: ReplyEntry,
    ) {
        let make = || {
            let kind = made_kind(mode, device)?;
            let (uid, gid) = (request.uid(), request.gid());
            self.make(parent, text, &MakeNode { kind, mode, uid, gid, target: "" })
        };
        self.serve(reply, make, |reply, entry| self.answer_entry(reply, entry));
    }

    fn mkdir(
        &self,
        request: &Request,
        parent: INodeNo,
        text: &OsStr,
        mode: u32,
        _umask: u32,
        reply: ReplyEntry,
    ) {
        let (uid, gid) = (request.uid(), request.gid());
        let make = MakeNode { kind: Kind::Directory, mode, uid, gid, target: "" };
        let answer = |reply, entry| self.answer_entry(reply, entry);
        self.serve(reply, || self.make(parent, text, &make), answer);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, text: &OsStr, reply: ReplyEmpty) {
        self.serve(reply, || self.remove(parent, text, false), |reply, ()| reply.ok());
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, text: &OsStr, reply: ReplyEmpty) {
        self.serve(reply, || self.remove(parent, text, true), |reply, ()| reply.ok());
    }

    fn symlink(
        &self,
        request: &Request,
        parent: INodeNo,
        text: &OsStr,
        target: &HostPath,
        reply: ReplyEntry,
    ) {
        let make = || {
            let target = target.to_str().ok_or(Errno::EILSEQ)?;
            let (uid, gid) = (request.uid(), request.gid());
            let make = MakeNode { kind: Kind::Link, mode: 0o777, uid, gid, target };
            self.make(parent, text, &make)
        };
        self.serve(reply, make, |reply, entry| self.answer_entry(reply, entry));
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        text: &OsStr,
        new_parent: INodeNo,
        new_text: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let rename = || {
            let mode = match flags {
                flags if flags.is_empty() => RenameMode::Replace,
                RenameFlags::RENAME_NOREPLACE => RenameMode::NoReplace,
                RenameFlags::RENAME_EXCHANGE => RenameMode::Exchange,
                _ => return Err(Errno::EINVAL),
            };
            let (from, to) = (self.node(parent)?, self.node(new_parent)?);
            let renamed = self.nodes.rename((&from, name(text)?), (&to, name(new_text)?), mode);
            renamed.map_err(|error| errno_across(&error))
        };
        self.serve(reply, rename, |reply, ()| reply.ok());
    }

    fn link(
        &self,
        _: &Request,
        number: INodeNo,
        new_parent: INodeNo,
        new_text: &OsStr,
        reply: ReplyEntry,
    ) {
        let link = || {
            let (node, directory) = (self.node(number)?, self.node(new_parent)?);
            let linked = self.nodes.link(&node, &directory, name(new_text)?);
            let (node, stat) = linked.map_err(|error| errno_across(&error))?;
            Ok(self.entry(&node, &stat))
        };
        self.serve(reply, link, |reply, entry| self.answer_entry(reply, entry));
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        // Once and for all: the kernel then opens files without asking.
        reply.error(Errno::ENOSYS);
    }

    fn opendir(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.error(Errno::ENOSYS);
    }

    fn create(
        &self,
        _: &Request,
        _: INodeNo,
        _: &OsStr,
        _: u32,
        _: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        // The kernel makes and opens instead, which costs one call and no closing.
        reply.error(Errno::ENOSYS);
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.error(Errno::ENOSYS);
    }

    fn read(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let length = usize::try_from(size).unwrap_or(usize::MAX);
        let read = || {
            Ok(match self.inode(number)? {
                Inode::Node(node) => {
                    let read = self.nodes.read(&node, offset, length);
                    read.map_err(|error| errno(&error))?
                }
                Inode::Probe(probe) => probe.read(offset, length),
            })
        };
        self.serve(reply, read, |reply, bytes| reply.data(&bytes));
    }

    fn write(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        write_flags: WriteFlags,
        flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        // A page that a map wrote goes where it belongs, whatever the file was opened for.
        let cached = write_flags.contains(WriteFlags::FUSE_WRITE_CACHE);
        let append = flags.0 & libc::O_APPEND != 0 && !cached;
        let privileged = write_flags.contains(WriteFlags::FUSE_WRITE_KILL_SUIDGID);
        let length = u32::try_from(data.len()).unwrap_or(0);
        self.serve(
            reply,
            || self.write_at(number, offset, data, append, privileged),
            |reply, ()| reply.written(length),
        );
    }

    fn fsync(&self, _: &Request, number: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.sync(self.node(number).ok().as_ref(), reply);
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.sync(None, reply);
    }

    fn readdir(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        reply: ReplyDirectory,
    ) {
        let lines = || {
            let node = self.node(number)?;
            let found = self.listings.after(&self.nodes, &self.inodes, (number.0, &node), offset);
            found.map_err(|error| errno(&error))
        };
        self.serve(reply, lines, |mut reply, (lines, from)| {
            for line in &lines[from..] {
                let kind = file_type(line.kind);
                if reply.add(INodeNo(line.number), line.place, kind, &*line.name) {
                    break;
                }
            }
            reply.ok();
        });
    }

    fn readdirplus(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        reply: ReplyDirectoryPlus,
    ) {
        let lines = || {
            let node = self.node(number)?;
            let found = self.listings.after(&self.nodes, &self.inodes, (number.0, &node), offset);
            Ok((node, found.map_err(|error| errno(&error))?))
        };
        self.serve(reply, lines, |mut reply, (directory, (lines, from))| {
            for line in &lines[from..] {
                let name: &OsStr = line.name.as_ref().as_ref();
                if line.name.as_ref() == "." || line.name.as_ref() == ".." {
                    // The kernel takes only the number and the kind of these.
                    let attr = FileAttr {
                        ino: INodeNo(line.number),
                        kind: FileType::Directory,
                        ..nothing()
                    };
                    if reply.add(attr.ino, line.place, name, &Duration::ZERO, &attr, GENERATION) {
                        break;
                    }
                    continue;
                }
                // Gone since the names were read, or hidden: then it is left out.
                let Ok((attr, lifetime)) = self.look_up(&directory, &line.name) else { continue };
                let lifetime = self.first_lifetime(lifetime);
                if reply.add(attr.ino, line.place, name, &lifetime, &attr, GENERATION) {
                    self.forget_one(attr.ino.0, 1);
                    break;
                }
            }
            reply.ok();
        });
    }

    fn statfs(&self, _: &Request, number: INodeNo, reply: ReplyStatfs) {
        const BLOCK: u32 = 4096;
        let capacity = || {
            let node = self.node(number).or_else(|_| self.node(INodeNo(ROOT)))?;
            self.nodes.capacity(&node).map_err(|error| errno(&error))
        };
        self.serve(reply, capacity, |reply, room| {
            let blocks = |bytes: u64| bytes / u64::from(BLOCK);
            reply.statfs(
                blocks(room.bytes),
                blocks(room.bytes_free),
                blocks(room.bytes_free),
                room.nodes,
                room.nodes_free,
                BLOCK,
                u32::try_from(NAME_BYTES_MAX).unwrap_or(u32::MAX),
                BLOCK,
            );
        });
    }

    fn setxattr(
        &self,
        _: &Request,
        number: INodeNo,
        text: &OsStr,
        value: &[u8],
        flags: i32,
        _position: u32,
        reply: ReplyEmpty,
    ) {
        let set = || {
            let text = xattr_name(text)?.ok_or(Errno::EOPNOTSUPP)?;
            let mode = match flags {
                libc::XATTR_CREATE => XattrMode::Create,
                libc::XATTR_REPLACE => XattrMode::Replace,
                _ => XattrMode::Any,
            };
            let node = self.node(number)?;
            self.nodes.set_xattr(&node, text, Some(value), mode).map_err(|error| no_data(&error))
        };
        self.serve(reply, set, |reply, _| reply.ok());
    }

    fn getxattr(&self, _: &Request, number: INodeNo, text: &OsStr, size: u32, reply: ReplyXattr) {
        // Asked for before many a write, and never there.
        if text.as_bytes().starts_with(b"security.") {
            reply.error(Errno::ENODATA);
            return;
        }
        let get = || {
            let text = xattr_name(text)?.ok_or(Errno::EOPNOTSUPP)?;
            let Inode::Node(node) = self.inode(number)? else { return Err(Errno::ENODATA) };
            let value = self.nodes.xattr(&node, text).map_err(|error| errno(&error))?;
            value.ok_or(Errno::ENODATA)
        };
        self.serve(reply, get, |reply, value| answer_xattr(reply, size, &value));
    }

    fn listxattr(&self, _: &Request, number: INodeNo, size: u32, reply: ReplyXattr) {
        let list = || {
            let Inode::Node(node) = self.inode(number)? else { return Ok(Vec::new()) };
            let xattrs = self.nodes.xattrs(&node).map_err(|error| errno(&error))?;
            Ok(xattrs.keys().flat_map(|name| name.bytes().chain([0])).collect::<Vec<u8>>())
        };
        self.serve(reply, list, |reply, names| answer_xattr(reply, size, &names));
    }

    fn removexattr(&self, _: &Request, number: INodeNo, text: &OsStr, reply: ReplyEmpty) {
        let remove = || {
            let text = xattr_name(text)?.ok_or(Errno::EOPNOTSUPP)?;
            let node = self.node(number)?;
            let removed = self.nodes.set_xattr(&node, text, None, XattrMode::Replace);
            removed.map_err(|error| no_data(&error))
        };
        self.serve(reply, remove, |reply, _| reply.ok());
    }

    fn fallocate(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        const KEEP_PUNCH: i32 = libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_PUNCH_HOLE;
        const KEEP_ZERO: i32 = libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_ZERO_RANGE;
        let allocate = || {
            let range = match mode {
                0 => Range::Reserve,
                libc::FALLOC_FL_KEEP_SIZE => Range::Keep,
                KEEP_PUNCH | KEEP_ZERO => Range::Punch,
                libc::FALLOC_FL_ZERO_RANGE => Range::Zero,
                _ => return Err(Errno::EOPNOTSUPP),
            };
            if offset.saturating_add(length) > FILE_BYTES_MAX {
                return Err(Errno::EFBIG);
            }
            let node = self.node(number)?;
            self.nodes.allocate(&node, offset, length, range).map_err(|error| errno(&error))
        };
        self.serve(reply, allocate, |reply, ()| reply.ok());
    }

    fn lseek(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        let seek = || {
            let seek = match whence {
                libc::SEEK_DATA => Seek::Data,
                libc::SEEK_HOLE => Seek::Hole,
                _ => return Err(Errno::EINVAL),
            };
            let offset = u64::try_from(offset).map_err(|_| Errno::ENXIO)?;
            let found = self.nodes.seek(&self.node(number)?, offset, seek);
            let found = found.map_err(|error| errno(&error))?.ok_or(Errno::ENXIO)?;
            i64::try_from(found).map_err(|_| Errno::EOVERFLOW)
        };
        self.serve(reply, seek, ReplyLseek::offset);
    }

    fn copy_file_range(
        &self,
        request: &Request,
        from: INodeNo,
        _: FileHandle,
        from_offset: u64,
        to: INodeNo,
        _: FileHandle,
        to_offset: u64,
        length: u64,
        _: CopyFileRangeFlags,
        reply: ReplyWrite,
    ) {
        let copy = || {
            let (from, to) = (self.node(from)?, self.node(to)?);
            let (from, to) = ((&from, from_offset), (&to, to_offset));
            let copied = self.nodes.copy(from, to, length, request.uid() != 0);
            u32::try_from(copied.map_err(|error| errno(&error))?).map_err(|_| Errno::EOVERFLOW)
        };
        self.serve(reply, copy, ReplyWrite::written);
    }
}

/// Reads the name of an extended attribute; `None` if homefs does not keep those.
fn xattr_name(text: &OsStr) -> Answer<Option<&str>> {
    let text = text.to_str().ok_or(Errno::EILSEQ)?;
    Ok(text.starts_with("user.").then_some(text))
}

/// As [`errno`], where what is not found is an attribute.
fn no_data(error: &homefs_core::Error) -> Errno {
    match error.kind() {
        ErrorKind::NotFound => Errno::ENODATA,
        _ => errno(error),
    }
}
