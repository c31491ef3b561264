//! One change: what the journal keeps and everything else applies.
//!
//! A record states new values ("this name now means that node"), never differences, so that the
//! overlay and the base apply it alike and a record's meaning does not depend on who reads it.
//! The exceptions are [`Change::Patch`] and [`Change::Zero`], which are folded only once settled,
//! and [`Change::Succeed`], which is the base's alone, and the base folds each record once.

use std::sync::Arc;

use bytes::Bytes;
use homefs_core::{
    AgentId, ClientId, Digest, Error, ErrorKind, NodeId, Path, Result, SpaceName, Timestamp,
    Version,
};
use serde::{Deserialize, Serialize};

use crate::fields::Fields;
use crate::journal::Effect;
use crate::model::{Attrs, Grant, Quota, Usage};

/// One change of one space; applied as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The space it changes.
    pub space: SpaceName,
    /// Its number in that space.
    pub version: Version,
    /// When it was made.
    pub time: Timestamp,
    /// Who made it.
    pub agent: AgentId,
    /// The client's request that it answers, so that a repeat is recognised.
    pub origin: Option<Origin>,
    /// What lives in the space after it.
    pub usage: Usage,
    /// What changes, in order.
    pub changes: Vec<Change>,
    /// What later homefs say of it; stored behind the rest, and only if there is anything.
    #[serde(skip)]
    pub more: Fields,
}

/// One mutating request of one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The client.
    pub client: ClientId,
    /// The number it gave the request, rising by at least one with each.
    pub number: u64,
}

impl Origin {
    /// What pulls call themselves: their last number is kept for ever.
    pub const SYNC: ClientId = ClientId(u64::from_le_bytes(*b"homefs-s"));
}

/// One part of a change.
///
/// The variants are stored by position: new ones go to the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "a variant says what its fields are")]
pub enum Change {
    /// The node exists with these attributes. A node from the trash leaves it.
    Node { node: NodeId, attrs: Attrs },
    /// The name in the directory means this node, or nothing.
    /// The directory's `modified` and `changed` become the record's time.
    Entry { parent: NodeId, name: Arc<str>, node: Option<NodeId> },
    /// The file has this settled content: a version of its history.
    /// Its `modified` and `changed` become the record's time.
    Content { node: NodeId, content: Content },
    /// The file has length `size` and these bytes at `offset`; not settled, so no version of its
    /// history and not folded until a [`Change::Content`] settles it.
    /// Its `modified` and `changed` become the record's time.
    Patch { node: NodeId, offset: u64, bytes: Bytes, size: u64 },
    /// The node's last name, this path inside the space, is gone: it goes to the trash.
    Remove { node: NodeId, path: Path },
    /// The node's history, its place in the trash and the contents that nothing else uses are
    /// erased; what lives stays.
    Purge { node: NodeId },
    /// The rule of access holds, or no longer.
    Grant { grant: Grant, holds: bool },
    /// The bounds of the space.
    Quota { quota: Quota },
    /// As [`Change::Node`], of a node that never was before.
    Make { node: NodeId, attrs: Attrs },
    /// As [`Change::Patch`], with `len` zeros.
    Zero { node: NodeId, offset: u64, len: u64, size: u64 },
    /// As [`Change::Content`], of a content written elsewhere: when, by whom, and on which machine
    /// (what people call it; `None` is this one). The remote has it and this machine perhaps not:
    /// a blob need not be in the base and chunks need no files, but leaves do.
    /// The file's `modified` becomes `time`, its `changed` the record's time.
    Pulled {
        node: NodeId,
        content: Content,
        time: Timestamp,
        agent: AgentId,
        machine: Option<Arc<str>>,
    },
    /// Past contents that these digests name are erased from the history and the trash of every
    /// node; what lives stays.
    Erase { digests: Vec<Digest> },
    /// What a source has by this name below the directory, which it is attached to, is not shown,
    /// or is again.
    Hide { parent: NodeId, name: Arc<str>, hidden: bool },
    /// The file that people knew as `old` goes on as `node`, which gets its lineage and its
    /// history. What is noted about `old` is stated by other changes of the same record.
    Succeed { node: NodeId, old: NodeId },
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "a variant says what its fields are")]
pub enum Content {
    /// The bytes themselves, at most `INLINE_BYTES_MAX`.
    Inline(Bytes),
    /// A small content that the base has already.
    Blob { digest: Digest, size: u64 },
    /// A large content. Each leaf names up to `LEAF_CHUNKS` chunks of `CHUNK_BYTES`; leaf and
    /// chunks are stored before the record is appended. `Digest::HOLE` stands for zeros.
    Chunked { size: u64, leaves: Vec<Digest> },
}

