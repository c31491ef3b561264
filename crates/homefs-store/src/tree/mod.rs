//! The overlay of one space: its present, as far as anybody asked for it.
//!
//! The tree holds what the journal has and the base has not, and keeps what was read from the
//! base. A directory is either loaded whole or not at all, so a name that is not in a loaded
//! directory does not exist and no database has to be asked. Every change of a directory loads it
//! first; therefore a directory that is not loaded is exactly as the base has it.
//! Nothing here does I/O: what is missing is asked for with [`Halt`], and the caller tries again.

mod apply;
mod keep;
mod names;
mod overlay;
mod sources;
mod state;
mod unindexed;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use homefs_core::limits::PATH_BYTES_MAX;
use homefs_core::{
    AgentId, ClientId, Clock, Error, ErrorKind, NodeId, Path, Result, SpaceName, Timestamp,
    Version, not_found,
};
use rustc_hash::{FxHashMap, FxHashSet};

#[cfg(any(test, feature = "testing"))]
pub use self::names::work;
pub use self::names::{Names, is_from};
pub use self::overlay::{Overlay, Writer};
pub(crate) use self::sources::id_of_file;
pub use self::sources::{Owned, Owner, Root, SourcedFile, Sources};
pub use self::unindexed::Unindexed;
use crate::model::{Attrs, Grant, Kind, Quota, Stat, Usage};
use crate::put_away::PutAway;
use crate::record::{Content, Origin};
use crate::staged::Staged;

/// Why something could not be answered from memory alone.
#[derive(Debug)]
#[expect(missing_docs, reason = "a variant says what its fields are")]
pub enum Halt {
    /// The names in this directory are needed.
    Names(NodeId),
    /// This node is needed.
    Node(NodeId),
    /// A name of this node is needed.
    Name(NodeId),
    /// The content reference of this file is needed.
    Content(NodeId),
    /// The bytes of this small file are needed.
    Bytes(NodeId),
    /// This file must be made ready for range writes.
    Stage(NodeId),
    /// The image of this chunk is needed, to be changed in part.
    Image(NodeId, u64),
    /// This file must be settled first.
    Settle(NodeId),
    /// The last request of this client is needed.
    Client(ClientId),
    /// The path leads through a link: `depth` names stand for the link, which points to `target`.
    Link { depth: usize, target: Box<str> },
    /// What a source has in this directory is needed.
    Listing(NodeId),
    /// The length of this file of a source is needed.
    Measure(NodeId),
    /// This file of a source must become the space's own first.
    TakeOver(NodeId),
    /// This node has expired and must go before its name can mean another.
    Expired(NodeId),
    /// It fails.
    Fail(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Fail(error)
    }
}

impl Halt {
    /// Turns a halt that the caller cannot serve into its error.
    fn into_error(self, place: &SpaceName) -> Error {
        match self {
            Self::Fail(error) => error,
            other => Error::new(ErrorKind::Internal, format!("cannot go on: {other:?}"))
                .with_path_text(place.to_string()),
        }
    }
}

/// What a space answers to who can serve no halt.
pub trait Answer<T> {
    /// Turns a halt into its error.
    fn or_error(self, place: &SpaceName) -> Result<T>;

    /// Takes a failure that says so for nothing, and turns any other halt into its error.
    fn or_none(
        self,
        place: &SpaceName,
        is_nothing: impl FnOnce(&Error) -> bool,
    ) -> Result<Option<T>>;
}

impl<T> Answer<T> for Result<T, Halt> {
    fn or_error(self, place: &SpaceName) -> Result<T> {
        self.map_err(|halt| halt.into_error(place))
    }

    fn or_none(
        self,
        place: &SpaceName,
        is_nothing: impl FnOnce(&Error) -> bool,
    ) -> Result<Option<T>> {
        match self {
            Err(Halt::Fail(error)) if is_nothing(&error) => Ok(None),
            answer => answer.or_error(place).map(Some),
        }
    }
}

/// Makes a failure without a path; the view adds the one the caller knows.
pub fn fail(kind: ErrorKind, message: impl Into<String>) -> Halt {
    Halt::Fail(Error::new(kind, message))
}

/// What memory holds of a node's substance.
#[derive(Debug)]
pub enum Body {
    /// A directory; `None` until it is loaded.
    Directory(Option<Names>),
    /// A symbolic link; its target is an attribute.
    Link,
    /// A special node; what it is is an attribute.
    Special,
    /// A file with this settled content.
    Settled(Content),
    /// A file whose settled content the base has, of this size.
    InBase(u64),
    /// A file with unsettled content.
    Staged(Box<Staged>),
    /// A file that only a source has, of this size as far as the source tells.
    Sourced(u64),
}

