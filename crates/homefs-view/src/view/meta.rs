//! What is noted about the nodes of a view.

use homefs_core::{Path, Result, Version};
use homefs_store::meta::{self, Metadata, SetMeta};
use homefs_store::model::{Durability, Right};
use homefs_store::record::Change;

use super::View;

impl View {
    /// Returns what is noted about a node; links are followed.
    pub fn meta(&self, path: &Path) -> Result<Metadata> {
        self.at(path, Right::Read, |place, permit| {
            place.space.look(permit, |tree| {
                let node = tree.find(&place.path, true)?;
                Ok(meta::metadata(path, &tree.node(node)?.attrs))
            })
        })
    }

    /// Notes something about a node; links are followed. What was so before is no change.
    pub fn set_meta(&self, path: &Path, set: &SetMeta) -> Result<Version> {
        let done = self.at(path, Right::Write, |place, permit| {
            place.space.change(&self.author, permit, |tree, draft| {
                let node = tree.find(&place.path, true)?;
                let known = &tree.node(node)?.attrs;
                let mut attrs = known.clone();
                set.apply(&mut attrs, draft.time)?;
                if attrs != *known {
                    attrs.changed = draft.time;
                    draft.push(Change::Node { node, attrs });
                }
                Ok(())
            })
        })?;
        self.finish(done, Durability::Memory)
    }
}
