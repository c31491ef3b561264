//! Making a space and its remote agree.
//!
//! [`format`] is what stands in the bucket for homefs, [`projection`] what stands there for people.
//! Both are pure: bytes in, bytes out, no clock and no network.

mod attach;
mod below;
mod check;
mod conflicts;
mod contents;
mod follower;
pub(crate) mod format;
mod keep;
mod known;
mod lending;
mod local;
mod lost;
mod machine;
mod pace;
mod places;
pub(crate) mod projection;
mod purge;
mod push;
mod readable;
mod reconcile;
mod round;
mod status;
mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use conflicts::short_digest;
pub(crate) use follower::{Bell, Follower};
pub(crate) use format::{Content as RemoteContent, OpenConflict};
pub(crate) use known::Known;
pub use purge::PurgedThere;
pub(crate) use readable::rebuild_copies;
pub use status::{AttachOptions, Direction, RemoteStatus, SpaceSync, SyncOptions, Synced};
pub use sweep::Swept;
