//! Handles: what an agent may say instead of a path.
//!
//! The choice a reader may question: what a path means is found out once, at the beginning of a call
//! that uses it several times ([`View::meant_once`]). Asked again after the file is gone, or after
//! another took its name, a handle would mean something else.

use std::borrow::Cow;

use homefs_core::{Error, ErrorKind, NodeId, Path, Result, SpaceName, not_found};
use homefs_search::index::{File, HANDLE_DIGITS, Handle, Index, is_handle};
use homefs_store::guard::not_in_memory;
use homefs_store::model::Kind;
use homefs_store::space::Acknowledged;
use homefs_store::tree::{Answer, Halt};
use parking_lot::RwLockReadGuard;

use super::View;
use super::place::Place;
use super::scopes::{Searched, Which};

/// What a path names.
enum Named {
    /// Whatever has this very name, also if nothing has: it is no handle, or a name that is taken.
    Itself,
    /// It is a handle, and this file's.
    File(Path),
    /// It is a handle of nothing.
    Nothing,
}

/// A path whose meaning is known, and the view that takes it so.
pub(super) type Meant<'a> = (Cow<'a, View>, Cow<'a, Path>);

impl View {
    /// Returns where the file is that a path means by its handle; any other path as it is.
    ///
    /// A handle below a directory means files at or below it alone, so that whoever is kept to a
    /// directory has the handles of that directory.
    pub fn meant(&self, path: &Path) -> Result<Path> {
        Ok(self.by_handle(path)?.unwrap_or_else(|| path.clone()))
    }

    /// Returns where the file is that a path names by its handle; `None` if it does not, or if
    /// something really has this name.
    pub(super) fn by_handle(&self, path: &Path) -> Result<Option<Path>> {
        match self.named_by(path)? {
            Named::File(meant) => Ok(Some(meant)),
            Named::Itself | Named::Nothing => Ok(None),
        }
    }

    /// Finds out once what a path means, for a call that uses it more than once.
    pub(super) fn meant_once<'a>(&'a self, path: &'a Path) -> Result<Meant<'a>> {
        if self.is_literal || !path.name().is_some_and(is_handle) {
            return Ok((Cow::Borrowed(self), Cow::Borrowed(path)));
        }
        let meant = self.by_handle(path)?;
        Ok((Cow::Owned(self.literal()), meant.map_or(Cow::Borrowed(path), Cow::Owned)))
    }

    /// As [`Self::meant_once`], of a path at which something may be made.
    ///
    /// # Errors
    ///
    /// `NotFound` if a name that is new there reads as a handle: it would win over a file that may
    /// have this handle one day, or has it where the agent does not see it.
    pub(super) fn to_make<'a>(&'a self, path: &'a Path) -> Result<Meant<'a>> {
        if self.is_literal || !path.as_str().contains("/^") {
            return Ok((Cow::Borrowed(self), Cow::Borrowed(path)));
        }
        let mut above = path.parent();
        while let Some(directory) = above {
            if directory.name().is_some_and(is_handle) && !self.is_named_so(&directory)? {
                return Err(no_new_name(&directory));
            }
            above = directory.parent();
        }
        let meant = match self.named_by(path)? {
            Named::Itself => Cow::Borrowed(path),
            Named::File(meant) => Cow::Owned(meant),
            Named::Nothing => return Err(no_new_name(path)),
        };
        Ok((Cow::Owned(self.literal()), meant))
    }

    /// Returns the same view, to which every path is a path.
    pub(super) fn literal(&self) -> Self {
        Self { is_literal: true, ..self.clone() }
    }

    fn named_by(&self, path: &Path) -> Result<Named> {
        let handle = path.name().filter(|_| !self.is_literal).and_then(Handle::parse);
        let Some(handle) = handle else { return Ok(Named::Itself) };
        if self.is_named_so(path)? {
            return Ok(Named::Itself);
        }
        if self.is_hasty {
            return Err(not_in_memory());
        }
        let above = path.parent().unwrap_or_else(Path::root);
        let Some(below) = self.directory_at(&above)? else { return Ok(Named::Nothing) };
        let mut found = self.with_handle(&below, handle)?;
        if found.is_empty() {
            // A file that was just saved by making a new one has its handle again when it is folded.
            for (_, space, _) in self.seen_spaces()? {
                self.store.fold.catch_up(&space.name)?;
            }
            found = self.with_handle(&below, handle)?;
        }
        found.sort();
        match found.as_slice() {
            [] => Ok(Named::Nothing),
            [one] => Ok(Named::File(one.clone())),
            [one, two, rest @ ..] => {
                let more = if rest.is_empty() { "" } else { ", among others" };
                let message = format!("may be {one} or {two}{more}: name one by its path");
                Err(Error::new(ErrorKind::Invalid, message).with_path(path))
            }
        }
    }

    /// Returns the files at and below a directory that a handle means.
    fn with_handle(&self, below: &Path, handle: Handle) -> Result<Vec<Path>> {
        let mut found = Vec::new();
        for one in &self.searched(&[], below, Which::All)? {
            for node in nodes(&one.index(), one, handle) {
                let inner = one.place_of(node)?;
                found.extend(inner.and_then(|inner| self.path_in_view(&one.space.name, &inner)));
            }
        }
        Ok(found)
    }

