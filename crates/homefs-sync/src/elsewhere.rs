//! What a repair can know of a space without asking the remote: what both had when they last agreed.

use std::path::Path as HostPath;

use bytes::Bytes;
use homefs_core::limits::LEAF_CHUNKS;
use homefs_core::{Digest, NodeId, Result};
use homefs_store::base::{Elsewhere, Twin};
use homefs_store::chunks::Chunks;
use homefs_store::record::Content;

use crate::format::{self, Entry, EntryState, Living};
use crate::known::RemoteTracking;

/// Returns what is known of the space in a directory; nothing if that cannot be read either. Leaves
/// that are lost here are made again where entries name their chunks.
pub fn elsewhere(dir: &HostPath, chunks: &Chunks) -> Elsewhere {
    let found = RemoteTracking::open_existing(dir).and_then(|known| {
        let Some(known) = known else { return Ok(Elsewhere::nothing()) };
        let entries = known.entries()?.into_values();
        let nodes = entries.filter_map(|entry| twin(entry, chunks).transpose());
        Ok(Elsewhere {
            version: known.agreed()?.cursor,
            nodes: nodes.collect::<Result<_>>()?,
            has: Box::new(move |digest| known.has(digest).unwrap_or(false)),
        })
    });
    found.unwrap_or_else(|error| {
        tracing::warn!(%error, "what is known of the remote cannot be read");
        Elsewhere::nothing()
    })
}

fn twin(entry: Entry, chunks: &Chunks) -> Result<Option<(NodeId, Twin)>> {
    let (node, lineage) = (entry.node, entry.lineage());
    let EntryState::Living(living) = entry.state else { return Ok(None) };
    let content = content(&living, chunks)?;
    let Living { traits, links, .. } = *living;
    let attrs = traits.attrs();
    let names = links.into_iter().map(|link| (link.parent, link.name)).collect();
    Ok(Some((node, Twin { attrs, agent: entry.agent, names, content, lineage })))
}

fn content(living: &Living, chunks: &Chunks) -> Result<Content> {
    Ok(match &living.content {
        format::Content::Empty => Content::Inline(Bytes::new()),
        format::Content::Small { digest, size } => {
            Content::Blob { digest: *digest, size: u64::from(*size) }
        }
        format::Content::Chunked { size, pieces } if format::Content::names_leaves(*size) => {
            Content::Chunked { size: *size, leaves: pieces.clone() }
        }
        format::Content::Chunked { size, pieces } => {
            let leaves = pieces.chunks(LEAF_CHUNKS).map(|named| leaf(named, chunks));
            Content::Chunked { size: *size, leaves: leaves.collect::<Result<_>>()? }
        }
    })
}

/// Returns the leaf that names some chunks, and makes it again if it is lost.
fn leaf(named: &[Digest], chunks: &Chunks) -> Result<Digest> {
    let bytes: Bytes = named.iter().flat_map(|digest| digest.0).collect();
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(Digest::HOLE);
    }
    let leaf = Digest::of(&bytes);
    if chunks.get_here(leaf).is_err() {
        chunks.keep(leaf, &bytes)?;
    }
    Ok(leaf)
}