/// A node in memory.
#[derive(Debug)]
pub struct Node {
    /// Everything about it but its names and its content.
    pub attrs: Attrs,
    /// The last change of anything about it.
    pub version: Version,
    /// The last change of its settled content.
    pub(crate) content_version: Version,
    /// One name that leads to it; the root names itself.
    pub parent: NodeId,
    /// The name that it has there.
    pub name: Arc<str>,
    /// Its other names, for hard links.
    pub other_names: Vec<(NodeId, Arc<str>)>,
    /// How often faces hold it: a held node outlives its last name.
    pub holds: AtomicU64,
    /// The minute in which it was last read, since 1970; 0 if nobody read it in this process.
    pub read: AtomicU32,
    /// What it holds.
    pub body: Body,
}

impl Node {
    /// Returns the length as `stat` shows it.
    pub fn size(&self) -> u64 {
        match &self.body {
            Body::Directory(_) | Body::Special => 0,
            Body::Link => self.attrs.target.len() as u64,
            Body::Settled(content) => content.size(),
            Body::InBase(size) | Body::Sourced(size) => *size,
            Body::Staged(staged) => staged.size,
        }
    }

    /// Returns what can be told of the node without reading it.
    pub fn stat(&self, space: &SpaceName, node: NodeId) -> Stat {
        let attrs = &self.attrs;
        Stat {
            space: space.clone(),
            node,
            kind: attrs.kind,
            size: self.size(),
            mode: attrs.mode,
            uid: attrs.uid,
            gid: attrs.gid,
            links: attrs.links,
            created: attrs.created,
            modified: attrs.modified,
            changed: attrs.changed,
            accessed: attrs.accessed,
            expires: attrs.expires,
            version: self.version,
        }
    }
}

/// A change as watchers see it.
#[derive(Clone, Debug)]
pub struct Recent {
    /// The version that it made.
    pub version: Version,
    /// What was changed.
    pub node: NodeId,
    /// What that is.
    pub kind: Kind,
    /// Where the node was, if it is no longer there.
    pub gone: Option<Path>,
    /// When it was changed.
    pub time: Timestamp,
    /// Who changed it.
    pub agent: AgentId,
}

/// Where a path leads: the directory that holds it, and what the name means there.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// The directory.
    pub parent: NodeId,
    /// The name in it.
    pub name: &'a str,
    /// What has the name, if anything.
    pub node: Option<NodeId>,
}

/// A node without a name that faces still hold.
pub(crate) struct Orphan {
    pub node: Box<Node>,
    /// Where it last was.
    pub path: Path,
    /// The file that a pull put in its place.
    pub successor: Option<NodeId>,
}

/// The overlay of one space.
pub struct Tree {
    /// Boxed, because a growing table moves its entries.
    nodes: FxHashMap<NodeId, Box<Node>>,
    /// Nodes without a name that faces still hold, with where they last were. They are of this
    /// process only: what changes them is not recorded.
    orphans: FxHashMap<NodeId, Orphan>,
    version: Version,
    usage: Usage,
    quota: Quota,
    grants: Vec<Grant>,
    /// Files with unsettled content.
    staged: FxHashSet<NodeId>,
    /// How much memory unsettled contents hold.
    staging_bytes: u64,
    /// Small contents in memory in the order they came, for giving memory back.
    resident: VecDeque<(NodeId, Version)>,
    resident_bytes: u64,
    recent: VecDeque<Recent>,
    /// Every change after this version is in `recent`.
    recent_after: Version,
    /// The last request of each client, and the version that answered it.
    clients: FxHashMap<ClientId, (u64, Version)>,
    /// What the index has not looked at since it changed, while there is an index.
    unindexed: Option<Unindexed>,
    /// Size of a chunk; a field so that tests can have small ones.
    chunk_bytes: u64,
    /// Files that expire, in the order in which they do.
    expiring: BTreeSet<(Timestamp, NodeId)>,
    /// Files that were renamed to backups a moment ago: a hint for who makes a file next, so that
    /// what a reopened space has forgotten of it does no harm.
    put_away: PutAway,
    /// What attached sources have below directories of the space.
    sources: Sources,
    /// Tells which nodes have expired.
    clock: Arc<dyn Clock>,
}

