//! Trees that others keep, read where somebody looks: see [`homefs_core::Source`].

mod bucket;
pub(crate) mod chroma;
mod folder;
mod folder_target;

pub use bucket::BucketSource;
pub use chroma::{ChromaAddress, ChromaSettings, ChromaSource};
pub use folder::FolderSource;
pub use folder_target::FolderTarget;
