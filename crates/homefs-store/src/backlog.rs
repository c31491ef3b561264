//! Records of the last run that a space has not taken up yet, and taking them up.
//!
//! They are kept as the bytes that the journal had, one after the other: opening a store then
//! decodes nothing, and a space that nobody opens costs a copy.

use std::collections::{BTreeMap, HashMap};
use std::path::Path as HostPath;
use std::sync::Arc;

use bytes::Bytes;
use homefs_core::{Digest, Disk, ErrorKind, Result, SpaceName, Version};
use rustc_hash::FxHashSet;

use crate::base::Base;
use crate::chunks::Chunks;
use crate::ground::ChunkStores;
use crate::journal::Position;
use crate::record::{Change, Content, Record};
use crate::space::Space;
use crate::tree::{Answer, Halt};

/// The backlogs of all spaces that the journal has records of.
pub type Backlogs = HashMap<SpaceName, Backlog>;

/// Those of a store that is open: shared by the space that takes them up and the fold.
pub type Behind = BTreeMap<SpaceName, Arc<Backlog>>;

/// The records of one space, in order.
#[derive(Default)]
pub struct Backlog {
    /// Where the first of them begins in the journal.
    pub start: Position,
    payloads: Vec<u8>,
    /// Where each record ends in the journal, and its length.
    ends: Vec<(Position, usize)>,
}

impl Backlog {
    /// Adds a record that lies between two positions of the journal.
    pub fn push(&mut self, start: Position, end: Position, payload: &[u8]) {
        if self.is_empty() {
            self.start = start;
        }
        self.payloads.extend_from_slice(payload);
        self.ends.push((end, payload.len()));
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns how many bytes of the journal they are.
    pub fn bytes(&self) -> u64 {
        self.payloads.len() as u64
    }

    /// Returns the records, each with where it ends and its length.
    pub fn records(&self) -> impl Iterator<Item = Result<(Position, usize, Record)>> {
        let mut rest = &self.payloads[..];
        self.ends.iter().map(move |(position, len)| {
            let (payload, later) = rest.split_at(*len);
            rest = later;
            Ok((*position, *len, Record::decode(payload)?))
        })
    }

    /// Returns the chunks of contents that the records pulled, which may be absent.
    fn pulled(&self, chunks: &Chunks) -> Result<FxHashSet<Digest>> {
        let mut pulled = FxHashSet::default();
        for record in self.records() {
            for change in &record?.2.changes {
                if let Change::Pulled { content, .. } = change {
                    pulled.extend(cut(chunks, content)?.unwrap_or_default());
                }
            }
        }
        Ok(pulled)
    }

    /// Finds a small content by its digest in the records that bring its bytes along.
    fn find(&self, digest: Digest, size: u64) -> Result<Option<Bytes>> {
        for record in self.records() {
            for change in record?.2.changes {
                if let Change::Content { content: Content::Inline(bytes), .. }
                | Change::Pulled { content: Content::Inline(bytes), .. } = change
                    && bytes.len() as u64 == size
                    && Digest::of(&bytes) == digest
                {
                    return Ok(Some(bytes));
                }
            }
        }
        Ok(None)
    }
}

/// Tells whether the chunks that a record names are there. Power loss may leave a record that was
/// not synced but take its chunks, which are synced with it; those that are there are synced with
/// it from now on, whoever opens the space. `earlier` are the records before it.
pub fn chunks_survived(
    payload: &[u8],
    earlier: &Backlogs,
    spaces_dir: &HostPath,
    disk: &Arc<dyn Disk>,
    stores: &ChunkStores,
) -> Result<bool> {
    let record = Record::decode(payload)?;
    let dir = spaces_dir.join(record.space.to_string());
    let chunks = Arc::new(Chunks::new(dir.join("chunks"), disk.clone()));
    if !has_chunks(&record, earlier, &dir, &chunks)? {
        return Ok(false);
    }
    for change in &record.changes {
        if let Change::Content { content: content @ Content::Chunked { .. }, .. } = change
            && cut(&chunks, content)?.is_some()
        {
            // What was pinned once is synced.
            drop(chunks.pin(content)?);
            stores.adopt(&chunks);
        }
    }
    Ok(true)
}

/// Tells whether the chunks that a record names are there, or need not be.
fn has_chunks(
    record: &Record,
    earlier: &Backlogs,
    dir: &HostPath,
    chunks: &Arc<Chunks>,
) -> Result<bool> {
    let mut lacking = Vec::new();
    let mut has_leaves = true;
    for change in &record.changes {
        let (content, is_pulled) = match change {
            Change::Content { content, .. } => (content, false),
            Change::Pulled { content, .. } => (content, true),
            _ => continue,
        };
        let Some(mut cut) = cut(chunks, content)? else {
            has_leaves = false;
            break;
        };
        cut.retain(|_| !is_pulled);
        for chunk in cut {
            match chunks.get_here(chunk) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Corrupt => lacking.push(chunk),
                Err(error) => return Err(error),
            }
        }
    }
    if has_leaves && lacking.is_empty() {
        return Ok(true);
    }
    // The newest sync mark may itself be lost. What is folded was synced, and may have been
    // trimmed since; a base that cannot tell is a matter of its space.
    let Ok(base) = Base::open(dir, chunks.clone(), record.time) else { return Ok(true) };
    if !base.folded().is_ok_and(|folded| folded.version < record.version) {
        return Ok(true);
    }
    // A chunk may be missing because only the remote has it, as the base or an earlier record says.
    lacking.retain(|chunk| !matches!(base.is_remote(*chunk), Ok(Some(true))));
    if has_leaves && !lacking.is_empty() {
        let pulled = earlier
            .get(&record.space)
            .map_or(Ok(FxHashSet::default()), |earlier| earlier.pulled(chunks))?;
        lacking.retain(|chunk| !pulled.contains(chunk));
    }
    Ok(has_leaves && lacking.is_empty())
}

