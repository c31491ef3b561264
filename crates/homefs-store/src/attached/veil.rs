//! What a source of a shared space does not show to everybody.
//!
//! The overlay of a shared space is one for all and has everything of its sources. So the guard
//! asks a source about every path below it, as the agent's groups see it. What only groups may see
//! cannot be changed there: the changed copy would be the space's own, and go wherever the space
//! goes, to those who may not see the page.

use std::collections::BTreeSet;
use std::sync::Arc;

use homefs_core::{Error, ErrorKind, NodeId, Path, Result, Source, SourceKind, not_found};

use super::listing::is_gone;
use crate::guard::{Permit, Veil};
use crate::model::Right;
use crate::space::Space;

/// A source that shows more to members of groups than to others.
struct SourceVeil {
    space: Arc<Space>,
    root: NodeId,
    /// Where it is attached inside the space.
    at: Path,
    /// The agent's groups; `None` for one who sees everything.
    groups: Option<BTreeSet<String>>,
}

impl Veil for SourceVeil {
    fn check(&self, path: &Path, right: Right) -> Result<()> {
        let Some(below) = path.strip_prefix(&self.at).filter(|below| !below.is_root()) else {
            return Ok(());
        };
        if let Some(groups) = &self.groups
            && self.hides(&below, groups)?
        {
            return Err(not_found());
        }
        if right > Right::Read && self.hides(&below, &BTreeSet::new())? {
            let message = "only members of groups may see it, so it cannot be changed in a shared \
                           space: copy it to a home";
            return Err(Error::new(ErrorKind::ReadOnly, message));
        }
        Ok(())
    }

    fn check_clear(&self, path: &Path) -> Result<()> {
        let Some(below) = path.strip_prefix(&self.at) else { return Ok(()) };
        let (whole, seen) = self.space.source_as(self.root, &BTreeSet::new())?;
        if is_all(&*whole, &*seen, &below)? {
            return Ok(());
        }
        let message = "something below it is not for everybody to see, and stays";
        Err(Error::new(ErrorKind::ReadOnly, message))
    }
}

impl SourceVeil {
    /// Tells whether members of these groups may not see a path of the source.
    fn hides(&self, path: &Path, groups: &BTreeSet<String>) -> Result<bool> {
        let (whole, seen) = self.space.source_as(self.root, groups)?;
        let mut at = path.clone();
        // What the source does not have is seen by who sees the directory that it is in.
        while let Some(above) = at.parent() {
            if has(&*seen, &at)? {
                return Ok(false);
            }
            if has(&*whole, &at)? {
                return Ok(true);
            }
            at = above;
        }
        Ok(false)
    }
}

impl Space {
    /// Returns what sources of a shared space may hide from an agent of these groups; without
    /// groups, from one who sees everything.
    pub fn veils(
        self: &Arc<Self>,
        groups: impl FnOnce() -> Result<Option<BTreeSet<String>>>,
    ) -> Result<Vec<Arc<dyn Veil>>> {
        let roots = self.attached.roots_with_groups();
        if roots.is_empty() {
            return Ok(Vec::new());
        }
        self.revalidate_first();
        let groups = groups()?;
        let mut veils: Vec<Arc<dyn Veil>> = Vec::with_capacity(roots.len());
        for root in roots {
            // One whose directory is gone shows nothing.
            if let Ok(at) = self.look(Permit::follower(), |tree| tree.path_of(root)) {
                let (space, groups) = (Arc::clone(self), groups.clone());
                veils.push(Arc::new(SourceVeil { space, root, at, groups }));
            }
        }
        Ok(veils)
    }
}

/// Tells whether a source has a path.
fn has(source: &dyn Source, path: &Path) -> Result<bool> {
    match source.stat(path) {
        Ok(_) => Ok(true),
        Err(error) if is_gone(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Tells whether everything at and below a path is seen.
fn is_all(whole: &dyn Source, seen: &dyn Source, path: &Path) -> Result<bool> {
    if !has(whole, path)? {
        return Ok(true);
    }
    if !has(seen, path)? {
        return Ok(false);
    }
    if whole.stat(path)?.kind != SourceKind::Directory {
        return Ok(true);
    }
    for (name, _) in whole.list_all(path)?.entries {
        if !is_all(whole, seen, &path.join(&name)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}
