//! A naive space in memory: what a store must agree with.
//!
//! Everything is a map and every operation a walk over it; nothing is shared with the engine but
//! the words of `homefs-core`, so that both cannot be wrong in the same way by accident.

mod apply;
mod lineage;
mod trash;

use std::collections::BTreeMap;
use std::sync::Arc;

use homefs_core::limits::LINKS_FOLLOWED_MAX;
use homefs_core::{ErrorKind, Path, Timestamp};

use self::lineage::Away;

/// How the model answers.
type Answer = Result<(), ErrorKind>;

/// The number of a node in the model.
type Number = u64;

/// The number of the root directory.
const ROOT: Number = 0;

/// A naive space.
#[derive(Clone, Debug)]
pub struct Model {
    nodes: BTreeMap<Number, Node>,
    next: Number,
    trash: Vec<Trashed>,
    version: u64,
    /// The time of the last operation.
    now: Timestamp,
    /// Files that were renamed to backups, oldest first.
    away: Vec<Away>,
}

#[derive(Clone, Debug)]
struct Node {
    mode: u32,
    xattrs: BTreeMap<String, Vec<u8>>,
    links: u32,
    body: Body,
    /// Contents that must be in the history, with the version that made each.
    history: Vec<(u64, Arc<Vec<u8>>)>,
    /// Was range written since its last version; whether that has settled is not known.
    unsettled: bool,
    created: Timestamp,
    modified: Timestamp,
    /// The file whose history has all that this one holds: that one succeeded it.
    copied: Option<Number>,
}

#[derive(Clone, Debug)]
enum Body {
    File(Arc<Vec<u8>>),
    Directory(BTreeMap<String, Number>),
    Link(String),
}

#[derive(Clone, Debug)]
struct Trashed {
    path: Path,
    version: u64,
    time: Timestamp,
    number: Number,
    node: Node,
}

/// A node as anybody sees it; two spaces with equal maps of these are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Permission bits.
    pub mode: u32,
    /// How many names lead to it.
    pub links: u32,
    /// Extended attributes.
    pub xattrs: BTreeMap<String, Vec<u8>>,
    /// What it holds.
    pub body: SeenBody,
}

/// What a node holds, as anybody sees it.
#[derive(Clone, PartialEq, Eq)]
pub enum SeenBody {
    /// A file with these bytes.
    File(Arc<Vec<u8>>),
    /// A directory.
    Directory,
    /// A symbolic link to there.
    Link(String),
}

impl std::fmt::Debug for SeenBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // A file may be long; its start tells which one it is.
            Self::File(bytes) => {
                let start = String::from_utf8_lossy(&bytes[..bytes.len().min(24)]);
                write!(f, "File({} bytes, {start:?})", bytes.len())
            }
            Self::Directory => f.write_str("Directory"),
            Self::Link(target) => write!(f, "Link({target:?})"),
        }
    }
}

/// Where a path leads once links are followed.
struct Slot {
    /// The directory that holds it; `None` for the root, and where directories are missing.
    parent: Option<Number>,
    /// The path without links.
    path: Path,
    node: Option<Number>,
}

impl Default for Model {
    fn default() -> Self {
        let root = Node::new(0o755, Body::Directory(BTreeMap::new()), Timestamp(0));
        let nodes = BTreeMap::from([(ROOT, root)]);
        let (trash, away) = (Vec::new(), Vec::new());
        Self { nodes, next: ROOT + 1, trash, version: 0, now: Timestamp(0), away }
    }
}

impl Model {
    /// Returns the version of the last change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns everything below the root as anybody sees it.
    pub fn tree(&self) -> BTreeMap<Path, Seen> {
        let mut seen = BTreeMap::new();
        self.see(ROOT, &Path::root(), &mut seen);
        seen
    }

    fn see(&self, directory: Number, path: &Path, seen: &mut BTreeMap<Path, Seen>) {
        for (name, &number) in self.names(directory).into_iter().flatten() {
            let below = path.join(name).expect("the names are good");
            let node = &self.nodes[&number];
            let body = match &node.body {
                Body::File(bytes) => SeenBody::File(bytes.clone()),
                Body::Directory(_) => SeenBody::Directory,
                Body::Link(target) => SeenBody::Link(target.clone()),
            };
            let (mode, links, xattrs) = (node.mode, node.links, node.xattrs.clone());
            self.see(number, &below, seen);
            seen.insert(below, Seen { mode, links, xattrs, body });
        }
    }

