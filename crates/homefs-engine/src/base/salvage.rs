//! What can be saved of a base that is damaged.
//!
//! Whatever rows can still be read go into a fresh base, together with the records that were to
//! be folded next, and are then made to agree with each other. It works on a copy of the damaged
//! file, which itself is never changed.

use std::io;
use std::path::{Path as HostPath, PathBuf};

use homefs_core::{Disk, Error, ErrorKind, NodeId, Result};
use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashSet;

use super::fault::Fault;
use super::mend::{self, Mended};
use super::readable::Readable;
use super::{Base, fold};
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

/// Copies what can be read of a damaged base into a fresh one and folds `records`, as far as they
/// still make sense; tells what was saved and lost.
pub(crate) fn salvage(damaged: &HostPath, fresh: &Base, records: &[Record]) -> Result<String> {
    let disk = fresh.chunks.disk();
    let copy = beside(damaged, ".copy");
    let saved = copy_base(damaged, &copy, disk)
        .map_err(|cause| {
            Error::io("copy a damaged base", cause).with_path_text(damaged.to_string_lossy())
        })
        .and_then(|()| save(&copy, fresh, records));
    for suffix in ["", "-wal", "-shm", "-journal"] {
        // A copy that stays costs room, nothing else.
        disk.remove(&beside(&copy, suffix)).ok();
    }
    saved
}

fn save(copy: &HostPath, fresh: &Base, records: &[Record]) -> Result<String> {
    let mut readable = false;
    let mut mended = fresh.run("save what can be read", |inner| {
        let transaction = inner.connection.transaction()?;
        let mut rows = Readable::default();
        if let Some(source) = open(copy) {
            readable = true;
            rows.read(&source);
            rows.copy_blobs(&source, &transaction)?;
        }
        let mended = mend::mend(rows, &transaction, &fresh.chunks)?;
        transaction.commit()?;
        Ok(mended)
    })?;
    let mut left_out = 0;
    for record in records {
        left_out += fold_what_fits(fresh, record)?;
    }
    if !records.is_empty() {
        // Records state numbers that hold only where nothing is lost.
        let again = fresh.run("save what can be read", |inner| {
            let transaction = inner.connection.transaction()?;
            let mut rows = Readable::default();
            rows.read(&transaction);
            rows.know_blobs(&transaction)?;
            let mended = mend::mend(rows, &transaction, &fresh.chunks)?;
            transaction.commit()?;
            Ok(mended)
        })?;
        mended.living = again.living;
        mended.found += again.found;
        mended.older += again.older;
    }
    fresh.checkpoint()?;
    Ok(sentence(&mended, readable, left_out))
}

fn sentence(mended: &Mended, readable: bool, left_out: usize) -> String {
    if !readable && mended.living == 0 {
        return "nothing could be read, everything in it is lost".into();
    }
    let lost = mended.known.saturating_sub(mended.living);
    let mut text =
        format!("{} of {} nodes saved, {lost} lost", mended.living, mended.living + lost);
    for (count, what) in [
        (mended.found, "put into /lost+found"),
        (mended.older, "left with an older content or none"),
        (left_out, "changes in records left out"),
    ] {
        if count > 0 {
            text.extend([", ", &count.to_string(), " ", what]);
        }
    }
    text
}

/// Folds a record without the changes whose nodes or contents are lost; returns how many.
fn fold_what_fits(base: &Base, record: &Record) -> Result<usize> {
    let mut record = record.clone();
    let count = record.changes.len();
    base.run("look for the nodes of a record", |inner| {
        let mut made = FxHashSet::default();
        let mut kept = Vec::new();
        for change in record.changes.drain(..) {
            if fits(&change, &mut made, &inner.connection, base)? {
                kept.push(change);
            }
        }
        record.changes = kept;
        Ok(())
    })?;
    match base.fold(std::slice::from_ref(&record)) {
        Err(error) if error.kind() == ErrorKind::Corrupt => {
            // Its version is used all the same.
            record.changes.clear();
            base.fold(std::slice::from_ref(&record))?;
        }
        done => done?,
    }
    Ok(count - record.changes.len())
}

/// Tells whether everything is there that a change builds upon.
fn fits(
    change: &Change,
    made: &mut FxHashSet<NodeId>,
    connection: &Connection,
    base: &Base,
) -> Result<bool, Fault> {
    match change {
        Change::Node { node, .. } | Change::Make { node, .. } => {
            made.insert(*node);
            Ok(true)
        }
        Change::Entry { parent: node, .. } | Change::Remove { node, .. } => {
            Ok(made.contains(node) || fold::load(connection, *node)?.is_some())
        }
        Change::Content { node, content } => {
            let known = made.contains(node) || fold::load(connection, *node)?.is_some();
            Ok(known && is_there(content, connection, base)?)
        }
        Change::Pulled { node, content, .. } => {
            let known = made.contains(node) || fold::load(connection, *node)?.is_some();
            // The remote has the content, but its leaves must be here.
            let is_small = matches!(content, Content::Blob { .. });
            Ok(known && (is_small || is_there(content, connection, base)?))
        }
        Change::Patch { .. }
        | Change::Zero { .. }
        | Change::Purge { .. }
        | Change::Erase { .. }
        | Change::Hide { .. }
        | Change::Grant { .. }
        | Change::Quota { .. }
        // Without either of the two it changes nothing.
        | Change::Succeed { .. } => Ok(true),
    }
}

fn is_there(content: &Content, connection: &Connection, base: &Base) -> Result<bool, Fault> {
    match content {
        Content::Inline(_) => Ok(true),
        Content::Blob { digest, .. } => {
            let found = connection
                .prepare_cached("SELECT 1 FROM blobs WHERE digest = ?1")?
                .query_row([digest.0], |_| Ok(()))
                .optional()?;
            Ok(found.is_some())
        }
        Content::Chunked { size, leaves } => mend::has_leaves(&base.chunks, *size, leaves),
    }
}

/// Opens the copy; `None` if not even its tables are known.
fn open(copy: &HostPath) -> Option<Connection> {
    let connection = Connection::open(copy).ok()?;
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;").ok()?;
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
    let file = disk.open(copy)?;
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
