//! One node as the remote history knows it.

use homefs_core::limits::{
    CHUNK_BYTES, FILE_BYTES_MAX, INLINE_BYTES_MAX, LEAF_CHUNKS, NAME_BYTES_MAX, PATH_BYTES_MAX,
    XATTR_BYTES_MAX,
};
use homefs_core::{AgentId, Digest, NodeId, Timestamp, Version, check_name};
use homefs_store::draft::RESERVED_NAMES;
use homefs_store::fields::Fields;
use homefs_store::model::{Kind, Xattrs};
use serde::{Deserialize, Serialize};

use super::ensure;
use super::ids::MachineId;
use crate::traits::Traits;

/// Contents of up to this many chunks name them, larger ones their leaves.
///
/// So a file of up to 32 MiB is read without its leaf being fetched first, and an entry takes 1 KiB
/// for it at most.
pub(crate) const CHUNKS_NAMED_MAX: u64 = 32;

/// The state of one node after a commit, and who made it so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The node.
    pub node: NodeId,
    /// Who made its last change.
    pub agent: AgentId,
    /// Where.
    pub machine: MachineId,
    /// The version that this change has there.
    pub version: Version,
    /// What became of it.
    pub state: EntryState,
    /// What later homefs say of it.
    pub more: Fields,
}

/// Whether a node lives. The variants are stored by position: new ones go to the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryState {
    /// Names lead to it.
    Living(Box<Living>),
    /// Its last name was removed then.
    Gone(Timestamp),
}

/// A living node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Living {
    /// What is noted of it.
    pub traits: Traits,
    /// Its names, sorted; the root has none.
    pub links: Vec<Link>,
    /// What a file holds.
    pub content: Content,
    /// The file that people know, if that began as another node: this one took its place when a
    /// program saved it.
    pub lineage: Option<NodeId>,
}

/// One name of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// The directory that has it.
    pub parent: NodeId,
    /// The name there.
    pub name: Box<str>,
}

/// What a file holds, by name. The variants are stored by position: new ones go to the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "a variant says what its fields are")]
pub enum Content {
    /// Nothing; so do all nodes that are not files.
    Empty,
    /// One piece.
    Small { digest: Digest, size: u32 },
    /// Chunks: `pieces` are up to `CHUNKS_NAMED_MAX` of them, or else the leaves that name them.
    /// `Digest::HOLE` stands for zeros, and is stored nowhere.
    Chunked { size: u64, pieces: Vec<Digest> },
}

impl Content {
    /// Returns the length in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Empty => 0,
            Self::Small { size, .. } => u64::from(*size),
            Self::Chunked { size, .. } => *size,
        }
    }

    /// Returns a digest that stands for it; that of a large one is not that of its bytes. What is
    /// empty has none.
    pub(crate) fn identity(&self) -> Option<Digest> {
        match self {
            Self::Empty => None,
            Self::Small { digest, .. } => Some(*digest),
            Self::Chunked { size, pieces } => {
                let mut named = size.to_le_bytes().to_vec();
                for piece in pieces {
                    named.extend_from_slice(&piece.0);
                }
                Some(Digest::of(&named))
            }
        }
    }

    /// Returns the pieces that it names; those of a very large one are leaves.
    pub fn pieces(&self) -> &[Digest] {
        match self {
            Self::Empty => &[],
            Self::Small { digest, .. } => std::slice::from_ref(digest),
            Self::Chunked { pieces, .. } => pieces,
        }
    }

    /// Tells whether the pieces of a chunked content of `size` bytes are leaves.
    pub(crate) fn names_leaves(size: u64) -> bool {
        size.div_ceil(CHUNK_BYTES as u64) > CHUNKS_NAMED_MAX
    }

    pub(super) fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Empty => Ok(()),
            Self::Small { size, .. } => {
                let is_small = (1..=INLINE_BYTES_MAX).contains(&(*size as usize));
                ensure(is_small, "a small content has an impossible size")
            }
            Self::Chunked { size, pieces } => {
                ensure((1..=FILE_BYTES_MAX).contains(size), "a content has an impossible size")?;
                let chunks = size.div_ceil(CHUNK_BYTES as u64);
                let leaves = chunks.div_ceil(LEAF_CHUNKS as u64);
                let expected = if Self::names_leaves(*size) { leaves } else { chunks };
                ensure(pieces.len() as u64 == expected, "a content has too few or many pieces")
            }
        }
    }
}

/// Says what is wrong with a list of entries, if anything is.
///
/// Whether they form a tree shows only when they are put together with those they change.
pub(super) fn check(entries: &[Entry]) -> Result<(), &'static str> {
    ensure(entries.is_sorted_by(|a, b| a.node < b.node), "nodes are not in order")?;
    entries.iter().try_for_each(|entry| entry.more.check())?;
    entries.iter().try_for_each(|entry| match &entry.state {
        EntryState::Living(living) => living.check(entry.node == NodeId::ROOT),
        EntryState::Gone(_) => ensure(entry.node != NodeId::ROOT, "the root is gone"),
    })
}

impl Entry {
    /// Returns the file that people know it as; what was never replaced is known as itself.
    pub fn lineage(&self) -> NodeId {
        match &self.state {
            EntryState::Living(living) => living.lineage.unwrap_or(self.node),
            EntryState::Gone(_) => self.node,
        }
    }
}

impl Living {
    fn check(&self, is_root: bool) -> Result<(), &'static str> {
        let Traits { kind, mode, expires, target, .. } = &self.traits;
        let (is_file, is_directory) = (*kind == Kind::File, *kind == Kind::Directory);
        ensure(is_directory || !is_root, "the root is not a directory")?;
        ensure(*mode <= 0o7777, "a mode has unknown bits")?;
        ensure(is_file || self.content == Content::Empty, "something but a file has content")?;
        ensure(is_file || expires.is_none(), "something but a file expires")?;
        ensure(is_file || self.lineage.is_none(), "something but a file has a lineage")?;
        ensure((*kind == Kind::Link) != target.is_empty(), "a target is misplaced")?;
        let is_target = target.len() <= PATH_BYTES_MAX && !target.contains('\0');
        ensure(is_target, "a target is impossible")?;
        let is_link_count = match self.links.len() {
            0 => is_root,
            1 => !is_root,
            _ => !is_directory,
        };
        ensure(is_link_count, "a node has too few or many names")?;
        ensure(self.links.is_sorted_by(|a, b| a < b), "names are not in order")?;
        self.links.iter().try_for_each(Link::check)?;
        check_xattrs(&self.traits.xattrs)?;
        self.content.check()
    }
}

impl Link {
    fn check(&self) -> Result<(), &'static str> {
        ensure(check_name(&self.name).is_ok(), "a name is impossible")?;
        let is_reserved = self.parent == NodeId::ROOT && RESERVED_NAMES.contains(&&*self.name);
        ensure(!is_reserved, "a name is reserved")
    }
}

fn check_xattrs(xattrs: &Xattrs) -> Result<(), &'static str> {
    xattrs.iter().try_for_each(|(name, value)| {
        let is_name = name.starts_with("user.") && name.len() <= NAME_BYTES_MAX;
        let is_possible = is_name && !name.contains('\0') && value.len() <= XATTR_BYTES_MAX;
        ensure(is_possible, "an extended attribute is impossible")
    })
}
