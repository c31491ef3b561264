//! What the overlay knows of sources.

mod merge;
mod ownership;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use homefs_core::{Clock, Error, ErrorKind, NodeId, Path, Result, Tag, Timestamp};
use rustc_hash::FxHashMap;

pub(crate) use self::merge::id_of_file;
pub use self::ownership::Owned;
use crate::record::Content;
use crate::tree::{Body, Halt, Names, Node, Tree, fail};

/// Most nodes of sources that a space keeps in memory; beyond, those that nobody holds are listed
/// again when somebody looks.
const NODES_MAX: usize = 200_000;

/// What attached sources have below directories of a space.
#[derive(Default)]
pub struct Sources {
    /// The directories that sources are attached to.
    roots: FxHashMap<NodeId, Root>,
    /// Directories below which a source has one, the roots included.
    pub over: FxHashMap<NodeId, Over>,
    /// Nodes that only a source has.
    pub nodes: FxHashMap<NodeId, Sourced>,
    /// Names in directories under which nothing of a source is shown, and since when.
    hidden: FxHashMap<NodeId, FxHashMap<Arc<str>, Timestamp>>,
    /// Most of `nodes` that are kept, if more than usual.
    pub(crate) nodes_max: usize,
}

/// A directory that a source is attached to.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// What ids of the source's nodes begin from.
    pub seed: u64,
    /// Whether it takes no changes.
    pub read_only: bool,
}

/// A directory below which a source has one.
#[derive(Clone, Debug)]
pub struct Over {
    /// The directory to which the source is attached.
    pub root: NodeId,
    /// The directory's path in the source.
    pub path: Path,
    /// When the source is to be asked again.
    pub due: Timestamp,
    /// What the source said of itself when it was asked.
    pub state: Option<Tag>,
}

/// A node that only a source has.
#[derive(Clone, Debug)]
pub struct Sourced {
    /// The directory to which its source is attached.
    pub root: NodeId,
    /// Its path in the source.
    pub path: Path,
    pub(crate) is_measured: bool,
}

/// A file of a source, to be read without holding the tree.
#[derive(Clone, Debug)]
pub struct SourcedFile {
    /// The directory to which its source is attached.
    pub root: NodeId,
    /// Where it is in the source.
    pub path: Path,
    /// Its length in bytes.
    pub size: u64,
}

/// Who owns new nodes on the host.
#[derive(Clone, Copy)]
pub struct Owner {
    /// The user.
    pub uid: u32,
    /// The group.
    pub gid: u32,
}

impl Sources {
    /// Starts with what is hidden and no source.
    pub fn new(hidden: Vec<(NodeId, Box<str>, Timestamp)>) -> Self {
        let mut sources = Self::default();
        for (parent, name, time) in hidden {
            sources.hidden.entry(parent).or_default().insert(name.into(), time);
        }
        sources
    }

    /// Tells whether no source is attached: most spaces have none.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Tells whether only a source has a node.
    pub fn has(&self, node: NodeId) -> bool {
        !self.nodes.is_empty() && self.nodes.contains_key(&node)
    }

    /// Forgets a node that nobody holds any more.
    pub fn forget(&mut self, node: NodeId) {
        self.nodes.remove(&node);
    }

    /// Notes that a directory is no longer over one of a source, because it is removed.
    pub(crate) fn uncover(&mut self, directory: NodeId) {
        if !self.over.is_empty() {
            self.over.remove(&directory);
        }
    }

    /// Halts where the source is to be asked before a directory can be looked at.
    pub(crate) fn check_listed(&self, directory: NodeId, clock: &dyn Clock) -> Result<(), Halt> {
        if self.over.is_empty() {
            return Ok(());
        }
        match self.over.get(&directory) {
            Some(over) if over.due <= clock.steady() => Err(Halt::Listing(directory)),
            _ => Ok(()),
        }
    }

    /// Returns what is attached to a directory.
    pub fn root(&self, node: NodeId) -> Option<Root> {
        self.roots.get(&node).copied()
    }

    /// Returns what a directory shows of a source.
    pub fn over(&self, directory: NodeId) -> Option<&Over> {
        self.over.get(&directory)
    }

    /// Tells whether what a source has by this name is not shown.
    pub fn is_hidden(&self, parent: NodeId, name: &str) -> bool {
        self.hidden.get(&parent).is_some_and(|names| names.contains_key(name))
    }

    /// Returns the names that are hidden in a directory, and since when; 0 if nobody knows.
    pub(crate) fn hidden_in(&self, parent: NodeId) -> FxHashMap<Arc<str>, Timestamp> {
        self.hidden.get(&parent).cloned().unwrap_or_default()
    }

