//! Where sources are attached, and what is hidden over them.

use std::sync::Arc;

use homefs_core::{NodeId, Path, Result};

use crate::guard::Permit;
use crate::space::Space;
use crate::tree::{Answer, Halt};

impl Space {
    /// Tells whether a source has anything at or below a path, or above it.
    pub fn has_source_at(&self, path: &Path) -> bool {
        if self.tree.read().sources().is_empty() {
            return false;
        }
        let above = self.look(Permit::follower(), |tree| {
            Ok::<_, Halt>(tree.root_above(tree.find(path, false)?))
        });
        above.is_ok_and(|above| above.is_some()) || self.tree.read().has_root_below(path)
    }

    /// Returns the names that are hidden below a directory that a source is attached to, and those
    /// in directories that are no longer.
    pub fn hidden_below(&self, root: NodeId) -> Result<Vec<(NodeId, Arc<str>)>> {
        let hidden: Vec<_> = {
            let tree = self.tree.read();
            let hidden = tree.sources().hidden();
            hidden.map(|(parent, name)| (parent, name.clone())).collect()
        };
        let mut below = Vec::new();
        for (parent, name) in hidden {
            let lives = self.know(parent).or_error(&self.name)?;
            if !lives || self.tree.read().root_above(parent) == Some(root) {
                below.push((parent, name));
            }
        }
        Ok(below)
    }
}
