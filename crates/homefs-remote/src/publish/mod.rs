//! Places that are kept up to date with a space, for the programs of others.

mod chroma;
mod split;

pub use chroma::{ChromaTarget, Published, PublishedFile};