    /// Returns everything that is hidden.
    pub fn hidden(&self) -> impl Iterator<Item = (NodeId, &Arc<str>)> {
        self.hidden.iter().flat_map(|(parent, names)| names.keys().map(|name| (*parent, name)))
    }

    /// Puts off asking a source about a directory that is as it was.
    pub(crate) fn put_off(&mut self, directory: NodeId, due: Timestamp) {
        if let Some(over) = self.over.get_mut(&directory) {
            over.due = due;
        }
    }

    /// Asks about every directory again; returns those that were asked about.
    pub fn expire(&mut self, root: NodeId) -> Vec<NodeId> {
        let mut asked = Vec::new();
        for (directory, over) in self.over.iter_mut().filter(|(_, over)| over.root == root) {
            if over.due != Timestamp(i64::MIN) {
                asked.push(*directory);
            }
            over.due = Timestamp(i64::MIN);
            over.state = None;
        }
        asked
    }
}

impl Tree {
    /// Shows a source below a directory.
    pub fn attach(&mut self, directory: NodeId, root: Root) {
        self.sources.roots.insert(directory, root);
        self.lay_over(directory, directory, Path::root());
    }

    /// Shows nothing of the source any more that is attached to a directory.
    pub fn detach(&mut self, root: NodeId, time: Timestamp) {
        self.sources.roots.remove(&root);
        self.drop_sourced_below(root, time, true);
        self.sources.over.retain(|_, over| over.root != root);
    }

    pub(crate) fn lay_over(&mut self, directory: NodeId, root: NodeId, path: Path) {
        let over = || Over { root, path, due: Timestamp(i64::MIN), state: None };
        self.sources.over.entry(directory).or_insert_with(over);
    }

    /// Returns the directory, at or above a node, that a source is attached to.
    pub fn root_above(&self, node: NodeId) -> Option<NodeId> {
        let mut at = node;
        loop {
            if self.sources.roots.contains_key(&at) {
                return Some(at);
            }
            if at == NodeId::ROOT {
                return None;
            }
            let above = self.nodes.get(&at)?.parent;
            // A node without a name is above itself.
            at = if above == at { return None } else { above };
        }
    }

    /// Tells whether a source is attached to a directory below a path.
    pub(crate) fn has_root_below(&self, path: &Path) -> bool {
        let mut roots = self.sources.roots.keys();
        roots.any(|root| self.path_of(*root).is_ok_and(|at| at.starts_with(path)))
    }

    /// Returns the nodes in a directory that are the space's own; asks no source.
    pub fn own_nodes(&self, directory: NodeId) -> Result<Vec<NodeId>, Halt> {
        let own = self.names_here(directory)?.values().copied();
        Ok(own.filter(|node| !self.sources.has(*node)).collect())
    }

    /// Returns the names in a directory as far as they are known; asks no source.
    pub fn names_here(&self, directory: NodeId) -> Result<&Names, Halt> {
        match &self.node(directory)?.body {
            Body::Directory(Some(names)) => Ok(names),
            Body::Directory(None) => Err(Halt::Names(directory)),
            _ => Err(fail(ErrorKind::NotADirectory, "not a directory")),
        }
    }

    /// Tells whether a name in a directory already means this.
    pub(crate) fn is_bound(&self, parent: NodeId, name: &str, node: Option<NodeId>) -> bool {
        node.is_some()
            && self.names_here(parent).is_ok_and(|names| names.get(name).copied() == node)
    }

    /// Refuses to look into a directory that is to be removed while a source is attached to it.
    pub(crate) fn check_detached(&self, directory: NodeId) -> Result<(), Halt> {
        if self.sources.roots.contains_key(&directory) {
            let message = "a source is attached to the directory: detach it first";
            return Err(fail(ErrorKind::NotEmpty, message));
        }
        Ok(())
    }

    /// Returns a file that only a source has.
    pub(crate) fn sourced_file(&self, node: NodeId) -> Result<SourcedFile, Halt> {
        let known = self.node(node)?;
        let gone = || Error::new(ErrorKind::Unavailable, "the source is no longer attached");
        let sourced = self.sources.nodes.get(&node).ok_or_else(gone)?;
        if !sourced.is_measured {
            return Err(Halt::Measure(node));
        }
        let Sourced { root, path, .. } = sourced.clone();
        Ok(SourcedFile { root, path, size: known.size() })
    }

    /// Halts where the length of a node is to be asked for before it can be told.
    pub fn check_measured(&self, node: NodeId) -> Result<(), Halt> {
        match self.sources.nodes.get(&node) {
            Some(sourced) if !sourced.is_measured => Err(Halt::Measure(node)),
            _ => Ok(()),
        }
    }

