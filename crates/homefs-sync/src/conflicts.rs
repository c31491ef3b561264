//! Conflicts: which are open, what they are about, and their end.

use std::collections::BTreeSet;

use homefs_core::{Digest, Result};
use homefs_store::chunks::Pins;
use homefs_store::record;

use crate::contents::Contents;
use crate::format::{Content, Noted, OpenConflict};
use crate::merge::Choice;
use crate::round::Pair;

impl Pair {
    /// Returns what no commit has told of conflicts. Those that are about nothing any more are
    /// closed first: the node was removed, or a content of theirs is no longer to be had. The base
    /// must have everything.
    pub(super) fn news_of_conflicts(&self, purged: &[Digest]) -> Result<Vec<Noted>> {
        let open = self.known.conflicts()?;
        if !open.is_empty() {
            let purged: BTreeSet<Digest> =
                self.known.purged()?.into_iter().chain(purged.iter().copied()).collect();
            for conflict in open {
                let mut pieces = conflict.head.pieces().iter().chain(conflict.pushed.pieces());
                let is_over = pieces.any(|piece| purged.contains(piece));
                if is_over || self.space.base.node(conflict.node)?.is_none() {
                    self.known.resolve(conflict.number)?;
                }
            }
        }
        let mut news = Vec::new();
        for noted in self.known.untold_conflicts()? {
            match &noted {
                Noted::Found(conflict) if !self.has_sides(conflict)? => {
                    self.known.resolve(conflict.number)?;
                }
                _ => news.push(noted),
            }
        }
        Ok(news)
    }

    /// Tells whether both contents can still be had: until a commit tells of a conflict, nobody
    /// keeps them for it.
    fn has_sides(&self, conflict: &OpenConflict) -> Result<bool> {
        let contents = Contents::new(self, []);
        for piece in contents.pieces([&conflict.head, &conflict.pushed])? {
            if !self.known.has(piece)? && contents.here(piece).is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes a content that the remote has ready to be given to a file; its bytes are fetched when
    /// somebody reads them. The pins keep what was stored for it.
    pub fn ready(&self, content: &Content) -> Result<(record::Content, Option<Pins>)> {
        Contents::new(self, []).ready(content, false)
    }
}

impl OpenConflict {
    /// Says in plain words what happened.
    pub fn what(&self) -> &'static str {
        match self.choice {
            Choice::Overlap => "changed on both sides in one place; both changes are in it",
            Choice::Beside(_) => "changed on both sides; the other content is beside it",
            Choice::Kept => "changed on one side and removed on the other; kept",
            Choice::KeptDirectory => "removed on one side, but something is in it; kept",
            Choice::HeadsName => "renamed on both sides; one name was taken",
            Choice::Circle => "moved into itself by both sides together; left where it was",
            Choice::Renamed => "both sides used its name; renamed",
            Choice::HeadsAttributes => "attributes changed on both sides; one side's were taken",
        }
    }

    /// Tells whether it is about contents, so that one of them can be taken.
    pub fn is_of_contents(&self) -> bool {
        matches!(self.choice, Choice::Overlap | Choice::Beside(_))
    }
}

/// Returns the beginning of what stands for a content, as files that were put beside others have
/// it in their names.
pub fn short_digest(content: &Content) -> String {
    let digest = content.identity().unwrap_or_else(|| Digest::of(b""));
    digest.to_string()[..8].to_owned()
}
