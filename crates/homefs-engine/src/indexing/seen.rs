//! What an index sees of a node.

use bytes::Bytes;
use homefs_core::{Digest, ErrorKind, NodeId, Result, SpaceName};
use homefs_search::index::{Body, File};
use rustc_hash::FxHashSet;

use crate::contents::Held;
use crate::guard::Permit;
use crate::meta::Metadata;
use crate::model::Kind;
use crate::record::Content;
use crate::space::Space;
use crate::tree::{Halt, Tree};

/// What is read of one file; what lies behind it is found by name only.
const TEXT_BYTES_MAX: usize = 8 << 20;
/// A NUL among the first bytes tells that a content is no text.
const SNIFFED_BYTES: usize = 8 << 10;

/// A node as it is now.
pub(super) enum Seen {
    /// It is not there, or nothing that is indexed.
    Gone,
    /// A directory, and where it is; nowhere if it is deeper than any path.
    Directory(Option<String>),
    /// A file, and what could be read of it without asking a remote.
    File(Box<File>, Read),
}

/// What was read of a file.
pub(super) enum Read {
    /// All of it.
    Whole(Bytes),
    /// Its beginning.
    Beginning(Bytes),
    /// Nothing: only the remote has it, and it is so long.
    Absent(u64),
}

impl Read {
    /// Returns it as the index takes it.
    pub(super) fn body(&self) -> Body<'_> {
        let is_binary = |bytes: &[u8]| bytes[..bytes.len().min(SNIFFED_BYTES)].contains(&0);
        match self {
            Self::Whole(bytes) if is_binary(bytes) => Body::Binary(bytes),
            Self::Whole(bytes) => Body::Text(bytes),
            Self::Beginning(bytes) if !is_binary(bytes) => Body::Beginning(bytes),
            Self::Beginning(_) | Self::Absent(_) => Body::Unread,
        }
    }
}

impl Space {
    /// Looks at a node for the index.
    pub(super) fn see(&self, node: NodeId) -> Result<Seen> {
        let is_shared = matches!(self.name, SpaceName::Shared(_));
        let mut asked = FxHashSet::default();
        let mut tries = 0;
        loop {
            if !self.know(node).map_err(|halt| halt.into_error(&self.name))? {
                return Ok(Seen::Gone);
            }
            let looked = match self
                .look(Permit::follower(), |tree| look(tree, node, is_shared, &mut asked))
            {
                // Removed since it was known.
                Err(_) if !self.tree.read().nodes.contains_key(&node) => return Ok(Seen::Gone),
                // One node that cannot be looked at must not keep the others from being found.
                Err(Halt::Fail(error))
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid) =>
                {
                    return Ok(Seen::Gone);
                }
                looked => looked.map_err(|halt| halt.into_error(&self.name))?,
            };
            let (file, held) = match looked {
                Looked::Gone => return Ok(Seen::Gone),
                Looked::Directory(path) => return Ok(Seen::Directory(path)),
                Looked::File(file, held) => (file, held),
            };
            let read = match self.read_here(&held, TEXT_BYTES_MAX) {
                Ok(Some(bytes)) if held.size() > bytes.len() as u64 => Read::Beginning(bytes),
                Ok(Some(bytes)) => Read::Whole(bytes),
                Ok(None) => Read::Absent(held.size()),
                // The content may have been replaced, and let go, since the tree was looked at.
                Err(_) if tries < 3 => {
                    tries += 1;
                    continue;
                }
                Err(error) => {
                    // One damaged file must not keep the others from being found.
                    tracing::warn!(space = %self.name, path = %file.path, %error, "not searched");
                    Read::Absent(held.size())
                }
            };
            return Ok(Seen::File(file, read));
        }
    }

    /// Reads the beginning of a content if it is on this machine.
    fn read_here(&self, held: &Held, most: usize) -> Result<Option<Bytes>> {
        match held {
            Held::Settled(Content::Inline(bytes)) => Ok(Some(bytes.clone())),
            Held::Settled(Content::Blob { digest, .. }) => self.base.blob(*digest),
            Held::Settled(content @ Content::Chunked { size, leaves }) => {
                let step = usize::try_from(self.chunks.chunk_bytes()).unwrap_or(most);
                for offset in (0..(*size).min(most as u64)).step_by(step) {
                    let chunk = self.chunks.chunk_at(*size, leaves, offset)?;
                    if chunk != Digest::HOLE && self.chunks.get_here(chunk).is_err() {
                        return Ok(None);
                    }
                }
                self.read_content(content, 0, most).map(Some)
            }
            Held::Staged(staged) => {
                let len = usize::try_from(staged.size).unwrap_or(most).min(most);
                let read = staged.read(self.chunks.chunk_bytes(), 0, len, &|offset, len| {
                    self.read_content(&staged.under, offset, len)
                });
                read.map(Some)
            }
            Held::Sourced(_) => Ok(None),
        }
    }
}

/// A node, with what leads to its content.
enum Looked {
    Gone,
    Directory(Option<String>),
    File(Box<File>, Held),
}

fn look(
    tree: &Tree,
    node: NodeId,
    is_shared: bool,
    asked: &mut FxHashSet<NodeId>,
) -> Result<Looked, Halt> {
    let known = tree.node(node)?;
    let is_own = tree.nodes.contains_key(&node) && !tree.sources.has(node);
    let is_there = is_own && !tree.is_expired(node);
    match known.attrs.kind {
        Kind::File if is_there => {}
        Kind::Directory if is_there => {
            let path = tree.formed_path_of(node)?;
            return Ok(Looked::Directory(path.map(|path| path.as_str().to_owned())));
        }
        _ => return Ok(Looked::Gone),
    }
    let attrs = &known.attrs;
    let path = match attrs.links {
        // Of several names some may be hidden from who searches: none is searched for.
        2.. if is_shared => Some("".into()),
        // The first, so that it is the same whichever names memory knows.
        2.. => tree.all_paths_of(node, asked)?.into_iter().min().map(|path| path.as_str().into()),
        _ => tree.formed_path_of(node)?.map(|path| path.as_str().into()),
    };
    // Deeper than any path, it is found by nobody, and read by nobody either.
    let Some(path) = path else { return Ok(Looked::Gone) };
    let metadata = Metadata::of(attrs);
    #[expect(clippy::cast_possible_truncation, reason = "a number from 0 to 1")]
    let importance = metadata.importance.map_or(0.5, |importance| importance as f32);
    let file = File {
        node: node.0,
        version: known.version.0,
        path,
        title: metadata.title.unwrap_or_default().into(),
        tags: metadata.tags.into_iter().map(Into::into).collect(),
        created: attrs.created.0,
        modified: attrs.modified.0,
        importance,
        source: metadata.source.unwrap_or_default().into(),
    };
    Ok(Looked::File(Box::new(file), Held::of(tree, node)?.0))
}
