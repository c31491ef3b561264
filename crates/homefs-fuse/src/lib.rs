//! The mount: a view as a directory of the host.
//!
//! Only translation: inode numbers for nodes, handles, error numbers. What a call means is decided
//! in the engine. The kernel is told to keep whatever it learns for ever and to open files without
//! asking; in return the mount tells it whenever somebody else changes something.

mod apart;
mod calls;
mod connection;
mod deadline;
mod dying;
mod errno;
mod face;
mod host;
mod inodes;
mod invalidation;
mod listing;
mod mount;
mod probe;
mod stat;

pub use host::{check_available, mend_stale, mounted, stale, unmount};
pub use mount::{Mount, MountOptions, THREADS};