    /// Returns the bytes of all files and the number of nodes but the root.
    pub fn usage(&self) -> (u64, u64) {
        let sizes = self.nodes.values().map(|node| match &node.body {
            Body::File(bytes) => bytes.len() as u64,
            _ => 0,
        });
        (sizes.sum(), self.nodes.len() as u64 - 1)
    }

    /// Returns the contents that the history of a file must have, oldest first, with the version
    /// that made each; none where there is no file.
    pub fn history(&self, path: &Path) -> Vec<(u64, Arc<Vec<u8>>)> {
        let found = self.find(path, true);
        found.map_or_else(|_| Vec::new(), |number| self.nodes[&number].history.clone())
    }

    /// Returns the paths that the trash has, and of which version.
    pub fn trash(&self) -> Vec<(Path, u64)> {
        self.trash.iter().map(|trashed| (trashed.path.clone(), trashed.version)).collect()
    }

    fn names(&self, directory: Number) -> Option<&BTreeMap<String, Number>> {
        match &self.nodes[&directory].body {
            Body::Directory(names) => Some(names),
            _ => None,
        }
    }

    fn is_directory(&self, number: Number) -> bool {
        self.names(number).is_some()
    }

    /// Finds a slot whose directory must exist.
    fn slot(&self, path: &Path, follow: bool) -> Result<Slot, ErrorKind> {
        let slot = self.resolve(path, follow)?;
        if slot.parent.is_none() && !slot.path.is_root() {
            return Err(ErrorKind::NotFound);
        }
        Ok(slot)
    }

    /// Finds a node.
    fn find(&self, path: &Path, follow: bool) -> Result<Number, ErrorKind> {
        self.slot(path, follow)?.node.ok_or(ErrorKind::NotFound)
    }

    /// Follows the links of a path; names after a missing directory stay as they are.
    fn resolve(&self, path: &Path, follow: bool) -> Result<Slot, ErrorKind> {
        let mut path = path.clone();
        for _ in 0..LINKS_FOLLOWED_MAX {
            match self.step(&path, follow)? {
                Ok(slot) => return Ok(slot),
                Err(through) => path = through,
            }
        }
        Err(ErrorKind::Invalid)
    }

    /// Goes along a path to its end, or to the first link, which gives another path.
    fn step(&self, path: &Path, follow: bool) -> Result<Result<Slot, Path>, ErrorKind> {
        let names: Vec<&str> = path.names().collect();
        let mut at = ROOT;
        for (index, name) in names.iter().enumerate() {
            let here = self.names(at).ok_or(ErrorKind::NotADirectory)?;
            let last = index + 1 == names.len();
            let Some(&next) = here.get(*name) else {
                let parent = last.then_some(at);
                return Ok(Ok(Slot { parent, path: path.clone(), node: None }));
            };
            if let Body::Link(target) = &self.nodes[&next].body
                && (!last || follow)
            {
                return Ok(Err(through(&names, index, target)));
            }
            if last {
                return Ok(Ok(Slot { parent: Some(at), path: path.clone(), node: Some(next) }));
            }
            at = next;
        }
        Ok(Ok(Slot { parent: None, path: Path::root(), node: Some(ROOT) }))
    }
}

impl Node {
    fn new(mode: u32, body: Body, now: Timestamp) -> Self {
        let (xattrs, history) = (BTreeMap::new(), Vec::new());
        let (created, modified, copied) = (now, now, None);
        let (links, unsettled) = (1, false);
        Self { mode, xattrs, links, body, history, unsettled, created, modified, copied }
    }
}

/// Puts the target of a link in the place of the name at `index` and those before it.
fn through(names: &[&str], index: usize, target: &str) -> Path {
    let mut out = if target.starts_with('/') { Vec::new() } else { names[..index].to_vec() };
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(out.pop()),
            name => out.push(name),
        }
    }
    out.extend(&names[index + 1..]);
    Path::parse(&format!("/{}", out.join("/"))).expect("the names are good")
}
