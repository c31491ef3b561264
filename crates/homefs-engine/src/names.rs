//! Finding the names of a node that nobody has looked at.
//!
//! A file may have names in several directories, and memory knows those in loaded ones only.

use homefs_core::{ErrorKind, NodeId};

use crate::space::Space;
use crate::tree::{Body, Halt, fail};

impl Space {
    /// Loads every directory that has a name of a node.
    pub(crate) fn load_names(&self, node: NodeId) -> Result<(), Halt> {
        for (parent, _) in self.base.parents(node)? {
            self.load_directory(parent)?;
        }
        Ok(())
    }

    /// Finds a name of a node that has lost the one that memory knew.
    pub(crate) fn find_name(&self, node: NodeId) -> Result<(), Halt> {
        self.load_names(node)?;
        match self.tree.read().nodes.get(&node) {
            Some(known) if !known.name.is_empty() => Ok(()),
            _ => Err(fail(ErrorKind::NotFound, "no such file or directory")),
        }
    }

    /// Brings a node into memory if it lives; tells whether it does.
    ///
    /// Unlike [`Space::load_names`] it does not load the directories above, which may be large.
    pub(crate) fn know(&self, node: NodeId) -> Result<bool, Halt> {
        if self.tree.read().nodes.contains_key(&node) {
            return Ok(true);
        }
        let Some(row) = self.base.node(node)? else { return Ok(false) };
        for (parent, name) in self.base.parents(node)? {
            if !self.know(parent)? {
                continue;
            }
            let mut tree = self.tree.write();
            // A directory that is not loaded is as the base has it; a loaded one knows better, and
            // a name is removed from loaded ones only.
            let is_named = match tree.nodes.get(&parent).map(|known| &known.body) {
                Some(Body::Directory(Some(names))) => names.get(&*name) == Some(&node),
                Some(_) => true,
                None => false,
            };
            if is_named {
                tree.keep(parent, name.into(), row);
                return Ok(true);
            }
        }
        Ok(self.tree.read().nodes.contains_key(&node))
    }

    /// Loads a directory that the base knows, unless it was removed since.
    fn load_directory(&self, directory: NodeId) -> Result<(), Halt> {
        let is_loaded = || {
            let tree = self.tree.read();
            let known = tree.nodes.get(&directory)?;
            Some(matches!(known.body, Body::Directory(Some(_))))
        };
        if is_loaded().is_none()
            && let Some((above, _)) = self.base.parents(directory)?.first()
        {
            // From the top: a loaded directory has what lives in it in memory, so that what is
            // missing then was removed, and must not come back from the base.
            self.load_directory(*above)?;
        }
        if is_loaded() == Some(false) { self.fetch(Halt::Names(directory)) } else { Ok(()) }
    }
}
