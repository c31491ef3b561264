//! Names by their directories: looking them up, listing, making, moving, removing.

use std::sync::Arc;

use homefs_core::limits::NAME_BYTES_MAX;
use homefs_core::{Error, ErrorCode, ErrorKind, NodeId, Path, Result, not_found};
use homefs_store::model::{Attrs, Kind, RenameMode, Right, Stat};
use homefs_store::shown::Shown;
use homefs_store::space::Space;
use homefs_store::tree::{Answer, Halt, Slot, Tree, fail};

use super::{NodeRef, Nodes, Spot, check_directory, look, stat_of};
use crate::probes::{Name, mistyped};
use crate::view;

/// A node to be made.
#[derive(Clone, Debug)]
pub struct MakeNode<'a> {
    /// What.
    pub kind: Kind,
    /// Permission bits.
    pub mode: u32,
    /// Owning user on the host.
    pub uid: u32,
    /// Owning group on the host; a directory that passes its group on decides otherwise.
    pub gid: u32,
    /// Where a symbolic link points; empty for other kinds.
    pub target: &'a str,
}

/// One name in a directory.
#[derive(Clone, Debug)]
pub struct DirEntry {
    /// The name.
    pub name: Box<str>,
    /// What it names.
    pub stat: Stat,
}

/// The bit of a directory's mode that passes its group on to what is made in it.
const PASSES_GROUP: u32 = 0o2000;

impl Nodes {
    /// Finds what a name in a directory means, and holds it.
    pub fn lookup(&self, parent: &NodeRef, name: &str) -> Result<(NodeRef, Stat)> {
        let (space, directory) = match &parent.0 {
            Spot::Virtual(_) => return self.lookup_place(parent, name),
            // The place that shows the spaces hides nothing: its name is reserved.
            Spot::In(space, NodeId::ROOT) if name == "shared" && self.is_home(space) => {
                return self.lookup_place(parent, name);
            }
            Spot::In(space, directory) => (space, *directory),
        };
        self.view.store.check_open()?;
        let permit = self.permit_name(space, directory, name, None)?;
        let reach = self.view.reach(space)?;
        let mut shown = Shown::new(&reach, space);
        let (node, stat) = look(space, permit, |tree| {
            let node = tree.child(directory, name)?.ok_or_else(not_found)?;
            let stat = stat_of(tree, &mut shown, node)?.ok_or_else(not_found)?;
            tree.hold(node)?;
            Ok((node, stat))
        })?;
        Ok((NodeRef(Spot::In(space.clone(), node)), stat))
    }

    /// Finds a directory that shows spaces, or a space in it.
    fn lookup_place(&self, parent: &NodeRef, name: &str) -> Result<(NodeRef, Stat)> {
        let path = self.path(parent)?.join(name)?;
        let stat = self.view.stat(&path)?;
        let spot = match self.view.locate(&path)? {
            view::Spot::Virtual(place) => Spot::Virtual(place),
            view::Spot::In(place) => {
                look(&place.space, place.reach.permit_look(&place.path)?, |tree| {
                    tree.hold(NodeId::ROOT)
                })?;
                Spot::In(place.space.into_owned(), NodeId::ROOT)
            }
        };
        Ok((NodeRef(spot), stat))
    }

    fn is_home(&self, space: &Arc<Space>) -> bool {
        self.view.home.as_ref().is_some_and(|home| Arc::ptr_eq(home, space))
    }

    /// Lists a directory, in no order; nothing is held.
    pub fn list(&self, directory: &NodeRef) -> Result<Vec<DirEntry>> {
        let entries = match &directory.0 {
            Spot::In(space, node) if *node != NodeId::ROOT => {
                let reach = self.view.reach(space)?;
                let permit = self.permit(space, *node, None)?;
                let mut told = Shown::new(&reach, space);
                space.prefetch(*node)?;
                look(space, permit, |tree| {
                    let names = tree.names(*node)?;
                    let path = if reach.is_whole() { Path::root() } else { tree.path_of(*node)? };
                    let mut entries = Vec::with_capacity(names.len());
                    for (name, &node) in names {
                        let shown = reach.is_whole() || reach.shows(&path.join(name)?);
                        if shown && !tree.is_expired(node) {
                            let stat = stat_of(tree, &mut told, node)?;
                            let entry = |stat| DirEntry { name: (**name).into(), stat };
                            entries.extend(stat.map(entry));
                        }
                    }
                    Ok(entries)
                })?
            }
            // Roots may show spaces too.
            _ => {
                let entries = self.view.children(&self.path(directory)?)?;
                entries
                    .into_iter()
                    .map(|entry| DirEntry { name: entry.name, stat: entry.stat })
                    .collect()
            }
        };
        Ok(entries)
    }

