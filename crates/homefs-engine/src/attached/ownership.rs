//! How what a source has becomes the space's own: at the first change, in the record of it.

use homefs_core::limits::FILE_BYTES_MAX;
use homefs_core::{AgentId, Error, ErrorKind, NodeId, SOURCE_READ_BYTES_MAX, SpaceName};
use rustc_hash::FxHashSet;

use super::listing::is_gone;
use crate::chunks::{ChunkWriter, Pins};
use crate::draft::Draft;
use crate::guard::Permit;
use crate::model::Kind;
use crate::observers::Audience;
use crate::record::{Change, Content};
use crate::space::{Author, Space};
use crate::tree::{Body, Halt, Tree, fail};

/// How often a file is read again that changes while it is read.
const TRIES: usize = 3;

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

    fn check_writable(&self, at: NodeId) -> Result<(), Halt> {
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
struct Owned<'a> {
    tree: &'a Tree,
    done: FxHashSet<NodeId>,
    changes: Vec<Change>,
    /// What is hidden after them.
    hidden: Vec<Change>,
}

impl<'a> Owned<'a> {
    fn new(tree: &'a Tree) -> Self {
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
    fn leaf(&mut self, node: NodeId) -> Result<(), Halt> {
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

    fn hide(&mut self, parent: NodeId, name: &std::sync::Arc<str>) {
        if !self.tree.sources.is_hidden(parent, name) {
            self.hidden.push(Change::Hide { parent, name: name.clone(), hidden: true });
        }
    }
}

impl Space {
    /// Makes a file of a source the space's own, with its content.
    pub(crate) fn take_over(&self, node: NodeId) -> Result<(), Halt> {
        let at = {
            let tree = self.tree.read();
            tree.check_writable(node)?;
            tree.sourced_at(node)
        };
        let Some((root, path)) = at else { return Ok(()) };
        let (content, pins) = self.copy_of(root, &path)?;
        let author = Author { audience: Audience::Nobody, ..Author::new(self.keeper()?) };
        {
            let mut tree = self.tree.write();
            if tree.orphans.contains_key(&node) {
                tree.own(node);
                if let Some(known) = tree.node_mut(node) {
                    known.body = Body::Settled(content);
                }
                drop(tree);
                self.hold_for_orphan(node, pins);
                return Ok(());
            }
        }
        let done = self.change_now(&author, Permit::follower(), |tree, draft| {
            if !tree.sources.has(node) {
                return Ok(());
            }
            let mut owned = Owned::new(tree);
            owned.leaf(node)?;
            draft.changes = owned.changes;
            draft.changes.extend(owned.hidden);
            let attrs = tree.node(node)?.attrs.clone();
            draft.push_content(node, content.clone(), Some(attrs));
            // Who waits for it may see only a part.
            tree.check_quota(tree.usage_after(&draft.changes), false)
        })?;
        self.hold(done.version, pins);
        Ok(())
    }

    /// Copies a file of a source into the space's contents.
    fn copy_of(&self, root: NodeId, path: &homefs_core::Path) -> Result<(Content, Pins), Halt> {
        let source = self.source(root)?;
        for attempt in 1.. {
            let before = source.stat(path)?;
            let size = before.size_bytes.unwrap_or_default();
            self.check_room(size)?;
            let mut writer = ChunkWriter::new(&self.chunks);
            let mut offset = 0;
            loop {
                let part = source.read(path, offset, SOURCE_READ_BYTES_MAX)?;
                writer.push(&part)?;
                offset += part.len() as u64;
                // One that grows as fast as it is read is another one by now.
                let has_grown = before.size_bytes.is_some() && offset > size;
                if part.len() < SOURCE_READ_BYTES_MAX || has_grown {
                    break;
                }
            }
            let after = source.stat(path);
            let is_same = match &after {
                Ok(after) => after.tag == before.tag,
                Err(error) => !is_gone(error),
            };
            if is_same {
                return Ok(writer.finish()?);
            }
            if attempt >= TRIES {
                let message = "the source changes the file while it is copied";
                return Err(fail(ErrorKind::Unavailable, message));
            }
        }
        Err(fail(ErrorKind::Internal, "a file was never copied"))
    }

    /// Refuses a copy of so many bytes for which there cannot be room: it would be found out after
    /// hours.
    pub(crate) fn check_room(&self, bytes: u64) -> homefs_core::Result<()> {
        // Where nobody knows, trying tells.
        let free = self.ground.disk.space_bytes(&self.dir).map_or(u64::MAX, |(free, _)| free);
        if bytes > FILE_BYTES_MAX.min(free) {
            let message = format!("there is no room for a copy of {bytes} bytes");
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        Ok(())
    }

    /// In whose name a space takes a file over.
    fn keeper(&self) -> homefs_core::Result<AgentId> {
        match &self.name {
            SpaceName::Home(agent) => Ok(agent.clone()),
            SpaceName::Shared(_) => AgentId::new("me"),
        }
    }
}
