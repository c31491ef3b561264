//! Erasing contents of the past: by the node that had them, or by what names them.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::{Digest, ErrorKind, NodeId, Version};
use rusqlite::Connection;

use super::super::fault::Fault;
use super::super::rows::{self, NodeState};
use super::super::{has_piece, sweep};
use super::{Net, load, versions};
use crate::chunks::Chunks;
use crate::record::{Content, Record};

impl Net<'_> {
    /// Erases the past of a node.
    pub(super) fn purge(&mut self, record: &Record, node: NodeId) -> Result<(), Fault> {
        // The rows to delete must be there first.
        self.write()?;
        let Some(mut stored) = load(self.connection, node)? else {
            return Ok(());
        };
        stored.row.version = record.version;
        stored.agent = Some(record.agent.clone());
        let lives = stored.state == NodeState::Living;
        if !lives {
            stored.clear();
        }
        for version in versions(self.connection, node)? {
            if !(lives && version == stored.row.content_version)
                && let Some(dropped) = sweep::drop_edition(self.connection, node, version)?
            {
                let named = named_by(self.chunks, &dropped)?.into_iter();
                self.purged.extend(named.map(|digest| (digest, record.version)));
            }
        }
        self.nodes.insert(node, stored);
        Ok(())
    }

    /// Erases the past contents that these digests name.
    pub(super) fn erase(&mut self, record: &Record, digests: &[Digest]) -> Result<(), Fault> {
        // The rows to delete must be there first.
        self.write()?;
        for (node, version) in editions(self.connection, self.chunks, digests)? {
            let Some(mut stored) = load(self.connection, node)? else { continue };
            if version != stored.row.content_version {
                sweep::drop_edition(self.connection, node, version)?;
            } else if stored.state == NodeState::Trashed {
                // Without its last content there is nothing to bring back.
                for version in versions(self.connection, node)? {
                    sweep::drop_edition(self.connection, node, version)?;
                }
                stored.clear();
                stored.row.version = record.version;
                rows::write_node(self.connection, &stored)?;
            }
        }
        Ok(())
    }
}

/// Notes what purges have left without any reference.
pub(super) fn note_purged(
    connection: &Connection,
    purged: &BTreeMap<Digest, Version>,
) -> Result<(), Fault> {
    let mut note = connection.prepare_cached(
        "INSERT OR REPLACE INTO purged SELECT ?1, ?2
         WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE digest = ?1 AND refs > 0)
             AND NOT EXISTS (SELECT 1 FROM pieces WHERE digest = ?1 AND refs > 0)",
    )?;
    for (digest, version) in purged {
        note.execute((digest.0, version.0.cast_signed()))?;
    }
    Ok(())
}

/// Returns the rows of the history whose content one of the digests names.
fn editions(
    connection: &Connection,
    chunks: &Chunks,
    digests: &[Digest],
) -> Result<Vec<(NodeId, Version)>, Fault> {
    let digests: BTreeSet<Digest> = digests.iter().copied().collect();
    let mut is_piece = false;
    for &digest in &digests {
        is_piece = is_piece || has_piece(connection, digest)?;
    }
    // Leaves are read only where one of them may be meant.
    let which = if is_piece { "" } else { "WHERE digest IS NOT NULL" };
    let sql = format!("SELECT node, version, size, digest, leaves FROM history {which}");
    let mut statement = connection.prepare(&sql)?;
    let mut found = statement.query([])?;
    let mut editions = Vec::new();
    while let Some(row) = found.next()? {
        let named = named_by(chunks, &rows::content(row, 2)?)?;
        if named.iter().any(|digest| digests.contains(digest)) {
            editions.push((rows::id(row, 0)?, rows::version(row, 1)?));
        }
    }
    Ok(editions)
}

/// Returns everything that a content names: itself, or its leaves and chunks.
fn named_by(chunks: &Chunks, content: &Content) -> Result<Vec<Digest>, Fault> {
    let leaves = match content {
        Content::Inline(_) => return Ok(Vec::new()),
        Content::Blob { digest, .. } => return Ok(vec![*digest]),
        Content::Chunked { leaves, .. } => leaves,
    };
    let mut named = leaves.clone();
    for &leaf in leaves.iter().filter(|leaf| **leaf != Digest::HOLE) {
        match chunks.leaf_digests(leaf) {
            Ok(digests) => named.extend(digests),
            // What a damaged leaf names is known to nobody, and must not stop the fold.
            Err(error) if error.kind() == ErrorKind::Corrupt => {}
            Err(error) => return Err(error.into()),
        }
    }
    named.retain(|digest| *digest != Digest::HOLE);
    Ok(named)
}
