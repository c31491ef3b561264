//! The remote format: the bytes of every object below `.homefs/`; `docs/formats.md` describes them.
//!
//! [`Head`] names the last [`Commit`] and an [`Index`] of the whole tree at some commit before it;
//! both name *pieces*, the contents themselves, by digest. A piece is a small content, a chunk or a
//! leaf; tables of commits and indexes say in which pack it stands. Everything but HEAD is
//! immutable and named by the digest of its bytes, so that whoever fetches it can tell whether it
//! is whole.
//!
//! The choice a reader may question: entries of a commit state a node's new values, as records do,
//! so a commit can be applied without its parents, and an index is the same list, netted.
//!
//! # How objects end
//!
//! A pack is dropped by a commit that says so, and by tables of new packs with those of its pieces
//! that are still needed. Only once HEAD has moved is anything deleted. Whoever was about to name a
//! piece of it then loses the race for HEAD, hears of the drop, and sends the piece again.
//!
//! A purge is such a commit with the digests in [`Commit::purged`]; each machine that hears of it
//! erases them and confirms by being the author of a later commit, which may be empty.
//! [`Index::purged`] and [`Index::machines`] repeat it for machines that skip commits. The commits
//! before it can go too, since the index does without them: that ends names and attributes as well.
//! A parent that is not there is the end of history, not damage. A content that is written again
//! after its purge is in a table again, and no longer in the list. The digest of a short content
//! can be found by trying, as long as nothing is sealed.
//!
//! # How encryption fits
//!
//! Everything but HEAD goes through a [`Sealer`] after it is compressed and before its digest is
//! taken; so ids are those of sealed bytes, and can be checked without a key. Digests of pieces are
//! those of plain contents: they stand inside sealed objects only. A sealer is told which piece it
//! seals, so it can give each a key of its own; what it needs for opening (a nonce, the name of a
//! key) it puts into the sealed bytes, whose length the format does not limit to that of the plain
//! ones. HEAD says which scheme is in use, so that a homefs without it refuses the space instead of
//! calling it damaged. A sealed space has no readable copies.

mod commit;
mod entry;
mod envelope;
mod fetched;
mod first;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod head;
mod ids;
mod index;
pub mod keys;
mod notes;
mod pack;
mod sealer;
#[cfg(test)]
pub mod tests;

pub use commit::{Author, Commit};
pub use entry::{Content, Entry, EntryState, Link, Living};
pub use fetched::Fetched;
pub(crate) use first::FirstEntry;
pub use head::{HEAD_RECENT_MAX, Head};
pub use ids::{CommitId, MachineId, PackId, digest_of_text};
pub use index::{Index, MACHINE_COMMITS_MAX, MachineSeen};
pub use notes::{Access, Noted, OpenConflict, Readable};
pub use pack::{Pack, PackTable, PackWriter, Piece, START as PACK_START, open_piece};
pub use sealer::{Plain, Sealer};

use homefs_core::{Error, ErrorKind, Result};

/// The number of the remote format that is written; format 1 is read too.
pub const FORMAT: u32 = 2;

/// Refuses a format that this homefs does not know.
fn check_format(what: &str, format: u32) -> Result<()> {
    match format {
        1 | FORMAT => Ok(()),
        0 => Err(corrupt(format!("{what} has the format 0"))),
        newer => Err(Error::new(
            ErrorKind::Unsupported,
            format!("{what} has format {newer}, this homefs knows {FORMAT}: upgrade homefs"),
        )),
    }
}

fn corrupt(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Corrupt, message)
}

/// Says what is wrong unless it holds.
fn ensure(holds: bool, why: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(why) }
}
