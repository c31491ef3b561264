//! Choosing between what a node and its history say of its content.

use std::collections::BTreeMap;
use std::ops::Bound;

use homefs_core::{AgentId, Digest, ErrorKind, NodeId, Version};

use super::super::elsewhere::Elsewhere;
use super::super::fault::Fault;
use super::super::readable::{Old, Readable};
use super::super::rows::NodeState;
use crate::chunks::Chunks;
use crate::record::Content;

/// Lets nodes and their newest history agree about the content: where the two differ, what can be
/// read is right.
pub(super) fn choose_contents(
    rows: &mut Readable,
    chunks: &Chunks,
    elsewhere: &Elsewhere,
) -> Result<(), Fault> {
    for (node, stored) in &rows.nodes {
        let version = stored.row.content_version;
        if version == Version(0) || stored.state == NodeState::Gone {
            continue;
        }
        let of_node = &stored.row.content;
        match rows.history.get_mut(&(*node, version)) {
            Some(old) if old.content == *of_node => put_below(&mut rows.history, *node, version),
            Some(old) => {
                let can_read = |content| is_there(content, &rows.blobs, chunks, elsewhere);
                if !can_read(&old.content)? && can_read(of_node)? {
                    old.content = of_node.clone();
                }
            }
            None => {
                let agent = stored.agent.clone();
                let agent = agent.map_or_else(|| AgentId::new("unknown"), Ok)?;
                let (time, content) = (stored.row.attrs.modified, of_node.clone());
                let old = Old { time, agent, content, machine: None };
                rows.history.insert((*node, version), old);
            }
        }
    }
    // A length that is not that of the bytes is damaged itself.
    for old in rows.history.values_mut() {
        if let Content::Blob { digest, size } = &mut old.content
            && let Some(len) = rows.blobs.get(digest).filter(|len| **len > 0)
        {
            *size = *len;
        }
    }
    Ok(())
}

/// Puts editions of a node that are said to be newer than its newest before that: the node and its
/// history agree on which one that is, so that it is the numbers of the others that are damaged.
fn put_below(history: &mut BTreeMap<(NodeId, Version), Old>, node: NodeId, newest: Version) {
    let above = (Bound::Excluded((node, newest)), Bound::Included((node, Version(u64::MAX))));
    let above: Vec<_> = history.range(above).map(|(key, _)| *key).collect();
    for key in above.into_iter().rev() {
        let mut places = (1..newest.0).rev().map(|version| (node, Version(version)));
        let free = places.find(|place| !history.contains_key(place));
        if let (Some(free), Some(old)) = (free, history.remove(&key)) {
            history.insert(free, old);
        }
    }
}

/// Tells whether a content can be read, here or from elsewhere.
fn is_there(
    content: &Content,
    blobs: &BTreeMap<Digest, u64>,
    chunks: &Chunks,
    elsewhere: &Elsewhere,
) -> Result<bool, Fault> {
    match content {
        Content::Inline(_) => Ok(true),
        Content::Blob { digest, size } => {
            Ok(blobs.get(digest).is_some_and(|len| len == size) || (elsewhere.has)(*digest))
        }
        Content::Chunked { size, leaves } => has_leaves(chunks, *size, leaves),
    }
}

/// Tells whether the leaves of a large content are there and fit it. A chunk may be missing: what
/// can be read of the content is worth more than nothing.
fn has_leaves(chunks: &Chunks, size: u64, leaves: &[Digest]) -> Result<bool, Fault> {
    let count = chunks.chunk_count(size);
    if chunks.leaf_len(count, leaves.len()) > 0 {
        return Ok(false);
    }
    for (index, &leaf) in leaves.iter().enumerate() {
        match chunks.leaf(leaf, chunks.leaf_len(count, index)) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Corrupt => return Ok(false),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}
