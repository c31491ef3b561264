//! The index of one space: kept up with the tree, embedded, and written down.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use homefs_core::{Embedder, NodeId, Result, Role, Version};
use homefs_search::embed::BuiltIn;
use homefs_search::index::{self, Index};
use homefs_search::rank;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashSet;

use super::file::IndexFile;
use super::seen::{Read, Seen};
use crate::fold::Fold;
use crate::guard::Permit;
use crate::space::Space;
use crate::tree::Halt;

/// A file is written as a whole again when this share of it says nothing any more.
const GARBAGE_MAX: f32 = 0.5;

/// What a tree tells the index of its space.
#[derive(Debug, Default)]
pub(crate) struct Unindexed {
    /// Nodes that changed since the index looked at them.
    pub(crate) nodes: FxHashSet<NodeId>,
    /// Whether something was purged: nothing of it may stay in the index's file.
    pub(crate) erased: bool,
}

/// The index of one open space.
///
/// Its locks are taken in this order: work, file, index; then the tree's, which nobody holds while
/// taking one of these.
pub(crate) struct SpaceIndex {
    /// What is searched.
    pub(crate) index: RwLock<Index>,
    /// Held while somebody brings the index up to the tree.
    work: Mutex<Work>,
    /// `None` once the index is closed.
    file: Mutex<Option<IndexFile>>,
    /// How many searches have looked into it.
    pub(crate) searches: AtomicU64,
}

#[derive(Default)]
struct Work {
    /// Files whose contents only the remote has.
    absent: FxHashSet<NodeId>,
    /// Whether the file holds something that was purged.
    must_rewrite: bool,
}

impl SpaceIndex {
    /// Opens the index of a space, or begins it, and learns what changed since it was written.
    pub(super) fn open(space: &Space, fold: &Fold) -> Result<Self> {
        // First: from here on the tree tells what changes.
        space.tree.write().unindexed = Some(Unindexed::default());
        let opened = Self::read(space, fold);
        if opened.is_err() {
            space.tree.write().unindexed = None;
        }
        opened
    }

    fn read(space: &Space, fold: &Fold) -> Result<Self> {
        // Whatever the embedder is, the static model is here at once.
        let fresh = || Index::new(BuiltIn::Static.name(), BuiltIn::Static.dimensions()?);
        let mut index = fresh()?;
        let disk = space.ground.disk.clone();
        let (file, taken) = IndexFile::open(disk, &space.dir, |frame| index.apply(frame))?;
        if let Err(error) = taken {
            tracing::warn!(space = %space.name, %error, "the index is made again");
            index = fresh()?;
        }
        fold.catch_up()?;
        if index.version() > space.base.folded()?.version.0 {
            // Of another past of this space, as after a repair.
            index = fresh()?;
        }
        let changed = space.base.changes_since(Version(index.version()), usize::MAX)?;
        let mut tree = space.tree.write();
        let staged: Vec<NodeId> = tree.staged.iter().copied().collect();
        if let Some(unindexed) = &mut tree.unindexed {
            unindexed.nodes.extend(changed.iter().map(|row| row.node));
            unindexed.nodes.extend(staged);
        }
        drop(tree);
        Ok(Self {
            index: RwLock::new(index),
            work: Mutex::default(),
            file: Mutex::new(Some(file)),
            searches: AtomicU64::new(0),
        })
    }

    /// Brings the index up to everything that was acknowledged before the call.
    pub(crate) fn catch_up(&self, space: &Space) -> Result<()> {
        // Whoever holds it may be at a change that this caller must see.
        let mut work = self.work.lock();
        // One lock after the other: a search holds the index while it asks the tree.
        let indexed = self.index.read().version();
        let is_current = {
            let tree = space.tree.read();
            tree.unindexed.as_ref().is_none_or(|changed| changed.nodes.is_empty())
                && tree.version.0 == indexed
        };
        if is_current {
            return Ok(());
        }
        let (version, changed) = {
            let mut tree = space.tree.write();
            (tree.version, tree.unindexed.as_mut().map(mem::take).unwrap_or_default())
        };
        work.must_rewrite |= changed.erased;
        let mut left: Vec<NodeId> = changed.nodes.into_iter().collect();
        while let Some(&node) = left.last() {
            match self.take(space, &mut work, node) {
                Ok(below) => {
                    left.pop();
                    left.extend(below);
                }
                Err(error) => {
                    if let Some(unindexed) = &mut space.tree.write().unindexed {
                        unindexed.nodes.extend(left);
                    }
                    return Err(error);
                }
            }
        }
        self.index.write().set_version(version.0);
        Ok(())
    }

