//! Names of a view: directories, links, renames, copies.

use std::borrow::Cow;
use std::sync::Arc;

use homefs_core::limits::PATH_BYTES_MAX;
use homefs_core::{Error, ErrorKind, Path, Result, SpaceName, Version, not_found};
use homefs_store::contents::ContentSnapshot;
use homefs_store::draft::{Draft, settled};
use homefs_store::guard::{Permit, Reach};
use homefs_store::model::{
    Attrs, Durability, Grant, Kind, RenameMode, Right, SetAttrs, Subject, WriteOptions,
};
use homefs_store::record::Change;
use homefs_store::space::Acknowledged;
use homefs_store::tree::{Answer, Halt, Slot, Tree, fail};

use super::View;
use super::place::{Place, Spot};

impl View {
    /// Makes a directory. `shared/<name>` makes a shared space, which the agent then manages.
    pub fn make_dir(&self, path: &Path, parents: bool) -> Result<Version> {
        if let Some(name) = new_space(path)? {
            return self.make_space(&name).map_err(|error| error.with_path(path));
        }
        let (view, path) = self.to_make(path)?;
        let done = view.at(&path, Right::Write, |place, permit| {
            place.space.change(&self.author, permit, |tree, draft| {
                if parents {
                    return draft.directories(tree, &place.path).map(drop);
                }
                let slot = free_slot(tree, &place.path)?;
                let attrs = draft.attrs(Kind::Directory, None);
                draft.make(slot.parent, slot.name, attrs).map(drop)
            })
        })?;
        self.finish(done, Durability::Memory)
    }

    fn make_space(&self, name: &SpaceName) -> Result<Version> {
        self.store.check_open()?;
        let space = self.store.spaces.get(name)?;
        let subject = Subject::Agent(self.who.agent.clone());
        let grant = Grant { subject, prefix: Path::root(), right: Right::Manage };
        // Whoever makes a space manages it.
        let permit = Reach::whole(Right::Manage).permit(&Path::root(), Right::Manage)?;
        let done = space.change(&self.author, permit, |tree, draft| {
            // The name is taken even where the agent may not see by what: two spaces cannot
            // have one name.
            if tree.version() > Version(0) {
                return Err(fail(ErrorKind::AlreadyExists, "exists already"));
            }
            draft.push(Change::Grant { grant: grant.clone(), holds: true });
            Ok(())
        });
        let done = done.or_error(name)?;
        self.finish(done, Durability::Memory)
    }

    /// Makes a symbolic link.
    pub fn symlink(&self, target: &str, path: &Path) -> Result<Version> {
        if target.is_empty() || target.len() >= PATH_BYTES_MAX || target.contains('\0') {
            let message = "a link's target is empty, too long or contains NUL";
            return Err(Error::new(ErrorKind::Invalid, message).with_path(path));
        }
        let (view, path) = self.to_make(path)?;
        let done = view.at(&path, Right::Write, |place, permit| {
            place.space.change(&self.author, permit, |tree, draft| {
                let slot = free_slot(tree, &place.path)?;
                let attrs = Attrs { target: target.into(), ..draft.attrs(Kind::Link, None) };
                draft.make(slot.parent, slot.name, attrs).map(drop)
            })
        })?;
        self.finish(done, Durability::Memory)
    }

    /// Gives a file another name in the same space.
    pub fn link(&self, existing: &Path, new: &Path) -> Result<Version> {
        let done = self.at_both(existing, Right::Write, new, |from, to, permit| {
            from.space.change(&self.author, permit, |tree, draft| {
                let node = tree.find(&from.path, false)?;
                draft.link(tree, node, || free_slot(tree, &to.path))
            })
        })?;
        self.finish(done, Durability::Memory)
    }

    /// Moves a node to another name in the same space.
    pub fn rename(&self, from: &Path, to: &Path, mode: RenameMode) -> Result<Version> {
        let done = self.at_both(from, Right::Write, to, |from, to, permit| {
            let slots = |tree: &Tree| {
                Ok((tree.slot(&from.path, false)?.node, tree.slot(&to.path, false)?.node))
            };
            from.space.rename(&self.author, permit, slots, |tree, draft| {
                draft_rename(tree, draft, &from.path, &to.path, mode)
            })
        })?;
        self.finish(done, Durability::Memory)
    }

