//! What can be saved of a base that is damaged.
//!
//! Whatever rows can still be read go into a fresh base, together with the records that were to
//! be folded next, and are then made to agree with each other. Rows to which no table leads any
//! more are looked for in every page. It works on a copy of the damaged file, which itself is never
//! changed.

use std::io;
use std::path::{Path as HostPath, PathBuf};

use homefs_core::{Digest, Disk, Error, ErrorKind, NodeId, Result};
use rusqlite::Connection;
use rustc_hash::FxHashSet;

use super::elsewhere::Elsewhere;
use super::fault::Fault;
use super::mend::{self, Mended};
use super::readable::Readable;
use super::{Base, fold, pages};
use crate::record::{Change, Content, Record};

/// Parts of the file's first 100 bytes that are the same in every base: the name of the format,
/// pages of 4 KiB, WAL, and how rows and text are stored.
const HEADER: [(u64, &[u8]); 3] = [
    (0, b"SQLite format 3\0\x10\x00\x02\x02\x00\x40\x20\x20"),
    (44, &4u32.to_be_bytes()),
    (56, &1u32.to_be_bytes()),
];

/// Bytes copied at once.
const BLOCK_BYTES: usize = 1 << 20;

/// What became of a damaged base.
#[derive(Debug)]
pub struct Salvaged {
    /// What was saved, as a sentence.
    pub saved: String,
    /// Paths with which something is wrong that no check finds later, and what.
    pub lost: Vec<(String, String)>,
}

/// Copies what can be read of a damaged base into a fresh one and folds `records`, as far as they
/// still make sense; tells what was saved and lost.
pub fn salvage(
    damaged: &HostPath,
    fresh: &Base,
    records: &[Record],
    elsewhere: &Elsewhere,
) -> Result<Salvaged> {
    let disk = fresh.chunks.disk();
    let copy = beside(damaged, ".copy");
    let saved = copy_base(damaged, &copy, disk)
        .map_err(|cause| {
            Error::io("copy a damaged base", cause).with_path_text(damaged.to_string_lossy())
        })
        .and_then(|()| save(&copy, fresh, records, elsewhere));
    for suffix in ["", "-wal", "-shm", "-journal"] {
        // A copy that stays costs room, nothing else.
        disk.remove(&beside(&copy, suffix)).ok();
    }
    saved
}

fn save(
    copy: &HostPath,
    fresh: &Base,
    records: &[Record],
    elsewhere: &Elsewhere,
) -> Result<Salvaged> {
    let mut readable = false;
    let mut mended = fresh.run("save what can be read", |inner| {
        let transaction = inner.connection.transaction()?;
        let mut rows = Readable::default();
        let source = open(copy);
        if let Some(source) = &source {
            readable = true;
            rows.read(source);
        }
        let file = fresh.chunks.disk().read(copy);
        let file = file.map_err(|cause| Error::io("read a damaged base", cause))?;
        rows.read(&pages::rows(&file)?);
        rows.copy_blobs(source.as_ref(), &file, &transaction)?;
        let mended = mend::mend(rows, &transaction, &fresh.chunks, elsewhere)?;
        transaction.commit()?;
        Ok(mended)
    })?;
    for record in records {
        mended.lost.extend(fold_what_fits(fresh, record)?);
    }
    if !records.is_empty() {
        // Records state numbers that hold only where nothing is lost.
        let again = fresh.run("save what can be read", |inner| {
            let transaction = inner.connection.transaction()?;
            let mut rows = Readable::default();
            rows.read(&transaction);
            rows.know_blobs(&transaction)?;
            let mended = mend::mend(rows, &transaction, &fresh.chunks, elsewhere)?;
            transaction.commit()?;
            Ok(mended)
        })?;
        mended.living = again.living;
        mended.lost.extend(again.lost);
    }
    fresh.checkpoint()?;
    mended.lost.sort_unstable();
    mended.lost.dedup();
    let saved = sentence(&mended, readable);
    Ok(Salvaged { saved, lost: mended.lost })
}

fn sentence(mended: &Mended, readable: bool) -> String {
    if !readable && mended.living == 0 {
        return "nothing could be read, everything in it is lost".into();
    }
    let lost = mended.known.saturating_sub(mended.living);
    format!("{} of {} nodes saved, {lost} lost", mended.living, mended.living + lost)
}

