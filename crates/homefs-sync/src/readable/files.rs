//! The files of the last known commit, by the keys of their readable copies.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::limits::CHUNK_BYTES;
use homefs_core::{Digest, NodeId, Path, Result};
use homefs_store::model::Kind;

use super::patterns::{Patterns, has_frontmatter};
use crate::format::{Content, Entry, EntryState, Living, keys};
use crate::known::RemoteTracking;

/// Every file of the last known commit.
pub(super) struct Files {
    entries: BTreeMap<NodeId, Entry>,
    places: BTreeMap<String, FileLocation>,
    /// Which of them people read.
    patterns: Patterns,
}

/// Where a file is.
#[derive(Clone, Copy)]
struct FileLocation {
    node: NodeId,
    /// Whether a directory above it has changed.
    is_below: bool,
}

/// A file at one of its keys.
#[derive(Clone, Copy)]
pub(super) struct File<'f> {
    pub(super) entry: &'f Entry,
    pub(super) living: &'f Living,
    /// What its copy should show; `None` if it has none.
    pub(super) text: Option<Digest>,
    /// Whether a directory above it has changed.
    pub(super) is_below: bool,
}

impl Files {
    /// Collects the files; some nodes have changed.
    pub(super) fn new(
        known: &RemoteTracking,
        patterns: Patterns,
        is_changed: impl Fn(NodeId) -> bool,
    ) -> Result<Self> {
        let entries = known.entries()?;
        let mut children: BTreeMap<NodeId, Vec<(&str, NodeId)>> = BTreeMap::new();
        for entry in entries.values() {
            let EntryState::Living(living) = &entry.state else { continue };
            for link in &living.links {
                children.entry(link.parent).or_default().push((&link.name, entry.node));
            }
        }
        let mut places = BTreeMap::new();
        let mut ahead = vec![(NodeId::ROOT, Path::root(), false)];
        while let Some((directory, path, is_below)) = ahead.pop() {
            for (name, node) in children.get(&directory).into_iter().flatten().copied() {
                // What is moved below others may be deeper than any path.
                let Ok(path) = path.join(name) else { continue };
                let kind = living(&entries, node).map(|living| living.traits.kind);
                if kind == Some(Kind::Directory) {
                    ahead.push((node, path, is_below || is_changed(node)));
                } else if let (Some(Kind::File), Some(key)) = (kind, keys::readable(&path)) {
                    places.insert(key, FileLocation { node, is_below });
                }
            }
        }
        drop(children);
        Ok(Self { entries, places, patterns })
    }

    /// Returns the file at a key.
    pub(super) fn get(&self, key: &str) -> Option<File<'_>> {
        let FileLocation { node, is_below } = *self.places.get(key)?;
        let living = living(&self.entries, node)?;
        let text = self.is_readable(key).then(|| digest_of(&living.content)).flatten();
        Some(File { entry: self.entries.get(&node)?, living, text, is_below })
    }

    /// Tells whether the file at a key is for people to read.
    pub(super) fn is_readable(&self, key: &str) -> bool {
        self.patterns.matches(key)
    }

    /// Tells whether the copy at a key is the content as it is, and nothing else.
    pub(super) fn is_plain(&self, key: &str) -> bool {
        self.is_readable(key) && !has_frontmatter(key)
    }

    /// Returns every file, at each of its keys.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, File<'_>)> {
        self.places.keys().filter_map(|key| Some((key.as_str(), self.get(key)?)))
    }

    /// Returns the nodes of all files.
    pub(super) fn nodes(&self) -> BTreeSet<NodeId> {
        self.places.values().map(|place| place.node).collect()
    }
}

fn living(entries: &BTreeMap<NodeId, Entry>, node: NodeId) -> Option<&Living> {
    match &entries.get(&node)?.state {
        EntryState::Living(living) => Some(living),
        EntryState::Gone(_) => None,
    }
}

/// Returns the digest of all bytes of a content that is one piece.
fn digest_of(content: &Content) -> Option<Digest> {
    match content {
        Content::Empty => Some(Digest::of(b"")),
        Content::Small { digest, .. } => Some(*digest),
        Content::Chunked { size, pieces } if *size <= CHUNK_BYTES as u64 => {
            pieces.first().copied().filter(|piece| *piece != Digest::HOLE)
        }
        Content::Chunked { .. } => None,
    }
}
