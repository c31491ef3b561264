//! Removing, bringing back, and erasing.

use std::sync::Arc;

use homefs_core::{Error, ErrorKind, NodeId, Path, Result, Version, not_found};
use homefs_store::draft::Draft;
use homefs_store::guard::Permit;
use homefs_store::model::{Attrs, Durability, Kind, Page, Right, Trashed};
use homefs_store::record::Change;
use homefs_store::tree::{Halt, Slot, Tree, fail};
use rustc_hash::FxHashMap;

use super::View;
use super::history::Purged;
use super::place::Place;
use crate::indexing::SpaceIndex;

impl View {
    /// Removes a node; a directory with names in it only if `recursive`, then as one change.
    pub fn remove(&self, path: &Path, recursive: bool) -> Result<Version> {
        if let Some(done) = self.answered_by_handle(path)? {
            return self.finish(done, Durability::Memory);
        }
        let done = self.at(path, Right::Write, |place, permit| {
            if recursive {
                place.reach.check_clear(&place.path)?;
            }
            place.space.change(&self.author, permit, |tree, draft| {
                draft_removal(tree, draft, &place.path, recursive)
            })
        })?;
        self.finish(done, Durability::Memory)
    }

    /// Removes names in a directory that the agent manages, with everything below them.
    pub(crate) fn remove_in(&self, directory: &Path, names: &[Arc<str>]) -> Result<()> {
        // Several changes, none of which answers a request: made again, they change nothing.
        let author = self.without_origin().author;
        for name in names {
            self.at(directory, Right::Manage, |place, permit| {
                let path = place.path.join(name)?;
                place
                    .space
                    .change(&author, permit, |tree, draft| draft_removal(tree, draft, &path, true))
            })?;
        }
        Ok(())
    }

    /// Lists what was removed and can be brought back, last removed first in each space; on each page
    /// what one change removed is in the order of paths.
    pub fn trash(&self, after: Option<&str>, limit: usize) -> Result<Page<Trashed>> {
        let limit = limit.clamp(1, homefs_core::limits::PAGE_ENTRIES_MAX);
        let spaces = self.seen_spaces()?;
        for (_, space, _) in &spaces {
            // A store that takes no changes still shows its trash.
            if let Err(error) = space.sweep() {
                tracing::warn!(%error, "what has expired is not in the trash yet");
            }
        }
        for (_, space, _) in &spaces {
            self.store.fold.catch_up(&space.name)?;
        }
        let mut resume = after.map(Resume::parse).transpose()?;
        let mut items = Vec::new();
        for (place_name, space, reach) in spaces {
            let mut from = match &resume {
                Some(at) if place_name.as_str() < at.space.as_str() => continue,
                Some(at) if place_name == at.space => Some((at.version, at.node)),
                _ => None,
            };
            resume = resume.filter(|at| place_name <= at.space);
            loop {
                let found = space.base.trash(from, limit)?;
                let Some(last) = found.last() else { break };
                from = Some((last.version, last.node));
                for trashed in found {
                    if reach.right_at(&trashed.path).is_none() {
                        continue;
                    }
                    if items.len() == limit {
                        let (last_space, last): &(String, Trashed) = &items[limit - 1];
                        let next = Resume::text(last_space, last.version, last.node);
                        return Ok(Page { items: by_path(items), next: Some(next) });
                    }
                    if let Some(path) = self.path_in_view(&space.name, &trashed.path) {
                        items.push((place_name.clone(), Trashed { path, ..trashed }));
                    }
                }
            }
        }
        Ok(Page { items: by_path(items), next: None })
    }

    /// Ends everything in the trash that the agent may change, on this machine, and gives the room
    /// back.
    pub fn empty_trash(&self) -> Result<Purged> {
        let mut ended = Purged::default();
        let spaces = self.seen_spaces()?;
        for (_, space, reach) in spaces {
            self.store.fold.catch_up(&space.name)?;
            let may_end = |path: &Path| reach.right_at(path) >= Some(Right::Write);
            let journal = &self.store.ground.journal;
            let (nodes, bytes) = journal.with_reserve(|| space.base.empty_trash(&may_end))?;
            ended.nodes += nodes;
            ended.bytes += bytes;
            journal.with_reserve(|| {
                space.base.checkpoint()?;
                space.base.give_back_pages(true)
            })?;
        }
        Ok(ended)
    }

