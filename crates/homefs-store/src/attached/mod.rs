//! Sources below the base: trees that others keep, attached to directories of a space.
//!
//! The overlay shows what the space has and, where it has nothing, what the source has. Nodes of a
//! source are in memory only; their ids follow from the attachment and the path, so that a file
//! keeps its id when the first change of it makes it the space's own. What is removed is hidden by
//! a change like any other. So views, mounts, watchers and history know nothing of sources, and a
//! source is asked only where the overlay halts, with no lock held.

mod attachments;
mod changes;
mod hidden;
mod listing;
mod ownership;
mod revalidation;
mod trouble;
mod veil;

pub(crate) use attachments::ATTACHED;
pub use attachments::{Attached, AttachmentRecord, SourceDoor};
pub use attachments::{Attachment, OpenSource, concerns, unsearched};
pub use changes::{SourceChange, SourceChangeKind};
pub use listing::is_gone;
