//! The store: journal, overlay, base, spaces, guard, and [`View`], the door to all of it.
//!
//! A change goes `View` → guard → journal → overlay and is acknowledged; the fold moves it into
//! the base later. The choice a reader may question: the overlay is not a cache in front of the
//! base but the truth of the present, and SQL is asked only for what memory never held.

mod absent;
mod aside;
mod attached;
mod backlog;
mod backup;
mod base;
mod chunks;
mod contents;
mod database;
mod descriptors;
mod draft;
mod expiry;
mod fields;
mod fold;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod glob;
mod ground;
mod guard;
mod ids;
mod indexing;
mod journal;
mod lender;
mod lineage;
mod lock;
mod lost_changes;
mod memory;
mod merge;
mod meta;
mod model;
mod names;
mod nodes;
mod observers;
mod priority;
mod probes;
mod reads;
mod record;
mod shown;
mod space;
mod spaces;
mod special;
mod staged;
mod status;
mod store;
mod sync;
#[cfg(test)]
mod tests;
mod tree;
mod upkeep;
mod used;
mod view;

pub use attached::{Attachment, OpenSource, SourceChange, SourceChangeKind};
pub use backup::restore_store;
pub use base::Freeable;
pub use glob::Glob;
pub use ground::{Components, Settings};
pub use indexing::IndexStatus;
pub use memory::*;
pub use meta::{Metadata, SetMeta};
pub use model::*;
pub use nodes::{
    Capacity, DirEntry, MakeNode, NodeRef, Nodes, Range, Seek, SetNode, TimeTo, XattrMode,
};
pub use observers::{Observer, ObserverId, Touched};
pub use record::Origin;
pub use special::{SPECIAL_BITS, plain_mode};
pub use status::{Load, Status};
pub use store::Store;
pub use sync::{
    AttachOptions, Direction, PurgedThere, RemotePlaces, RemoteStatus, SpaceSync, Swept,
    SyncOptions, Synced,
};
pub use upkeep::{Finding, repair};
pub use view::{
    Action, Conflict, ConflictSide, Cursor, Event, GrepLine, GrepOptions, GrepPlace, Grepped,
    Probed, Purged, Side, SpaceInfo, View, Watched, Who, Writer,
};