    /// Copies a file, or a directory with everything in it, to a free name; a file may replace
    /// a file. Contents are shared, not copied, within a space.
    pub fn copy(&self, from: &Path, to: &Path, recursive: bool) -> Result<Version> {
        let (_, from) = self.meant_once(from)?;
        let (_, to) = self.to_make(to)?;
        // Names below a directory are what they are.
        self.literal().copy_meant(&from, &to, recursive)
    }

    fn copy_meant(&self, from: &Path, to: &Path, recursive: bool) -> Result<Version> {
        let kind = self.stat(from)?.kind;
        if kind == Kind::Directory && !recursive {
            let message = "is a directory, which is copied only recursively";
            return Err(Error::new(ErrorKind::IsADirectory, message).with_path(from));
        }
        let (from_place, to_place) = (self.settled_place(from)?, self.settled_place(to)?);
        let is_sourced = from_place.space.has_source_at(&from_place.path);
        if is_sourced {
            check_copy(kind, &from_place, &to_place, self.stat(to).ok().map(|stat| stat.kind))
                .map_err(|error| error.with_path(to))?;
        }
        if is_sourced || from_place.space.name != to_place.space.name {
            return self.copy_across(from, to, kind);
        }
        // Only settled contents can be shared.
        from_place.space.settle_due(None)?;
        let done = self.at_both(from, Right::Read, to, |from, to, permit| {
            from.space.change(&self.author, permit, |tree, draft| {
                draft_copy(tree, draft, &from.path, &to.path)
            })
        })?;
        self.finish(done, Durability::Memory)
    }

    /// Copies between spaces: contents belong to one space, so bytes are read and written.
    fn copy_across(&self, from: &Path, to: &Path, kind: Kind) -> Result<Version> {
        match kind {
            Kind::Link => self.symlink(&self.read_link(from)?, to),
            Kind::Special(_) => {
                let message = "a special file is not copied to another space";
                Err(Error::new(ErrorKind::Unsupported, message).with_path(from))
            }
            Kind::File => {
                let stat = self.stat(from)?;
                let options = WriteOptions {
                    mode: Some(stat.mode),
                    modified: Some(stat.modified),
                    ..WriteOptions::default()
                };
                let held = self.at(from, Right::Read, |place, permit| {
                    let held = place.space.look(permit, |tree| {
                        Ok(ContentSnapshot::of(tree, tree.find(&place.path, true)?)?.0)
                    })?;
                    Ok((Arc::clone(&place.space), held))
                })?;
                held.0.check_room(held.1.size())?;
                let mut writer = self.writer(to, &options)?;
                let mut offset = 0;
                while offset < held.1.size() {
                    let part = held.0.read_held(&held.1, offset, 1 << 20)?;
                    writer.push(&part)?;
                    offset += part.len() as u64;
                }
                writer.finish()
            }
            Kind::Directory => {
                if let Some(version) = self.answered(to)? {
                    return Ok(version);
                }
                // Many changes, of which the last answers the request.
                let quiet = self.without_origin();
                quiet.make_dir(to, false)?;
                for entry in self.children(from)? {
                    let (from, to) = (from.join(&entry.name)?, to.join(&entry.name)?);
                    quiet.copy_across(&from, &to, entry.stat.kind)?;
                }
                let stat = self.stat(from)?;
                let (mode, modified) = (Some(stat.mode), Some(stat.modified));
                self.set_attrs(to, &SetAttrs { mode, modified, ..SetAttrs::default() })
            }
        }
    }

    /// Does something with two paths of one space, whose last names are not followed.
    fn at_both(
        &self,
        from: &Path,
        right: Right,
        to: &Path,
        mut act: impl FnMut(&Place<'_>, &Place<'_>, Permit) -> Result<Acknowledged, Halt>,
    ) -> Result<Acknowledged> {
        let (view, from) = self.meant_once(from)?;
        let from = &*from;
        let from_place = view.settled_place(from)?;
        let (view, to) = self.to_make(to)?;
        let to = &*to;
        let to_place = view.settled_place(to)?;
        let first = from_place.reach.permit(&from_place.path, right);
        first.map_err(|error| error.with_path(from))?;
        let permit = to_place.reach.permit(&to_place.path, Right::Write);
        let permit = permit.map_err(|error| error.with_path(to))?;
        if from_place.space.name != to_place.space.name {
            let message = format!(
                "cannot be moved or linked from {} to {}: copy it",
                from_place.space.name, to_place.space.name
            );
            return Err(Error::new(ErrorKind::Unsupported, message).with_path(from));
        }
        let done = act(&from_place, &to_place, permit).or_error(&from_place.space.name);
        done.map_err(|error| error.with_path(from))
    }

