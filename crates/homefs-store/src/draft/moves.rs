//! Drafting moves: names that change their place, and nodes that get another name.

use homefs_core::{ErrorKind, NodeId, Path, not_found};

use super::{Draft, check_reserved, settled};
use crate::lineage;
use crate::meta::inherit;
use crate::model::{Attrs, Kind, RenameMode};
use crate::record::Change;
use crate::tree::{Halt, Slot, Tree, fail};

impl Draft<'_> {
    /// Moves what is at `source`; `path` is that of the target.
    pub fn move_node(
        &mut self,
        tree: &Tree,
        source: Slot<'_>,
        target: Slot<'_>,
        path: &Path,
        mode: RenameMode,
    ) -> Result<(), Halt> {
        let node = source.node.ok_or_else(not_found)?;
        check_reserved(target.parent, target.name)?;
        let old = lineage::succeeded(tree, source, target, self.time)?;
        match (target.node, mode) {
            (None, RenameMode::Exchange) => return Err(Halt::Fail(not_found().with_path(path))),
            (None, _) => {}
            (Some(_), RenameMode::NoReplace) => {
                return Err(fail(ErrorKind::AlreadyExists, "exists already"));
            }
            // Two names of one node: POSIX says that nothing happens.
            (Some(other), _) if other == node => return Ok(()),
            (Some(other), _) => {
                check_replaceable(tree, node, other)?;
                self.bind(target.parent, target.name, None);
                self.drop_name(tree, other, path)?;
            }
        }
        self.bind(source.parent, source.name, None);
        self.bind(target.parent, target.name, Some(node));
        match old {
            Some(old) => self.succeed(tree, node, old),
            None => self.touch(tree, node),
        }
    }

    /// Lets a node that was moved go on as the file that people knew as another.
    fn succeed(&mut self, tree: &Tree, node: NodeId, old: NodeId) -> Result<(), Halt> {
        let (new, before) = (tree.node(node)?, tree.node(old)?);
        let mut attrs = Attrs { changed: self.time, ..new.attrs.clone() };
        inherit(&mut attrs, &before.attrs);
        // The history of the file ends with what it has now, also where the old content settled
        // after the new one.
        let is_older = new.content_version < before.content_version;
        if is_older && !tree.is_staged(node) {
            self.push(Change::Content { node, content: settled(tree, node)? });
        }
        self.push(Change::Node { node, attrs });
        self.push_succeed(tree, node, old)
    }

    /// Swaps what is at two places.
    pub fn exchange(
        &mut self,
        tree: &Tree,
        source: Slot<'_>,
        target: Slot<'_>,
    ) -> Result<(), Halt> {
        let node = source.node.ok_or_else(not_found)?;
        let other = target.node.ok_or_else(not_found)?;
        check_reserved(target.parent, target.name)?;
        check_reserved(source.parent, source.name)?;
        self.bind(source.parent, source.name, None);
        self.bind(target.parent, target.name, Some(node));
        self.bind(source.parent, source.name, Some(other));
        self.touch(tree, node)?;
        self.touch(tree, other)
    }

    /// Gives a node another name.
    pub fn link<'n>(
        &mut self,
        tree: &Tree,
        node: NodeId,
        slot: impl FnOnce() -> Result<Slot<'n>, Halt>,
    ) -> Result<(), Halt> {
        let attrs = &tree.node(node)?.attrs;
        if attrs.kind == Kind::Directory {
            return Err(fail(ErrorKind::IsADirectory, "a directory has one name only"));
        }
        let slot = slot()?;
        check_reserved(slot.parent, slot.name)?;
        let links = attrs.links.checked_add(1);
        let links = links.ok_or_else(|| fail(ErrorKind::LimitExceeded, "has too many names"))?;
        let attrs = Attrs { links, changed: self.time, ..attrs.clone() };
        self.push(Change::Node { node, attrs });
        self.bind(slot.parent, slot.name, Some(node));
        Ok(())
    }

    /// A rename changes the node too, as on other file systems.
    fn touch(&mut self, tree: &Tree, node: NodeId) -> Result<(), Halt> {
        let attrs = Attrs { changed: self.time, ..tree.node(node)?.attrs.clone() };
        self.push(Change::Node { node, attrs });
        Ok(())
    }
}

fn check_replaceable(tree: &Tree, node: NodeId, other: NodeId) -> Result<(), Halt> {
    let directory = |node| Ok::<_, Halt>(tree.node(node)?.attrs.kind == Kind::Directory);
    match (directory(node)?, directory(other)?) {
        (true, false) => Err(fail(ErrorKind::NotADirectory, "a directory cannot replace a file")),
        (false, true) => Err(fail(ErrorKind::IsADirectory, "a file cannot replace a directory")),
        (true, true) if !tree.is_empty(other)? => {
            Err(fail(ErrorKind::NotEmpty, "the directory to replace is not empty"))
        }
        _ => Ok(()),
    }
}
