//! Counting tokens.
//!
//! A text is split into pieces by a pattern ([`pieces`]), and what is no token as a whole is put
//! together from smaller ones ([`merge`]), by the table of a vocabulary ([`ranks`]), which is read
//! where it lies in the binary: a process that counts once must not first read all of it.

mod classes;
mod merge;
mod pieces;
mod ranks;

pub use homefs_wire::words::Tokenizer;
pub use ranks::token_table;

use super::approximate::approximate;
use merge::merged;
use pieces::{Pattern, Pieces};
use ranks::Ranks;

/// What a tokenizer does.
pub trait Count {
    /// Returns how many tokens a text has; marks of special tokens count as the text they are.
    fn count(self, text: &str) -> usize;
}

impl Count for Tokenizer {
    fn count(self, text: &str) -> usize {
        let (pattern, ranks) = match self {
            Self::O200k => (Pattern::O200k, Ranks::O200K),
            Self::Cl100k => (Pattern::Cl100k, Ranks::CL100K),
            Self::Approx => return approximate(text),
        };
        let tokens = |piece: &str| match ranks.rank(piece.as_bytes()) {
            Some(_) => 1,
            None => merged(piece.as_bytes(), ranks),
        };
        Pieces::new(text, pattern).map(tokens).sum()
    }
}
