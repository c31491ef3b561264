//! What the index keeps of files and docs.

use std::ops::Range;

use super::{File, vectors::VectorSlot};
use crate::{docs::Link, rank::Form};

/// A file as the index keeps it.
pub(super) struct FileRecord {
    pub(super) file: File,
    pub(super) docs: Range<u32>,
    pub(super) links: Box<[Link]>,
}

impl FileRecord {
    /// Bytes of memory beside its own, nearly.
    pub(super) fn heap_bytes(&self) -> usize {
        let File { path, title, tags, source, rules, .. } = &self.file;
        let tags: usize = tags.iter().map(|tag| size_of::<Box<str>>() + tag.len()).sum();
        let links = self.links.iter().map(|link| size_of::<Link>() + link.target.len());
        path.len() + title.len() + source.len() + rules.len() + tags + links.sum::<usize>()
    }
}

/// A doc as the index keeps it.
#[derive(Default)]
pub(super) struct DocRecord {
    /// The number of its file.
    pub(super) file: u32,
    pub(super) bytes: (u32, u32),
    pub(super) lines: (u32, u32),
    pub(super) weight: f32,
    pub(super) digest: u64,
    /// Who speaks in it, whether it asks, and when it is from.
    pub(super) form: Form,
    /// Nothing if there is no text, or if the doc is removed.
    pub(super) held: Option<VectorSlot>,
}
