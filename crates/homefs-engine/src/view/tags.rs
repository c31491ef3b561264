//! The tags there are.

use std::collections::BTreeMap;

use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{ErrorKind, Path, Result};

use super::View;
use crate::model::{Found, Kind};

impl View {
    /// Counts how often each tag is used at nodes below a directory, in the order of tags.
    pub fn tags(&self, directory: &Path) -> Result<Vec<(String, u64)>> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut after = None;
        loop {
            let page = self.walk(directory, after.as_deref(), PAGE_ENTRIES_MAX)?;
            for found in &page.items {
                for tag in self.tags_of(found)? {
                    *counts.entry(tag).or_default() += 1;
                }
            }
            after = page.next;
            if after.is_none() {
                return Ok(counts.into_iter().collect());
            }
        }
    }

    /// Returns the tags of a node that a walk has found.
    pub(crate) fn tags_of(&self, found: &Found) -> Result<Vec<String>> {
        use ErrorKind::{Denied, IsADirectory, NotFound};
        // What a link leads to is found where it is.
        if found.stat.kind == Kind::Link {
            return Ok(Vec::new());
        }
        match self.meta(&found.path) {
            // Removed meanwhile, only on the way to what may be read, or no node of any space.
            Err(error) if matches!(error.kind(), NotFound | Denied | IsADirectory) => {
                Ok(Vec::new())
            }
            metadata => Ok(metadata?.tags),
        }
    }
}
