//! The words and contracts that every homefs crate speaks.
//!
//! Nothing here does work: a [`Path`] names, an [`Error`] tells, a [`Clock`] and a [`Disk`] are
//! seams through which time and storage enter, so that tests can replace both.
//! `std::path` is used for places on the host only, never for names inside a home.

mod clock;
mod disk;
mod embedder;
mod error;
pub mod frontmatter;
mod host_disk;
mod host_way;
mod ids;
pub mod limits;
mod lines;
mod path;
pub mod pattern;
mod remote;
#[cfg(feature = "schema")]
mod schema;
mod source;
pub mod time;
mod url;

pub use clock::{Clock, SystemClock, Timestamp};
pub use disk::{Disk, DiskFile, DiskMap};
pub use embedder::{Embedder, Role};
pub use error::{Error, ErrorCode, ErrorKind, Result, not_found};
pub use host_disk::HostDisk;
pub use host_way::{check_links, check_own_file, check_way};
pub use ids::{AgentId, ClientId, Digest, NodeId, SpaceName, Version};
pub use lines::{is_line_reference, line_reference};
pub use path::{Path, check_name};
pub use remote::{
    Condition, REMOTE_CONTENT_BYTES_MAX, REMOTE_KEY_BYTES_MAX, REMOTE_PAGE_OBJECTS_MAX, Remote,
    RemoteAnswer, RemoteCounters, RemoteObject, RemoteRequest, Tag, check_key,
};
pub use source::{
    SOURCE_DIRECTORIES_MAX, SOURCE_READ_BYTES_MAX, Source, SourceKind, SourceNode, SourcePage,
    SourceTarget,
};
pub use url::{has_userinfo, is_in_the_open, without_userinfo};
