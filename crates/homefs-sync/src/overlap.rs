//! Pieces of which commits say that they lie in the same place.
//!
//! A pack is named once and its table with it, so nobody who keeps to that makes such a commit. An
//! index cannot say it, and nobody could push any more; so before one is made, the pack is read,
//! and what is not in it is no longer known to be.

use homefs_core::{RemoteRequest, Result};

use crate::contents::is_lost;
use crate::format::{Pack, PackTable, Piece, keys};
use crate::round::{Pair, object};

impl Pair {
    /// Returns where all pieces are, each in a place of its own.
    pub(super) fn packs_apart(&self) -> Result<Vec<PackTable>> {
        let mut tables = self.known.packs(None)?;
        for table in &mut tables {
            if !overlaps(&table.pieces) {
                continue;
            }
            let get = RemoteRequest::Get { key: keys::pack(table.pack), range: None, unless: None };
            let opened = object(self.remote.run_one(get));
            let opened = match opened.and_then(|bytes| Pack::open(table.pack, bytes)) {
                Err(error) if is_lost(error.kind()) => None,
                opened => Some(opened?),
            };
            let is_in = |piece: &Piece| {
                opened.as_ref().is_some_and(|pack| pack.piece(piece, &*self.sealer).is_ok())
            };
            let (found, false_ones): (Vec<_>, Vec<_>) = table.pieces.drain(..).partition(is_in);
            tracing::warn!(pack = %table.pack.0, "commits told of pieces that are not in a pack");
            self.known.forget_pieces(table.pack, &false_ones)?;
            table.pieces = found;
        }
        tables.retain(|table| !table.pieces.is_empty());
        Ok(tables)
    }
}

/// Tells whether some of the pieces, in the order of their places, lie in one another.
fn overlaps(pieces: &[Piece]) -> bool {
    pieces.windows(2).any(|two| two[0].range().end > two[1].range().start)
}
