//! Bounds that every part of homefs keeps, each with its unit in its name.

/// Longest name of one path part, as on ext4.
pub const NAME_BYTES_MAX: usize = 255;
/// Longest path, as `PATH_MAX` on Linux.
pub const PATH_BYTES_MAX: usize = 4096;
/// Longest agent id, group or space name; it becomes a directory name on the host and a key part
/// in a bucket.
pub const PRINCIPAL_BYTES_MAX: usize = 64;
/// Content up to this size travels inside the journal record; larger content is stored as chunks.
pub const INLINE_BYTES_MAX: usize = 64 * 1024;
/// Size of every chunk but the last of a large content.
pub const CHUNK_BYTES: usize = 1024 * 1024;
/// Chunk digests per leaf of a large content's chunk list: one leaf covers 1 GiB.
pub const LEAF_CHUNKS: usize = 1024;
/// Largest file: the kernel's own limit for a signed offset with 4 KiB pages.
pub const FILE_BYTES_MAX: u64 = (1 << 43) - 4096;
/// Longest value of one extended attribute, as on ext4.
pub const XATTR_BYTES_MAX: usize = 4096;
/// Most symbolic links followed while one path is resolved, as on Linux.
pub const LINKS_FOLLOWED_MAX: usize = 40;
/// Most content that several files have together that are read in one call.
pub const READ_MANY_BYTES_MAX: usize = 128 * 1024;
/// Longest page of a listing; longer listings are paged, never cut.
pub const PAGE_ENTRIES_MAX: usize = 10_000;
