//! Checks of a whole base.

use homefs_core::{Digest, NodeId, Result};
use rusqlite::{Connection, Row};
use rustc_hash::FxHashMap;

use super::fault::Fault;
use super::{Base, has_piece, rows};
use crate::chunks::Chunks;
use crate::record::Content;

/// Something that should not be so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// What it is about: a file on the host, a node, a content.
    pub(crate) subject: String,
    /// What is wrong with it.
    pub(crate) problem: String,
}

/// Where findings go.
type Visit<'a> = &'a mut dyn FnMut(Finding);

/// Rows that should not exist: what they are about is in the first column.
const QUERIES: [(&str, &str, &str); 10] = [
    (
        "node",
        "a name leads to it, but it does not live",
        "SELECT node FROM entries WHERE node NOT IN (SELECT id FROM nodes WHERE state = 0)",
    ),
    (
        "node",
        "it holds names, but is no living directory",
        "SELECT DISTINCT parent FROM entries
         WHERE parent NOT IN (SELECT id FROM nodes WHERE state = 0 AND kind = 1)",
    ),
    (
        "node",
        "no name leads to it from the root",
        "WITH RECURSIVE reached (id) AS (
             SELECT x'00000000000000000000000000000001'
             UNION SELECT node FROM entries JOIN reached ON parent = reached.id)
         SELECT id FROM nodes WHERE state = 0 AND id NOT IN reached",
    ),
    (
        "node",
        "its number of names is not what is stored",
        "SELECT id FROM nodes WHERE state = 0 AND kind <> 1
             AND links <> (SELECT count(*) FROM entries WHERE node = id)",
    ),
    (
        "node",
        "its content is not the newest of its history",
        "SELECT id FROM nodes n WHERE state < 2 AND content_version > 0 AND NOT EXISTS (
             SELECT 1 FROM history h WHERE h.node = n.id AND h.version = n.content_version
                 AND h.size = n.size AND h.digest IS n.digest AND h.leaves IS n.leaves)",
    ),
    (
        "node",
        "its history is newer than its content",
        "SELECT id FROM nodes WHERE state < 2 AND content_version > 0 AND content_version
             < (SELECT max(version) FROM history WHERE node = id)",
    ),
    (
        "node",
        "another living node has its lineage",
        "SELECT id FROM nodes n WHERE state = 0 AND EXISTS (
             SELECT 1 FROM nodes o WHERE o.lineage = ifnull(n.lineage, n.id)
                 AND o.lineage IS NOT NULL AND o.state = 0 AND o.id <> n.id)",
    ),
    (
        "node",
        "it has a history, but is not there",
        "SELECT DISTINCT node FROM history
         WHERE node NOT IN (SELECT id FROM nodes WHERE state < 2)",
    ),
    (
        "content",
        "it is named, but missing",
        "SELECT DISTINCT digest FROM history
         WHERE digest IS NOT NULL AND digest NOT IN (SELECT digest FROM blobs)",
    ),
    (
        "content",
        "its references are not counted right",
        "SELECT digest FROM blobs LEFT JOIN
             (SELECT digest, count(*) AS named FROM history WHERE digest IS NOT NULL
              GROUP BY digest) USING (digest)
         WHERE refs <> ifnull(named, 0)",
    ),
];

impl Base {
    /// Checks everything stored and tells what is wrong; an error ends the check itself. What is
    /// absent is right if the lender has it, and without a lender it is taken for right.
    pub(crate) fn verify(&self, visit: Visit<'_>) -> Result<()> {
        let mut absent = Vec::new();
        let pieces = self.run("check the base", |inner| {
            let connection = &inner.connection;
            if !integrity(connection, &self.file.to_string_lossy(), visit)? {
                // Queries on damaged pages would only repeat it.
                return Ok(Vec::new());
            }
            for (what, problem, sql) in QUERIES {
                visit_rows(connection, sql, |row| {
                    let id = hex(row.get_ref(0)?.as_blob()?);
                    visit(Finding { subject: format!("{what} {id}"), problem: problem.into() });
                    Ok(())
                })?;
            }
            usage(connection, visit)?;
            blobs(connection, &mut absent, visit)?;
            references(connection, &self.chunks, visit)
        })?;
        // Files are read without the lock, since they may be many and large.
        for digest in pieces {
            let Err(error) = self.chunks.get_here(digest) else { continue };
            if !self.chunks.is_here(digest)? && self.is_remote(digest)? == Some(true) {
                absent.push(digest);
                continue;
            }
            // A damaged one is healed where that is possible, and else told of. It may have been
            // released in the meantime.
            let healed = self.chunks.lender().is_some() && self.chunks.get(digest).is_ok();
            if !healed
                && self.run("check the base", |inner| has_piece(&inner.connection, digest))?
            {
                let subject = error.path().unwrap_or_default().to_owned();
                visit(Finding { subject, problem: error.message().into() });
            }
        }
        let Some(lender) = self.chunks.lender() else {
            if !absent.is_empty() {
                tracing::info!(count = absent.len(), "contents are only in the remote");
            }
            return Ok(());
        };
        for digest in absent.into_iter().filter(|digest| !lender.has(*digest)) {
            let problem = "it is neither here nor in the remote".into();
            visit(Finding { subject: format!("content {digest}"), problem });
        }
        Ok(())
    }
}

