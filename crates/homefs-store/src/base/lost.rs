//! Contents that cannot be read: whose they are, and what becomes of a leaf that came back.

use homefs_core::{Digest, NodeId, Result};
use rusqlite::{Connection, OptionalExtension};

use super::fault::Fault;
use super::verify::{About, Finding, Lost, Visit, counted, visit_rows};
use super::{Base, rows};
use crate::chunks::Chunks;
use crate::record::Content;

/// No path has so many names.
const DEPTH_MAX: usize = 4096;

/// Tells of every edition of a file whose content cannot be read, by its paths; a content that no
/// row names is told of by itself.
pub(super) fn name(
    connection: &Connection,
    chunks: &Chunks,
    lost: &Lost,
    visit: Visit<'_>,
) -> Result<(), Fault> {
    if lost.is_empty() {
        return Ok(());
    }
    let mut unnamed = lost.clone();
    let sql = "SELECT h.node, h.version, n.content_version = h.version, n.state, n.path,
             h.size, h.digest, h.leaves
         FROM history h JOIN nodes n ON n.id = h.node
         WHERE h.digest IS NOT NULL OR h.leaves IS NOT NULL";
    visit_rows(connection, sql, |row| {
        let content = rows::content(row, 5)?;
        let lacking: Vec<Digest> =
            pieces(&content, chunks).into_iter().filter(|piece| lost.contains_key(piece)).collect();
        let Some(problem) = lacking.first().and_then(|piece| lost.get(piece)) else {
            return Ok(());
        };
        for piece in &lacking {
            unnamed.remove(piece);
        }
        let node = rows::id(row, 0)?;
        let (is_present, state): (bool, i64) = (row.get(2)?, row.get(3)?);
        let mut subjects = match row.get::<_, Option<String>>(4)? {
            Some(path) if state != 0 => vec![format!("{path} in the trash")],
            _ => paths_of(connection, node),
        };
        if subjects.is_empty() {
            subjects.push(format!("node {node}"));
        }
        let version = rows::version(row, 1)?;
        for subject in subjects {
            let subject =
                if is_present { subject } else { format!("{subject} at version {version}") };
            visit(Finding { subject, problem: problem.clone(), about: About::Content });
        }
        Ok(())
    })?;
    for (digest, problem) in unnamed {
        visit(Finding { subject: format!("content {digest}"), problem, about: About::Content });
    }
    Ok(())
}

/// Returns everything that a content is made of, as far as that can be told.
fn pieces(content: &Content, chunks: &Chunks) -> Vec<Digest> {
    match content {
        Content::Inline(_) => Vec::new(),
        Content::Blob { digest, .. } => vec![*digest],
        Content::Chunked { leaves, .. } => {
            let below = leaves.iter().filter_map(|leaf| chunks.leaf_digests(*leaf).ok()).flatten();
            leaves.iter().copied().chain(below.collect::<Vec<_>>()).collect()
        }
    }
}

/// Returns a path of a node, if names lead to it from the root.
pub(super) fn path_of(connection: &Connection, node: NodeId) -> Option<String> {
    let (mut path, mut at) = (String::new(), node);
    for _ in 0..DEPTH_MAX {
        if at == NodeId::ROOT {
            return Some(if path.is_empty() { "/".into() } else { path });
        }
        let mut statement = connection
            .prepare_cached("SELECT parent, name FROM entries WHERE node = ?1 LIMIT 1")
            .ok()?;
        let up = statement.query_row([at.to_bytes()], |row| Ok((row.get(0)?, row.get(1)?)));
        let (above, name): ([u8; 16], String) = up.optional().ok()??;
        path = format!("/{name}{path}");
        at = NodeId::from_bytes(above);
    }
    None
}

/// Returns every path of a node, as far as names lead to it from the root.
fn paths_of(connection: &Connection, node: NodeId) -> Vec<String> {
    let mut paths = Vec::new();
    let sql = format!("SELECT parent, name FROM entries WHERE node = x'{node}' ORDER BY 1, 2");
    let found = visit_rows(connection, &sql, |row| {
        let name: String = row.get(1)?;
        let above = path_of(connection, rows::id(row, 0)?);
        paths.extend(above.map(|above| format!("{}/{name}", above.trim_end_matches('/'))));
        Ok(())
    });
    // What cannot be read is damage that is told of by itself.
    found.ok();
    paths
}

impl Base {
    /// Returns a path of a node, if names lead to it from the root.
    pub fn path_of(&self, node: NodeId) -> Result<Option<String>> {
        self.run("find the path of a node", |inner| Ok(path_of(&inner.connection, node)))
    }

    /// Holds the chunks of leaves that came back, and counts all references anew.
    pub(super) fn hold_healed(&self) -> Result<()> {
        self.run("hold chunks that came back", |inner| {
            let transaction = inner.connection.transaction()?;
            let (counted, whole) = counted(&transaction, &self.chunks)?;
            if whole {
                transaction.execute("UPDATE pieces SET refs = 0", [])?;
                let mut hold = transaction.prepare(
                    "INSERT INTO pieces (digest, leaf, refs) VALUES (?1, ?2, ?3)
                     ON CONFLICT (digest, leaf) DO UPDATE SET refs = ?3",
                )?;
                for ((digest, is_leaf), refs) in counted {
                    hold.execute((digest.0, is_leaf, refs.cast_signed()))?;
                }
            }
            transaction.commit()?;
            Ok(())
        })
    }
}
