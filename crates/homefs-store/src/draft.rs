//! Drafting a record: the changes that make up one operation on a tree.

mod moves;

use std::sync::atomic::Ordering;

use homefs_core::{ErrorKind, NodeId, Path, Timestamp};

use crate::ground::Ground;
use crate::lineage;
use crate::meta::inherit;
use crate::model::{Attrs, Kind};
use crate::record::{Change, Content};
use crate::tree::{Body, Halt, Slot, Tree, fail};

/// Names in a space's root that homefs keeps for itself.
pub const RESERVED_NAMES: [&str; 2] = [".homefs", "shared"];

/// Permission bits of new nodes.
const FILE_MODE: u32 = 0o644;
const LINK_MODE: u32 = 0o777;
/// Permission bits of new directories.
pub(crate) const DIRECTORY_MODE: u32 = 0o755;

/// The changes of a record in the making.
pub struct Draft<'a> {
    ground: &'a Ground,
    /// When the record is made.
    pub time: Timestamp,
    /// What it states so far.
    pub changes: Vec<Change>,
}

impl<'a> Draft<'a> {
    /// Starts an empty draft.
    pub fn new(ground: &'a Ground) -> Self {
        // Making a file is three changes; growing to that would allocate more than once.
        Self { ground, time: ground.clock.now(), changes: Vec::with_capacity(3) }
    }

    /// Adds a change.
    pub fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Makes the attributes of a new node.
    pub fn attrs(&self, kind: Kind, mode: Option<u32>) -> Attrs {
        let usual = match kind {
            Kind::File | Kind::Special(_) => FILE_MODE,
            Kind::Directory => DIRECTORY_MODE,
            Kind::Link => LINK_MODE,
        };
        Attrs {
            kind,
            mode: mode.unwrap_or(usual) & 0o7777,
            uid: self.ground.uid,
            gid: self.ground.gid,
            links: 1,
            created: self.time,
            modified: self.time,
            changed: self.time,
            accessed: self.time,
            expires: None,
            target: "".into(),
            xattrs: crate::model::Xattrs::new(),
        }
    }

    /// Makes a node and binds it to a free name.
    pub fn make(&mut self, parent: NodeId, name: &str, attrs: Attrs) -> Result<NodeId, Halt> {
        check_reserved(parent, name)?;
        let node = self.ground.new_node(self.time);
        self.push(Change::Make { node, attrs });
        self.bind(parent, name, Some(node));
        Ok(node)
    }

    /// As [`Self::make`], of a file: it may be how a program saves one that it has put away.
    pub fn make_file(
        &mut self,
        tree: &Tree,
        parent: NodeId,
        name: &str,
        mut attrs: Attrs,
    ) -> Result<NodeId, Halt> {
        let old = lineage::put_away(tree, parent, name, self.time);
        if let Some(old) = old {
            inherit(&mut attrs, &tree.node(old)?.attrs);
        }
        let node = self.make(parent, name, attrs)?;
        if let Some(old) = old {
            self.push_succeed(tree, node, old)?;
        }
        Ok(node)
    }

    /// Lets a node go on as the file that people knew as another, which is changed by that, too:
    /// whoever asks what changed must hear of it.
    fn push_succeed(&mut self, tree: &Tree, node: NodeId, old: NodeId) -> Result<(), Halt> {
        let is_removed =
            |change: &Change| matches!(change, Change::Remove { node, .. } if *node == old);
        if !self.changes.iter().any(is_removed) && self.drafted(old).is_none() {
            let attrs = tree.node(old)?.attrs.clone();
            self.push(Change::Node { node: old, attrs });
        }
        self.push(Change::Succeed { node, old });
        Ok(())
    }

    /// Returns the attributes that a node is drafted to have.
    pub fn drafted(&self, of: NodeId) -> Option<&Attrs> {
        self.changes.iter().rev().find_map(|change| match change {
            Change::Node { node, attrs } | Change::Make { node, attrs } if *node == of => {
                Some(attrs)
            }
            _ => None,
        })
    }

    /// Binds a name to a node, or to nothing.
    pub fn bind(&mut self, parent: NodeId, name: &str, node: Option<NodeId>) {
        self.push(Change::Entry { parent, name: name.into(), node });
    }

    /// Finds the directory at `path`, making it and those above it where they are missing.
    pub fn directories(&mut self, tree: &Tree, path: &Path) -> Result<NodeId, Halt> {
        let mut parent = NodeId::ROOT;
        let mut fresh = false;
        for (at, name) in path.names().enumerate() {
            let known = if fresh { None } else { tree.child(parent, name)? };
            parent = if let Some(node) = known {
                let found = tree.node(node)?;
                if let Body::Link = found.body {
                    let target = found.attrs.target.clone();
                    return Err(Halt::Link { depth: at + 1, target });
                }
                node
            } else {
                fresh = true;
                let attrs = self.attrs(Kind::Directory, None);
                self.make(parent, name, attrs)?
            };
        }
        if !fresh {
            // Also refuses a file in the place of the directory.
            tree.names(parent)?;
        }
        Ok(parent)
    }