impl Tree {
    /// Returns a node that must be in memory.
    pub fn node(&self, node: NodeId) -> Result<&Node, Halt> {
        match self.nodes.get(&node) {
            Some(known) => Ok(known),
            None => self.orphans.get(&node).map(|orphan| &*orphan.node).ok_or(Halt::Node(node)),
        }
    }

    /// Returns a node to be changed, if it is in memory.
    fn node_mut(&mut self, node: NodeId) -> Option<&mut Node> {
        match self.nodes.get_mut(&node) {
            Some(known) => Some(known),
            None => self.orphans.get_mut(&node).map(|orphan| &mut *orphan.node),
        }
    }

    /// Returns the file that is meant by one that a face holds: where a pull has put another in its
    /// place, that one. Who has a file open does not know that it was saved elsewhere, and what it
    /// writes belongs to the file that people know.
    pub fn successor(&self, node: NodeId) -> NodeId {
        // Asked for every read and write, and hardly ever is there an orphan.
        if self.orphans.is_empty() {
            return node;
        }
        self.orphans.get(&node).and_then(|orphan| orphan.successor).unwrap_or(node)
    }

    /// Notes which files have come to the places of those that a pull has removed.
    fn note_successors(&mut self, removed: &[(NodeId, Path)]) {
        for (gone, path) in removed {
            let is_file = |node: &NodeId| {
                self.nodes.get(node).is_some_and(|known| known.attrs.kind == Kind::File)
            };
            let successor = self.find(path, false).ok().filter(is_file);
            for (node, orphan) in &mut self.orphans {
                let is_file = orphan.node.attrs.kind == Kind::File;
                if is_file && (node == gone || orphan.successor == Some(*gone)) {
                    orphan.successor = successor;
                }
            }
        }
    }

    /// Returns what a name in a directory means; an expired node is not there.
    pub fn child(&self, directory: NodeId, name: &str) -> Result<Option<NodeId>, Halt> {
        let node = self.names(directory)?.get(name).copied();
        Ok(node.filter(|&node| !self.is_expired(node)))
    }

    /// Tells whether a node is no longer there although nobody has removed it yet.
    pub fn is_expired(&self, node: NodeId) -> bool {
        // Asked for every name on every path, and most spaces have nothing that expires.
        if self.expiring.is_empty() {
            return false;
        }
        let expires = self.nodes.get(&node).and_then(|known| known.attrs.expires);
        expires.is_some_and(|expires| expires <= self.clock.now())
    }

    /// Tells whether a directory has no names.
    pub fn is_empty(&self, directory: NodeId) -> Result<bool, Halt> {
        let names = self.names(directory)?;
        match names.values().next() {
            None => Ok(true),
            Some(&first) if names.values().all(|&node| self.is_expired(node)) => {
                Err(Halt::Expired(first))
            }
            Some(_) => Ok(false),
        }
    }

    /// Returns the names in a directory.
    pub fn names(&self, directory: NodeId) -> Result<&Names, Halt> {
        self.names_of(directory, self.node(directory)?)
    }

