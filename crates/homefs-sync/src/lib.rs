//! Making a space and its remote agree.
//!
//! A [`round::Pair`] is a space with its remote, and a round on it is the heart of all this; the
//! rest tells it when, or is what it works with. Only [`merge`], [`mod@format`], [`projection`] and
//! [`pace`] are pure: no clock, no disk and no network. Which remote a store has, and when it gets
//! one, is the business of `homefs-view`.
//!
//! When, and for which space:
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
//! - [`merge`]: what becomes of two changes of one thing.
//! - [`traits`]: what is noted of a node and is the same on every machine.
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

pub mod below;
pub mod check;
pub mod conflicts;
pub mod contents;
pub mod elsewhere;
pub mod follower;
pub mod format;
pub mod keep;
pub mod known;
pub mod lending;
pub mod local;
pub mod lost;
pub mod machine;
pub mod merge;
pub mod news;
pub mod overlap;
pub mod pace;
pub mod places;
pub mod projection;
pub mod purge;
pub mod push;
pub mod readable;
pub mod reconcile;
pub mod round;
pub mod status;
pub mod sweep;
pub mod traits;

pub use conflicts::short_digest;
pub use elsewhere::elsewhere;
pub use follower::Follower;
pub use format::{Content as RemoteContent, MachineId, OpenConflict};
pub use keep::fetch_absent;
pub use known::RemoteTracking;
pub use machine::machine_id;
pub use places::RemotePlaces;
pub use places::{shared_of, spaces_of};
pub use purge::PurgedThere;
pub use readable::{Patterns, rebuild_copies};
pub use round::Pair;
pub use status::{AttachOptions, Direction, SpaceSync, SyncOptions, Synced};
pub use sweep::Swept;
