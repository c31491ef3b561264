//! What is asked over the network: the places where copies are kept, and a service that embeds.
//!
//! [`Bucket`] is the one backend; a [`RemoteAddress`] says which kind of place it talks to.
//! Its face is blocking: the runtime that sends requests in parallel lives and ends inside it, so
//! that nothing above has to know of async.
//! No request of it is tried twice here: whoever syncs knows what a lost answer may have done.
//! [`EmbeddingEndpoint`] turns texts into vectors; asking that twice does no harm.

mod address;
mod blocking;
mod bucket;
mod cloud;
mod direct;
mod directory;
mod embedding;
mod environment;
mod probe;
mod profile;
mod publish;
mod sources;

pub use address::RemoteAddress;
pub use bucket::Bucket;
pub use embedding::EmbeddingEndpoint;
pub use environment::Environment;
pub use probe::{Capabilities, Effort, Races, probe};
pub use publish::{ChromaTarget, Published, PublishedFile};
pub use sources::{
    BucketSource, ChromaAddress, ChromaSettings, ChromaSource, FolderSource, FolderTarget,
};
