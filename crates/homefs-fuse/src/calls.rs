//! The calls of the kernel, each turned into one of the engine.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path as HostPath;
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, CopyFileRangeFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, INodeNo,
    KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry, ReplyLseek, ReplyOpen, ReplyStatfs,
    ReplyWrite, ReplyXattr, Request, TimeOrNow, WriteFlags,
};
use homefs_core::limits::{FILE_BYTES_MAX, NAME_BYTES_MAX};
use homefs_view::{Kind, MakeNode, Range, RenameMode, Seek, SetNode, XattrMode};

use crate::connection;
use crate::errno::{errno, errno_across, errno_device, errno_xattr, name, xattr_name};
use crate::face::{Entry, Face};
use crate::inodes::{Inode, ROOT};
use crate::stat::{FOREVER, GENERATION, file_type, made_kind, nothing, time_to};

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

impl Filesystem for Face {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        connection::set_up(config, self.special)
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
        self.serve(
            reply,
            || self.attr(number),
            |reply, (attr, lifetime)| {
                answer_attr(reply, (attr, self.next_lifetime(number, lifetime)));
            },
        );
    }

    fn setattr(
        &self,
        _: &Request,
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
                let set = SetNode {
                    mode,
                    uid,
                    gid,
                    size,
                    accessed: accessed.map(time_to),
                    modified: modified.map(time_to),
                };
                let stat = self.nodes.set(&node, &set).map_err(errno)?;
                Ok(self.known_entry(number.0, &stat))
            },
            answer_attr,
        );
    }

    fn readlink(&self, _: &Request, number: INodeNo, reply: ReplyData) {
        self.serve(
            reply,
            || self.nodes.read_link(&self.node(number)?).map_err(errno),
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
            let new = self.make(parent, text, &MakeNode { kind, mode, uid, gid, target: "" });
            new.map_err(|errno| errno_device(kind, errno))
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
            renamed.map_err(errno_across)
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
            let (node, stat) = linked.map_err(errno_across)?;
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
                    read.map_err(errno)?
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
        let length = u32::try_from(data.len()).unwrap_or(0);
        self.serve(
            reply,
            || self.write_at(number, offset, data, append),
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
        self.serve(
            reply,
            || self.lines(number, offset),
            |mut reply, (_, lines, from)| {
                for line in &lines[from..] {
                    let kind = file_type(line.kind);
                    if reply.add(INodeNo(line.number), line.place, kind, &*line.name) {
                        break;
                    }
                }
                reply.ok();
            },
        );
    }

    fn readdirplus(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        reply: ReplyDirectoryPlus,
    ) {
        let lines = || self.lines(number, offset);
        self.serve(reply, lines, |mut reply, (directory, lines, from)| {
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
            self.nodes.capacity(&node).map_err(errno)
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
            let text = xattr_name(text)?;
            let mode = match flags {
                libc::XATTR_CREATE => XattrMode::Create,
                libc::XATTR_REPLACE => XattrMode::Replace,
                _ => XattrMode::Any,
            };
            let node = self.node(number)?;
            self.nodes.set_xattr(&node, text, Some(value), mode).map_err(errno_xattr)
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
            let text = xattr_name(text)?;
            let Inode::Node(node) = self.inode(number)? else { return Err(Errno::ENODATA) };
            let value = self.nodes.xattr(&node, text).map_err(errno)?;
            value.ok_or(Errno::ENODATA)
        };
        self.serve(reply, get, |reply, value| answer_xattr(reply, size, &value));
    }

    fn listxattr(&self, _: &Request, number: INodeNo, size: u32, reply: ReplyXattr) {
        let list = || {
            let Inode::Node(node) = self.inode(number)? else { return Ok(Vec::new()) };
            let xattrs = self.nodes.xattrs(&node).map_err(errno)?;
            Ok(xattrs.keys().flat_map(|name| name.bytes().chain([0])).collect::<Vec<u8>>())
        };
        self.serve(reply, list, |reply, names| answer_xattr(reply, size, &names));
    }

    fn removexattr(&self, _: &Request, number: INodeNo, text: &OsStr, reply: ReplyEmpty) {
        let remove = || {
            let text = xattr_name(text)?;
            let node = self.node(number)?;
            let removed = self.nodes.set_xattr(&node, text, None, XattrMode::Replace);
            removed.map_err(errno_xattr)
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
            self.nodes.allocate(&node, offset, length, range).map_err(errno)
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
            let found = found.map_err(errno)?.ok_or(Errno::ENXIO)?;
            i64::try_from(found).map_err(|_| Errno::EOVERFLOW)
        };
        self.serve(reply, seek, ReplyLseek::offset);
    }

    fn copy_file_range(
        &self,
        _: &Request,
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
            let room = FILE_BYTES_MAX.checked_sub(to_offset).filter(|room| *room > 0);
            let length = length.min(room.ok_or(Errno::EFBIG)?);
            let (from, to) = (self.node(from)?, self.node(to)?);
            let (from, to) = ((&from, from_offset), (&to, to_offset));
            let copied = self.nodes.copy(from, to, length);
            u32::try_from(copied.map_err(errno)?).map_err(|_| Errno::EOVERFLOW)
        };
        self.serve(reply, copy, ReplyWrite::written);
    }
}
