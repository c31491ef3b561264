//! Checks of a whole base.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use homefs_core::{Digest, Error, ErrorKind, NodeId, Result};
use rusqlite::{Connection, Row};
use rustc_hash::FxHashMap;

use super::fault::Fault;
use super::{Base, has_piece, lost, mend, rows};
use crate::chunks::Chunks;
use crate::record::Content;

/// Something that should not be so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about: a path, a file on the host, a node, a content.
    pub subject: String,
    /// What is wrong with it.
    pub problem: String,
    /// What kind of thing that is.
    pub about: About,
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Rows that do not agree with each other, or cannot be read.
    Rows,
    /// How much is noted to live here; what is not settled is noted, and in no row.
    Usage,
    /// A content that is damaged or lost, while all rows agree with each other.
    Content,
}

impl Finding {
    fn of_rows(subject: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { subject: subject.into(), problem: problem.into(), about: About::Rows }
    }
}

/// Contents that cannot be read, and why.
pub(super) type Lost = BTreeMap<Digest, String>;

/// Where findings go.
pub(super) type Visit<'a> = &'a mut dyn FnMut(Finding);

/// Rows that should not exist: what they are about is in the first column.
const QUERIES: [(&str, &str, &str); 9] = [
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
        "its references are not counted right",
        "SELECT digest FROM blobs LEFT JOIN
             (SELECT digest, count(*) AS named FROM history WHERE digest IS NOT NULL
              GROUP BY digest) USING (digest)
         WHERE refs <> ifnull(named, 0)",
    ),
];

impl Base {
    /// Checks everything stored and tells what is wrong; an error ends the check itself. What is
    /// damaged is healed if the lender has it. What is absent is right if the lender has it, and
    /// without a lender it is taken for right.
    pub fn verify(&self, visit: Visit<'_>) -> Result<()> {
        let mut lost = Lost::new();
        let (mut absent, mut healed) = (Vec::new(), false);
        let sound = self.run("check the base", |inner| {
            // Queries on damaged pages would only repeat it.
            integrity(&inner.connection, &self.file.to_string_lossy(), visit)
        })?;
        if !sound {
            return Ok(());
        }
        self.run("check the base", |inner| {
            blobs(&inner.connection, &mut absent, &mut lost, visit)
        })?;
        lost.retain(|digest, problem| self.heal_blob(*digest, problem).is_err());
        // Files are read without the lock, since they may be many and large.
        for digest in self.run("check the base", |inner| pieces(&inner.connection))? {
            let Err(error) = self.chunks.get_here(digest) else { continue };
            if !self.chunks.is_here(digest)? && self.is_remote(digest)? == Some(true) {
                absent.push(digest);
                continue;
            }
            // A damaged one is healed where that is possible, and else told of. It may have been
            // released in the meantime.
            if self.chunks.lender().is_some() && self.chunks.get(digest).is_ok() {
                healed = true;
            } else if self.run("check the base", |inner| has_piece(&inner.connection, digest))? {
                lost.insert(digest, error.message().into());
            }
        }
        if let Some(lender) = self.chunks.lender() {
            let nowhere = absent.iter().filter(|digest| !lender.has(**digest));
            let problem = "it is neither here nor in the remote";
            lost.extend(nowhere.map(|digest| (*digest, problem.to_owned())));
        } else if !absent.is_empty() {
            tracing::info!(count = absent.len(), "contents are only in the remote");
        }
        if healed {
            self.hold_healed()?;
        }
        self.run("check the base", |inner| {
            let connection = &inner.connection;
            for (what, problem, sql) in QUERIES {
                visit_rows(connection, sql, |row| {
                    let id = row.get_ref(0)?.as_blob()?;
                    let place = <[u8; 16]>::try_from(id).ok().map(NodeId::from_bytes);
                    let place = place.and_then(|node| lost::path_of(connection, node));
                    let subject = place.unwrap_or_else(|| format!("{what} {}", hex(id)));
                    visit(Finding::of_rows(subject, problem));
                    Ok(())
                })?;
            }
            usage(connection, visit)?;
            references(connection, &self.chunks, visit)?;
            lost::name(connection, &self.chunks, &lost, visit)
        })
    }

    /// Fetches a small content that is damaged.
    fn heal_blob(&self, digest: Digest, problem: &mut String) -> Result<()> {
        let keep = |bytes: &Bytes| self.keep_blob(digest, bytes);
        let lender = self.chunks.lender().filter(|lender| lender.has(digest));
        let healed = lender.and_then(|_| self.chunks.borrow(digest, || None, keep));
        let healed = healed.unwrap_or_else(|| Err(Error::new(ErrorKind::Corrupt, &**problem)));
        if let Err(error) = &healed
            && error.kind() != ErrorKind::Corrupt
        {
            *problem =
                format!("{problem}, and the remote, which has it, does not give it: {error}");
        }
        healed.map(drop)
    }
}