    /// Returns the directory above one; the root is above itself.
    pub fn parent(&self, directory: &NodeRef) -> Result<Stat> {
        let path = self.path(directory)?;
        self.view.stat(&path.parent().unwrap_or_else(Path::root))
    }

    /// Refuses to make a file whose name is nearly that of a probe of something that is there.
    fn refuse_mistyped(&self, parent: &NodeRef, name: &str) -> Result<()> {
        let Some((probe, node)) = Name::nearly(name) else { return Ok(()) };
        let (space, directory) = self.inside(parent)?;
        let look = |tree: &Tree| match tree.child(directory, node)? {
            Some(node) => Ok(Some(tree.node(node)?.attrs.kind)),
            None => Ok(None),
        };
        // What may not be seen is not there.
        let permit = self.permit_name(space, directory, node, None);
        let kind = match node {
            "" => Some(Kind::Directory),
            _ => permit.ok().and_then(|permit| space.look(permit, look).ok().flatten()),
        };
        match kind.filter(|kind| probe.on.fits(*kind)) {
            Some(_) => Err(mistyped(probe, node)),
            None => Ok(()),
        }
    }

    /// Makes a node, and holds it.
    pub fn make(
        &self,
        parent: &NodeRef,
        name: &str,
        make: &MakeNode<'_>,
    ) -> Result<(NodeRef, Stat)> {
        if let Spot::Virtual(place) = &parent.0 {
            // A directory among the shared spaces is a space.
            if make.kind != Kind::Directory {
                return self.inside(parent).and_then(|_| Err(not_found()));
            }
            self.view.make_dir(&place.path().join(name)?, false)?;
            return self.lookup(parent, name);
        }
        let (space, directory) = self.inside(parent)?;
        check_name(name)?;
        if make.kind == Kind::File {
            self.refuse_mistyped(parent, name)?;
        }
        let permit = self.permit_name(space, directory, name, Some(Right::Write))?;
        let mut new = NodeId::ROOT;
        let done = space.change(&self.view.author, permit, |tree, draft| {
            let slot = free_slot(tree, directory, name)?;
            let above = &tree.node(directory)?.attrs;
            let mut attrs = Attrs {
                uid: make.uid,
                gid: make.gid,
                target: make.target.into(),
                ..draft.attrs(make.kind, Some(make.mode))
            };
            if above.mode & PASSES_GROUP != 0 {
                attrs.gid = above.gid;
                if make.kind == Kind::Directory {
                    attrs.mode |= PASSES_GROUP;
                }
            }
            new = match make.kind {
                Kind::File => draft.make_file(tree, slot.parent, slot.name, attrs)?,
                _ => draft.make(slot.parent, slot.name, attrs)?,
            };
            Ok(())
        });
        done.or_error(&space.name)?;
        let stat = self.stat_now(space, permit, new, true)?;
        Ok((NodeRef(Spot::In(space.clone(), new)), stat))
    }

    /// Takes a name away: of a directory, which must be empty, or of anything else.
    pub fn remove(&self, parent: &NodeRef, name: &str, directory: bool) -> Result<()> {
        let (space, above) = self.inside(parent)?;
        let permit = self.permit_name(space, above, name, Some(Right::Write))?;
        let done = space.change(&self.view.author, permit, |tree, draft| {
            let node = tree.child(above, name)?.ok_or_else(not_found)?;
            match (tree.node(node)?.attrs.kind, directory) {
                (Kind::Directory, false) => {
                    return Err(fail(ErrorKind::IsADirectory, "is a directory"));
                }
                (Kind::Directory, true) if !tree.is_empty(node)? => {
                    return Err(fail(ErrorKind::NotEmpty, "the directory is not empty"));
                }
                (Kind::Directory, true) | (_, false) => {}
                (_, true) => return Err(fail(ErrorKind::NotADirectory, "not a directory")),
            }
            let path = tree.place_of(above, name)?;
            draft.unlink(tree, Slot { parent: above, name, node: Some(node) }, node, &path)
        });
        done.map(drop).or_error(&space.name)
    }

