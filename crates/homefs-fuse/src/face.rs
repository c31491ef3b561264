//! What the kernel talks to: inodes found, names looked up, answers given in time.

use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use fuser::{Errno, FileAttr, INodeNo, ReplyEmpty, ReplyEntry};
use homefs_core::limits::FILE_BYTES_MAX;
use homefs_core::{ErrorKind, Path};
use homefs_view::{MakeNode, NodeRef, Nodes, Stat, plain_mode};

use crate::deadline::{Deadlines, Refuse};
use crate::errno::{Answer, errno, name};
use crate::inodes::{Inode, Inodes};
use crate::invalidation::Invalidations;
use crate::listing::{Line, Listings};
use crate::probe::ProbeFile;
use crate::stat::{GENERATION, file_attr, lifetime};

/// What the kernel talks to.
pub(crate) struct Face {
    pub(crate) nodes: Arc<Nodes>,
    pub(crate) inodes: Arc<Inodes>,
    pub(crate) listings: Listings,
    pub(crate) deadlines: Deadlines,
    pub(crate) invalidations: Arc<Invalidations>,
    /// Who mounted it, and so owns what belongs to nobody.
    pub(crate) owner: (u32, u32),
    /// Whether special bits are shown and kept.
    pub(crate) special: bool,
}

/// An entry for the kernel: attributes, and how long it may keep them.
pub(crate) type Entry = (FileAttr, Duration);

impl Face {
    /// Runs a handler and answers: with what it returns, with an error, or with an input/output
    /// error if it panics.
    pub(crate) fn serve<R: Refuse, T>(
        &self,
        reply: R,
        handler: impl FnOnce() -> Answer<T>,
        answer: impl FnOnce(R, T),
    ) {
        let pending = self.deadlines.begin(reply);
        let outcome = survive(handler);
        let Some(reply) = pending.take() else { return };
        match outcome {
            Ok(value) => answer(reply, value),
            Err(errno) => reply.refuse(errno),
        }
    }

    /// Answers once everything acknowledged so far survives power loss, without keeping the
    /// thread meanwhile. A small file that is given becomes a version of its history.
    pub(crate) fn sync(&self, node: Option<&NodeRef>, reply: ReplyEmpty) {
        let pending = self.deadlines.begin(reply);
        let settle = || node.map_or(Ok(()), |node| self.nodes.settle(node));
        let settled = survive(|| settle().map_err(errno));
        self.nodes.barrier_then(move |barrier| {
            let Some(reply) = pending.take() else { return };
            match settled.and(barrier.map_err(errno)) {
                Ok(()) => reply.ok(),
                Err(errno) => reply.error(errno),
            }
        });
    }

    pub(crate) fn inode(&self, number: INodeNo) -> Answer<Inode> {
        self.inodes.get(number.0).ok_or(Errno::ESTALE)
    }

    pub(crate) fn node(&self, number: INodeNo) -> Answer<NodeRef> {
        match self.inode(number)? {
            Inode::Node(node) => Ok(node),
            Inode::Probe(_) => Err(Errno::EPERM),
        }
    }

    /// Tells the kernel of a node that the engine has just held for it.
    pub(crate) fn entry(&self, node: &NodeRef, stat: &Stat) -> Entry {
        let number = self.inodes.remember(node, stat);
        self.known_entry(number, stat)
    }

    /// Tells the kernel of a node that it knows.
    pub(crate) fn known_entry(&self, number: u64, stat: &Stat) -> Entry {
        let mode = if self.special { stat.mode } else { plain_mode(stat.mode) };
        (file_attr(number, stat, mode), lifetime(stat, || self.nodes.now()))
    }

    /// Answers with a node that the kernel may not know yet.
    pub(crate) fn answer_entry(&self, reply: ReplyEntry, (attr, lifetime): Entry) {
        reply.entry_with_ttls(&self.first_lifetime(lifetime), &lifetime, &attr, GENERATION);
    }

    /// Returns how long the kernel may keep the first attributes of a node: while others change
    /// things, not at all, since it cannot be told to forget what is still on its way to it.
    pub(crate) fn first_lifetime(&self, lifetime: Duration) -> Duration {
        if self.invalidations.is_busy() { Duration::ZERO } else { lifetime }
    }

    /// Returns how long the kernel may keep attributes that it asked for: while others change the
    /// node, not at all.
    pub(crate) fn next_lifetime(&self, number: INodeNo, lifetime: Duration) -> Duration {
        if self.invalidations.is_changing(number.0) { Duration::ZERO } else { lifetime }
    }

