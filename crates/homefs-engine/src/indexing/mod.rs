//! Indexes: what is searched, kept up with what is written.
//!
//! Each space has an index of its own ([`of_space`]), so that who may not read a space never comes
//! near its words. It is in memory, opened by the first search, and brought up to the tree by every
//! search, so that a search sees each write that returned before it. A thread does the same in the
//! background, so that a search finds little to do, and gives docs their vectors. What a file says
//! is asked of the tree, never remembered here: the tree tells only which nodes changed.

mod absent;
mod embedding;
mod file;
mod follower;
mod indexes;
mod of_space;
mod seen;
mod verify;

use std::sync::Arc;

use homefs_core::{Result, SpaceName};
use serde::{Deserialize, Serialize};

use crate::fold::Fold;
use crate::space::Space;

pub(crate) use file::remove;
pub(crate) use indexes::Indexing;
pub(crate) use of_space::{SpaceIndex, Unindexed};

/// How the index of a space is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexStatus {
    /// The space.
    pub space: SpaceName,
    /// Files in it.
    pub files: u64,
    /// Docs in it.
    pub docs: u64,
    /// Docs that wait for the embedder.
    pub waiting: u64,
    /// The embedder that gives docs their vectors.
    pub embedder: String,
    /// Bytes of memory, nearly.
    pub memory_bytes: u64,
    /// Bytes of its file.
    pub file_bytes: u64,
    /// Searches that looked into it since it was opened.
    pub searches: u64,
}

impl Space {
    /// Returns the index of the space, opening it if nobody has.
    pub(crate) fn index(&self, fold: &Fold) -> Result<Arc<SpaceIndex>> {
        let mut slot = self.index.lock();
        if let Some(index) = &*slot {
            return Ok(index.clone());
        }
        let index = Arc::new(SpaceIndex::open(self, fold)?);
        *slot = Some(index.clone());
        Ok(index)
    }

    /// Returns the index of the space if somebody has opened it.
    pub(crate) fn open_index(&self) -> Option<Arc<SpaceIndex>> {
        self.index.lock().clone()
    }

    /// Writes the index down now, if somebody has opened it, so that nothing purged is in its file.
    pub(crate) fn rewrite_index(&self) -> Result<()> {
        let Some(index) = self.open_index() else { return Ok(()) };
        index.catch_up(self)?;
        index.save(self)
    }

    /// Lets nothing of what is purged stay in the index or its file.
    pub(crate) fn erase_from_index(&self) -> Result<()> {
        if let Some(unindexed) = &mut self.tree.write().unindexed {
            unindexed.erased = true;
            return Ok(());
        }
        remove(&*self.ground.disk, &self.dir)
    }
}