    /// Moves a node to another name in the same space.
    pub fn rename(
        &self,
        from: (&NodeRef, &str),
        to: (&NodeRef, &str),
        mode: RenameMode,
    ) -> Result<()> {
        let (space, from_parent) = self.inside(from.0)?;
        let (other, to_parent) = self.inside(to.0)?;
        self.permit_name(space, from_parent, from.1, Some(Right::Write))?;
        let permit = self.permit_name(other, to_parent, to.1, Some(Right::Write))?;
        if !Arc::ptr_eq(space, other) {
            return Err(Error::new(ErrorKind::Unsupported, "is in another space: copy it"));
        }
        check_name(to.1)?;
        let slots =
            |tree: &Tree| Ok((tree.child(from_parent, from.1)?, tree.child(to_parent, to.1)?));
        let done = space.rename(&self.view.author, permit, slots, |tree, draft| {
            check_directory(tree, to_parent)?;
            let source = slot(tree, from_parent, from.1)?;
            let target = slot(tree, to_parent, to.1)?;
            let node = source.node.ok_or_else(not_found)?;
            check_not_into_itself(tree, node, to_parent)?;
            if mode == RenameMode::Exchange
                && let Some(other) = target.node
            {
                check_not_into_itself(tree, other, from_parent)?;
                return draft.exchange(tree, source, target);
            }
            draft.move_node(tree, source, target, &tree.place_of(to_parent, to.1)?, mode)
        });
        done.map(drop).or_error(&space.name)
    }

    /// Gives a node another name in the same space, and holds it once more.
    pub fn link(&self, node: &NodeRef, parent: &NodeRef, name: &str) -> Result<(NodeRef, Stat)> {
        let (space, id) = self.inside(node)?;
        let (other, directory) = self.inside(parent)?;
        self.permit(space, id, Some(Right::Write))?;
        let permit = self.permit_name(other, directory, name, Some(Right::Write))?;
        if !Arc::ptr_eq(space, other) {
            return Err(Error::new(ErrorKind::Unsupported, "is in another space: copy it"));
        }
        check_name(name)?;
        let done = space.change(&self.view.author, permit, |tree, draft| {
            if tree.is_orphan(id) {
                return Err(Halt::Fail(not_found()));
            }
            draft.link(tree, id, || free_slot(tree, directory, name))
        });
        done.or_error(&space.name)?;
        let stat = self.stat_now(space, permit, id, true)?;
        Ok((node.clone(), stat))
    }
}

fn free_slot<'n>(tree: &Tree, directory: NodeId, name: &'n str) -> Result<Slot<'n>, Halt> {
    let slot = slot(tree, directory, name)?;
    if slot.node.is_some() {
        return Err(fail(ErrorKind::AlreadyExists, "exists already"));
    }
    // A directory that was removed while a face holds it takes no new names.
    if tree.is_orphan(directory) {
        return Err(Halt::Fail(not_found()));
    }
    Ok(slot)
}

fn slot<'n>(tree: &Tree, parent: NodeId, name: &'n str) -> Result<Slot<'n>, Halt> {
    Ok(Slot { parent, name, node: tree.child(parent, name)? })
}

fn check_not_into_itself(tree: &Tree, node: NodeId, directory: NodeId) -> Result<(), Halt> {
    let mut at = directory;
    loop {
        if at == node {
            return Err(fail(ErrorKind::Invalid, "a directory cannot be moved into itself"));
        }
        if at == NodeId::ROOT {
            return Ok(());
        }
        at = tree.node(at)?.parent;
    }
}

fn check_name(name: &str) -> Result<()> {
    if name.len() > NAME_BYTES_MAX {
        let message = format!("a name cannot be longer than {NAME_BYTES_MAX} bytes");
        return Err(Error::new(ErrorKind::Invalid, message).with_code(ErrorCode::NameTooLong));
    }
    Ok(())
}