    /// Finds where a file at `path` is or would be, making directories if asked.
    pub fn slot<'p>(
        &mut self,
        tree: &Tree,
        path: &'p Path,
        parents: bool,
    ) -> Result<Slot<'p>, Halt> {
        match tree.slot(path, true) {
            Err(Halt::Fail(error)) if parents && error.kind() == ErrorKind::NotFound => {}
            found => return found,
        }
        let (Some(above), Some(name)) = (path.parent(), path.name()) else {
            return Err(fail(ErrorKind::IsADirectory, "is a directory"));
        };
        let parent = self.directories(tree, &above)?;
        Ok(Slot { parent, name, node: None })
    }

    /// Takes one name away from a node; its last name sends it to the trash.
    pub fn unlink(
        &mut self,
        tree: &Tree,
        slot: Slot<'_>,
        node: NodeId,
        path: &Path,
    ) -> Result<(), Halt> {
        self.bind(slot.parent, slot.name, None);
        self.drop_name(tree, node, path)
    }

    /// Removes everything below a directory, deepest first.
    pub fn clear(&mut self, tree: &Tree, directory: NodeId, path: &Path) -> Result<(), Halt> {
        // What is below a directory of a source goes with its name.
        if tree.sources().has(directory) {
            return Ok(());
        }
        tree.check_detached(directory)?;
        let mut names: Vec<_> = tree.names(directory)?.iter().collect();
        names.sort();
        for (name, &node) in names {
            let below = path.join(name)?;
            let known = tree.node(node)?;
            if known.attrs.kind == Kind::Directory {
                self.clear(tree, node, &below)?;
            }
            self.bind(directory, name, None);
            self.drop_name(tree, node, &below)?;
        }
        Ok(())
    }

    /// Counts one name less; the last one sends the node to the trash.
    pub(crate) fn drop_name(&mut self, tree: &Tree, node: NodeId, path: &Path) -> Result<(), Halt> {
        let known = tree.node(node)?;
        // The trash has settled contents only. A small one settles in this very record.
        if tree.is_staged(node) && !self.settles(node) {
            let Body::Staged(staged) = &known.body else { return Err(Halt::Settle(node)) };
            let bytes = staged.small(tree.chunk_bytes()).ok_or(Halt::Settle(node))?;
            self.push_content(node, Content::Inline(bytes), Some(known.attrs.clone()));
        }
        // A face may go on reading what has no name any more.
        if let Body::InBase(_) = known.body
            && known.holds.load(Ordering::Relaxed) > 0
        {
            return Err(Halt::Content(node));
        }
        if known.attrs.links <= 1 {
            self.push(Change::Remove { node, path: path.clone() });
            return Ok(());
        }
        // A file with several names below one directory loses one after the other.
        let attrs = self.drafted(node).unwrap_or(&known.attrs).clone();
        if attrs.links > 1 {
            let attrs = Attrs { links: attrs.links - 1, changed: self.time, ..attrs };
            self.push(Change::Node { node, attrs });
        } else {
            self.push(Change::Remove { node, path: path.clone() });
        }
        Ok(())
    }

    /// Tells whether a content of a file is drafted already.
    fn settles(&self, file: NodeId) -> bool {
        let of_file =
            |change: &Change| matches!(change, Change::Content { node, .. } if *node == file);
        self.changes.iter().any(of_file)
    }

    /// Copies a node, and everything below it, to a free name in the same space.
    pub fn copy(
        &mut self,
        tree: &Tree,
        from: NodeId,
        parent: NodeId,
        name: &str,
    ) -> Result<(), Halt> {
        let known = tree.node(from)?;
        let attrs =
            Attrs { links: 1, created: self.time, changed: self.time, ..known.attrs.clone() };
        match &known.body {
            Body::Directory(_) => {
                let times = attrs.clone();
                let mut names: Vec<_> = tree.names(from)?.iter().collect();
                names.sort();
                let copy = self.make(parent, name, attrs)?;
                for (name, &node) in names {
                    self.copy(tree, node, copy, name)?;
                }
                // The names above made it look modified now.
                self.push(Change::Node { node: copy, attrs: times });
            }
            Body::Link | Body::Special => drop(self.make(parent, name, attrs)?),
            Body::InBase(_) => return Err(Halt::Content(from)),
            Body::Sourced(_) => return Err(Halt::TakeOver(from)),
            Body::Settled(_) | Body::Staged(_) => {
                let content = settled(tree, from)?;
                let copy = self.make_file(tree, parent, name, attrs)?;
                let times = self.drafted(copy).cloned();
                self.push_content(copy, content, times);
            }
        }
        Ok(())
    }

    /// Gives a file a settled content, and attributes that outlast it.
    pub fn push_content(&mut self, node: NodeId, content: Content, attrs: Option<Attrs>) {
        self.push(Change::Content { node, content });
        if let Some(attrs) = attrs {
            self.push(Change::Node { node, attrs });
        }
    }
}

/// Returns the settled content of a file, to be shared.
pub fn settled(tree: &Tree, node: NodeId) -> Result<Content, Halt> {
    match &tree.node(node)?.body {
        Body::Settled(content) => Ok(content.clone()),
        Body::InBase(_) => Err(Halt::Content(node)),
        Body::Sourced(_) => Err(Halt::TakeOver(node)),
        // Made ready for a range write that did not come about.
        Body::Staged(staged) if !tree.is_staged(node) => Ok(staged.under.clone()),
        Body::Staged(_) => Err(Halt::Settle(node)),
        Body::Directory(_) => Err(fail(ErrorKind::IsADirectory, "is a directory")),
        Body::Link => Err(fail(ErrorKind::Invalid, "is a symbolic link")),
        Body::Special => Err(not_content()),
    }
}

/// What is said to those who want the content of a special node.
pub fn not_content() -> Halt {
    fail(ErrorKind::Invalid, "is a special file, which has no content")
}

/// Refuses names that a space's root keeps for homefs.
pub(crate) fn check_reserved(parent: NodeId, name: &str) -> Result<(), Halt> {
    if parent == NodeId::ROOT && RESERVED_NAMES.contains(&name) {
        return Err(fail(ErrorKind::Invalid, format!("`{name}` is a reserved name here")));
    }
    Ok(())
}