    /// Finds a name; `None` if it means nothing and the kernel may remember that.
    pub(crate) fn find(&self, parent: INodeNo, text: &str) -> Answer<Option<Entry>> {
        let directory = self.node(parent)?;
        match self.look_up(&directory, text) {
            Ok(entry) => Ok(Some(entry)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if text.contains(':')
                    && let Some(entry) = self.ask_probe(&directory, text)?
                {
                    return Ok(Some(entry));
                }
                // What appears when somebody grants something cannot be told by name.
                let may_appear = directory.space().is_none() || text == "shared";
                if may_appear || text.contains(':') { Err(Errno::ENOENT) } else { Ok(None) }
            }
            Err(error) => Err(errno(error)),
        }
    }

    /// Looks a node up for the kernel to know.
    pub(crate) fn look_up(&self, directory: &NodeRef, text: &str) -> homefs_core::Result<Entry> {
        let seen = self.invalidations.count();
        let (node, stat) = self.nodes.lookup(directory, text)?;
        let entry = self.entry(&node, &stat);
        if seen == self.invalidations.count() {
            return Ok(entry);
        }
        // Changed before the kernel could be told to forget it.
        let stat = self.nodes.stat(&node).inspect_err(|_| self.forget_one(entry.0.ino.0, 1))?;
        Ok(self.known_entry(entry.0.ino.0, &stat))
    }

    fn ask_probe(&self, directory: &NodeRef, text: &str) -> Answer<Option<Entry>> {
        let asked = || -> homefs_core::Result<Option<ProbeFile>> {
            let path: Path = self.nodes.path(directory)?;
            ProbeFile::ask(self.nodes.paths(), &path, text, self.nodes.now())
        };
        let Some(probe) = asked().map_err(errno)? else { return Ok(None) };
        let (number, probe) = self.inodes.remember_probe(probe);
        Ok(Some((probe.attr(number, self.owner), Duration::ZERO)))
    }

    pub(crate) fn forget_one(&self, number: u64, count: u64) {
        if let Some(node) = self.inodes.forget(number, count) {
            self.nodes.release(&node, count);
        }
    }

    pub(crate) fn make(&self, parent: INodeNo, text: &OsStr, make: &MakeNode<'_>) -> Answer<Entry> {
        let directory = self.node(parent)?;
        let new = self.nodes.make(&directory, name(text)?, make);
        let (node, stat) = new.map_err(errno)?;
        Ok(self.entry(&node, &stat))
    }

    pub(crate) fn remove(&self, parent: INodeNo, text: &OsStr, directory: bool) -> Answer<()> {
        let removed = self.nodes.remove(&self.node(parent)?, name(text)?, directory);
        removed.map_err(errno)
    }

    pub(crate) fn attr(&self, number: INodeNo) -> Answer<Entry> {
        match self.inode(number)? {
            Inode::Node(node) => {
                let stat = self.nodes.stat(&node).map_err(errno)?;
                Ok(self.known_entry(number.0, &stat))
            }
            Inode::Probe(probe) => Ok((probe.attr(number.0, self.owner), Duration::ZERO)),
        }
    }

    /// Returns a directory, its names in the order of places, and where those after a place begin.
    pub(crate) fn lines(
        &self,
        number: INodeNo,
        place: u64,
    ) -> Answer<(NodeRef, Arc<Vec<Line>>, usize)> {
        let node = self.node(number)?;
        let found = self.listings.after(&self.nodes, &self.inodes, (number.0, &node), place);
        let (lines, from) = found.map_err(errno)?;
        Ok((node, lines, from))
    }

    pub(crate) fn write_at(
        &self,
        number: INodeNo,
        offset: u64,
        data: &[u8],
        append: bool,
    ) -> Answer<()> {
        let node = match self.inode(number)? {
            Inode::Node(node) => node,
            Inode::Probe(probe) => {
                let written = probe.write(self.nodes.paths(), offset, data);
                return written.map_err(errno);
            }
        };
        if offset.saturating_add(data.len() as u64) > FILE_BYTES_MAX {
            return Err(Errno::EFBIG);
        }
        let at = (!append).then_some(offset);
        let start = self.nodes.write(&node, at, data).map_err(errno)?;
        if start != offset {
            // Somebody else has appended meanwhile: the kernel keeps the bytes at the old end.
            self.invalidations.forget_inode(number.0);
        }
        Ok(())
    }
}

/// Runs a handler; one that panics is an input/output error, and the mount goes on.
fn survive<T>(handler: impl FnOnce() -> Answer<T>) -> Answer<T> {
    catch_unwind(AssertUnwindSafe(handler)).unwrap_or_else(|_| {
        tracing::error!("a call through the mount panicked");
        Err(Errno::EIO)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_that_panics_is_an_input_output_error() {
        let answer: Answer<()> = survive(|| panic!("a defect"));
        assert_eq!(answer.map_err(Errno::code), Err(libc::EIO));
    }
}
