//! The keys of all objects of a space, below its prefix: the one place that spells them.

use homefs_core::Path;

use super::ids::{CommitId, IndexId, PackId, digest_of_text};

/// The one object that changes and is truth.
pub const HEAD: &str = ".homefs/HEAD";
/// What keys of commits begin with; they sort by number.
pub(crate) const COMMITS: &str = ".homefs/commits/";
/// What keys of indexes begin with.
pub const INDEXES: &str = ".homefs/index/";
/// What keys of packs begin with.
pub const PACKS: &str = ".homefs/packs/";

/// Longest key of a readable copy, in bytes: stores take 1024, prefix included.
const READABLE_BYTES_MAX: usize = 800;
/// What no readable copy stands below.
const OURS: &str = ".homefs";

/// Returns the key of a commit.
pub fn commit(id: CommitId) -> String {
    format!("{COMMITS}{id}")
}

/// Returns the commit that a key names, if it is one of a commit.
pub fn commit_of(key: &str) -> Option<CommitId> {
    key.strip_prefix(COMMITS)?.parse().ok()
}

/// Returns the key of an index.
pub fn index(id: IndexId) -> String {
    format!("{INDEXES}{}", id.digest)
}

/// Returns the key of a pack.
pub fn pack(id: PackId) -> String {
    format!("{PACKS}{}", id.0)
}

/// Returns the pack that a key names, if it is one of a pack.
pub fn pack_of(key: &str) -> Option<PackId> {
    digest_of_text(key.strip_prefix(PACKS)?).map(PackId)
}

/// Returns the key of a path's readable copy; `None` if it cannot have one.
pub fn readable(path: &Path) -> Option<String> {
    let key = &path.as_str()[1..];
    // Listings are XML, which has no way to write control characters.
    let can_stand = !key.is_empty() && key.len() <= READABLE_BYTES_MAX;
    let is_free = path.names().next() != Some(OURS) && !key.contains(char::is_control);
    (can_stand && is_free).then(|| key.to_owned())
}

/// Returns the path whose readable copy stands at a key; `None` if the key is of something else.
pub fn path_of(key: &str) -> Option<Path> {
    let path = Path::parse(&format!("/{key}")).ok()?;
    (readable(&path).as_deref() == Some(key)).then_some(path)
}
