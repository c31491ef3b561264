//! Tests of the whole store that need to see or stop what is inside it.

mod absent;
mod attached;
mod expiry;
mod failing_base;
mod failing_disk;
mod handles;
mod idle;
mod listing;
mod model;
mod rig;
mod sync;
