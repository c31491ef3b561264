//! Contents that ended elsewhere while this machine still counted on them.

use std::collections::BTreeSet;

use homefs_core::{Digest, ErrorKind, NodeId, Path, Result};
use homefs_store::guard::Permit;

use crate::contents::Contents;
use crate::format::{Entry, EntryState};
use crate::local::{self, Ahead, IncomingChange};
use crate::push::contents_of;
use crate::round::Pair;

impl Pair {
    /// Removes files that are not in the remote yet and whose content was only there, but is no
    /// longer: they were kept, copied or renamed here, and meanwhile others purged the content, or
    /// removed the last file that had it so long ago that it was swept. Tells whether there are any.
    pub(super) fn remove_lost<'e>(
        &self,
        entries: impl IntoIterator<Item = &'e Entry>,
    ) -> Result<bool> {
        let (contents, mut gone) = (Contents::new(self, []), Vec::new());
        for entry in entries {
            for piece in contents.pieces(contents_of(std::slice::from_ref(entry)))? {
                if !self.known.has(piece)? && self.is_absent(piece)? {
                    let state = EntryState::Gone(self.space.ground.clock.now());
                    gone.push(Entry { state, ..entry.clone() });
                    break;
                }
            }
        }
        if gone.is_empty() {
            return Ok(false);
        }
        for entry in &gone {
            tracing::warn!(node = %entry.node, "a file is removed: its content is nowhere any more");
        }
        let seen = self.space.base.folded()?.version;
        local::apply(
            self,
            IncomingChange { entries: gone.iter().collect(), ..IncomingChange::default() },
            seen,
        )?;
        Ok(true)
    }

    /// Leaves out of what is pushed the files whose contents are lost, which must not hold up the
    /// rest; returns them. They are tried again with each push, since a content comes back when
    /// somebody writes it again.
    pub(super) fn withhold(&self, ahead: &mut Ahead) -> Result<BTreeSet<NodeId>> {
        let known = self.known.withheld()?;
        let mut withheld = ahead.lost.clone();
        for node in &known {
            if let Some(entry) = ahead.entries.get(node)
                && self.is_lost(entry)?
            {
                ahead.entries.remove(node);
                withheld.insert(*node);
            }
        }
        if !withheld.is_subset(&known) {
            // Before anything is pushed, after which nobody would look for them.
            self.known.withhold(&known.union(&withheld).copied().collect())?;
        }
        Ok(withheld)
    }

    /// Notes files that cannot be pushed, because their contents are damaged here and nowhere
    /// else; tells whether there are any.
    pub(super) fn withhold_lost<'e>(
        &self,
        entries: impl IntoIterator<Item = &'e Entry>,
    ) -> Result<bool> {
        let mut withheld = self.known.withheld()?;
        let before = withheld.len();
        for entry in entries {
            if self.is_lost(entry)? {
                tracing::warn!(node = %entry.node, "a file is not pushed: its content is lost");
                withheld.insert(entry.node);
            }
        }
        self.known.withhold(&withheld)?;
        Ok(withheld.len() > before)
    }

    /// Tells whether a part of what a file holds is neither here nor in the remote.
    fn is_lost(&self, entry: &Entry) -> Result<bool> {
        let contents = Contents::new(self, []);
        let pieces = match contents.pieces(contents_of(std::slice::from_ref(entry))) {
            Err(error) if error.kind() == ErrorKind::Corrupt => return Ok(true),
            pieces => pieces?,
        };
        for piece in pieces {
            if !self.known.has(piece)? && contents.here(piece).is_err() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Names the files that are left out of pushes.
    pub(super) fn withheld_paths(&self) -> Result<Vec<Path>> {
        let path = |node| self.space.look(Permit::follower(), |tree| tree.path_of(node)).ok();
        Ok(self.known.withheld()?.into_iter().filter_map(path).collect())
    }

    /// Names the files that keep an older content, because the newest is nowhere.
    pub fn missing_paths(&self) -> Result<Vec<Path>> {
        let mut paths = Vec::new();
        for (node, missing) in self.known.missing()? {
            let known = self.known.entry(node)?;
            let Some(EntryState::Living(told)) = known.map(|known| known.state) else { continue };
            let now = local::living(&self.space, node).ok().flatten();
            if now.is_some_and(|now| missing.holds(&told.content, &now.content)) {
                paths.extend(self.space.look(Permit::follower(), |tree| tree.path_of(node)).ok());
            }
        }
        paths.sort_unstable();
        Ok(paths)
    }

    /// Tells whether this machine left a piece to the remote; one that is damaged here is another
    /// matter.
    fn is_absent(&self, piece: Digest) -> Result<bool> {
        let space = &self.space;
        if space.base.is_remote(piece)? == Some(true) {
            return Ok(!space.chunks.is_here(piece)?);
        }
        Ok(matches!(space.base.blob(piece), Ok(None)))
    }
}
