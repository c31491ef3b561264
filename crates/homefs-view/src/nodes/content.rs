//! Contents of nodes: reading, range writes, allocation, holes, copying, syncing.

use bytes::Bytes;
use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{Digest, Error, ErrorKind, Path, Result};
use homefs_store::contents::{At, ContentSnapshot};
use homefs_store::model::Right;
use homefs_store::record::Content;
use homefs_store::space::Space;
use homefs_store::tree::{Answer, Body, Tree};

use super::{NodeRef, Nodes, Spot, look};

/// What becomes of a range of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// The file reaches at least to its end.
    Reserve,
    /// Nothing that can be read: room is not set aside, but the file counts as modified.
    Keep,
    /// It is zeros; the file keeps its length.
    Punch,
    /// It is zeros, and the file reaches at least to its end.
    Zero,
}

/// What is looked for in a sparse file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// The next bytes that were written.
    Data,
    /// The next place that was never written, or was punched; the end is one.
    Hole,
}

/// How much a space can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// All bytes, used or free.
    pub bytes: u64,
    /// Free bytes.
    pub bytes_free: u64,
    /// All nodes, used or free.
    pub nodes: u64,
    /// Free nodes.
    pub nodes_free: u64,
}

/// Most bytes copied inside homefs by one call.
const COPY_BYTES_MAX: u64 = 8 << 20;
/// What data and holes are told apart by, as on most filesystems.
const BLOCK_BYTES: u64 = 4096;
/// Into how many chunks one call looks for blocks of zeros: a long file without any is not read
/// as a whole to find that out.
const LOOKS_MAX: u32 = 8;
/// Nodes a space without a quota claims to have room for.
const NODES_UNBOUNDED: u64 = 1 << 32;

impl Nodes {
    /// Reads a range of a file; what lies beyond its end is left out.
    pub fn read(&self, node: &NodeRef, offset: u64, len: usize) -> Result<Bytes> {
        let (space, id) = self.inside(node)?;
        let permit = self.permit(space, id, Some(Right::Read))?;
        let read = space.read(permit, |tree| Ok(tree.successor(id)), offset, len);
        read.or_error(&space.name)
    }

    /// Writes bytes at an offset, or at the end wherever that is by then; returns where.
    pub fn write(&self, node: &NodeRef, offset: Option<u64>, bytes: &[u8]) -> Result<u64> {
        let (space, id) = self.inside(node)?;
        let permit = self.permit(space, id, Some(Right::Write))?;
        let at = offset.map_or(At::End, At::Offset);
        let find = |tree: &Tree| Ok(tree.successor(id));
        let done = space.patch(&self.view.author, permit, find, at, bytes);
        done.map(|(_, start)| start).or_error(&space.name)
    }

    /// Changes a range of a file as a whole.
    pub fn allocate(&self, node: &NodeRef, offset: u64, len: u64, range: Range) -> Result<()> {
        let (space, id) = self.inside(node)?;
        let permit = self.permit(space, id, Some(Right::Write))?;
        let end = offset.saturating_add(len);
        if range != Range::Punch {
            let (size, free) = (self.stat(node)?.size, self.capacity(node)?.bytes_free);
            // Nothing is set aside, but what cannot be kept is not promised either.
            if end.saturating_sub(size.max(offset)) > free {
                let message = format!("there is room for {free} bytes more, not for {len}");
                return Err(Error::new(ErrorKind::LimitExceeded, message));
            }
        }
        let zeros = match range {
            Range::Reserve | Range::Keep => (end, 0),
            Range::Punch | Range::Zero => (offset, len),
        };
        let done = space.zero(&self.view.author, permit, id, zeros, |size| match range {
            Range::Punch | Range::Keep => size,
            Range::Reserve | Range::Zero => size.max(end),
        });
        done.map(drop).or_error(&space.name)
    }

    /// Finds the next data or hole at or after an offset, by blocks of zeros; beyond the first
    /// chunks, and in those that are not here, by whole chunks.
    pub fn seek(&self, node: &NodeRef, offset: u64, seek: Seek) -> Result<Option<u64>> {
        let (space, id) = self.inside(node)?;
        let permit = self.permit(space, id, Some(Right::Read))?;
        let held =
            look(space, permit, |tree| Ok(ContentSnapshot::of(tree, tree.successor(id))?.0))?;
        let size = held.size();
        if offset >= size {
            return Ok(None);
        }
        let chunk = space.chunks.chunk_bytes();
        let holes = Holes::of(space, &held)?;
        let mut looks = 0..LOOKS_MAX;
        for index in offset / chunk..space.chunks.chunk_count(size) {
            let start = index * chunk;
            let image = if holes.is_hole(chunk, index) {
                Some(Bytes::new())
            } else {
                looks.next().and_then(|_| holes.image(space, index))
            };
            let range = offset.saturating_sub(start)..(size - start).min(chunk);
            let found = match image {
                Some(image) => first_block(&image, range, seek),
                None => (seek == Seek::Data).then_some(range.start),
            };
            if let Some(found) = found {
                return Ok(Some(start + found));
            }
        }
        // Every file ends in a hole.
        Ok((seek == Seek::Hole).then_some(size))
    }

    /// Copies a range into another file; returns how many bytes, which may be fewer than asked.
    pub fn copy(&self, from: (&NodeRef, u64), to: (&NodeRef, u64), len: u64) -> Result<u64> {
        let mut done = 0;
        while done < len.min(COPY_BYTES_MAX) {
            let part = usize::try_from((len - done).min(1 << 20)).unwrap_or(1 << 20);
            let bytes = self.read(from.0, from.1 + done, part)?;
            if bytes.is_empty() {
                break;
            }
            self.write(to.0, Some(to.1 + done), &bytes)?;
            done += bytes.len() as u64;
        }
        Ok(done)
    }