impl Content {
    /// Returns the length in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Inline(bytes) => bytes.len() as u64,
            Self::Blob { size, .. } | Self::Chunked { size, .. } => *size,
        }
    }
}

fn unencodable(error: postcard::Error) -> Error {
    Error::new(ErrorKind::Internal, "cannot encode a record").with_source(error)
}

impl Record {
    /// Tells whether it lets something go and adds nothing, so that it may use the reserve of a
    /// full disk.
    pub(crate) fn effect(&self) -> Effect {
        let frees = |change: &Change| {
            matches!(change, Change::Remove { .. } | Change::Purge { .. } | Change::Erase { .. })
        };
        let adds = |change: &Change| {
            matches!(change, Change::Content { .. } | Change::Patch { .. } | Change::Pulled { .. })
        };
        let changes = &self.changes;
        if changes.iter().any(frees) && !changes.iter().any(adds) {
            Effect::Frees
        } else {
            Effect::Keeps
        }
    }

    /// Puts the stored form into `buffer`.
    pub fn encode(&self, buffer: &mut Vec<u8>) -> Result<()> {
        // Into room that is there already: growing byte by byte shows on the write path.
        buffer.resize(self.likely_bytes(), 0);
        let encoded = postcard::to_slice(self, buffer).map(|used| used.len());
        match encoded {
            Ok(used) => buffer.truncate(used),
            Err(postcard::Error::SerializeBufferFull) => {
                buffer.clear();
                let grown = postcard::to_extend(self, std::mem::take(buffer));
                *buffer = grown.map_err(unencodable)?;
            }
            Err(error) => return Err(unencodable(error)),
        }
        if !self.more.0.is_empty() {
            let grown = postcard::to_extend(&self.more, std::mem::take(buffer));
            *buffer = grown.map_err(unencodable)?;
        }
        Ok(())
    }

    /// Returns a length that most records fit into.
    fn likely_bytes(&self) -> usize {
        let contents = self.changes.iter().map(|change| match change {
            Change::Content { content: Content::Inline(bytes), .. }
            | Change::Pulled { content: Content::Inline(bytes), .. }
            | Change::Patch { bytes, .. } => bytes.len(),
            _ => 0,
        });
        256 + 256 * self.changes.len() + contents.sum::<usize>()
    }

    /// Reads only which space a stored record changes.
    pub fn space_of(payload: &[u8]) -> Result<SpaceName> {
        postcard::take_from_bytes(payload).map(|(space, _)| space).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "a record is not readable").with_source(error)
        })
    }

    /// Reads the stored form.
    pub fn decode(payload: &[u8]) -> Result<Self> {
        let unreadable =
            |error| Error::new(ErrorKind::Corrupt, "a record is not readable").with_source(error);
        let (record, rest): (Self, _) = postcard::take_from_bytes(payload).map_err(unreadable)?;
        if rest.is_empty() {
            return Ok(record);
        }
        let (more, rest): (Fields, _) = postcard::take_from_bytes(rest).map_err(unreadable)?;
        let corrupt = |why: &str| Error::new(ErrorKind::Corrupt, format!("a record: {why}"));
        more.check().map_err(corrupt)?;
        if !rest.is_empty() || more.0.is_empty() {
            return Err(corrupt("it has bytes too many"));
        }
        Ok(Self { more, ..record })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Record {
        Record {
            space: SpaceName::Home(AgentId::new("me").unwrap()),
            version: Version(7),
            time: Timestamp(1_000),
            agent: AgentId::new("me").unwrap(),
            origin: None,
            usage: Usage::default(),
            changes: vec![Change::Purge { node: NodeId(5) }],
            more: Fields::default(),
        }
    }

    #[test]
    fn fields_that_nobody_knows_are_kept_behind_a_record() {
        let (mut plain, mut more) = (Vec::new(), Vec::new());
        sample().encode(&mut plain).unwrap();
        assert_eq!(Record::decode(&plain).unwrap(), sample());
        // The token, the face and the process of the author have their numbers already.
        let fields = [(1, "token"), (2, "mcp"), (3, "4711"), (900, "later")];
        let fields = fields.map(|(number, value)| (number, Bytes::from_static(value.as_bytes())));
        let record = Record { more: Fields(fields.into()), ..sample() };
        record.encode(&mut more).unwrap();
        assert!(more.starts_with(&plain), "format 1 is the beginning of format 2");
        assert_eq!(Record::decode(&more).unwrap(), record);
        for bad in [[&plain[..], &[0]].concat(), [&more[..], &[0]].concat()] {
            assert_eq!(Record::decode(&bad).unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }
}
