//! What was changed over a source.

use std::collections::BTreeMap;
use std::sync::Arc;

use homefs_core::{NodeId, Path, Result, Source, SourceKind, SourceNode, Timestamp};
use rustc_hash::FxHashMap;

pub use homefs_wire::records::SourceChange;
pub use homefs_wire::words::SourceChangeKind;

use super::listing::is_gone;
use crate::guard::Permit;
use crate::model::Kind;
use crate::space::Space;
use crate::tree::{Answer, Halt, id_of_file};

/// What the space has itself in a directory, and which names it hides.
struct Own {
    nodes: BTreeMap<Arc<str>, (NodeId, Kind, Timestamp)>,
    /// Since when; 0 if nobody knows.
    hidden: FxHashMap<Arc<str>, Timestamp>,
}

impl Own {
    /// Tells whether what a source has by a name was written after it was hidden.
    fn is_later(&self, name: &str, there: &SourceNode) -> bool {
        let since = self.hidden.get(name).filter(|since| since.0 != 0);
        since.is_some_and(|since| there.modified.is_some_and(|written| written > *since))
    }

    /// Says what becomes of what a source has by a name where nothing of it is left here.
    fn removal(&self, name: &str, there: &SourceNode) -> SourceChangeKind {
        let is_later = self.is_later(name, there);
        if is_later { SourceChangeKind::Conflicting } else { SourceChangeKind::Removed }
    }
}

impl Space {
    /// Compares what the space has below an attachment with its source; paths are the source's.
    pub fn source_changes(&self, root: NodeId) -> Result<Vec<SourceChange>> {
        let source = self.source(root)?;
        let mut changes = Vec::new();
        self.compare((&*source, root), root, &Path::root(), &mut changes)?;
        // What is removed comes before what takes its place.
        changes.sort_by(|a, b| {
            (&a.path, a.kind.is_some(), a.change).cmp(&(&b.path, b.kind.is_some(), b.change))
        });
        Ok(changes)
    }

    fn compare(
        &self,
        (source, root): (&dyn Source, NodeId),
        directory: NodeId,
        path: &Path,
        changes: &mut Vec<SourceChange>,
    ) -> Result<()> {
        let own = self.own_in(directory)?;
        let found = match source.list_all(path) {
            Ok(page) => page.entries,
            Err(error) if !path.is_root() && is_gone(&error) => Vec::new(),
            Err(error) => return Err(error),
        };
        let found: BTreeMap<String, SourceNode> = found.into_iter().collect();
        let mut push = |path: &Path, change, kind: Option<Kind>| {
            let kind = kind.map(Kind::word);
            changes.push(SourceChange { path: path.clone(), change, kind });
        };
        let mut deeper = Vec::new();
        for (name, (node, kind, begun)) in &own.nodes {
            let below = path.join(name)?;
            let is_hidden = own.hidden.contains_key(name);
            let there = found.get(&**name);
            match (there.map(|there| &there.kind), kind) {
                (Some(SourceKind::Directory), Kind::Directory) if !is_hidden => {
                    deeper.push((*node, below, true));
                }
                (Some(SourceKind::File), Kind::File)
                | (Some(SourceKind::Link { .. }), Kind::Link) => {
                    let written = there.and_then(|there| there.modified);
                    // The source's own, which was taken over, begins as it was there. Any other took
                    // its place, and maybe that of another one: what is there was hidden by the
                    // first.
                    let is_same = self.is_taken_over(root, &below, *node);
                    let since = own.hidden.get(name).filter(|since| since.0 != 0 && !is_same);
                    let is_later = written.is_some_and(|written| written > *since.unwrap_or(begun));
                    let change = if is_later {
                        SourceChangeKind::Conflicting
                    } else {
                        SourceChangeKind::Changed
                    };
                    push(&below, change, Some(*kind));
                }
                (_, kind) => {
                    if let Some(there) = found.get(&**name) {
                        push(&below, own.removal(name, there), None);
                    }
                    push(&below, SourceChangeKind::Added, Some(*kind));
                    if *kind == Kind::Directory {
                        deeper.push((*node, below, false));
                    }
                }
            }
        }
        for name in own.hidden.keys().filter(|name| !own.nodes.contains_key(*name)) {
            if let Some(there) = found.get(&**name) {
                push(&path.join(name)?, own.removal(name, there), None);
            }
        }
        for (node, below, is_over) in deeper {
            if is_over {
                self.compare((source, root), node, &below, changes)?;
            } else {
                self.add_all(node, &below, changes)?;
            }
        }
        Ok(())
    }

    /// Tells whether a file of the space is the source's own at a path, which a change took over.
    fn is_taken_over(&self, root: NodeId, path: &Path, node: NodeId) -> bool {
        let root = self.tree.read().sources().root(root);
        root.is_some_and(|root| id_of_file(root, path) == node)
    }

    /// Tells of everything in a directory that the source does not have.
    fn add_all(
        &self,
        directory: NodeId,
        path: &Path,
        changes: &mut Vec<SourceChange>,
    ) -> Result<()> {
        for (name, (node, kind, _)) in self.own_in(directory)?.nodes {
            let path = path.join(&name)?;
            if kind == Kind::Directory {
                self.add_all(node, &path, changes)?;
            }
            let change = SourceChangeKind::Added;
            changes.push(SourceChange { path, change, kind: Some(kind.word()) });
        }
        Ok(())
    }

    fn own_in(&self, directory: NodeId) -> Result<Own> {
        let own = self.look(Permit::follower(), |tree| {
            let mut nodes = BTreeMap::new();
            for (name, &node) in tree.names_here(directory)? {
                if !tree.sources().has(node) && !tree.is_expired(node) {
                    let attrs = &tree.node(node)?.attrs;
                    nodes.insert(name.clone(), (node, attrs.kind, attrs.created));
                }
            }
            Ok::<_, Halt>(Own { nodes, hidden: tree.sources().hidden_in(directory) })
        });
        own.or_error(&self.name)
    }
}