    /// Tells whether something really has a name, or whoever asks for it hears of something else
    /// than that nothing has.
    fn is_named_so(&self, path: &Path) -> Result<bool> {
        let mut look = |place: &Place<'_>| -> Result<(), Halt> {
            let permit = self.in_haste(place.reach.permit_look(&place.path)?);
            place.space.look(permit, |tree| tree.find(&place.path, false).map(drop))
        };
        match self.follow_links(path, &mut look) {
            Err(error) if error.kind() == ErrorKind::Unavailable && self.is_hasty => Err(error),
            Err(error) => Ok(!is_nothing(&error)),
            Ok(()) => Ok(true),
        }
    }

    /// Returns where a directory really is in the view; `None` if there is none.
    fn directory_at(&self, path: &Path) -> Result<Option<Path>> {
        match self.real_place(path) {
            Ok((at, Kind::Directory)) => Ok(Some(at)),
            Ok(_) => Ok(None),
            Err(error) if is_nothing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns where in the view a path leads, links followed, and what is there.
    pub(super) fn real_place(&self, path: &Path) -> Result<(Path, Kind)> {
        if path.is_root() || self.stat_virtual(path)?.is_some() {
            return Ok((path.clone(), Kind::Directory));
        }
        self.follow_links(path, &mut |place| {
            let permit = self.in_haste(place.reach.permit_look(&place.path)?);
            let kind = place.space.look(permit, |tree| {
                let node = tree.find(&place.path, true)?;
                Ok(tree.node(node)?.attrs.kind)
            })?;
            let at = self.path_in_view(&place.space.name, &place.path);
            Ok((at.ok_or_else(not_found)?, kind))
        })
    }

    /// Returns what the agent sees beside what is searched: a handle must tell a file from those
    /// there too.
    pub(super) fn seen_beside(&self, searched: &[Searched]) -> Result<Vec<Searched>> {
        let is_searched = |name: &SpaceName| searched.iter().any(|one| one.space.name == *name);
        let all = self.seen_spaces_that(|name| Ok(!is_searched(name)))?;
        let beside = all.into_iter().map(|(_, space, reach)| self.searched_in(space, reach));
        beside.collect()
    }

    /// Returns what already answered this view's request about a handle. Once the file is removed,
    /// nothing tells in which space it was, and the handle may come to mean another: so each space
    /// that the agent sees is asked first.
    pub(super) fn answered_by_handle(&self, path: &Path) -> Result<Option<Acknowledged>> {
        if self.author.origin.is_none() || path.name().and_then(Handle::parse).is_none() {
            return Ok(None);
        }
        for (_, space, reach) in self.seen_spaces()? {
            let permit = reach.permit_look(&Path::root())?;
            let answered = space.answered(&self.author, permit).or_error(&space.name);
            if let Some(done) = answered.map_err(|error| error.with_path(path))? {
                return Ok(Some(done));
            }
        }
        Ok(None)
    }
}

/// Returns the shortest handle of a file that means no other file which the agent sees.
pub(super) fn handle_of(seen: &[Indexed<'_>], file: &File) -> String {
    let is_one = |handle: &Handle| {
        let meant = seen
            .iter()
            .flat_map(|(one, index)| index.files_of(*handle).filter(move |other| one.sees(other)));
        meant.take(2).count() < 2
    };
    let mut handles = HANDLE_DIGITS.map(|digits| Handle::of(file.lineage, digits)).into_iter();
    let last = Handle::of(file.lineage, u32::MAX);
    handles.find(is_one).unwrap_or(last).to_string()
}

/// A space with its index, as long as nobody changes it.
pub(super) type Indexed<'a> = (&'a Searched, RwLockReadGuard<'a, Index>);

/// Returns spaces with their indexes.
pub(super) fn indexed<'a>(searched: impl IntoIterator<Item = &'a Searched>) -> Vec<Indexed<'a>> {
    searched.into_iter().map(|one| (one, one.index())).collect()
}

/// Returns the nodes that a handle means. A file that was saved by making a new one has the lineage
/// of the old one once that is folded; until then its own was told.
fn nodes(index: &Index, searched: &Searched, handle: Handle) -> Vec<NodeId> {
    let is_asked_for = |file: &&File| searched.admits(file);
    let mut found: Vec<&File> = index.files_of(handle).filter(is_asked_for).collect();
    if found.is_empty() {
        let is_own = |file: &&File| file.lineage != file.node && handle.is_of(file.node);
        found = index.files().filter(is_own).filter(is_asked_for).collect();
    }
    found.into_iter().map(|file| NodeId(file.node)).collect()
}

/// Tells whether an error says that nothing has a name.
fn is_nothing(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn no_new_name(path: &Path) -> Error {
    let message = "no file has this handle, and nothing new is called like one";
    Error::new(ErrorKind::NotFound, message).with_path(path)
}
