//! Sources through a view: attaching, detaching, and what was changed over them.

use std::collections::BTreeMap;
use std::sync::Arc;

use homefs_core::{Error, ErrorKind, NodeId, Path, Result};
use homefs_store::attached::{
    Attachment, AttachmentRecord, SourceChange, SourceChangeKind, concerns, is_gone,
};
use homefs_store::guard::{Permit, is_groups};
use homefs_store::model::{Kind, Right};
use homefs_store::record::Change;
use homefs_store::space::{Acknowledged, Author, Space};
use homefs_store::tree::{Answer, Halt, fail};
use homefs_wire::words;

use super::View;

/// Bytes of a file that are written back at once.
const PART_BYTES: usize = 1 << 20;
/// Most names that are shown again in one change.
const SHOWN_AT_ONCE: usize = 1000;

impl View {
    /// Shows a source below a path, which must be free or an empty directory. What is changed
    /// there stays in the space and never touches the source.
    pub fn attach_source(
        &self,
        path: &Path,
        address: &str,
        settings: &BTreeMap<String, String>,
        read_only: bool,
    ) -> Result<()> {
        if path.is_root() {
            let message = "a source is attached to a directory, not to the root";
            return Err(Error::new(ErrorKind::Invalid, message).with_path(path));
        }
        // Asked before the directory is made, which stays where attaching fails.
        let (space, _) = self.managed(path)?;
        space.source_door.opener()?.check_allowed(address, self.who().operator)?;
        let draw = blake3::hash(
            format!("{} {:032x} {path}", space.ground.drawn(), space.ground.draw()).as_bytes(),
        );
        let mut seed = [0; 8];
        seed.copy_from_slice(&draw.as_bytes()[..8]);
        let seed = u64::from_le_bytes(seed);
        let (address, settings) = (address.to_owned(), settings.clone());
        let node = NodeId::ROOT;
        let mut kept =
            AttachmentRecord { node, seed, address, settings, read_only, has_groups: false };
        let source = space.open_source(&kept)?;
        source.list(&Path::root(), None)?;
        kept.has_groups = source.has_groups();
        self.make_dir(path, true)?;
        let (space, node) = self.managed(path)?;
        kept.node = node.ok_or_else(|| homefs_core::not_found().with_path(path))?;
        let _changing = space.attached.changing.lock();
        {
            let tree = space.tree.read();
            let attached = tree.root_above(kept.node).is_some();
            let below = tree.names_here(kept.node).map(|names| !names.is_empty());
            match below {
                _ if attached => {
                    let message = "a source is attached here or above already";
                    return Err(Error::new(ErrorKind::AlreadyExists, message).with_path(path));
                }
                Ok(true) => {
                    let message = "a source is attached to an empty directory only";
                    return Err(Error::new(ErrorKind::NotEmpty, message).with_path(path));
                }
                _ => {}
            }
        }
        // A directory that is gone takes its attachment along.
        let mut next = space.attached.kept().to_vec();
        next.retain(|old| space.tree.read().node(old.node).is_ok() && old.node != kept.node);
        next.push(kept.clone());
        space.keep_attachments(&next)?;
        // First, so that nothing is shown that the guard does not know of.
        space.attached.set_kept(next);
        space.keep_open(kept.node, source);
        space.attach(&kept);
        space.revalidate_first();
        Ok(())
    }

    /// Shows a source no longer. What the space has itself below the path stays; what was removed
    /// there is remembered no longer.
    pub fn detach_source(&self, path: &Path) -> Result<()> {
        let (space, node) = self.attached_at(path)?;
        let _changing = space.attached.changing.lock();
        let (gone, next): (Vec<AttachmentRecord>, Vec<AttachmentRecord>) =
            space.attached.kept().iter().cloned().partition(|kept| kept.node == node);
        // First, so that nothing of the source shows again meanwhile.
        space.keep_attachments(&next)?;
        let hidden = space.hidden_below(node)?;
        space.detach(node);
        space.attached.set_kept(next);
        for kept in &gone {
            space.close_source(kept);
        }
        self.show(&space, path, &hidden)
    }

