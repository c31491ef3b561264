//! Finding the names of a node that nobody has looked at.
//!
//! A file may have names in several directories, and memory knows those in loaded ones only.

use homefs_core::{ErrorKind, NodeId, not_found};

use crate::base::NodeRow;
use crate::space::Space;
use crate::tree::{Body, Halt, fail};

impl Space {
    /// Loads every directory that has a name of a node.
    pub fn load_names(&self, node: NodeId) -> Result<(), Halt> {
        for (parent, _) in self.base.parents(node)? {
            self.load_directory(parent)?;
        }
        Ok(())
    }

    /// Finds a name of a node that has lost the one that memory knew.
    pub(crate) fn find_name(&self, node: NodeId) -> Result<(), Halt> {
        self.load_names(node)?;
        match self.tree.read().named(node) {
            Some(known) if !known.name.is_empty() => Ok(()),
            _ => Err(Halt::Fail(not_found())),
        }
    }

    /// Brings a node into memory if it lives; tells whether it does.
    ///
    /// Unlike [`Space::load_names`] it does not load the directories above, which may be large. Nor
    /// does it call itself for them: they may be deeper than the stack.
    pub fn know(&self, node: NodeId) -> Result<bool, Halt> {
        let is_known = |node: NodeId| self.tree.read().named(node).is_some();
        if is_known(node) {
            return Ok(true);
        }
        let Some(first) = self.unknown(node)? else { return Ok(false) };
        // From the node up; each waits until the one after it is known.
        let mut way = vec![first];
        while let Some(last) = way.last_mut() {
            let Some((parent, name)) = last.parents.last().cloned() else {
                // None of its names lives; whoever is below it looks for another.
                let (node, below) = (last.row.node, way.len() - 1);
                way.truncate(below);
                if let Some(last) = way.last_mut()
                    && !is_known(node)
                {
                    last.parents.pop();
                }
                continue;
            };
            if is_known(parent) {
                if self.keep_named(parent, &name, &last.row) {
                    way.pop();
                } else {
                    last.parents.pop();
                }
            } else if way.iter().any(|on_way| on_way.row.node == parent) {
                return Err(fail(ErrorKind::Corrupt, "a directory is below itself"));
            } else if let Some(above) = self.unknown(parent)? {
                way.push(above);
            } else if let Some(last) = way.last_mut() {
                last.parents.pop();
            }
        }
        Ok(is_known(node))
    }

    /// Returns what the base has of a node that lives there.
    fn unknown(&self, node: NodeId) -> Result<Option<Unknown>, Halt> {
        let Some(row) = self.base.node(node)? else { return Ok(None) };
        let mut parents = self.base.parents(node)?;
        parents.reverse();
        Ok(Some(Unknown { row, parents }))
    }

    /// Brings a node into memory by a name in a known directory, if it still has it.
    fn keep_named(&self, parent: NodeId, name: &str, row: &NodeRow) -> bool {
        let mut tree = self.tree.memory();
        // A directory that is not loaded is as the base has it; a loaded one knows better, and
        // a name is removed from loaded ones only.
        let is_named = match tree.named(parent).map(|known| &known.body) {
            Some(Body::Directory(Some(names))) => names.get(name) == Some(&row.node),
            Some(_) => true,
            None => false,
        };
        if is_named {
            tree.keep(parent, name.into(), row.clone());
        }
        is_named
    }

    /// Loads a directory that the base knows, unless it was removed since.
    fn load_directory(&self, directory: NodeId) -> Result<(), Halt> {
        let is_loaded = |directory: NodeId| {
            let tree = self.tree.read();
            let known = tree.named(directory)?;
            Some(matches!(known.body, Body::Directory(Some(_))))
        };
        // From the top: a loaded directory has what lives in it in memory, so that what is
        // missing then was removed, and must not come back from the base.
        let mut way = vec![directory];
        let mut at = directory;
        while is_loaded(at).is_none()
            && let Some((above, _)) = self.base.parents(at)?.first()
        {
            if way.contains(above) {
                return Err(fail(ErrorKind::Corrupt, "a directory is below itself"));
            }
            at = *above;
            way.push(at);
        }
        for directory in way.into_iter().rev() {
            if is_loaded(directory) == Some(false) {
                self.fetch(Halt::Names(directory))?;
            }
        }
        Ok(())
    }
}

/// A node that lives in the base and is not in memory.
struct Unknown {
    row: NodeRow,
    /// Its names and the directories that have them, the next one to be tried last.
    parents: Vec<(NodeId, Box<str>)>,
}