/// Returns the chunks of a content that are stored as files; `None` if a leaf is missing.
fn cut(chunks: &Chunks, content: &Content) -> Result<Option<Vec<Digest>>> {
    let Content::Chunked { size, leaves } = content else { return Ok(Some(Vec::new())) };
    match chunks.cut(*size, leaves) {
        Ok(cut) => Ok(Some(cut.into_iter().map(|(chunk, _)| chunk).collect())),
        Err(error) if error.kind() == ErrorKind::Corrupt => Ok(None),
        Err(error) => Err(error),
    }
}

impl Space {
    /// Applies the records that the journal kept over the last run.
    pub(crate) fn take_up(&self, backlog: &Backlog, folded: Version) -> Result<()> {
        let mut removed = FxHashSet::default();
        for record in backlog.records() {
            let (position, _, mut record) = record?;
            let old = record.version <= folded;
            if old && !self.keep_unsettled(&mut record)? {
                continue;
            }
            for change in &mut record.changes {
                // What a record removed is not what the base has, even if it comes back.
                match change {
                    Change::Remove { node, .. } => drop(removed.insert(*node)),
                    Change::Node { node, .. } if removed.contains(node) => {}
                    change => self.prepare(change, record.version, backlog)?,
                }
            }
            self.replay(position, record, old)?;
        }
        // Watchers of the last run ask the base.
        self.tree.memory().forget_changes();
        Ok(())
    }

    /// Leaves of a folded record what was not settled then, and still is not; tells whether
    /// that is anything.
    fn keep_unsettled(&self, record: &mut Record) -> Result<bool> {
        let mut unsettled = Vec::new();
        for change in std::mem::take(&mut record.changes) {
            if let Change::Patch { node, .. } | Change::Zero { node, .. } = &change
                && let Some(row) = self.base.node(*node)?
                && row.content_version < record.version
            {
                unsettled.push(change);
            }
        }
        record.changes = unsettled;
        // The base knows the last request of its client, which may be a later one.
        record.origin = None;
        Ok(!record.changes.is_empty())
    }

    /// Makes sure of what a change takes for granted in the run that made it.
    fn prepare(&self, change: &mut Change, version: Version, backlog: &Backlog) -> Result<()> {
        match change {
            Change::Content { content: content @ Content::Chunked { .. }, .. }
            | Change::Pulled { content, .. } => {
                self.hold(version, self.chunks.pin(content)?);
            }
            // The base had the content when the record was made, and power loss may have taken
            // it back. Then an earlier record has the bytes.
            Change::Content { content, .. } => {
                if let Content::Blob { digest, size } = *content
                    && self.base.blob(digest).is_err()
                    && let Some(bytes) = backlog.find(digest, size)?
                {
                    *content = Content::Inline(bytes);
                }
            }
            // A node that exists may not be in memory; without its content it would be taken for
            // a new one.
            Change::Node { node, .. } => {
                let known = self.tree.read().named(*node).is_some();
                if !known && self.base.node(*node)?.is_some() {
                    let fetched = self.fetch(Halt::Node(*node));
                    fetched.or_error(&self.name)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn replay(&self, position: Position, record: Record, old: bool) -> Result<()> {
        loop {
            let mut tree = self.tree.writer();
            match tree.ready(&record.changes) {
                Ok(()) if old => {
                    tree.apply_rest(record, position);
                    return Ok(());
                }
                Ok(()) => {
                    tree.apply(record, position);
                    return Ok(());
                }
                Err(halt) => {
                    drop(tree);
                    self.fetch(halt).or_error(&self.name)?;
                }
            }
        }
    }
}
