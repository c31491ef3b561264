//! The nodes of the floor: maps in memory and nothing else.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::time::SystemTime;

use fuser::{Errno, FileAttr, FileType, INodeNo};
use rustc_hash::FxHashMap;

/// The first cookie of a name; smaller ones are those of `.` and `..`.
const COOKIE_FIRST: u64 = 3;

/// Every node, by its inode.
pub(super) struct Tree {
    nodes: FxHashMap<INodeNo, Node>,
    next: u64,
}

/// A file, a directory or a link.
pub(super) struct Node {
    pub(super) attributes: FileAttr,
    /// What a file contains, or where a link leads.
    pub(super) content: Vec<u8>,
    parent: INodeNo,
    /// The names of a directory in the order of their cookies, so that a listing goes on at the
    /// right place although names were removed meanwhile.
    names: BTreeMap<u64, (OsString, INodeNo)>,
    cookies: FxHashMap<OsString, u64>,
    next_cookie: u64,
}

/// What a new node is like.
pub(super) struct Draft<'a> {
    pub(super) kind: FileType,
    pub(super) permissions: u32,
    pub(super) owner: (u32, u32),
    pub(super) content: &'a [u8],
}

/// One name of a listing, with the cookie to go on after it.
pub(super) struct Entry<'a> {
    pub(super) cookie: u64,
    pub(super) name: &'a OsStr,
    pub(super) attributes: &'a FileAttr,
}

impl Tree {
    /// Makes a tree with an empty root.
    pub(super) fn new() -> Self {
        let draft =
            Draft { kind: FileType::Directory, permissions: 0o755, owner: (0, 0), content: &[] };
        let root = Node::new(INodeNo::ROOT, INodeNo::ROOT, &draft);
        Self { nodes: [(INodeNo::ROOT, root)].into_iter().collect(), next: INodeNo::ROOT.0 + 1 }
    }

    /// Returns a node.
    pub(super) fn get(&self, node: INodeNo) -> Result<&Node, Errno> {
        self.nodes.get(&node).ok_or(Errno::ENOENT)
    }

    /// Returns a node to change it.
    pub(super) fn get_mut(&mut self, node: INodeNo) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&node).ok_or(Errno::ENOENT)
    }

    /// Returns what a name stands for.
    pub(super) fn find(&self, parent: INodeNo, name: &OsStr) -> Option<FileAttr> {
        let node = self.nodes.get(&parent)?.node_of(name)?;
        Some(self.nodes.get(&node)?.attributes)
    }

    /// Makes a node.
    pub(super) fn make(
        &mut self,
        parent: INodeNo,
        name: &OsStr,
        draft: &Draft<'_>,
    ) -> Result<FileAttr, Errno> {
        let inode = INodeNo(self.next);
        self.get_mut(parent)?.put(name, inode);
        self.next += 1;
        let node = Node::new(inode, parent, draft);
        let attributes = node.attributes;
        self.nodes.insert(inode, node);
        Ok(attributes)
    }

    /// Gives a node another name.
    pub(super) fn link(
        &mut self,
        inode: INodeNo,
        parent: INodeNo,
        name: &OsStr,
    ) -> Result<FileAttr, Errno> {
        self.get_mut(parent)?.put(name, inode);
        let node = self.get_mut(inode)?;
        node.attributes.nlink += 1;
        Ok(node.attributes)
    }

    /// Removes a name, and returns the node if that was its last.
    pub(super) fn remove(&mut self, parent: INodeNo, name: &OsStr) -> Result<Option<Node>, Errno> {
        let inode = self.get(parent)?.node_of(name).ok_or(Errno::ENOENT)?;
        let node = self.get_mut(inode)?;
        if !node.names.is_empty() {
            return Err(Errno::ENOTEMPTY);
        }
        node.attributes.nlink -= 1;
        let is_last = node.attributes.nlink == 0 || node.attributes.kind == FileType::Directory;
        self.get_mut(parent)?.take(name);
        Ok(if is_last { self.nodes.remove(&inode) } else { None })
    }

    /// Moves a name to another, whose node goes if it had one.
    pub(super) fn rename(
        &mut self,
        from: (INodeNo, &OsStr),
        to: (INodeNo, &OsStr),
    ) -> Result<Option<Node>, Errno> {
        let inode = self.get(from.0)?.node_of(from.1).ok_or(Errno::ENOENT)?;
        let replaced = match self.remove(to.0, to.1) {
            Err(error) if error != Errno::ENOENT => return Err(error),
            replaced => replaced.unwrap_or_default(),
        };
        self.get_mut(from.0)?.take(from.1);
        self.get_mut(to.0)?.put(to.1, inode);
        self.get_mut(inode)?.parent = to.0;
        Ok(replaced)
    }

    /// Returns the names of a directory after a cookie, `.` and `..` included.
    pub(super) fn list(
        &self,
        inode: INodeNo,
        after: u64,
    ) -> Result<impl Iterator<Item = Entry<'_>>, Errno> {
        let node = self.get(inode)?;
        let dots = [(1, ".", &node.attributes), (2, "..", &self.get(node.parent)?.attributes)];
        let dots = dots.into_iter().filter(move |dot| dot.0 > after).map(|dot| Entry {
            cookie: dot.0,
            name: OsStr::new(dot.1),
            attributes: dot.2,
        });
        let names = node.names.range((after + 1).max(COOKIE_FIRST)..);
        let names = names.filter_map(|(&cookie, (name, inode))| {
            Some(Entry { cookie, name, attributes: &self.nodes.get(inode)?.attributes })
        });
        Ok(dots.chain(names))
    }
}

