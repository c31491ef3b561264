//! Tools for tests: a disk that crashes on command, a clock that stands still, and a naive model
//! of a space with the operations to try on both.

mod clock;
mod crash_disk;
mod model;
mod operations;

pub use clock::VirtualClock;
pub use crash_disk::CrashDisk;
pub use model::{Model, Seen, SeenBody};
pub use operations::{Bulk, Clash, Expect, Operation, Script, script};
