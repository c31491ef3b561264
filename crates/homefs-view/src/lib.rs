//! The doors to a store: [`View`] by paths, [`Nodes`] by nodes, and the [`Store`] with its threads.
//!
//! What a home is, and what keeps it, is in `homefs-store`; how it follows its agent to other
//! machines in `homefs-sync`. Here is what an agent may ask: files, history, memory and probes, with
//! the indexes that search needs. The choice a reader may question: a view has methods for all that
//! can be done, in one file per group, and nothing below it is for a face.

mod backup;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod indexing;
mod lost_changes;
mod memory;
mod nodes;
pub mod pages;
mod probes;
mod status;
mod store;
#[cfg(test)]
mod tests;
mod upkeep;
mod view;

pub use backup::restore_store;
pub use homefs_core::time::Moment;
pub use homefs_search::index::is_handle;
pub use homefs_store::attached::{
    Attachment, OpenSource, SourceChange, SourceChangeKind, unsearched,
};
pub use homefs_store::base::Freeable;
pub use homefs_store::glob::Glob;
pub use homefs_store::ground::{Components, Settings};
pub use homefs_store::meta::{Metadata, SetMeta};
pub use homefs_store::model::*;
pub use homefs_store::observers::{Observer, ObserverId, Touched};
pub use homefs_store::record::Origin;
pub use homefs_store::special::{SPECIAL_BITS, plain_mode};
pub use homefs_sync::{
    AttachOptions, Direction, PurgedThere, RemotePlaces, SpaceSync, Swept, SyncOptions, Synced,
};
pub use homefs_wire::records::{Mount, RemoteStatus, Requests};
pub use indexing::IndexStatus;
pub use memory::*;
pub use nodes::{
    Capacity, DirEntry, MakeNode, NodeRef, Nodes, Range, Seek, SetNode, TimeTo, XattrMode,
};
pub use status::{Load, Status};
pub use store::Store;
pub use upkeep::{Finding, repair};
pub use view::{
    Action, CLAIMANTS, Conflict, ConflictSide, Cursor, Event, GrepLine, GrepOptions, GrepPlace,
    Grepped, Probed, Purged, REMOTE_WAIT, Side, SpaceInfo, View, Watched, Who, Writer,
};