impl Node {
    fn new(inode: INodeNo, parent: INodeNo, draft: &Draft<'_>) -> Self {
        let now = SystemTime::now();
        let attributes = FileAttr {
            ino: inode,
            size: draft.content.len() as u64,
            blocks: 0,
            atime: now,
            mtime: now,
            ctime: now,
            crtime: now,
            kind: draft.kind,
            perm: permission_bits(draft.permissions),
            nlink: if draft.kind == FileType::Directory { 2 } else { 1 },
            uid: draft.owner.0,
            gid: draft.owner.1,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        };
        Self {
            attributes,
            content: draft.content.to_vec(),
            parent,
            names: BTreeMap::new(),
            cookies: FxHashMap::default(),
            next_cookie: COOKIE_FIRST,
        }
    }

    /// Writes into the content, which grows as it must.
    pub(super) fn write(&mut self, offset: usize, bytes: &[u8]) {
        if offset == self.content.len() {
            self.content.extend_from_slice(bytes);
        } else {
            let end = offset + bytes.len();
            self.content.resize(end.max(self.content.len()), 0);
            self.content[offset..end].copy_from_slice(bytes);
        }
        self.touch();
    }

    /// Cuts the content off or fills it with zeros.
    pub(super) fn resize(&mut self, length: usize) {
        self.content.resize(length, 0);
        self.touch();
    }

    fn touch(&mut self) {
        self.attributes.size = self.content.len() as u64;
        self.attributes.blocks = self.attributes.size.div_ceil(512);
        self.attributes.mtime = SystemTime::now();
        self.attributes.ctime = self.attributes.mtime;
    }

    fn node_of(&self, name: &OsStr) -> Option<INodeNo> {
        let cookie = self.cookies.get(name)?;
        self.names.get(cookie).map(|(_, node)| *node)
    }

    fn put(&mut self, name: &OsStr, node: INodeNo) {
        self.cookies.insert(name.to_owned(), self.next_cookie);
        self.names.insert(self.next_cookie, (name.to_owned(), node));
        self.next_cookie += 1;
        self.touch();
    }

    fn take(&mut self, name: &OsStr) {
        if let Some(cookie) = self.cookies.remove(name) {
            self.names.remove(&cookie);
        }
        self.touch();
    }
}

/// Returns the permission bits of a mode.
pub(super) fn permission_bits(mode: u32) -> u16 {
    u16::try_from(mode & 0o7777).unwrap_or(0)
}
