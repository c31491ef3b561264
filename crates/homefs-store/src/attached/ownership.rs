//! How what a source has becomes the space's own: at the first change, in the record of it.

use homefs_core::limits::FILE_BYTES_MAX;
use homefs_core::{Error, ErrorKind, NodeId, SOURCE_READ_BYTES_MAX};

use super::listing::is_gone;
use crate::chunks::{ChunkWriter, Pins};
use crate::guard::Permit;
use crate::observers::Audience;
use crate::record::Content;
use crate::space::{Author, Space};
use crate::tree::{Halt, Owned, fail};

/// How often a file is read again that changes while it is read.
const TRIES: usize = 3;

impl Space {
    /// Makes a file of a source the space's own, with its content.
    pub fn take_over(&self, node: NodeId) -> Result<(), Halt> {
        let at = {
            let tree = self.tree.read();
            tree.check_writable(node)?;
            tree.sourced_at(node)
        };
        let Some((root, path)) = at else { return Ok(()) };
        let (content, pins) = self.copy_of(root, &path)?;
        let author = Author { audience: Audience::Nobody, ..Author::new(self.name.keeper()) };
        {
            let mut tree = self.tree.memory();
            if tree.is_orphan(node) {
                tree.own_orphan(node, content);
                drop(tree);
                self.hold_for_orphan(node, pins);
                return Ok(());
            }
        }
        let done = self.change_now(&author, Permit::follower(), |tree, draft| {
            if !tree.sources().has(node) {
                return Ok(());
            }
            let mut owned = Owned::new(tree);
            owned.leaf(node)?;
            draft.changes = owned.changes;
            draft.changes.extend(owned.hidden);
            let attrs = tree.node(node)?.attrs.clone();
            draft.push_content(node, content.clone(), Some(attrs));
            // Who waits for it may see only a part.
            tree.check_quota(tree.usage_after(&draft.changes), false)
        })?;
        self.hold(done.version, pins);
        Ok(())
    }

    /// Copies a file of a source into the space's contents.
    fn copy_of(&self, root: NodeId, path: &homefs_core::Path) -> Result<(Content, Pins), Halt> {
        let source = self.source(root)?;
        for attempt in 1.. {
            let before = source.stat(path)?;
            let size = before.size_bytes.unwrap_or_default();
            self.check_room(size)?;
            let mut writer = ChunkWriter::new(&self.chunks);
            let mut offset = 0;
            loop {
                let part = source.read(path, offset, SOURCE_READ_BYTES_MAX);
                let part = self.heard(root, part)?;
                writer.push(&part)?;
                offset += part.len() as u64;
                // One that grows as fast as it is read is another one by now.
                let has_grown = before.size_bytes.is_some() && offset > size;
                if part.len() < SOURCE_READ_BYTES_MAX || has_grown {
                    break;
                }
            }
            let after = source.stat(path);
            let is_same = match &after {
                Ok(after) => after.tag == before.tag,
                Err(error) => !is_gone(error),
            };
            if is_same {
                return Ok(writer.finish()?);
            }
            if attempt >= TRIES {
                let message = "the source changes the file while it is copied";
                return Err(fail(ErrorKind::Unavailable, message));
            }
        }
        Err(fail(ErrorKind::Internal, "a file was never copied"))
    }

    /// Refuses a copy of so many bytes for which there cannot be room: it would be found out after
    /// hours.
    pub fn check_room(&self, bytes: u64) -> homefs_core::Result<()> {
        // Where nobody knows, trying tells.
        let free = self.ground.disk.space_bytes(&self.dir).map_or(u64::MAX, |(free, _)| free);
        if bytes > FILE_BYTES_MAX.min(free) {
            let message = format!("there is no room for a copy of {bytes} bytes");
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        Ok(())
    }
}
