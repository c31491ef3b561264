//! Folding that a file goes on as another node: its lineage and its history move.
//!
//! Lineages are only ever swapped, so no two nodes have the same.

use homefs_core::{NodeId, Version};

use super::super::fault::Fault;
use super::super::rows::{self, NodeState};
use super::super::sweep;
use super::Net;
use crate::record::Content;

impl Net<'_> {
    /// Lets `node` go on as the file that people knew as `old`.
    pub(super) fn succeed(&mut self, node: NodeId, old: NodeId) -> Result<(), Fault> {
        if node == old || !self.is_known(node)? {
            return Ok(());
        }
        if !self.is_known(old)? {
            // It was saved before this machine heard of it, or a damaged base has lost it. Should
            // it come after all, its lineage is the one that is free.
            let mut gone = self.known(node)?.clone();
            gone.clear();
            gone.row.node = old;
            (gone.row.version, gone.row.content_version) = (Version(0), Version(0));
            self.nodes.insert(old, gone);
            self.known(node)?.lineage = old;
            return Ok(());
        }
        // The rows to move, and the contents they name, must be there first.
        self.write_blobs()?;
        self.write_editions()?;
        let lineage = self.known(old)?.lineage;
        let stored = self.known(node)?;
        let before = std::mem::replace(&mut stored.lineage, lineage);
        // The content of a node is the newest of its history, and stays so.
        let newest = match stored.row.content_version {
            Version(0) => Version(i64::MAX.cast_unsigned()),
            version => version,
        };
        let stored = self.known(old)?;
        stored.lineage = before;
        let present = stored.row.content_version;
        if stored.state == NodeState::Living {
            // Its own content stays with it, and is in the history of both.
            self.copy_edition(old, present, node, newest)?;
            let before = if present == Version(0) { newest } else { newest.min(present) };
            return self.move_editions(old, node, before);
        }
        self.move_editions(old, node, newest)?;
        self.keep_rest(old)
    }

    /// Gives the editions before `before` to another node.
    fn move_editions(&self, from: NodeId, to: NodeId, before: Version) -> Result<(), Fault> {
        // One record may have written both; then each keeps its own edition of it.
        self.connection
            .prepare_cached(
                "UPDATE OR IGNORE history SET node = ?2 WHERE node = ?1 AND version < ?3",
            )?
            .execute((from.to_bytes(), to.to_bytes(), before.0.cast_signed()))?;
        // What was copied before is there twice: a file that succeeds its own backup has it.
        for version in self.shared_editions(from, to)? {
            if version < before {
                sweep::drop_edition(self.connection, from, version)?;
            }
        }
        Ok(())
    }

    /// Returns the editions that both nodes have.
    fn shared_editions(&self, one: NodeId, other: NodeId) -> Result<Vec<Version>, Fault> {
        let mut statement = self.connection.prepare_cached(
            "SELECT h.version FROM history h JOIN history o USING (version, size)
             WHERE h.node = ?1 AND o.node = ?2 AND o.digest IS h.digest AND o.leaves IS h.leaves",
        )?;
        let mut found = statement.query((one.to_bytes(), other.to_bytes()))?;
        let mut versions = Vec::new();
        while let Some(row) = found.next()? {
            versions.push(rows::version(row, 0)?);
        }
        Ok(versions)
    }

    /// Gives another node an edition, too, if it is before `before`.
    fn copy_edition(
        &self,
        from: NodeId,
        version: Version,
        to: NodeId,
        before: Version,
    ) -> Result<(), Fault> {
        if version >= before {
            return Ok(());
        }
        let mut copy = self.connection.prepare_cached(
            "INSERT OR IGNORE INTO history
                 SELECT ?3, version, time, agent, size, digest, leaves, machine FROM history
                 WHERE node = ?1 AND version = ?2
             RETURNING size, digest, leaves",
        )?;
        let mut copied = copy.query((from.to_bytes(), version.0.cast_signed(), to.to_bytes()))?;
        let Some(row) = copied.next()? else { return Ok(()) };
        match rows::content(row, 0)? {
            Content::Inline(_) => {}
            Content::Blob { digest, .. } => {
                self.connection
                    .prepare_cached("UPDATE blobs SET refs = refs + 1 WHERE digest = ?1")?
                    .execute([digest.0])?;
            }
            Content::Chunked { leaves, .. } => {
                for leaf in leaves {
                    sweep::hold_leaf(self.connection, self.chunks, leaf, false)?;
                }
            }
        }
        Ok(())
    }

    /// Leaves a removed node what has not moved; without any of it the node is not in the trash,
    /// since all that it held is in the history of another.
    fn keep_rest(&mut self, node: NodeId) -> Result<(), Fault> {
        let rest = {
            let mut statement = self.connection.prepare_cached(
                "SELECT version, size, digest, leaves FROM history WHERE node = ?1
                 ORDER BY version DESC LIMIT 1",
            )?;
            let mut found = statement.query([node.to_bytes()])?;
            found
                .next()?
                .map(|row| Ok::<_, Fault>((rows::version(row, 0)?, rows::content(row, 1)?)))
                .transpose()?
        };
        let stored = self.known(node)?;
        if let Some((version, content)) = rest {
            (stored.row.content_version, stored.row.content) = (version, content);
        } else {
            stored.state = NodeState::Gone;
            stored.row.clear();
        }
        Ok(())
    }

    /// Lets a removed backup go whose content the file that went on has in its history.
    pub(super) fn drop_backup(&mut self, node: NodeId) -> Result<(), Fault> {
        self.write_blobs()?;
        self.write_editions()?;
        let stored = self.known(node)?;
        let (version, successor) = (stored.row.content_version, stored.lineage);
        let kept = super::versions(self.connection, node)? == [version]
            && self.shared_editions(node, successor)? == [version];
        if kept {
            sweep::drop_edition(self.connection, node, version)?;
            self.keep_rest(node)?;
        }
        Ok(())
    }

    /// Tells whether a record made the node.
    fn is_known(&mut self, node: NodeId) -> Result<bool, Fault> {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.nodes.entry(node) {
            let Some(stored) = super::load(self.connection, node)? else { return Ok(false) };
            entry.insert(stored);
        }
        Ok(true)
    }
}
