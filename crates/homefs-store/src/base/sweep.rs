//! References to contents, and the end of contents that have none.

use homefs_core::{Digest, ErrorKind, NodeId, Version};
use rusqlite::Connection;

use super::fault::Fault;
use super::{Inner, has_piece, rows};
use crate::chunks::Chunks;
use crate::record::Content;

/// Takes one reference to a leaf; a leaf that had no row takes one to each of its chunks. `pulled`
/// says that the remote has the chunks, so that they may be absent here.
pub(super) fn hold_leaf(
    connection: &Connection,
    chunks: &Chunks,
    leaf: Digest,
    pulled: bool,
) -> Result<(), Fault> {
    if leaf == Digest::HOLE {
        return Ok(());
    }
    let known = connection
        .prepare_cached("UPDATE pieces SET refs = refs + 1 WHERE digest = ?1 AND leaf = 1")?
        .execute([leaf.0])?;
    if known > 0 {
        return Ok(());
    }
    connection
        .prepare_cached("INSERT INTO pieces (digest, leaf, refs) VALUES (?1, 1, 1)")?
        .execute([leaf.0])?;
    let mut hold = connection.prepare_cached(
        "INSERT INTO pieces (digest, leaf, refs, remote) VALUES (?1, 0, 1, ?2)
         ON CONFLICT (digest, leaf) DO UPDATE SET refs = refs + 1",
    )?;
    for chunk in chunks.leaf_digests(leaf)? {
        if chunk != Digest::HOLE {
            hold.execute((chunk.0, pulled))?;
        }
    }
    Ok(())
}

/// Takes one reference to a leaf for a row that was saved: one that is lost is held all the same,
/// and its chunks when it comes back.
pub(super) fn hold_saved_leaf(
    connection: &Connection,
    chunks: &Chunks,
    leaf: Digest,
) -> Result<(), Fault> {
    match hold_leaf(connection, chunks, leaf, false) {
        Err(Fault::Told(error)) if error.kind() == ErrorKind::Corrupt => Ok(()),
        held => held,
    }
}

/// Deletes one row of the history and gives back what it held, which is returned.
pub(super) fn drop_edition(
    connection: &Connection,
    node: NodeId,
    version: Version,
) -> Result<Option<Content>, Fault> {
    let mut statement = connection.prepare_cached(
        "DELETE FROM history WHERE node = ?1 AND version = ?2 RETURNING size, digest, leaves",
    )?;
    let mut dropped = statement.query((node.to_bytes(), version.0.cast_signed()))?;
    let mut content = None;
    while let Some(row) = dropped.next()? {
        let held = rows::content(row, 0)?;
        release(connection, &held)?;
        content = Some(held);
    }
    Ok(content)
}

fn release(connection: &Connection, content: &Content) -> Result<(), Fault> {
    match content {
        Content::Inline(_) => {}
        Content::Blob { digest, .. } => {
            connection
                .prepare_cached("UPDATE blobs SET refs = refs - 1 WHERE digest = ?1")?
                .execute([digest.0])?;
        }
        Content::Chunked { leaves, .. } => {
            let mut statement = connection.prepare_cached(
                "UPDATE pieces SET refs = refs - 1 WHERE digest = ?1 AND leaf = 1",
            )?;
            for leaf in leaves {
                statement.execute([leaf.0])?;
            }
        }
    }
    Ok(())
}

/// Deletes the rows of contents that nothing refers to and no waiting record may name. Returns
/// the chunks and leaves among them, whose files go after the next checkpoint.
///
/// A row that is pinned stays, without references, until a later sweep. While the row of a leaf
/// stays, so do its chunks; hence who pins a leaf that has a row need not pin its chunks.
pub(super) fn sweep(connection: &Connection, chunks: &Chunks) -> Result<Vec<Digest>, Fault> {
    let mut delete = connection.prepare_cached("DELETE FROM blobs WHERE digest = ?1")?;
    for (digest, _) in unused(connection, chunks, "SELECT digest, 0 FROM blobs WHERE refs = 0")? {
        delete.execute([digest.0])?;
    }
    let mut delete =
        connection.prepare_cached("DELETE FROM pieces WHERE digest = ?1 AND leaf = ?2")?;
    let mut release = connection
        .prepare_cached("UPDATE pieces SET refs = refs - 1 WHERE digest = ?1 AND leaf = 0")?;
    let mut dead = Vec::new();
    loop {
        let pieces = unused(connection, chunks, "SELECT digest, leaf FROM pieces WHERE refs = 0")?;
        if pieces.is_empty() {
            return Ok(dead);
        }
        for (digest, is_leaf) in pieces {
            delete.execute((digest.0, is_leaf))?;
            dead.push(digest);
            if !is_leaf {
                continue;
            }
            match chunks.leaf_digests(digest) {
                Ok(digests) => {
                    for chunk in digests {
                        release.execute([chunk.0])?;
                    }
                }
                // Damage of something unused must not stop the fold. Its chunks stay, and
                // `verify` tells of them.
                Err(error) if error.kind() == ErrorKind::Corrupt => {
                    tracing::warn!(%error, "a leaf is damaged, so its chunks cannot be released");
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn unused(
    connection: &Connection,
    chunks: &Chunks,
    sql: &str,
) -> Result<Vec<(Digest, bool)>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query([])?;
    let mut digests = Vec::new();
    while let Some(row) = found.next()? {
        let digest = rows::digest(row, 0)?;
        if !chunks.is_pinned(digest) {
            digests.push((digest, row.get(1)?));
        }
    }
    Ok(digests)
}

/// Removes the files of chunks without a row, after a checkpoint made that durable.
pub(super) fn remove_files(inner: &mut Inner, chunks: &Chunks) -> Result<(), Fault> {
    // What a writer let go may have no row because its record was never appended.
    inner.dying.extend(chunks.take_loose());
    while let Some(&digest) = inner.dying.last() {
        if !has_piece(&inner.connection, digest)? {
            chunks.remove(digest)?;
        }
        inner.dying.pop();
    }
    Ok(())
}
