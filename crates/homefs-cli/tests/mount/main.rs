//! Suites that work on a mounted home as any program does, and compare it with a plain directory.
//!
//! Each suite is one file. With `HOMEFS_TEST_PLAIN=1` the suites run on a plain directory instead
//! of a mount, which tells a fault of a suite from a fault of the mount.
#![expect(clippy::disallowed_methods, reason = "tests look at host files directly")]
#![expect(clippy::unwrap_used, reason = "the helpers of a suite fail as its tests do")]

mod append;
mod differential;
mod dying;
mod editors;
mod expiry;
mod extended;
mod extents;
mod faces;
mod fsx;
mod git;
mod harness;
mod inodes;
mod kills;
mod limits;
mod mapped;
mod memory;
mod pjdfstest;
mod probes;
mod races;
mod random;
mod remove;
mod special;
mod sqlite;
mod sync;
mod sync_kills;
mod tools;
mod watchdog;
