//! Which contents are on this machine: fetching what should be, giving up what need not be.

use std::collections::HashSet;

use homefs_core::{Digest, NodeId, Result};
use homefs_store::lender::Lender;
use homefs_store::model::Kind;
use homefs_store::record::Content;
use homefs_store::space::Space;

use crate::follower::{End, Follower};

/// Fetches every content of a space that is absent, so that the remote is no longer needed;
/// returns how many bytes.
pub fn fetch_absent(end: &End) -> Result<u64> {
    let space = &end.pair.space;
    let absent = space.base.absent()?;
    let bytes = fetch(end, absent.into_iter().collect())?;
    // What is only kept to be read again is not made durable otherwise.
    space.chunks.sync_all()?;
    space.base.checkpoint()?;
    Ok(bytes)
}

/// Fetches what is absent of the nodes that are pinned.
pub(super) fn fetch_pinned(end: &End) -> Result<()> {
    let space = &end.pair.space;
    let pinned = below(space, end.pair.known.pins()?)?;
    if pinned.is_empty() {
        return Ok(());
    }
    let absent: HashSet<Digest> = space.base.absent()?.into_iter().collect();
    let mut wanted = HashSet::new();
    for node in pinned {
        match space.base.node(node)?.map(|row| row.content) {
            Some(Content::Blob { digest, .. }) => drop(wanted.insert(digest)),
            Some(Content::Chunked { size, leaves }) => {
                wanted.extend(space.chunks.cut(size, &leaves)?.into_iter().map(|(chunk, _)| chunk));
            }
            Some(Content::Inline(_)) | None => {}
        }
    }
    wanted.retain(|digest| absent.contains(digest));
    fetch(end, wanted).map(drop)
}

fn fetch(end: &End, mut wanted: HashSet<Digest>) -> Result<u64> {
    let mut bytes = 0;
    while let Some(digest) = wanted.iter().next().copied() {
        let brought = end.lending.fetch(digest)?;
        end.pair.space.base.keep_named(&brought)?;
        end.pair.space.chunks.note_loan();
        // What does not come with what was asked for will never come.
        wanted.remove(&digest);
        for (digest, content) in &brought {
            wanted.remove(digest);
            bytes += content.len() as u64;
        }
    }
    Ok(bytes)
}

/// Gives up contents of the open spaces that the remote has, until at most so many bytes are here.
pub(super) fn evict(follower: &Follower, bytes_max: u64) -> Result<()> {
    let mut sizes = Vec::new();
    for space in follower.spaces.open_now() {
        if follower.prefix_of(&space.name).is_some() {
            let here: u64 = space.base.present()?.iter().map(|present| present.size).sum();
            sizes.push((space, here));
        }
    }
    let mut excess = sizes.iter().map(|(_, here)| here).sum::<u64>().saturating_sub(bytes_max);
    for (space, here) in sizes.into_iter().filter(|(_, here)| *here > 0) {
        if excess == 0 {
            break;
        }
        let end = follower.end(&space.name)?;
        let mut pinned = below(&space, end.pair.known.pins()?)?;
        // What a file holds in place of something newer, others no longer need.
        pinned.extend(end.pair.known.missing()?.into_keys());
        let is_pinned = |node: NodeId| pinned.contains(&node);
        let freed = space.evict(here.saturating_sub(excess), &is_pinned, &*end.lending)?;
        excess = excess.saturating_sub(freed);
    }
    Ok(())
}

/// Returns nodes and all that is below them.
fn below(space: &Space, pins: impl IntoIterator<Item = NodeId>) -> Result<HashSet<NodeId>> {
    let mut found: HashSet<NodeId> = HashSet::new();
    let mut ahead: Vec<NodeId> = pins.into_iter().collect();
    while let Some(node) = ahead.pop() {
        if !found.insert(node) {
            continue;
        }
        let is_directory = |kind| kind == Kind::Directory;
        if space.base.node(node)?.is_some_and(|row| is_directory(row.attrs.kind)) {
            let children = space.base.children(node)?;
            ahead.extend(children.into_iter().map(|(_, row)| row.node));
        }
    }
    Ok(found)
}
