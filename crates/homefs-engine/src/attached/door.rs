//! Sources through a view: attaching, detaching, and what was changed over them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use homefs_core::{AgentId, Error, ErrorKind, NodeId, Path, Result, SpaceName};

use super::attachments::{Attachment, Kept};
use super::listing::is_gone;
use super::{OpenSource, SourceChange};
use crate::guard::{GROUPS, Permit, is_groups};
use crate::model::{Kind, Right};
use crate::record::Change;
use crate::space::{Acknowledged, Author, Space};
use crate::spaces::Spaces;
use crate::store::Store;
use crate::tree::{Halt, fail};
use crate::view::View;

/// Bytes of a file that are written back at once.
const PART_BYTES: usize = 1 << 20;
/// Most names that are shown again in one change.
const SHOWN_AT_ONCE: usize = 1000;

impl Store {
    /// Lets sources be opened by this from now on.
    pub fn set_source_opener(&self, opener: Arc<dyn OpenSource>) {
        self.inner().ground.sources.set_opener(opener);
    }
}

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
        space.ground.sources.opener()?.check_allowed(address, self.who().operator)?;
        let draw = blake3::hash(
            format!("{} {:032x} {path}", space.ground.drawn(), space.ground.draw()).as_bytes(),
        );
        let mut seed = [0; 8];
        seed.copy_from_slice(&draw.as_bytes()[..8]);
        let seed = u64::from_le_bytes(seed);
        let (address, settings) = (address.to_owned(), settings.clone());
        let node = NodeId::ROOT;
        let mut kept = Kept { node, seed, address, settings, read_only, has_groups: false };
        let source = space.open_source(&kept)?;
        source.list(&Path::root(), None)?;
        kept.has_groups = source.has_groups();
        self.make_dir(path, true)?;
        let (space, node) = self.managed(path)?;
        kept.node = node.ok_or_else(|| crate::tree::not_found().with_path(path))?;
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
        space.tree.write().attach(kept.node, kept.root());
        space.revalidate_first();
        Ok(())
    }

    /// Shows a source no longer. What the space has itself below the path stays; what was removed
    /// there is remembered no longer.
    pub fn detach_source(&self, path: &Path) -> Result<()> {
        let (space, node) = self.attached_at(path)?;
        let _changing = space.attached.changing.lock();
        let (gone, next): (Vec<Kept>, Vec<Kept>) =
            space.attached.kept().iter().cloned().partition(|kept| kept.node == node);
        // First, so that nothing of the source shows again meanwhile.
        space.keep_attachments(&next)?;
        let hidden = space.hidden_below(node)?;
        space.tree.write().detach(node, space.ground.clock.now());
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
                    slot.node.is_none() && tree.sources.is_hidden(slot.parent, slot.name);
                let over = tree.sources.over(slot.parent).filter(|_| is_removed);
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

    /// Lists the sources that are attached where the agent may read.
    pub fn sources(&self) -> Result<Vec<Attachment>> {
        let mut sources = Vec::new();
        for (_, space, reach) in self.seen_spaces()? {
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
        space.source(node)?.refresh()?;
        space.ask_again(node);
        Ok(())
    }

    /// Lists what was changed over the source that is attached to a path, in the order of paths.
    pub fn source_changes(&self, path: &Path) -> Result<Vec<SourceChange>> {
        let (space, node) = self.attached_at(path)?;
        let reach = self.reach(&space)?;
        let at = space.look(Permit::follower(), |tree| tree.path_of(node));
        let at = at.map_err(|halt| halt.into_error(&space.name))?;
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
                let own = names.iter().filter(|(_, node)| !tree.sources.has(**node));
                Ok::<_, Halt>(own.map(|(name, _)| name.clone()).collect::<Vec<_>>())
            })
            .map_err(|halt| halt.into_error(&space.name))?;
        self.remove_in(path, &own)?;
        let hidden = space.hidden_below(node)?;
        self.show(&space, path, &hidden)
    }

    /// Does to the source that is attached to a path what was changed over it, if it takes changes;
    /// then nothing is changed over it any more. Returns what was done.
    pub fn write_back(&self, path: &Path) -> Result<Vec<SourceChange>> {
        let (space, node) = self.attached_at(path)?;
        let target = space.source_target(node)?;
        let changes = self.source_changes(path)?;
        for change in &changes {
            let there = change.path.strip_prefix(path).unwrap_or_else(Path::root);
            match change.kind {
                None => target.remove(&there)?,
                Some(Kind::Directory) => target.make_dir(&there)?,
                Some(Kind::Link) => target.link(&there, &self.read_link(&change.path)?)?,
                Some(Kind::File) => {
                    let mut offset = 0;
                    target.write(&there, &mut || {
                        let part = self.read_at(&change.path, offset, PART_BYTES)?;
                        offset += part.len() as u64;
                        Ok(part)
                    })?;
                }
                Some(Kind::Special(_)) => {
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
    /// and brings them near; `None` if a source cannot tell.
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
                let source = space.source(root)?;
                let found = match source.candidates(pattern) {
                    // What is near can still be searched.
                    Err(error) if error.kind() == ErrorKind::Unavailable => return Ok(None),
                    found => found?,
                };
                let Some(found) = found else { return Ok(None) };
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
                            Ok(tree.sources.has(tree.find(&place.path, false)?))
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
                source.prefetch(&near)?;
            }
        }
        Ok(Some(candidates))
    }

    /// Finds the directory that a source is attached to.
    fn attached_at(&self, path: &Path) -> Result<(Arc<Space>, NodeId)> {
        let (space, node) = self.managed(path)?;
        let root = node.filter(|node| space.tree.read().sources.root(*node).is_some());
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

impl Space {
    /// Tells whether a source has anything at or below a path, or above it.
    pub(crate) fn has_source_at(&self, path: &Path) -> bool {
        if self.tree.read().sources.is_empty() {
            return false;
        }
        let above = self.look(Permit::follower(), |tree| {
            Ok::<_, Halt>(tree.root_above(tree.find(path, false)?))
        });
        above.is_ok_and(|above| above.is_some()) || self.tree.read().has_root_below(path)
    }

    /// Returns the names that are hidden below a directory that a source is attached to, and those
    /// in directories that are no longer.
    fn hidden_below(&self, root: NodeId) -> Result<Vec<(NodeId, Arc<str>)>> {
        let hidden: Vec<_> = {
            let tree = self.tree.read();
            let hidden = tree.sources.hidden();
            hidden.map(|(parent, name)| (parent, name.clone())).collect()
        };
        let mut below = Vec::new();
        for (parent, name) in hidden {
            let lives = self.know(parent).map_err(|halt| halt.into_error(&self.name))?;
            if !lives || self.tree.read().root_above(parent) == Some(root) {
                below.push((parent, name));
            }
        }
        Ok(below)
    }
}

/// Returns the groups that an agent is in.
pub(crate) fn groups_of(spaces: &Spaces, agent: &AgentId) -> Result<BTreeSet<String>> {
    let Some(space) = spaces.existing(&SpaceName::shared(GROUPS)?)? else {
        return Ok(BTreeSet::new());
    };
    let groups = space.look(Permit::follower(), |tree| {
        let mut groups = BTreeSet::new();
        for (group, &node) in tree.names(NodeId::ROOT)? {
            if tree.child(node, agent.as_str())?.is_some() {
                groups.insert(group.to_string());
            }
        }
        Ok::<_, Halt>(groups)
    });
    groups.map_err(|halt| halt.into_error(&space.name))
}