    /// Looks at a node again; returns what else must be looked at because of it.
    fn take(&self, space: &Space, work: &mut Work, node: NodeId) -> Result<Vec<NodeId>> {
        let seen = space.see(node)?;
        let mut index = self.index.write();
        work.absent.remove(&node);
        match seen {
            Seen::Gone => {
                index.remove(node.0);
                index.set_directory(node.0, None);
            }
            Seen::Directory(path) => {
                // Whatever is below has another path too.
                if index.set_directory(node.0, Some(&path)) {
                    drop(index);
                    return names_in(space, node);
                }
            }
            Seen::File(file, read) => {
                if matches!(read, Read::Absent) {
                    work.absent.insert(node);
                }
                index.put(*file, read.body());
            }
        }
        Ok(Vec::new())
    }

    /// Lets the docs have vectors by an embedder from now on.
    pub(super) fn use_embedder(&self, name: &str, dimensions: usize) -> Result<()> {
        if self.index.read().embedder() == name {
            return Ok(());
        }
        self.index.write().set_embedder(name, dimensions)
    }

    /// Embeds some of the docs that wait; returns how many there were.
    pub(super) fn embed_some(
        &self,
        space: &Space,
        embedder: &dyn Embedder,
        most: usize,
    ) -> Result<usize> {
        let waiting: Vec<(u32, NodeId, std::ops::Range<usize>)> = {
            let index = self.index.read();
            let docs = index.waiting(most).into_iter();
            docs.filter_map(|doc| {
                let known = index.doc(doc)?;
                let range = known.bytes.start as usize..known.bytes.end as usize;
                Some((doc, NodeId(known.file.node), range))
            })
            .collect()
        };
        let mut texts = Vec::with_capacity(waiting.len());
        for (doc, node, range) in waiting {
            let content = match space.see(node)? {
                Seen::File(_, Read::Whole(bytes) | Read::Beginning(bytes)) => bytes,
                _ => bytes::Bytes::new(),
            };
            match content.get(range) {
                Some(text) => texts.push((doc, String::from_utf8_lossy(text).into_owned())),
                // It has changed meanwhile, so it will be looked at again.
                None => drop(space.tree.write().unindexed.as_mut().map(|u| u.nodes.insert(node))),
            }
        }
        let borrowed: Vec<&str> = texts.iter().map(|(_, text)| rank::meaning(text)).collect();
        let vectors = embedder.embed_many(&borrowed, Role::Memory)?;
        let mut index = self.index.write();
        for ((doc, text), vector) in texts.iter().zip(&vectors) {
            index.embed(*doc, index::digest(text), vector)?;
        }
        Ok(texts.len())
    }

    /// Fetches some contents that only the remote has, so that they are searched too; returns how
    /// many there were.
    pub(super) fn fetch_some(&self, space: &Space, most: usize) -> usize {
        if space.chunks.lender().is_none() {
            return 0;
        }
        let absent: Vec<NodeId> = self.work.lock().absent.iter().copied().take(most).collect();
        for node in &absent {
            let fetched = space.read(Permit::follower(), |_| Ok(*node), 0, 1);
            let mut work = self.work.lock();
            work.absent.remove(node);
            // What cannot be had now is asked for again when it changes, or by the next process.
            if fetched.is_ok()
                && let Some(unindexed) = &mut space.tree.write().unindexed
            {
                unindexed.nodes.insert(*node);
            }
        }
        absent.len()
    }

    /// Writes down what changed. Everything that the index has seen must survive power loss by
    /// now: else the file could be ahead of what the space becomes.
    pub(super) fn save(&self, space: &Space) -> Result<()> {
        let mut work = self.work.lock();
        let mut file = self.file.lock();
        let Some(file) = file.as_mut() else { return Ok(()) };
        space.ground.journal.barrier(space.ground.journal.end())?;
        let mut index = self.index.write();
        if work.must_rewrite || index.garbage() > GARBAGE_MAX {
            let whole = index.whole();
            drop(index);
            file.replace(&whole, work.must_rewrite)?;
            work.must_rewrite = false;
        } else if let Some(delta) = index.delta() {
            drop(index);
            file.append(&delta)?;
        }
        Ok(())
    }

    /// Writes down what changed for the last time.
    pub(super) fn close(&self, space: &Space) -> Result<()> {
        let saved = self.save(space);
        *self.file.lock() = None;
        saved
    }

    /// Returns the length of the file in bytes.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file.lock().as_ref().map_or(0, IndexFile::len)
    }

    /// Notes that a search looks into it.
    pub(crate) fn count_search(&self) {
        self.searches.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns the nodes in a directory.
pub(super) fn names_in(space: &Space, directory: NodeId) -> Result<Vec<NodeId>> {
    let names = space.look(Permit::follower(), |tree| {
        Ok(tree.names(directory)?.values().copied().collect::<Vec<_>>())
    });
    match names {
        // Removed meanwhile: its nodes are told one by one.
        Err(_) if !space.tree.read().nodes.contains_key(&directory) => Ok(Vec::new()),
        names => names.map_err(|halt: Halt| halt.into_error(&space.name)),
    }
}