    /// Shows names of sources again that were hidden.
    pub(super) fn show(
        &self,
        space: &Space,
        path: &Path,
        hidden: &[(NodeId, Arc<str>)],
    ) -> Result<()> {
        // Several changes, none of which answers a request: made again, they change nothing.
        let author = Author { origin: None, ..self.author.clone() };
        for part in hidden.chunks(SHOWN_AT_ONCE) {
            self.at(path, Right::Write, |_, permit| {
                space.change(&author, permit, |_, draft| {
                    for (parent, name) in part {
                        let (parent, name) = (*parent, name.clone());
                        draft.push(Change::Hide { parent, name, hidden: false });
                    }
                    Ok(())
                })
            })?;
        }
        Ok(())
    }

    /// Shows again what was removed at a path and a source still has: that never was in the trash.
    pub(crate) fn show_removed(&self, path: &Path) -> Result<Option<Acknowledged>> {
        self.at(path, Right::Write, |place, permit| {
            let hidden = place.space.look(permit, |tree| {
                let slot = tree.slot(&place.path, false)?;
                let is_removed =
                    slot.node.is_none() && tree.sources().is_hidden(slot.parent, slot.name);
                let over = tree.sources().over(slot.parent).filter(|_| is_removed);
                Ok::<_, Halt>(over.map(|over| (over.clone(), slot.parent)))
            })?;
            let Some((over, parent)) = hidden else { return Ok(None) };
            let name: Arc<str> = place.path.name().unwrap_or_default().into();
            match place.space.source(over.root)?.stat(&over.path.join(&name)?) {
                Err(error) if is_gone(&error) => return Ok(None),
                found => found?,
            };
            let done = place.space.change(&self.author, permit, |_, draft| {
                draft.push(Change::Hide { parent, name: name.clone(), hidden: false });
                Ok(())
            })?;
            Ok(Some(done))
        })
    }

    /// Lists the sources that are attached where the agent may read, and what is wrong with them.
    pub fn sources(&self) -> Result<Vec<Attachment>> {
        let mut sources = Vec::new();
        let spaces = &self.store.spaces;
        for (_, space, reach) in self.seen_spaces_that(|name| spaces.has_sources(name))? {
            space.revalidate_first();
            for attachment in space.attachments() {
                if reach.right_at(&attachment.path).is_some()
                    && let Some(path) = self.path_in_view(&space.name, &attachment.path)
                {
                    sources.push(Attachment { path, ..attachment });
                }
            }
        }
        Ok(sources)
    }

    /// Looks for what has changed at the source that is attached to a path.
    pub fn refresh_source(&self, path: &Path) -> Result<()> {
        let (space, node) = self.attached_at(path)?;
        let source = space.source(node)?;
        space.heard_of_all(node, source.refresh())?;
        space.ask_again(node);
        // Nobody may have looked yet, and a folder is asked by looking only.
        let listed = space.look(Permit::follower(), |tree| tree.names(node).map(drop));
        listed.or_error(&space.name)
    }

    /// Lists what was changed over the source that is attached to a path, in the order of paths.
    pub fn source_changes(&self, path: &Path) -> Result<Vec<SourceChange>> {
        let (space, node) = self.attached_at(path)?;
        let reach = self.reach(&space)?;
        let at = space.look(Permit::follower(), |tree| tree.path_of(node));
        let at = at.or_error(&space.name)?;
        let mut changes = space.source_changes(node)?;
        let below =
            |at: &Path, path: &Path| path.names().try_fold(at.clone(), |at, name| at.join(name));
        changes.retain(|change| below(&at, &change.path).is_ok_and(|at| reach.shows(&at)));
        for change in &mut changes {
            change.path = below(path, &change.path)?;
        }
        Ok(changes)
    }

