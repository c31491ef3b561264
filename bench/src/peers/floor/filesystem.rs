//! What the kernel asks, answered from the tree.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::SystemTime;

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, INodeNo, InitFlags,
    KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite,
    ReplyXattr, Request, TimeOrNow, WriteFlags,
};

use super::answer::{self, GENERATION, LIFETIME, NO_NODE};
use super::tree::{Entry, Tree, permission_bits};
use super::{Floor, WRITE_BYTES_MAX};

impl Filesystem for Floor {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        let wanted = InitFlags::FUSE_ASYNC_READ
            | InitFlags::FUSE_BIG_WRITES
            | InitFlags::FUSE_CACHE_SYMLINKS
            | InitFlags::FUSE_DO_READDIRPLUS
            | InitFlags::FUSE_EXPLICIT_INVAL_DATA
            | InitFlags::FUSE_HANDLE_KILLPRIV_V2
            | InitFlags::FUSE_MAX_PAGES
            | InitFlags::FUSE_NO_OPENDIR_SUPPORT
            | InitFlags::FUSE_NO_OPEN_SUPPORT
            | InitFlags::FUSE_PARALLEL_DIROPS
            | InitFlags::FUSE_READDIRPLUS_AUTO;
        let refused = |flags| io::Error::other(format!("the kernel lacks {flags:?}"));
        config.add_capabilities(wanted).map_err(refused)?;
        config.set_max_write(WRITE_BYTES_MAX).map_err(|_| io::Error::other("too much to write"))?;
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self.tree.read().find(parent, name);
        // An entry without an inode tells the kernel to remember that there is none.
        reply.entry(&LIFETIME, &found.unwrap_or(NO_NODE), GENERATION);
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        let attributes = self.tree.read().get(inode).map(|node| node.attributes);
        answer::attributes(reply, attributes);
    }

    fn setattr(
        &self,
        _: &Request,
        inode: INodeNo,
        mode: Option<u32>,
        user: Option<u32>,
        group: Option<u32>,
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
        let set = |tree: &mut Tree| {
            let node = tree.get_mut(inode)?;
            if let Some(size) = size {
                node.resize(index(size));
            }
            let attributes = &mut node.attributes;
            attributes.perm = mode.map_or(attributes.perm, permission_bits);
            attributes.uid = user.unwrap_or(attributes.uid);
            attributes.gid = group.unwrap_or(attributes.gid);
            attributes.atime = accessed.map_or(attributes.atime, time);
            attributes.mtime = modified.map_or(attributes.mtime, time);
            Ok(*attributes)
        };
        let attributes = set(&mut self.tree.write());
        answer::attributes(reply, attributes);
    }

    fn mknod(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        permissions: u32,
        _: u32,
        _: u32,
        reply: ReplyEntry,
    ) {
        let made = self.make(request, (parent, name), (FileType::RegularFile, permissions), &[]);
        answer::entry(reply, made);
    }

    fn mkdir(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        permissions: u32,
        _: u32,
        reply: ReplyEntry,
    ) {
        let made = self.make(request, (parent, name), (FileType::Directory, permissions), &[]);
        answer::entry(reply, made);
    }

    fn symlink(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        target: &Path,
        reply: ReplyEntry,
    ) {
        let target = target.as_os_str().as_bytes();
        let made = self.make(request, (parent, name), (FileType::Symlink, 0o777), target);
        answer::entry(reply, made);
    }

    fn readlink(&self, _: &Request, inode: INodeNo, reply: ReplyData) {
        match self.tree.read().get(inode) {
            Ok(node) => reply.data(&node.content),
            Err(error) => reply.error(error),
        }
    }

    fn link(&self, _: &Request, inode: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let linked = self.tree.write().link(inode, parent, name);
        answer::entry(reply, linked);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.tree.write().remove(parent, name);
        answer::empty(reply, &removed);
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.tree.write().remove(parent, name);
        answer::empty(reply, &removed);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        if !flags.is_empty() {
            return reply.error(Errno::EINVAL);
        }
        let renamed = self.tree.write().rename((parent, name), (new_parent, new_name));
        answer::empty(reply, &renamed);
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
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
        reply.error(Errno::ENOSYS);
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.error(Errno::ENOSYS);
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn read(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.tree.read().get(inode) {
            Ok(node) => {
                let rest = node.content.get(index(offset)..).unwrap_or_default();
                reply.data(&rest[..rest.len().min(index(size.into()))]);
            }
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        bytes: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let written = self.tree.write().get_mut(inode).map(|node| node.write(index(offset), bytes));
        match written {
            Ok(()) => reply.written(u32::try_from(bytes.len()).unwrap_or(u32::MAX)),
            Err(error) => reply.error(error),
        }
    }

    fn readdir(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        after: u64,
        mut reply: ReplyDirectory,
    ) {
        let tree = self.tree.read();
        match tree.list(inode, after) {
            Ok(mut entries) => {
                let mut add = |entry: Entry<'_>| {
                    let FileAttr { ino, kind, .. } = *entry.attributes;
                    reply.add(ino, entry.cookie, kind, entry.name)
                };
                // It says when it is full.
                let _ = entries.any(&mut add);
                reply.ok();
            }
            Err(error) => reply.error(error),
        }
    }

    fn readdirplus(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        after: u64,
        mut reply: ReplyDirectoryPlus,
    ) {
        let tree = self.tree.read();
        match tree.list(inode, after) {
            Ok(mut entries) => {
                let mut add = |entry: Entry<'_>| {
                    let Entry { cookie, name, attributes } = entry;
                    reply.add(attributes.ino, cookie, name, &LIFETIME, attributes, GENERATION)
                };
                // It says when it is full.
                let _ = entries.any(&mut add);
                reply.ok();
            }
            Err(error) => reply.error(error),
        }
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(1 << 28, 1 << 27, 1 << 27, 1 << 30, 1 << 29, 4096, 255, 4096);
    }

    /// Has none, but says so of each file, as a filesystem with extended attributes must.
    fn getxattr(&self, _: &Request, _: INodeNo, _: &OsStr, _: u32, reply: ReplyXattr) {
        reply.error(Errno::NO_XATTR);
    }
}

fn index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

fn time(given: TimeOrNow) -> SystemTime {
    match given {
        TimeOrNow::SpecificTime(time) => time,
        TimeOrNow::Now => SystemTime::now(),
    }
}