    /// Follows the links on the way to a path, but not the last name.
    fn settled_place(&self, path: &Path) -> Result<Place<'static>> {
        if let Spot::Virtual(_) = self.locate(path).map_err(|error| error.with_path(path))? {
            let message = "only shows spaces and cannot be changed";
            return Err(Error::new(ErrorKind::Denied, message).with_path(path));
        }
        self.look_at(path, |place, permit| {
            if !place.path.is_root() {
                place.space.look(permit, |tree| tree.slot(&place.path, false).map(drop))?;
            }
            let Place { space, reach, path } = place;
            let (space, path) = (Arc::clone(space), Path::clone(path));
            Ok(Place { space: Cow::Owned(space), reach: reach.clone(), path: Cow::Owned(path) })
        })
    }
}

/// Refuses what a copy within a space refuses.
fn check_copy(kind: Kind, from: &Place<'_>, to: &Place<'_>, there: Option<Kind>) -> Result<()> {
    let is_inside = from.space.name == to.space.name && to.path.starts_with(&from.path);
    if is_inside && kind == Kind::Directory {
        let message = "a directory cannot be copied into itself";
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    let replaces = there.is_some_and(|there| (kind, there) != (Kind::File, Kind::File));
    if replaces || from.space.name == to.space.name && from.path == to.path {
        return Err(Error::new(ErrorKind::AlreadyExists, "exists already"));
    }
    Ok(())
}

/// Returns the name of the space that making this directory would make.
fn new_space(path: &Path) -> Result<Option<SpaceName>> {
    let mut names = path.names();
    let (Some("shared"), Some(name), None) = (names.next(), names.next(), names.next()) else {
        return Ok(None);
    };
    if name.starts_with('_') {
        let message = "names of spaces that start with `_` belong to homefs";
        return Err(Error::new(ErrorKind::Invalid, message).with_path(path));
    }
    SpaceName::shared(name).map(Some).map_err(|error| error.with_path(path))
}

/// Finds a name that must be free.
fn free_slot<'p>(tree: &Tree, path: &'p Path) -> Result<Slot<'p>, Halt> {
    if path.is_root() {
        return Err(fail(ErrorKind::AlreadyExists, "exists already"));
    }
    let slot = tree.slot(path, false)?;
    match slot.node {
        None => Ok(slot),
        Some(_) => Err(fail(ErrorKind::AlreadyExists, "exists already")),
    }
}

fn draft_rename(
    tree: &Tree,
    draft: &mut Draft<'_>,
    from: &Path,
    to: &Path,
    mode: RenameMode,
) -> Result<(), Halt> {
    let source = tree.slot(from, false)?;
    let target = tree.slot(to, false)?;
    let node = source.node.ok_or_else(|| Halt::Fail(not_found()))?;
    if from != to && to.starts_with(from) {
        return Err(fail(ErrorKind::Invalid, "a directory cannot be moved into itself"));
    }
    if mode == RenameMode::Exchange && target.node.is_some_and(|other| other != node) {
        if from.starts_with(to) {
            return Err(fail(ErrorKind::Invalid, "a directory cannot be moved into itself"));
        }
        return draft.exchange(tree, source, target);
    }
    draft.move_node(tree, source, target, to, mode).map_err(|halt| match halt {
        Halt::Fail(error) if target.node.is_some() => Halt::Fail(error.with_path(to)),
        other => other,
    })
}

fn draft_copy(tree: &Tree, draft: &mut Draft<'_>, from: &Path, to: &Path) -> Result<(), Halt> {
    let node = tree.find(from, false)?;
    if to.starts_with(from) && tree.node(node)?.attrs.kind == Kind::Directory {
        return Err(fail(ErrorKind::Invalid, "a directory cannot be copied into itself"));
    }
    if to.is_root() {
        return Err(fail(ErrorKind::AlreadyExists, "exists already"));
    }
    let target = tree.slot(to, false)?;
    if let Some(other) = target.node {
        let file = |node| Ok::<_, Halt>(tree.node(node)?.attrs.kind == Kind::File);
        if other == node || !file(node)? || !file(other)? {
            return Err(Halt::Fail(
                Error::new(ErrorKind::AlreadyExists, "exists already").with_path(to),
            ));
        }
        draft.push_content(other, settled(tree, node)?, None);
        return Ok(());
    }
    draft.copy(tree, node, target.parent, target.name)
}