    /// Gives up what was changed over a source: what the space has itself there goes to the trash,
    /// and everything of the source shows again.
    pub fn discard_source_changes(&self, path: &Path) -> Result<()> {
        let (space, node) = self.attached_at(path)?;
        let own = space
            .look(Permit::follower(), |tree| {
                let names = tree.names_here(node)?;
                let own = names.iter().filter(|(_, node)| !tree.sources().has(**node));
                Ok::<_, Halt>(own.map(|(name, _)| name.clone()).collect::<Vec<_>>())
            })
            .or_error(&space.name)?;
        self.remove_in(path, &own)?;
        let hidden = space.hidden_below(node)?;
        self.show(&space, path, &hidden)
    }

    /// Does to the source that is attached to a path what was changed over it, if it takes changes;
    /// then nothing is changed over it any more. Returns what was done. What was changed there since
    /// is overwritten only if that is wanted.
    pub fn write_back(&self, path: &Path, overwrite: bool) -> Result<Vec<SourceChange>> {
        let (space, node) = self.attached_at(path)?;
        let target = space.source_target(node)?;
        // What it has now, not what it had when somebody looked.
        space.source(node)?.refresh()?;
        let changes = self.source_changes(path)?;
        let conflicting = |change: &&SourceChange| change.change == SourceChangeKind::Conflicting;
        if let Some(conflict) = changes.iter().find(conflicting).filter(|_| !overwrite) {
            let message = "the source's own was written after it was changed here: compare both, \
                           then write back with overwrite, or give the change up";
            return Err(Error::new(ErrorKind::Conflict, message).with_path(&conflict.path));
        }
        for change in &changes {
            let there = change.path.strip_prefix(path).unwrap_or_else(Path::root);
            match change.kind {
                None => target.remove(&there)?,
                Some(words::Kind::Directory) => target.make_dir(&there)?,
                Some(words::Kind::Link) => target.link(&there, &self.read_link(&change.path)?)?,
                Some(words::Kind::File) => {
                    let mut offset = 0;
                    target.write(&there, &mut || {
                        let part = self.read_at(&change.path, offset, PART_BYTES)?;
                        offset += part.len() as u64;
                        Ok(part)
                    })?;
                }
                Some(_) => {
                    let message = "a special file cannot be written back";
                    return Err(Error::new(ErrorKind::Unsupported, message).with_path(&change.path));
                }
            }
        }
        space.source(node)?.refresh()?;
        self.discard_source_changes(path)?;
        Ok(changes)
    }

    /// Returns the files of sources at and below a path in which a regular expression may match,
    /// and brings them near; all files of a source that cannot tell. `None` if one cannot be asked.
    pub(crate) fn source_candidates(
        &self,
        below: &Path,
        pattern: &str,
    ) -> Result<Option<Vec<Path>>> {
        let mut candidates = Vec::new();
        for (_, space, _) in self.seen_spaces()? {
            for kept in space.attached.kept().iter() {
                let root = kept.node;
                let Ok(inner) = space.tree.read().path_of(root) else { continue };
                let Some(at) = self.path_in_view(&space.name, &inner) else { continue };
                if !at.starts_with(below) && !below.starts_with(&at) {
                    continue;
                }
                let source = match space.source(root) {
                    // Whoever looks into it is told.
                    Err(error) if error.kind() == ErrorKind::Unavailable => return Ok(None),
                    source => source?,
                };
                let found = match space.heard(root, source.candidates(pattern)) {
                    // What is near can still be searched.
                    Err(error) if error.kind() == ErrorKind::Unavailable => return Ok(None),
                    found => found?,
                };
                let Some(found) = found else {
                    let top = if at.starts_with(below) { &at } else { below };
                    match self.files_of(top)? {
                        Some(files) => candidates.extend(files),
                        None => return Ok(None),
                    }
                    continue;
                };
                let mut near = Vec::new();
                for there in found {
                    let path = there.names().try_fold(at.clone(), |path, name| path.join(name))?;
                    // What the space has itself is for its index to tell of.
                    if !path.starts_with(below) {
                        continue;
                    }
                    // Not its stat, which would fetch pages one by one to learn their lengths.
                    let is_sourced = self.look_at(&path, |place, permit| {
                        place.space.look(permit, |tree| {
                            Ok(tree.sources().has(tree.find(&place.path, false)?))
                        })
                    });
                    match is_sourced {
                        Ok(true) => {
                            candidates.push(path);
                            near.push(there);
                        }
                        Ok(false) => {}
                        Err(error) if is_gone(&error) => {}
                        Err(error) => return Err(error),
                    }
                }
                space.heard(root, source.prefetch(&near))?;
            }
        }
        Ok(Some(candidates))
    }