fn integrity(connection: &Connection, file: &str, visit: Visit<'_>) -> Result<bool, Fault> {
    let mut sound = true;
    visit_rows(connection, "PRAGMA integrity_check", |row| {
        let line = row.get_ref(0)?.as_str()?;
        if line != "ok" {
            sound = false;
            visit(Finding::of_rows(file, line));
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
                let about = About::Usage;
                visit(Finding { subject: "usage".into(), problem, about });
            }
            Ok(())
        },
    )
}

/// Checks every small content, and that every row can be read; collects what is absent or lost.
fn blobs(
    connection: &Connection,
    absent: &mut Vec<Digest>,
    lost: &mut Lost,
    visit: Visit<'_>,
) -> Result<(), Fault> {
    let named = "SELECT DISTINCT digest FROM history
         WHERE digest IS NOT NULL AND digest NOT IN (SELECT digest FROM blobs)";
    visit_rows(connection, named, |row| {
        let digest = rows::digest(row, 0)?;
        visit(Finding::of_rows(format!("content {digest}"), "it is named, but missing"));
        lost.insert(digest, "its content is lost".into());
        Ok(())
    })?;
    visit_rows(connection, "SELECT digest, bytes FROM blobs", |row| {
        let digest = rows::digest(row, 0)?;
        let bytes = row.get_ref(1)?.as_blob()?;
        if bytes.is_empty() {
            absent.push(digest);
        } else if Digest::of(bytes) != digest {
            let why = if bytes == mend::LOST { "lost" } else { "damaged" };
            lost.insert(digest, format!("its content is {why}"));
        }
        Ok(())
    })?;
    let (columns, rest) = (rows::NODE, rows::STORED);
    let sql = format!("SELECT {columns}, {rest} FROM nodes n");
    visit_rows(connection, &sql, |row| {
        if let Err(fault) = rows::stored(row) {
            let node = rows::id(row, 0).unwrap_or(NodeId(0));
            visit(Finding::of_rows(format!("node {node}"), fault.to_string()));
        }
        Ok(())
    })
}

/// Returns all chunks and leaves that have a row.
fn pieces(connection: &Connection) -> Result<BTreeSet<Digest>, Fault> {
    let mut pieces = BTreeSet::new();
    visit_rows(connection, "SELECT digest FROM pieces", |row| {
        pieces.insert(rows::digest(row, 0)?);
        Ok(())
    })?;
    Ok(pieces)
}

/// How often each chunk and leaf, which is a leaf, is named.
type Counted = FxHashMap<(Digest, bool), u64>;

/// Counts the references to chunks and leaves, as rows and leaves name them; tells whether every
/// leaf could be read.
pub(super) fn counted(connection: &Connection, chunks: &Chunks) -> Result<(Counted, bool), Fault> {
    let mut counted = Counted::default();
    let named = "SELECT size, digest, leaves FROM history WHERE leaves IS NOT NULL";
    visit_rows(connection, named, |row| {
        if let Content::Chunked { leaves, .. } = rows::content(row, 0)? {
            for leaf in leaves.into_iter().filter(|&leaf| leaf != Digest::HOLE) {
                *counted.entry((leaf, true)).or_default() += 1;
            }
        }
        Ok(())
    })?;
    let mut whole = true;
    visit_rows(connection, "SELECT digest FROM pieces WHERE leaf = 1", |row| {
        // A leaf that cannot be read is found when its file is checked.
        let Ok(digests) = chunks.leaf_digests(rows::digest(row, 0)?) else {
            whole = false;
            return Ok(());
        };
        for chunk in digests.into_iter().filter(|&chunk| chunk != Digest::HOLE) {
            *counted.entry((chunk, false)).or_default() += 1;
        }
        Ok(())
    })?;
    Ok((counted, whole))
}

/// Counts the references to chunks and leaves again.
fn references(connection: &Connection, chunks: &Chunks, visit: Visit<'_>) -> Result<(), Fault> {
    let (mut counted, whole) = counted(connection, chunks)?;
    visit_rows(connection, "SELECT digest, leaf, refs FROM pieces", |row| {
        let (digest, is_leaf): (_, bool) = (rows::digest(row, 0)?, row.get(1)?);
        let refs = rows::number(row, 2)?;
        let found = counted.remove(&(digest, is_leaf)).unwrap_or(0);
        // Leaves that cannot be read name some more.
        let may_be = !whole && !is_leaf && found < refs;
        if found != refs && !may_be {
            let problem = format!("{refs} references are noted, but {found} found");
            visit(Finding::of_rows(format!("chunk {digest}"), problem));
        }
        Ok(())
    })?;
    for (digest, _) in counted.into_keys() {
        visit(Finding::of_rows(format!("chunk {digest}"), "it is named, but missing"));
    }
    Ok(())
}

pub(super) fn visit_rows(
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
