//! Commits and indexes as they came from the remote.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::ids::{CommitId, IndexId};

/// An object that leads from what is known to HEAD, with its name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Fetched {
    /// A commit.
    Commit(CommitId, Bytes),
    /// An index.
    Index(IndexId, Bytes),
}