    /// Returns where a node of a source is in it, measured or not.
    pub fn sourced_at(&self, node: NodeId) -> Option<(NodeId, Path)> {
        self.sources.nodes.get(&node).map(|sourced| (sourced.root, sourced.path.clone()))
    }

    /// Notes the length of a file of a source.
    pub(crate) fn set_measured(&mut self, node: NodeId, size: u64) {
        if let Some(sourced) = self.sources.nodes.get_mut(&node) {
            sourced.is_measured = true;
        }
        if let Some(Node { body: Body::Sourced(known), .. }) = self.node_mut(node) {
            *known = size;
        }
    }

    /// Makes a node of a source the space's own, because a record says that it exists.
    pub(in crate::tree) fn own(&mut self, node: NodeId) {
        if self.sources.nodes.is_empty() || self.sources.nodes.remove(&node).is_none() {
            return;
        }
        if let Some(known) = self.node_mut(node)
            && let Body::Sourced(_) = known.body
        {
            known.body = Body::Settled(Content::Inline(bytes::Bytes::new()));
        }
    }

    /// As [`Self::own`], of a file without a name, with its content.
    pub(crate) fn own_orphan(&mut self, node: NodeId, content: Content) {
        self.own(node);
        if let Some(known) = self.node_mut(node) {
            known.body = Body::Settled(content);
        }
    }

    /// Hides what a source has by a name, or no longer.
    pub(in crate::tree) fn hide(
        &mut self,
        parent: NodeId,
        name: Arc<str>,
        hidden: bool,
        time: Timestamp,
    ) {
        if !hidden {
            if let Some(names) = self.sources.hidden.get_mut(&parent) {
                names.remove(&name);
            }
            // What it hid is to be seen.
            self.sources.put_off(parent, Timestamp(i64::MIN));
            if let Some(over) = self.sources.over.get_mut(&parent) {
                over.state = None;
            }
            return;
        }
        let bound = self.names_here(parent).ok().and_then(|names| names.get(&name).copied());
        if let Some(node) = bound
            && self.sources.has(node)
        {
            self.unname(parent, &name);
            self.drop_sourced(node, None, time);
        }
        self.sources.hidden.entry(parent).or_default().insert(name, time);
    }

    pub(in crate::tree) fn unname(&mut self, parent: NodeId, name: &str) {
        if let Some(Body::Directory(Some(names))) =
            self.nodes.get_mut(&parent).map(|parent| &mut parent.body)
        {
            names.remove(name);
        }
    }

    /// Forgets a node of a source that has no name any more, and everything below it; what a face
    /// holds stays until it lets go.
    pub(in crate::tree) fn drop_sourced(
        &mut self,
        node: NodeId,
        path: Option<Path>,
        time: Timestamp,
    ) {
        self.drop_sourced_below(node, time, true);
        self.sources.over.remove(&node);
        let path = path.or_else(|| self.path_of(node).ok()).unwrap_or_else(Path::root);
        if let Some(gone) = self.nodes.remove(&node) {
            if gone.holds.load(Ordering::Relaxed) == 0 {
                self.sources.nodes.remove(&node);
            } else {
                self.bury(node, gone, path, time);
            }
        }
    }

    /// Forgets the nodes of sources below a directory: all of them, or those that nobody holds.
    fn drop_sourced_below(&mut self, directory: NodeId, time: Timestamp, all: bool) {
        let Ok(names) = self.names_here(directory) else { return };
        let below: Vec<_> = names.iter().map(|(name, node)| (name.clone(), *node)).collect();
        for (name, node) in below {
            if !self.sources.has(node) {
                self.drop_sourced_below(node, time, all);
                continue;
            }
            if !all {
                self.drop_sourced_below(node, time, all);
                let is_held = self.nodes.get(&node).is_none_or(|known| {
                    known.holds.load(Ordering::Relaxed) > 0
                        || matches!(&known.body, Body::Directory(Some(names)) if !names.is_empty())
                });
                if is_held {
                    continue;
                }
            }
            self.unname(directory, &name);
            self.drop_sourced(node, None, time);
        }
    }

    /// Gives memory back if sources take too much of it.
    pub(crate) fn relieve_sources(&mut self) {
        if self.sources.nodes.len() <= self.sources.nodes_max.max(NODES_MAX) {
            return;
        }
        let roots: Vec<NodeId> = self.sources.roots.keys().copied().collect();
        for root in roots {
            self.drop_sourced_below(root, self.clock.coarse(), false);
            self.sources.expire(root);
        }
    }
}