/// Folds a record without the changes whose nodes are lost; returns what those were about.
fn fold_what_fits(base: &Base, record: &Record) -> Result<Vec<(String, String)>> {
    let mut record = record.clone();
    let mut left_out = Vec::new();
    base.run("look for the nodes of a record", |inner| {
        let mut made = FxHashSet::default();
        let mut kept = Vec::new();
        for change in record.changes.drain(..) {
            if let Some(node) = builds_upon(&change, &mut made)
                && fold::load(&inner.connection, node)?.is_none()
            {
                left_out.push(told(&change, node));
                continue;
            }
            if let Change::Content { content, .. } | Change::Pulled { content, .. } = &change {
                hold_lost(content, &inner.connection, base)?;
            }
            kept.push(change);
        }
        record.changes = kept;
        Ok(())
    })?;
    match base.fold(std::slice::from_ref(&record)) {
        Err(error) if error.kind() == ErrorKind::Corrupt => {
            // Its version is used all the same.
            let changes = std::mem::take(&mut record.changes);
            left_out.extend(changes.iter().filter_map(|change| {
                builds_upon(change, &mut FxHashSet::default()).map(|node| told(change, node))
            }));
            base.fold(std::slice::from_ref(&record))?;
        }
        done => done?,
    }
    Ok(left_out)
}

/// Says what a change was about that is left out.
fn told(change: &Change, node: NodeId) -> (String, String) {
    let problem = format!("its directory, node {node}, is lost");
    match change {
        Change::Entry { name, .. } => (name.to_string(), problem),
        Change::Remove { path, .. } => (path.to_string(), "its removal is left out".into()),
        _ => (format!("node {node}"), "a change of it is left out".into()),
    }
}

/// Returns the node that a change takes for granted, unless the record made it.
fn builds_upon(change: &Change, made: &mut FxHashSet<NodeId>) -> Option<NodeId> {
    let node = match change {
        Change::Node { node, .. } | Change::Make { node, .. } => {
            made.insert(*node);
            return None;
        }
        Change::Entry { parent: node, .. }
        | Change::Remove { node, .. }
        | Change::Content { node, .. }
        | Change::Pulled { node, .. } => *node,
        Change::Patch { .. }
        | Change::Zero { .. }
        | Change::Purge { .. }
        | Change::Erase { .. }
        | Change::Hide { .. }
        | Change::Grant { .. }
        | Change::Quota { .. }
        // Without either of the two it changes nothing.
        | Change::Succeed { .. } => return None,
    };
    (!made.contains(&node)).then_some(node)
}

/// Makes rows for what a record names and the base has lost, so that it can be folded: reading it
/// is an error then.
fn hold_lost(content: &Content, connection: &Connection, base: &Base) -> Result<(), Fault> {
    match content {
        Content::Inline(_) => {}
        Content::Blob { digest, .. } => {
            connection
                .prepare_cached(
                    "INSERT OR IGNORE INTO blobs (digest, refs, bytes) VALUES (?1, 0, ?2)",
                )?
                .execute((digest.0, mend::LOST))?;
        }
        Content::Chunked { leaves, .. } => {
            for leaf in leaves.iter().filter(|leaf| **leaf != Digest::HOLE) {
                if base.chunks.leaf_digests(*leaf).is_err() {
                    connection
                        .prepare_cached(
                            "INSERT OR IGNORE INTO pieces (digest, leaf, refs) VALUES (?1, 1, 0)",
                        )?
                        .execute([leaf.0])?;
                }
            }
        }
    }
    Ok(())
}

/// Opens the copy; `None` if not even its tables are known.
fn open(copy: &HostPath) -> Option<Connection> {
    let connection = Connection::open(copy).ok()?;
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;").ok()?;
    // Whoever looks at the pages finds what the WAL has in them then.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).ok();
    // Statements are only prepared if all tables can be found.
    connection.prepare("SELECT 1 FROM meta, nodes, entries, history, blobs").ok()?;
    Some(connection)
}

/// Copies the file and its WAL, and sets the parts of its header that never differ.
fn copy_base(damaged: &HostPath, copy: &HostPath, disk: &dyn Disk) -> io::Result<()> {
    for suffix in ["", "-wal"] {
        let (from, to) = (beside(damaged, suffix), beside(copy, suffix));
        if disk.exists(&to)? {
            disk.remove(&to)?;
        }
        if disk.exists(&from)? {
            copy_file(&from, &to, disk)?;
        }
    }
    let file = if disk.exists(copy)? { disk.open(copy)? } else { disk.create(copy)? };
    HEADER.iter().try_for_each(|(offset, bytes)| file.write_at(*offset, bytes))
}

fn copy_file(from: &HostPath, to: &HostPath, disk: &dyn Disk) -> io::Result<()> {
    let (source, target) = (disk.open(from)?, disk.create(to)?);
    let length = source.len()?;
    let mut block = vec![0; BLOCK_BYTES];
    let mut offset = 0;
    while offset < length {
        let count = usize::try_from(length - offset).unwrap_or(BLOCK_BYTES).min(BLOCK_BYTES);
        source.read_at(offset, &mut block[..count])?;
        target.write_at(offset, &block[..count])?;
        offset += count as u64;
    }
    Ok(())
}

fn beside(path: &HostPath, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
