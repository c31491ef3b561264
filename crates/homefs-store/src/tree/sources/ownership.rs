//! What becomes the space's own of sources with a draft.

use std::sync::Arc;

use homefs_core::{ErrorKind, NodeId};
use rustc_hash::FxHashSet;

use crate::draft::Draft;
use crate::guard::Permit;
use crate::model::Kind;
use crate::record::Change;
use crate::tree::{Halt, Tree, fail};

impl Tree {
    /// Makes the space's own what a draft changes of sources, and hides what it takes away.
    pub(crate) fn own_changed(&self, draft: &mut Draft<'_>, permit: Permit) -> Result<(), Halt> {
        // Followers repeat what was allowed and owned already.
        if self.sources.is_empty() || !permit.is_bounded() {
            return Ok(());
        }
        let has_content = |file: NodeId| {
            let mut changes = draft.changes.iter();
            changes.any(|change| matches!(change, Change::Content { node, .. } if *node == file))
        };
        let mut owned = Owned::new(self);
        for change in &draft.changes {
            self.check_changeable(change)?;
            match change {
                Change::Entry { parent, name, node } => {
                    owned.directory(*parent)?;
                    if let Some(node) = node {
                        owned.node(*node, has_content(*node))?;
                    }
                    let names = self.names_here(*parent).ok();
                    let before = names.and_then(|names| names.get(name).copied());
                    if let Some(before) = before
                        && Some(before) != *node
                        && (self.sources.has(before) || self.is_over(before))
                    {
                        owned.hide(*parent, name);
                    }
                }
                Change::Node { node, .. } => owned.node(*node, has_content(*node))?,
                Change::Content { node, .. } => owned.node(*node, true)?,
                Change::Patch { node, .. } | Change::Zero { node, .. } => {
                    owned.node(*node, false)?;
                }
                _ => {}
            }
        }
        let mut changes = owned.changes;
        // What the space never had does not go to its trash.
        let of_source = |change: &Change| match change {
            Change::Remove { node, .. } | Change::Purge { node } => self.sources.has(*node),
            _ => false,
        };
        changes.extend(draft.changes.drain(..).filter(|change| !of_source(change)));
        // Last, so that what they hide is seen to go.
        changes.extend(owned.hidden);
        draft.changes = changes;
        Ok(())
    }

    /// Refuses changes below a source that is attached read-only, the end of a directory that a
    /// source is attached to, and moving a directory of a source.
    fn check_changeable(&self, change: &Change) -> Result<(), Halt> {
        let at = match change {
            Change::Entry { parent, node, .. } => {
                if node.is_some_and(|node| self.is_over(node)) {
                    let message = "a directory of a source cannot be moved: copy it";
                    return Err(fail(ErrorKind::Unsupported, message));
                }
                *parent
            }
            Change::Remove { node, .. } => {
                self.check_detached(*node)?;
                *node
            }
            Change::Node { node, .. } if self.sources.root(*node).is_some() => return Ok(()),
            Change::Node { node, .. }
            | Change::Content { node, .. }
            | Change::Patch { node, .. }
            | Change::Zero { node, .. } => *node,
            _ => return Ok(()),
        };
        self.check_writable(at)
    }

    pub(crate) fn check_writable(&self, at: NodeId) -> Result<(), Halt> {
        let root = self.root_above(at).and_then(|root| self.sources.root(root));
        if root.is_some_and(|root| root.read_only) {
            return Err(fail(ErrorKind::ReadOnly, "is below a source that is attached read-only"));
        }
        Ok(())
    }

    /// Tells whether a source has a directory below this one, which no source is attached to.
    fn is_over(&self, node: NodeId) -> bool {
        self.sources.over(node).is_some() && self.sources.root(node).is_none()
    }
}

/// Changes that make nodes of sources the space's own.
pub struct Owned<'a> {
    tree: &'a Tree,
    done: FxHashSet<NodeId>,
    /// What makes them the space's own.
    pub changes: Vec<Change>,
    /// What is hidden after them.
    pub hidden: Vec<Change>,
}

impl<'a> Owned<'a> {
    /// Begins with nothing owned.
    pub fn new(tree: &'a Tree) -> Self {
        Self { tree, done: FxHashSet::default(), changes: Vec::new(), hidden: Vec::new() }
    }

    /// Owns a node; a file only if its content is given, or becomes the space's first.
    fn node(&mut self, node: NodeId, has_content: bool) -> Result<(), Halt> {
        if !self.tree.sources.has(node) || self.done.contains(&node) {
            return Ok(());
        }
        match self.tree.node(node)?.attrs.kind {
            Kind::Directory => self.directory(node),
            Kind::File if !has_content => Err(Halt::TakeOver(node)),
            _ => self.leaf(node),
        }
    }

    /// Owns a file or a link; the source's one is hidden, or it would show when this one goes.
    pub fn leaf(&mut self, node: NodeId) -> Result<(), Halt> {
        let known = self.tree.node(node)?;
        self.directory(known.parent)?;
        self.make(node)?;
        let (parent, name) = (known.parent, known.name.clone());
        self.hide(parent, &name);
        Ok(())
    }

    /// Owns a directory and those above it; what is in it stays the source's.
    fn directory(&mut self, node: NodeId) -> Result<(), Halt> {
        if !self.tree.sources.has(node) || self.done.contains(&node) {
            return Ok(());
        }
        self.directory(self.tree.node(node)?.parent)?;
        self.make(node)
    }

    fn make(&mut self, node: NodeId) -> Result<(), Halt> {
        let known = self.tree.node(node)?;
        let (parent, name) = (known.parent, known.name.clone());
        self.done.insert(node);
        // Not `Make`: it may have been the space's before, and be in the trash.
        self.changes.push(Change::Node { node, attrs: known.attrs.clone() });
        self.changes.push(Change::Entry { parent, name, node: Some(node) });
        // Nobody sees a change of the directory above.
        let attrs = self.tree.node(parent)?.attrs.clone();
        self.changes.push(Change::Node { node: parent, attrs });
        Ok(())
    }

    fn hide(&mut self, parent: NodeId, name: &Arc<str>) {
        if !self.tree.sources.is_hidden(parent, name) {
            self.hidden.push(Change::Hide { parent, name: name.clone(), hidden: true });
        }
    }
}