    /// Brings back what the last removal of a path took, there or at another path.
    pub fn untrash(&self, path: &Path, to: Option<&Path>) -> Result<Version> {
        // What is brought back has its name already, whatever that reads as.
        let (_, path) = self.meant_once(path)?;
        let to = to.map(|to| self.to_make(to)).transpose()?;
        self.literal().untrash_meant(&path, to.as_ref().map_or(&path, |(_, to)| to))
    }

    fn untrash_meant(&self, path: &Path, to: &Path) -> Result<Version> {
        if let Some(version) = self.answered(to)? {
            return Ok(version);
        }
        let (space, rows, pins) = self.at(path, Right::Read, |place, _| {
            place.space.sweep()?;
            self.store.fold.catch_up(&place.space.name)?;
            loop {
                let rows = place.space.base.trashed_at(&place.path)?;
                let contents = rows.iter().map(|(_, row)| place.space.chunks.pin(&row.content));
                let pins = contents.collect::<Result<Vec<_>>>()?;
                // What old age took away before it was pinned is not there any more.
                if place.space.base.trashed_at(&place.path)?.len() == rows.len() {
                    return Ok((Arc::clone(&place.space), rows, pins));
                }
            }
        })?;
        let Some(origin) = rows.first().map(|(trashed, _)| trashed.path.clone()) else {
            let shown = if to == path { self.show_removed(path) } else { Ok(None) };
            if let Some(done) = shown.or_else(none_if_impossible)? {
                return self.finish(done, Durability::Memory);
            }
            let message = "nothing of that name is in the trash";
            return Err(Error::new(ErrorKind::NotFound, message).with_path(path));
        };
        let done = self.at(to, Right::Write, |place, permit| {
            if place.space.name != space.name {
                return Err(fail(ErrorKind::Unsupported, "can be brought back in its space only"));
            }
            place.space.change(&self.author, permit, |tree, draft| {
                if tree.find(&place.path, false).is_ok() {
                    return Err(fail(ErrorKind::AlreadyExists, "exists already"));
                }
                let above = place.path.parent().ok_or_else(not_found)?;
                let mut made: FxHashMap<Path, NodeId> = FxHashMap::default();
                made.insert(above.clone(), draft.directories(tree, &above)?);
                for (trashed, row) in &rows {
                    let below = trashed.path.strip_prefix(&origin).unwrap_or_else(Path::root);
                    let target = below
                        .names()
                        .try_fold(Path::clone(&place.path), |path, name| path.join(name))?;
                    let (Some(parent), Some(name)) = (target.parent(), target.name()) else {
                        continue;
                    };
                    let parent = *made.get(&parent).ok_or_else(not_found)?;
                    // Who brings back what has expired wants it to stay.
                    let expires = row.attrs.expires.filter(|expires| *expires > draft.time);
                    let changed = draft.time;
                    let attrs = Attrs { links: 1, changed, expires, ..row.attrs.clone() };
                    draft.push(Change::Node { node: row.node, attrs: attrs.clone() });
                    draft.bind(parent, name, Some(row.node));
                    if row.attrs.kind == Kind::File {
                        draft.push_content(row.node, row.content.clone(), Some(attrs));
                    }
                    made.insert(target, row.node);
                }
                Ok(())
            })
        })?;
        for pins in pins {
            space.hold(done.version, pins);
        }
        self.finish(done, Durability::Memory)
    }

    /// Removes a node if it is there, and erases it, and all that was ever removed from that path or
    /// from below it, from history, base and journal.
    pub fn purge(&self, path: &Path) -> Result<Purged> {
        let (view, path) = self.meant_once(path)?;
        view.purge_meant(&path)
    }