    /// As [`Self::names`], of a node that was looked up.
    fn names_of<'a>(&self, directory: NodeId, known: &'a Node) -> Result<&'a Names, Halt> {
        match &known.body {
            Body::Directory(Some(names)) => {
                self.sources.check_listed(directory, &*self.clock)?;
                Ok(names)
            }
            Body::Directory(None) => Err(Halt::Names(directory)),
            _ => Err(fail(ErrorKind::NotADirectory, "not a directory")),
        }
    }

    /// Finds the directory that holds `path` and what its last name means; `follow` goes through
    /// a link that is the last name. The root has no slot.
    pub fn slot<'a>(&self, path: &'a Path, follow: bool) -> Result<Slot<'a>, Halt> {
        let mut names = path.names().enumerate().peekable();
        let (mut parent, mut known) = (NodeId::ROOT, self.node(NodeId::ROOT)?);
        while let Some((above, name)) = names.next() {
            let node = self.names_of(parent, known)?.get(name).copied();
            let node = node.filter(|&node| !self.is_expired(node));
            let is_last = names.peek().is_none();
            if let Some(node) = node
                && (!is_last || follow)
            {
                known = self.node(node)?;
                if let Body::Link = known.body {
                    let target = known.attrs.target.clone();
                    return Err(Halt::Link { depth: above + 1, target });
                }
            }
            if is_last {
                return Ok(Slot { parent, name, node });
            }
            parent = node.ok_or_else(not_found)?;
        }
        Err(fail(ErrorKind::IsADirectory, "is the root of a space"))
    }

    /// Finds the node of `path`.
    pub fn find(&self, path: &Path, follow: bool) -> Result<NodeId, Halt> {
        if path.is_root() {
            return Ok(NodeId::ROOT);
        }
        let slot = self.slot(path, follow)?;
        Ok(slot.node.ok_or_else(not_found)?)
    }

    /// As [`Self::path_of`]; `None` for a node that is deeper than any path, as what is moved below
    /// others may be.
    pub fn formed_path_of(&self, node: NodeId) -> Result<Option<Path>, Halt> {
        match self.path_of(node) {
            Err(Halt::Fail(error)) if error.kind() == ErrorKind::Invalid => Ok(None),
            path => path.map(Some),
        }
    }

    /// Returns where a node is inside the space, by one of its names.
    pub fn path_of(&self, node: NodeId) -> Result<Path, Halt> {
        let mut names = Vec::with_capacity(8);
        let mut at = node;
        while at != NodeId::ROOT {
            let found = self.node(at)?;
            if found.name.is_empty() {
                return Err(Halt::Name(at));
            }
            names.push(&*found.name);
            at = found.parent;
        }
        Ok(join(&names)?)
    }

    /// Returns every place in the space where a node is known to be, but those that are deeper than
    /// any path; for one without a name, where it was.
    pub fn paths_of(&self, node: NodeId) -> Result<Vec<Path>, Halt> {
        if let Some(orphan) = self.orphans.get(&node) {
            return Ok(vec![orphan.path.clone()]);
        }
        let mut paths: Vec<Path> = self.formed_path_of(node)?.into_iter().collect();
        for (parent, name) in &self.node(node)?.other_names {
            paths.extend(self.formed_path_of(*parent)?.and_then(|above| above.join(name).ok()));
        }
        Ok(paths)
    }

    /// As [`Self::paths_of`], by all of its names: memory knows those in loaded directories only, so
    /// that the others are asked for once.
    pub fn all_paths_of(
        &self,
        node: NodeId,
        asked: &mut FxHashSet<NodeId>,
    ) -> Result<Vec<Path>, Halt> {
        let paths = self.paths_of(node)?;
        let is_complete = paths.len() >= self.node(node)?.attrs.links as usize;
        if !is_complete && asked.insert(node) {
            return Err(Halt::Name(node));
        }
        Ok(paths)
    }

    /// Keeps a node while a face knows it.
    pub fn hold(&self, node: NodeId) -> Result<(), Halt> {
        self.node(node)?.holds.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Gives back `count` holds; a node that has no name and no hold any more is forgotten.
    pub fn release(&mut self, node: NodeId, count: u64) {
        let Some(known) = self.node_mut(node) else { return };
        let holds = known.holds.get_mut();
        *holds = holds.saturating_sub(count);
        if *holds == 0
            && let Some(gone) = self.orphans.remove(&node)
        {
            self.staged.remove(&node);
            self.sources.forget(node);
            self.forget_staging(&gone.node.body);
        }
    }

    /// Returns the path of a name in a directory, or as much of its end as a path can have: what
    /// is moved below others may be deeper than any path.
    pub fn place_of(&self, parent: NodeId, name: &str) -> Result<Path, Halt> {
        let mut names = Vec::with_capacity(8);
        names.push(name);
        let mut length = name.len() + 1;
        let mut at = parent;
        while at != NodeId::ROOT {
            let known = self.node(at)?;
            length += known.name.len() + 1;
            if length >= PATH_BYTES_MAX || known.name.is_empty() {
                break;
            }
            names.push(&*known.name);
            at = known.parent;
        }
        Ok(join(&names)?)
    }

    /// Returns the version that already answered this request, if one did.
    pub fn answered(&self, origin: Origin) -> Result<Option<Version>, Halt> {
        match self.clients.get(&origin.client) {
            None => Err(Halt::Client(origin.client)),
            Some((number, version)) if *number == origin.number => Ok(Some(*version)),
            Some((number, _)) if *number > origin.number => Err(fail(
                ErrorKind::Conflict,
                format!("request {} of this client came after request {number}", origin.number),
            )),
            Some(_) => Ok(None),
        }
    }
}

/// Joins names that are given from the last to the first.
fn join(names: &[&str]) -> Result<Path> {
    if names.is_empty() {
        return Ok(Path::root());
    }
    let mut text = String::with_capacity(names.iter().map(|name| name.len() + 1).sum());
    for name in names.iter().rev() {
        text.push('/');
        text.push_str(name);
    }
    Path::parse(&text)
}
