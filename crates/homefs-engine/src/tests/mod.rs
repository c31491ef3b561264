//! Tests of the whole store that need to see or stop what is inside it.

mod model;
mod rig;
