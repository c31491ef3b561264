//! Which contents are here and which are absent, and the passage between the two.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bytes::Bytes;
use homefs_core::{Digest, ErrorKind, NodeId, Result, Version};
use rusqlite::OptionalExtension;
use rustc_hash::FxHashSet;

use super::{Base, has_piece, rows};
use crate::record::Content;

/// Puts in the bytes of a small content that is absent.
const FILL: &str = "UPDATE blobs SET bytes = ?2 WHERE digest = ?1 AND length(bytes) = 0";

/// A content that is here: a small one, or a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// What names it.
    pub digest: Digest,
    /// Its length in bytes.
    pub size: u64,
    /// Whether it is a chunk.
    pub(crate) is_chunk: bool,
    /// The nodes that have it, or had it.
    pub nodes: Vec<NodeId>,
    /// Whether a living node has it now, and the last change that named it.
    used: (bool, Version),
}

impl Base {
    /// Puts in the bytes of a small content that is absent or damaged, if a row names it.
    pub fn keep_blob(&self, digest: Digest, bytes: &[u8]) -> Result<()> {
        self.run("keep a content", |inner| {
            inner
                .connection
                .prepare_cached("UPDATE blobs SET bytes = ?2 WHERE digest = ?1")?
                .execute((digest.0, bytes))?;
            inner.fetched = true;
            Ok(())
        })
    }

    /// Makes a small content that was fetched survive power loss; tells whether it is here, as far
    /// as a row names it.
    pub(crate) fn secure_blob(&self, digest: Digest) -> Result<bool> {
        self.run("keep a content", |inner| {
            if inner.fetched {
                super::checkpoint(&inner.connection)?;
                inner.fetched = false;
            }
            let mut statement = inner
                .connection
                .prepare_cached("SELECT length(bytes) > 0 FROM blobs WHERE digest = ?1")?;
            let is_here = statement.query_row([digest.0], |row| row.get(0)).optional()?;
            Ok(is_here.unwrap_or(true))
        })
    }

    /// Makes a small content absent.
    pub(crate) fn give_up_blob(&self, digest: Digest) -> Result<()> {
        self.keep_blob(digest, &[])
    }

    /// Keeps those of several contents that rows name and that are absent.
    pub fn keep_named(&self, brought: &[(Digest, Bytes)]) -> Result<()> {
        let pieces = self.run("keep contents", |inner| {
            let transaction = inner.connection.transaction()?;
            let mut pieces = Vec::new();
            for (digest, bytes) in brought {
                transaction.prepare_cached(FILL)?.execute((digest.0, &bytes[..]))?;
                if has_piece(&transaction, *digest)? {
                    pieces.push((*digest, bytes));
                }
            }
            transaction.commit()?;
            inner.fetched = true;
            Ok(pieces)
        })?;
        for (digest, bytes) in pieces {
            if !self.chunks.is_here(digest)? {
                self.chunks.keep(digest, bytes)?;
            }
        }
        Ok(())
    }

    /// Notes that the remote has chunks, so that their files may be missing, and makes that
    /// durable.
    pub(crate) fn note_remote(&self, chunks: &[Digest]) -> Result<()> {
        self.run("give up chunks", |inner| {
            let transaction = inner.connection.transaction()?;
            for digest in chunks {
                transaction
                    .prepare_cached("UPDATE pieces SET remote = 1 WHERE digest = ?1 AND leaf = 0")?
                    .execute([digest.0])?;
            }
            transaction.commit()?;
            super::checkpoint(&inner.connection)
        })
    }

    /// Tells whether the file of a chunk may be missing because the remote has it; `None` if no
    /// row names the chunk.
    pub fn is_remote(&self, chunk: Digest) -> Result<Option<bool>> {
        self.run("look for a chunk", |inner| {
            let mut statement = inner
                .connection
                .prepare_cached("SELECT remote FROM pieces WHERE digest = ?1 AND leaf = 0")?;
            Ok(statement.query_row([chunk.0], |row| row.get(0)).optional()?)
        })
    }

    /// Returns the small contents and chunks that rows name and that are not here.
    pub fn absent(&self) -> Result<Vec<Digest>> {
        let stored: FxHashSet<Digest> = self.chunks.list()?.into_iter().collect();
        self.run("find absent contents", |inner| {
            let mut statement = inner.connection.prepare(
                "SELECT digest, 0 FROM blobs WHERE length(bytes) = 0
                 UNION ALL SELECT digest, 1 FROM pieces WHERE leaf = 0",
            )?;
            let mut found = statement.query([])?;
            let mut absent = Vec::new();
            while let Some(row) = found.next()? {
                let (digest, is_chunk): (_, bool) = (rows::digest(row, 0)?, row.get(1)?);
                if !(is_chunk && stored.contains(&digest)) {
                    absent.push(digest);
                }
            }
            Ok(absent)
        })
    }

    /// Returns the small contents and chunks that are here: first those that only the past names,
    /// then those of the present, each least recently changed first.
    pub fn present(&self) -> Result<Vec<Present>> {
        let stored: FxHashSet<Digest> = self.chunks.list()?.into_iter().collect();
        let editions = self.run("find the contents that are here", |inner| {
            let mut statement = inner.connection.prepare(
                "SELECT h.node, h.version, n.state = 0 AND n.content_version = h.version,
                     h.size, h.digest, h.leaves
                 FROM history h JOIN nodes n ON n.id = h.node LEFT JOIN blobs b USING (digest)
                 WHERE h.leaves IS NOT NULL OR length(b.bytes) > 0",
            )?;
            let mut found = statement.query([])?;
            let mut editions = Vec::new();
            while let Some(row) = found.next()? {
                let used: (bool, Version) = (row.get(2)?, rows::version(row, 1)?);
                editions.push((rows::id(row, 0)?, used, rows::content(row, 3)?));
            }
            Ok(editions)
        })?;
        let mut present = BTreeMap::new();
        let mut note = |digest, size, is_chunk, node, used| {
            let nodes = Vec::new();
            let fresh = Present { digest, size, is_chunk, nodes, used };
            let known = present.entry((is_chunk, digest)).or_insert(fresh);
            known.used = known.used.max(used);
            known.nodes.push(node);
        };
        // Leaves are read without the lock, since they are files.
        for (node, used, content) in editions {
            match content {
                Content::Inline(_) => {}
                Content::Blob { digest, size } => note(digest, size, false, node, used),
                Content::Chunked { size, leaves } => {
                    // What a damaged leaf names cannot be told, so it stays.
                    let cut = match self.chunks.cut(size, &leaves) {
                        Err(error) if error.kind() == ErrorKind::Corrupt => continue,
                        cut => cut?,
                    };
                    for (chunk, len) in cut {
                        if stored.contains(&chunk) {
                            note(chunk, len, true, node, used);
                        }
                    }
                }
            }
        }
        let mut present: Vec<Present> = present.into_values().collect();
        present.sort_by_key(|here| (here.used, Reverse(here.size)));
        Ok(present)
    }
}
