//! Search and recall: what a home's notes say, found in microseconds.
//!
//! Everything here is pure: texts and queries in, hits out. What is visible to whom, when a file
//! is indexed, and where an index is kept is the engine's.

pub mod docs;
pub mod embed;
pub mod index;
pub mod rank;
pub mod recall;
pub mod text;
