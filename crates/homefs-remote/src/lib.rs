//! The places where copies are kept: buckets, directories, and memory for trying things out.
//!
//! [`Bucket`] is the one backend; a [`RemoteAddress`] says which kind of place it talks to.
//! Its face is blocking: the runtime that sends requests in parallel lives and ends inside it, so
//! that nothing above has to know of async.
//! No request is tried twice here: whoever syncs knows what a lost answer may have done.

mod address;
mod bucket;
mod cloud;
mod directory;
mod environment;
mod probe;
mod profile;

pub use address::RemoteAddress;
pub use bucket::Bucket;
pub use environment::Environment;
pub use probe::{Capabilities, probe};
