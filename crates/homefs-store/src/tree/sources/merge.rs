//! Merging what a source has into the names of a directory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use homefs_core::{
    NodeId, Path, SOURCE_DIRECTORIES_MAX, SourceKind, SourceNode, Tag, Timestamp, Version,
};
use rustc_hash::FxHashMap;

use super::{Owner, Root, Sourced};
use crate::model::{Attrs, Kind, Xattrs};
use crate::observers::Touched;
use crate::tree::{Body, Names, Node, Tree};

/// So many listings as long as the longest are kept in any case.
const PATH_LISTINGS: usize = 8;

impl Tree {
    /// Shows what a source has in a directory; returns what that changed.
    pub fn merge(
        &mut self,
        directory: NodeId,
        found: Vec<(String, SourceNode)>,
        state: Option<Tag>,
        due: Timestamp,
        owner: Owner,
    ) -> Vec<Touched> {
        let Some(over) = self.sources.over.get_mut(&directory) else { return Vec::new() };
        (over.due, over.state) = (due, state);
        let over = over.clone();
        let Some(root) = self.sources.root(over.root) else { return Vec::new() };
        let time = self.clock.coarse();
        let needed = PATH_LISTINGS * found.len();
        let mut touched = Vec::new();
        let mut gone: FxHashMap<Arc<str>, NodeId> = FxHashMap::default();
        if let Ok(names) = self.names_here(directory) {
            let sourced = names.iter().filter(|(_, node)| self.sources.has(**node));
            gone.extend(sourced.map(|(name, node)| (name.clone(), *node)));
        }
        for (name, node) in found {
            if self.sources.is_hidden(directory, &name) {
                continue;
            }
            // A path that is too long cannot be named.
            let Ok(path) = over.path.join(&name) else { continue };
            let is_directory = node.kind == SourceKind::Directory;
            if is_directory && path.names().count() > SOURCE_DIRECTORIES_MAX {
                continue;
            }
            let bound =
                self.names_here(directory).ok().and_then(|names| names.get(&*name).copied());
            match bound {
                // The space's own comes first.
                Some(own) if !self.sources.has(own) => {
                    let known = self.nodes.get(&own).map(|known| known.attrs.kind);
                    if is_directory && known == Some(Kind::Directory) {
                        self.lay_over(own, over.root, path);
                    }
                    continue;
                }
                Some(known) if known == id_of(root, &path, &node.kind) => {
                    gone.remove(&*name);
                    if self.update_sourced(known, &node) {
                        touched.push(Touched::Node(known));
                    }
                    continue;
                }
                _ => {}
            }
            let name: Arc<str> = name.into();
            if let Some(old) = gone.remove(&name) {
                self.drop_sourced(old, None, time);
            }
            touched.push(Touched::Name(directory, name.clone()));
            self.insert_sourced((directory, name), (over.root, root), path, &node, owner);
        }
        for (name, node) in gone {
            self.unname(directory, &name);
            self.drop_sourced(node, None, time);
            touched.push(Touched::Name(directory, name));
        }
        // The directories on one path must fit, or looking at it would never end.
        self.sources.nodes_max = self.sources.nodes_max.max(needed);
        touched
    }

    fn update_sourced(&mut self, node: NodeId, seen: &SourceNode) -> bool {
        let version = version_of(seen);
        let Some(known) = self.nodes.get_mut(&node) else { return false };
        if known.version == version {
            return false;
        }
        known.version = version;
        known.content_version = version;
        known.attrs.modified = seen.modified.unwrap_or(known.attrs.modified);
        known.attrs.changed = known.attrs.modified;
        if let Body::Sourced(size) = &mut known.body {
            *size = seen.size_bytes.unwrap_or(0);
            if let Some(sourced) = self.sources.nodes.get_mut(&node) {
                sourced.is_measured = seen.size_bytes.is_some();
            }
        }
        true
    }

    fn insert_sourced(
        &mut self,
        (parent, name): (NodeId, Arc<str>),
        (root_node, root): (NodeId, Root),
        path: Path,
        seen: &SourceNode,
        owner: Owner,
    ) {
        let id = id_of(root, &path, &seen.kind);
        let (kind, mode, target, body) = match &seen.kind {
            SourceKind::File => {
                (Kind::File, 0o644, "", Body::Sourced(seen.size_bytes.unwrap_or(0)))
            }
            SourceKind::Directory => {
                (Kind::Directory, 0o755, "", Body::Directory(Some(Names::default())))
            }
            SourceKind::Link { target } => (Kind::Link, 0o777, target.as_str(), Body::Link),
        };
        // Where the source does not tell, it is as old as the directory it is attached to.
        let time = seen.modified.unwrap_or_else(|| {
            self.nodes.get(&root_node).map_or(Timestamp(0), |known| known.attrs.created)
        });
        let attrs = Attrs {
            kind,
            mode,
            uid: owner.uid,
            gid: owner.gid,
            links: 1,
            created: time,
            modified: time,
            changed: time,
            accessed: time,
            expires: None,
            target: target.into(),
            xattrs: Xattrs::new(),
        };
        let version = version_of(seen);
        let node = Node {
            attrs,
            version,
            content_version: version,
            parent,
            name: name.clone(),
            other_names: Vec::new(),
            holds: AtomicU64::new(0),
            read: AtomicU32::new(0),
            body,
        };
        if let Some(Body::Directory(Some(names))) =
            self.nodes.get_mut(&parent).map(|parent| &mut parent.body)
        {
            names.insert(name, id);
        }
        self.nodes.insert(id, Box::new(node));
        let is_measured = kind != Kind::File || seen.size_bytes.is_some();
        if kind == Kind::Directory {
            self.lay_over(id, root_node, path.clone());
        }
        self.sources.nodes.insert(id, Sourced { root: root_node, path, is_measured });
    }
}

/// Returns the id of a file of a source, which it keeps when a change makes it the space's own.
pub(crate) fn id_of_file(root: Root, path: &Path) -> NodeId {
    id_of(root, path, &SourceKind::File)
}

/// Returns the id of a node of a source: the same whenever the source is looked at.
fn id_of(root: Root, path: &Path, kind: &SourceKind) -> NodeId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&root.seed.to_le_bytes());
    hasher.update(match kind {
        SourceKind::File => b"f",
        SourceKind::Directory => b"d",
        SourceKind::Link { .. } => b"l",
    });
    if let SourceKind::Link { target } = kind {
        // A link never changes: one with another target is another link.
        hasher.update(target.as_bytes());
        hasher.update(&[0]);
    }
    hasher.update(path.as_str().as_bytes());
    let mut id = [0; 16];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    NodeId(u128::from_le_bytes(id))
}

/// Returns a version that stands for the state of a node of a source, and that no change of a
/// space ever has; it fits into the whole numbers that every face can show.
fn version_of(seen: &SourceNode) -> Version {
    let mut hasher = blake3::Hasher::new();
    if let Some(tag) = &seen.tag {
        hasher.update(tag.as_str().as_bytes());
    } else {
        hasher.update(&seen.size_bytes.unwrap_or(0).to_le_bytes());
        hasher.update(&seen.modified.map_or(0, |time| time.0).to_le_bytes());
    }
    let mut short = [0; 8];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    Version((1 << 52) | (u64::from_le_bytes(short) >> 13))
}