    /// Makes a small file settled at once, as a save that is worth a sync is worth a version:
    /// a new one always, another one once in a while. Others settle when they are quiet, since
    /// the journal has what was written.
    pub fn settle(&self, node: &NodeRef) -> Result<()> {
        let (space, id) = self.inside(node)?;
        let ground = &space.ground;
        let tree = space.tree.read();
        let id = tree.successor(id);
        let due = tree.node(id).is_ok_and(|known| match &known.body {
            Body::Staged(staged) if staged.size <= INLINE_BYTES_MAX as u64 => {
                let since = ground.clock.now().apart(staged.after);
                staged.under.size() == 0 || since >= ground.settings.settle_after()
            }
            _ => false,
        });
        drop(tree);
        if due { space.settle(id) } else { Ok(()) }
    }

    /// Calls back once everything acknowledged so far survives power loss: from the thread that
    /// syncs, which must not be kept, and at once if there is nothing to wait for.
    pub fn barrier_then(&self, done: impl FnOnce(Result<()>) + Send + 'static) {
        let journal = &self.view.store.ground.journal;
        match self.view.store.check_open() {
            Ok(()) => journal.barrier_then(journal.end(), Box::new(done)),
            Err(error) => done(Err(error)),
        }
    }

    /// Tells how much the space of a node can hold: its quota, and what the disk has.
    pub fn capacity(&self, node: &NodeRef) -> Result<Capacity> {
        let store = &self.view.store;
        let (free, all) = store
            .ground
            .disk
            .space_bytes(&store.dir)
            .map_err(|cause| Error::io("ask for the room on the disk", cause))?;
        let (usage, quota) = match &node.0 {
            // Who sees a part only is not told what the whole holds.
            Spot::In(space, _) if self.view.reach(space)?.right_at(&Path::root()).is_some() => {
                let tree = space.tree.read();
                (tree.usage(), tree.quota())
            }
            _ => Default::default(),
        };
        let bytes = quota.bytes.map_or(all, |most| most.min(all));
        let left = quota.bytes.map_or(free, |most| most.saturating_sub(usage.bytes).min(free));
        let nodes = quota.nodes.unwrap_or(NODES_UNBOUNDED);
        Ok(Capacity {
            bytes,
            bytes_free: left,
            nodes,
            nodes_free: nodes.saturating_sub(usage.nodes),
        })
    }
}

/// Where a content is known to have holes.
struct Holes<'a> {
    held: &'a ContentSnapshot,
    /// One digest for each chunk of the settled content.
    chunks: Vec<Digest>,
}

impl<'a> Holes<'a> {
    fn of(space: &Space, held: &'a ContentSnapshot) -> Result<Self> {
        let settled = match held {
            ContentSnapshot::Settled(content) => content,
            ContentSnapshot::Staged(staged) => &staged.under,
            // A source does not tell of holes.
            ContentSnapshot::Sourced(_) => return Ok(Self { held, chunks: Vec::new() }),
        };
        let mut chunks = Vec::new();
        if let Content::Chunked { size, leaves } = settled {
            let count = space.chunks.chunk_count(*size);
            for (index, &leaf) in leaves.iter().enumerate() {
                chunks.extend(space.chunks.leaf(leaf, space.chunks.leaf_len(count, index))?);
            }
        }
        Ok(Self { held, chunks })
    }

    fn is_hole(&self, chunk: u64, index: u64) -> bool {
        let under = |index: u64| {
            usize::try_from(index).ok().and_then(|at| self.chunks.get(at)) == Some(&Digest::HOLE)
        };
        match self.held {
            ContentSnapshot::Settled(_) => under(index),
            ContentSnapshot::Sourced(_) => false,
            ContentSnapshot::Staged(staged) => staged.is_hole(chunk, index, &under),
        }
    }

    /// Returns what a chunk holds, without the zeros at its end; `None` if that is not here.
    fn image(&self, space: &Space, index: u64) -> Option<Bytes> {
        let chunk = space.chunks.chunk_bytes();
        let cut = |bytes: &Bytes, from: u64, to: u64| {
            let [from, to] = [from, to].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
            bytes.slice(from.min(bytes.len())..to.min(bytes.len()))
        };
        let settled = |content: &Content| match content {
            Content::Inline(bytes) => Some(cut(bytes, index * chunk, (index + 1) * chunk)),
            Content::Blob { .. } => None,
            Content::Chunked { .. } => {
                let digest = self.chunks.get(usize::try_from(index).ok()?)?;
                space.chunks.get_here(*digest).ok()
            }
        };
        match self.held {
            ContentSnapshot::Settled(content) => settled(content),
            ContentSnapshot::Sourced(_) => None,
            ContentSnapshot::Staged(staged) => {
                let image = staged.images.get(&index).map(|image| Bytes::copy_from_slice(image));
                let shows = staged.under_size.saturating_sub(index * chunk);
                image.or_else(|| settled(&staged.under).map(|bytes| cut(&bytes, 0, shows)))
            }
        }
    }
}

/// Finds the first place of a range in a block of data, or in one of zeros; what an image does not
/// have is zeros.
fn first_block(image: &[u8], range: std::ops::Range<u64>, seek: Seek) -> Option<u64> {
    let mut at = range.start;
    while at < range.end {
        let block = at - at % BLOCK_BYTES;
        let [from, to] = [block, block + BLOCK_BYTES]
            .map(|at| usize::try_from(at).unwrap_or(usize::MAX).min(image.len()));
        let is_hole = image[from..to].iter().all(|byte| *byte == 0);
        if is_hole == (seek == Seek::Hole) {
            return Some(at);
        }
        at = block + BLOCK_BYTES;
    }
    None
}
