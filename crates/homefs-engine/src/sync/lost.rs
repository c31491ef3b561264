//! Contents that ended elsewhere while this machine still counted on them.

use homefs_core::{Digest, Result};

use super::contents::Contents;
use super::format::{Entry, State};
use super::local::{self, Wanted};
use super::push::contents_of;
use super::round::Pair;

impl Pair {
    /// Removes files that are not in the remote yet and whose content was only there, but is no
    /// longer: they were kept, copied or renamed here, and meanwhile others purged the content, or
    /// removed the last file that had it so long ago that it was swept. Tells whether there are any.
    pub(super) fn remove_lost(&self, entries: &[Entry]) -> Result<bool> {
        let (contents, mut gone) = (Contents::new(self, []), Vec::new());
        for entry in entries {
            for piece in contents.pieces(contents_of(std::slice::from_ref(entry)))? {
                if !self.known.has(piece)? && self.is_absent(piece)? {
                    let state = State::Gone(self.space.ground.clock.now());
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
        local::apply(self, Wanted { entries: gone.iter().collect(), ..Wanted::default() }, seen)?;
        Ok(true)
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
