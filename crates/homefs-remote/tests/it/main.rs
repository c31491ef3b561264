//! Tests of the backends through their blocking face.

mod common;
mod conformance;
mod directory;
mod ends;
mod failures;
mod probing;
mod servers;
