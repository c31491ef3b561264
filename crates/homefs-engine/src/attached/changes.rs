//! What was changed over a source.

use std::collections::BTreeMap;
use std::sync::Arc;

use homefs_core::{NodeId, Path, Result, Source, SourceKind};
use serde::{Deserialize, Serialize};

use super::listing::is_gone;
use crate::guard::Permit;
use crate::model::Kind;
use crate::space::Space;
use crate::tree::Halt;

/// What happened to a path of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceChangeKind {
    /// The source has it, and it was removed here.
    Removed,
    /// The source does not have it.
    Added,
    /// The source has another one.
    Changed,
}

/// One change over a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceChange {
    /// Where.
    pub path: Path,
    /// What happened.
    pub change: SourceChangeKind,
    /// What is there now; for what was removed, nothing.
    pub kind: Option<Kind>,
}

/// What the space has itself in a directory, and which names it hides.
struct Own {
    nodes: BTreeMap<Arc<str>, (NodeId, Kind)>,
    hidden: Vec<Arc<str>>,
}

impl Space {
    /// Compares what the space has below an attachment with its source; paths are the source's.
    pub(super) fn source_changes(&self, root: NodeId) -> Result<Vec<SourceChange>> {
        let source = self.source(root)?;
        let mut changes = Vec::new();
        self.compare(&*source, root, &Path::root(), &mut changes)?;
        changes.sort_by(|a, b| (&a.path, a.change).cmp(&(&b.path, b.change)));
        Ok(changes)
    }

    fn compare(
        &self,
        source: &dyn Source,
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
        let found: BTreeMap<String, SourceKind> =
            found.into_iter().map(|(name, node)| (name, node.kind)).collect();
        let mut push = |path: &Path, change, kind| {
            changes.push(SourceChange { path: path.clone(), change, kind });
        };
        let mut deeper = Vec::new();
        for (name, (node, kind)) in &own.nodes {
            let below = path.join(name)?;
            let is_hidden = own.hidden.contains(name);
            match (found.get(&**name), kind) {
                (Some(SourceKind::Directory), Kind::Directory) if !is_hidden => {
                    deeper.push((*node, below, true));
                }
                (Some(SourceKind::File), Kind::File)
                | (Some(SourceKind::Link { .. }), Kind::Link) => {
                    push(&below, SourceChangeKind::Changed, Some(*kind));
                }
                (there, kind) => {
                    if there.is_some() {
                        push(&below, SourceChangeKind::Removed, None);
                    }
                    push(&below, SourceChangeKind::Added, Some(*kind));
                    if *kind == Kind::Directory {
                        deeper.push((*node, below, false));
                    }
                }
            }
        }
        for name in &own.hidden {
            if !own.nodes.contains_key(name) && found.contains_key(&**name) {
                push(&path.join(name)?, SourceChangeKind::Removed, None);
            }
        }
        for (node, below, is_over) in deeper {
            if is_over {
                self.compare(source, node, &below, changes)?;
            } else {
                self.add_all(node, &below, changes)?;
            }
        }
        Ok(())
    }

    /// Tells of everything in a directory that the source does not have.
    fn add_all(
        &self,
        directory: NodeId,
        path: &Path,
        changes: &mut Vec<SourceChange>,
    ) -> Result<()> {
        for (name, (node, kind)) in self.own_in(directory)?.nodes {
            let path = path.join(&name)?;
            if kind == Kind::Directory {
                self.add_all(node, &path, changes)?;
            }
            let change = SourceChangeKind::Added;
            changes.push(SourceChange { path, change, kind: Some(kind) });
        }
        Ok(())
    }

    fn own_in(&self, directory: NodeId) -> Result<Own> {
        let own = self.look(Permit::follower(), |tree| {
            let mut nodes = BTreeMap::new();
            for (name, &node) in tree.names_here(directory)? {
                if !tree.sources.has(node) && !tree.is_expired(node) {
                    nodes.insert(name.clone(), (node, tree.node(node)?.attrs.kind));
                }
            }
            Ok::<_, Halt>(Own { nodes, hidden: tree.sources.hidden_in(directory) })
        });
        own.map_err(|halt| halt.into_error(&self.name))
    }
}