fn integrity(connection: &Connection, file: &str, visit: Visit<'_>) -> Result<bool, Fault> {
    let mut sound = true;
    visit_rows(connection, "PRAGMA integrity_check", |row| {
        let line = row.get_ref(0)?.as_str()?;
        if line != "ok" {
            sound = false;
            visit(Finding { subject: file.into(), problem: line.into() });
        }
        Ok(())
    })?;
    Ok(sound)
}

fn usage(connection: &Connection, visit: Visit<'_>) -> Result<(), Fault> {
    let stored = rows::folded(connection)?.usage;
    visit_rows(
        connection,
        "SELECT ifnull(sum(size), 0), count(*) FROM nodes
         WHERE state = 0 AND id <> x'00000000000000000000000000000001'",
        |row| {
            let (bytes, nodes) = (rows::number(row, 0)?, rows::number(row, 1)?);
            if (bytes, nodes) != (stored.bytes, stored.nodes) {
                let problem = format!(
                    "{bytes} bytes in {nodes} nodes live here, but {} bytes in {} nodes are noted",
                    stored.bytes, stored.nodes
                );
                visit(Finding { subject: "usage".into(), problem });
            }
            Ok(())
        },
    )
}

/// Checks every small content, and that every row can be read; collects what is absent.
fn blobs(connection: &Connection, absent: &mut Vec<Digest>, visit: Visit<'_>) -> Result<(), Fault> {
    visit_rows(connection, "SELECT digest, bytes FROM blobs", |row| {
        let digest = rows::digest(row, 0)?;
        if row.get_ref(1)?.as_blob()?.is_empty() {
            absent.push(digest);
        } else if Digest::of(row.get_ref(1)?.as_blob()?) != digest {
            let problem = "it is not what was written".into();
            visit(Finding { subject: format!("content {digest}"), problem });
        }
        Ok(())
    })?;
    let (columns, rest) = (rows::NODE, rows::STORED);
    let sql = format!("SELECT {columns}, {rest} FROM nodes n");
    visit_rows(connection, &sql, |row| {
        if let Err(fault) = rows::stored(row) {
            let node = rows::id(row, 0).unwrap_or(NodeId(0));
            visit(Finding { subject: format!("node {node}"), problem: fault.to_string() });
        }
        Ok(())
    })
}

/// Counts the references to chunks and leaves again; returns all that have a row.
fn references(
    connection: &Connection,
    chunks: &Chunks,
    visit: Visit<'_>,
) -> Result<Vec<Digest>, Fault> {
    let mut counted: FxHashMap<(Digest, bool), u64> = FxHashMap::default();
    let named = "SELECT size, digest, leaves FROM history WHERE leaves IS NOT NULL";
    visit_rows(connection, named, |row| {
        if let Content::Chunked { leaves, .. } = rows::content(row, 0)? {
            for leaf in leaves.into_iter().filter(|&leaf| leaf != Digest::HOLE) {
                *counted.entry((leaf, true)).or_default() += 1;
            }
        }
        Ok(())
    })?;
    let mut pieces = Vec::new();
    visit_rows(connection, "SELECT digest, leaf, refs FROM pieces", |row| {
        let (digest, is_leaf) = (rows::digest(row, 0)?, row.get(1)?);
        pieces.push((digest, is_leaf, rows::number(row, 2)?));
        // A leaf that cannot be read is found when its file is checked.
        if is_leaf && let Ok(digests) = chunks.leaf_digests(digest) {
            for chunk in digests.into_iter().filter(|&chunk| chunk != Digest::HOLE) {
                *counted.entry((chunk, false)).or_default() += 1;
            }
        }
        Ok(())
    })?;
    for &(digest, is_leaf, refs) in &pieces {
        let found = counted.remove(&(digest, is_leaf)).unwrap_or(0);
        if found != refs {
            let problem = format!("{refs} references are noted, but {found} found");
            visit(Finding { subject: format!("chunk {digest}"), problem });
        }
    }
    for (digest, _) in counted.into_keys() {
        let problem = "it is named, but missing".into();
        visit(Finding { subject: format!("chunk {digest}"), problem });
    }
    pieces.dedup_by_key(|piece| piece.0);
    Ok(pieces.into_iter().map(|(digest, ..)| digest).collect())
}

fn visit_rows(
    connection: &Connection,
    sql: &str,
    mut each: impl FnMut(&Row<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut statement = connection.prepare(sql)?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        each(row)?;
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        text.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or_default());
        text.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or_default());
    }
    text
}
