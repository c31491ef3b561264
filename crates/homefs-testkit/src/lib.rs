//! Tools for tests: a disk that crashes on command and a clock that stands still.

mod clock;
mod crash_disk;

pub use clock::VirtualClock;
pub use crash_disk::CrashDisk;
