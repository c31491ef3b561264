//! Making a space and its remote agree.
//!
//! A [`round::Pair`] is a space with its remote, and a round on it is the heart of all this; the
//! rest tells it when, or is what it works with. Only [`mod@format`], [`projection`] and [`pace`]
//! are pure: no clock, no disk and no network.
//!
//! When, and for which space:
//! - [`attach`]: a store gets a remote, lets it go, asks for a sync.
//! - [`follower`]: the thread that makes rounds when they are due.
//! - [`pace`]: what is due when.
//! - [`places`]: which spaces the remote has.
//! - [`below`]: the part of the remote that one space has, as a remote of its own.
//! - [`machine`]: which machine this store is, to others.
//! - [`status`]: what callers say and hear of all this.
//!
//! A round:
//! - [`round`]: look at HEAD, pull what is new, push what is ours.
//! - [`news`]: the way from what is known to HEAD, and which commits on it are our own.
//! - [`check`]: refuses what cannot be a tree, before a pull or a push changes anything.
//! - [`reconcile`]: takes over what a pull brought, merged with what is ahead here.
//! - [`push`]: commits what is ahead here.
//! - [`local`]: the space's side: what changed in it, and entries made true in it.
//! - [`known`]: what this machine knows of the remote, in a file beside the base.
//! - [`conflicts`]: which conflicts are open, and how they end.
//! - [`mod@format`]: the bytes of what stands in the bucket for homefs.
//!
//! Contents:
//! - [`contents`]: sends those that the remote lacks, gets those that are lacking here.
//! - [`lending`]: fetches one when somebody reads it.
//! - [`keep`]: fetches what is pinned, gives up what need not be here.
//! - [`overlap`]: finds out which of the pieces is there that are said to lie in one place.
//! - [`lost`]: removes files whose content ended elsewhere before they were pushed.
//! - [`purge`]: takes contents out of the remote and off every other machine.
//! - [`sweep`]: ends what nobody in the remote needs, mends what it has lost.
//!
//! People:
//! - [`projection`]: the bytes of a readable copy, and back.
//! - [`readable`]: writes copies that are due, takes over what was changed outside.

mod attach;
mod below;
mod check;
mod conflicts;
mod contents;
mod elsewhere;
mod follower;
pub(crate) mod format;
mod keep;
mod known;
mod lending;
mod local;
mod lost;
mod machine;
mod news;
mod overlap;
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
pub(crate) use elsewhere::elsewhere;
pub(crate) use follower::{Bell, Follower};
pub(crate) use format::{Content as RemoteContent, OpenConflict};
pub(crate) use known::Known;
pub use places::RemotePlaces;
pub use purge::PurgedThere;
pub(crate) use readable::{Patterns, rebuild_copies};
pub use status::{AttachOptions, Direction, RemoteStatus, SpaceSync, SyncOptions, Synced};
pub use sweep::Swept;