    /// Brings files of sources near that are read one after another, in as few calls as each source
    /// can. What is wrong with one is told to whoever reads it.
    pub(super) fn bring_near(&self, paths: &[Path]) {
        let mut near: Vec<(Arc<Space>, NodeId, Vec<Path>)> = Vec::new();
        for path in paths {
            let found = self.at(path, Right::Read, |place, permit| {
                if place.space.attached.kept().is_empty() {
                    return Ok(None);
                }
                let sourced = place.space.look(permit, |tree| {
                    let node = tree.find(&place.path, true)?;
                    Ok::<_, Halt>(tree.sourced_at(node))
                })?;
                Ok(sourced.map(|(root, there)| (Arc::clone(&place.space), root, there)))
            });
            let Ok(Some((space, root, there))) = found else { continue };
            let known = near.iter_mut().find(|(_, known, _)| *known == root);
            match known {
                Some((_, _, paths)) => paths.push(there),
                None => near.push((space, root, vec![there])),
            }
        }
        for (space, root, paths) in near.into_iter().filter(|(_, _, paths)| paths.len() > 1) {
            let fetched = space.source(root).and_then(|source| source.prefetch_on(&paths));
            let fetched = space.heard(root, fetched);
            if let Err(error) = fetched {
                tracing::debug!(%error, "files of a source are read one by one");
            }
        }
    }

    /// Returns where sources are attached that a search at and below a path leaves out.
    pub(super) fn unsearched(&self, below: &Path) -> Result<Vec<Path>> {
        let mut sources = self.sources()?;
        sources.retain(|source| concerns(source, below));
        Ok(sources.into_iter().map(|source| source.path).collect())
    }

    /// Tells whether a source has what is at a path, as a file or as a directory.
    pub(super) fn is_of_source(&self, path: &Path) -> bool {
        let found = self.look_at(path, |place, permit| {
            place.space.look(permit, |tree| {
                let node = tree.find(&place.path, true)?;
                Ok(tree.sources().has(node) || tree.sources().over(node).is_some())
            })
        });
        found.unwrap_or(false)
    }

    /// Finds the directory that a source is attached to.
    fn attached_at(&self, path: &Path) -> Result<(Arc<Space>, NodeId)> {
        let (space, node) = self.managed(path)?;
        let root = node.filter(|node| space.tree.read().sources().root(*node).is_some());
        let root = root.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, "no source is attached here").with_path(path)
        })?;
        Ok((space, root))
    }

    /// Finds what is at a path that the agent manages; links are followed.
    fn managed(&self, path: &Path) -> Result<(Arc<Space>, Option<NodeId>)> {
        self.at(path, Right::Manage, |place, permit| {
            if is_groups(&place.space.name) {
                return Err(fail(ErrorKind::Unsupported, "this space says who is in which group"));
            }
            let found = place.space.look(permit, |tree| {
                let node = tree.find(&place.path, true)?;
                match tree.node(node)?.attrs.kind {
                    Kind::Directory => tree.names_here(node).map(|_| node),
                    _ => Err(fail(ErrorKind::NotADirectory, "not a directory")),
                }
            });
            match found {
                Ok(node) => Ok((Arc::clone(&place.space), Some(node))),
                Err(Halt::Fail(error)) if error.kind() == ErrorKind::NotFound => {
                    Ok((Arc::clone(&place.space), None))
                }
                Err(halt) => Err(halt),
            }
        })
    }
}