    fn purge_meant(&self, path: &Path) -> Result<Purged> {
        let mut purged = Purged::default();
        // Several changes, none of which can answer a request: what is erased cannot be counted
        // again.
        let quiet = self.without_origin();
        self.at(path, Right::Write, |place, permit| {
            place.space.sweep()?;
            place.reach.check_clear(&place.path)?;
            match quiet.purge_living(place, permit, &mut purged) {
                Err(Halt::Fail(error)) if error.kind() == ErrorKind::NotFound => Ok(()),
                other => other,
            }
        })?;
        self.at(path, Right::Write, |place, permit| {
            self.store.fold.catch_up(&place.space.name)?;
            let rows = place.space.base.trashed_below(&place.path)?;
            // Of what is gone, the name is left.
            let mut nodes = place.space.base.gone_below(&place.path)?;
            nodes.extend(rows.iter().map(|(trashed, _)| trashed.node));
            if nodes.is_empty() {
                return Ok(());
            }
            place.space.change(&quiet.author, permit, |_, draft| {
                for &node in &nodes {
                    draft.push(Change::Purge { node });
                }
                Ok(())
            })?;
            purged.nodes += rows.len() as u64;
            purged.bytes += rows.iter().map(|(trashed, _)| trashed.size).sum::<u64>();
            Ok(self.store.fold.catch_up(&place.space.name)?)
        })?;
        if purged.nodes == 0 {
            return Err(not_found().with_path(path));
        }
        // The journal and the base's own log still hold the bytes until they are let go.
        self.store.ground.journal.scrub()?;
        self.store.fold.checkpoint()?;
        self.at(path, Right::Write, |place, _| Ok(SpaceIndex::write_down(&place.space)?))?;
        Ok(purged)
    }

    fn purge_living(
        &self,
        place: &Place<'_>,
        permit: Permit,
        purged: &mut Purged,
    ) -> Result<(), Halt> {
        place
            .space
            .change(&self.author, permit, |tree, draft| {
                draft_removal(tree, draft, &place.path, true)?;
                let removed: Vec<NodeId> = draft
                    .changes
                    .iter()
                    .filter_map(|change| match change {
                        Change::Remove { node, .. } => Some(*node),
                        _ => None,
                    })
                    .collect();
                *purged = Purged {
                    nodes: removed.len() as u64,
                    bytes: removed
                        .iter()
                        .filter_map(|node| tree.named(*node))
                        .map(|known| if known.attrs.kind == Kind::File { known.size() } else { 0 })
                        .sum(),
                };
                for node in removed {
                    draft.push(Change::Purge { node });
                }
                Ok(())
            })
            .map(drop)
    }
}

fn draft_removal(
    tree: &Tree,
    draft: &mut Draft<'_>,
    path: &Path,
    recursive: bool,
) -> Result<(), Halt> {
    let slot: Slot<'_> = tree.slot(path, false)?;
    let node = slot.node.ok_or_else(|| Halt::Fail(not_found()))?;
    if tree.node(node)?.attrs.kind == Kind::Directory {
        if recursive {
            draft.clear(tree, node, path)?;
        } else if !tree.is_empty(node)? {
            return Err(fail(ErrorKind::NotEmpty, "the directory is not empty"));
        }
    }
    draft.unlink(tree, slot, node, path)
}

/// Puts what one change removed in the order of paths: ids, by which it is read, have none.
fn by_path(mut items: Vec<(String, Trashed)>) -> Vec<Trashed> {
    let is_together = |one: &(String, Trashed), other: &(String, Trashed)| {
        (&one.0, one.1.version) == (&other.0, other.1.version)
    };
    for together in items.chunk_by_mut(is_together) {
        together.sort_by(|one, other| one.1.path.cmp(&other.1.path));
    }
    items.into_iter().map(|(_, trashed)| trashed).collect()
}

/// Where a listing of the trash goes on.
struct Resume {
    space: String,
    version: Version,
    node: NodeId,
}

impl Resume {
    fn text(space: &str, version: Version, node: NodeId) -> String {
        format!("{space} {version} {node}")
    }

    fn parse(text: &str) -> Result<Self> {
        let invalid =
            || Error::new(ErrorKind::Invalid, format!("{text:?} is not a place to go on"));
        let mut parts = text.split(' ');
        let (Some(space), Some(version), Some(node)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(invalid());
        };
        Ok(Self {
            space: space.into(),
            version: Version(version.parse().map_err(|_| invalid())?),
            node: NodeId(u128::from_str_radix(node, 16).map_err(|_| invalid())?),
        })
    }
}

/// Takes a path where nothing can be for one where nothing is.
fn none_if_impossible<T>(error: Error) -> Result<Option<T>> {
    use ErrorKind::{Invalid, IsADirectory, NotADirectory, NotFound};
    match error.kind() {
        NotFound | NotADirectory | IsADirectory | Invalid => Ok(None),
        _ => Err(error),
    }
}
