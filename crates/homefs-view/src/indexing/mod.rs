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
mod ignored;
mod indexes;
mod of_space;
mod seen;
mod verify;

use std::any::Any;
use std::sync::Arc;

use homefs_core::Result;
use homefs_store::fold::Fold;
use homefs_store::space::{self, Space};

pub use homefs_wire::records::IndexStatus;
pub(crate) use indexes::Indexing;
pub(crate) use of_space::SpaceIndex;
pub(crate) use seen::SUPERSEDES;

impl SpaceIndex {
    /// Returns the index of a space, opening it if nobody has.
    pub(crate) fn of(space: &Space, fold: &Fold) -> Result<Arc<Self>> {
        let mut slot = space.index.lock();
        if let Some(index) = slot.clone().and_then(known) {
            return Ok(index);
        }
        let index = Arc::new(Self::open(space, fold)?);
        *slot = Some(index.clone());
        Ok(index)
    }

    /// Returns the index of a space if somebody has opened it.
    pub(crate) fn opened(space: &Space) -> Option<Arc<Self>> {
        space.index.lock().clone().and_then(known)
    }

    /// Writes the index of a space down now, if somebody has opened it, so that nothing purged is in
    /// its file.
    pub(crate) fn write_down(space: &Space) -> Result<()> {
        let Some(index) = Self::opened(space) else { return Ok(()) };
        index.catch_up(space)?;
        index.save(space)
    }
}

/// Returns an index as what it is: spaces have no other.
fn known(index: Arc<dyn space::Index>) -> Option<Arc<SpaceIndex>> {
    let index: Arc<dyn Any + Send + Sync> = index;
    index.downcast().ok()
}
