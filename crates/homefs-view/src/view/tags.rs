//! The tags there are.

use std::collections::BTreeMap;

use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{ErrorKind, Path, Result};
use homefs_store::model::{Found, Kind};

use super::View;
use crate::pages;

impl View {
    /// Counts how often each tag is used at nodes below a directory, in the order of tags.
    pub fn tags(&self, directory: &Path) -> Result<Vec<(String, u64)>> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        pages::each(
            |after| self.walk(directory, after, PAGE_ENTRIES_MAX),
            |found| -> Result<()> {
                for tag in self.tags_of(&found)? {
                    *counts.entry(tag).or_default() += 1;
                }
                Ok(())
            },
        )?;
        Ok(counts.into_iter().collect())
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
