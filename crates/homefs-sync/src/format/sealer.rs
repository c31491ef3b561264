//! The seam where encryption enters: what is stored passes through a [`Sealer`].

use std::borrow::Cow;

use homefs_core::{Digest, Result};

/// What is sealed, so that one thing cannot be passed off as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A commit.
    Commit,
    /// An index.
    Index,
    /// The piece whose plain bytes have this digest.
    Piece(Digest),
}

/// Seals what goes into a remote, and opens what comes back.
pub trait Sealer: Send + Sync {
    /// Returns the name of the scheme, as HEAD has it: at most 32 lower-case letters and digits.
    fn scheme(&self) -> &'static str;

    /// Returns the sealed form.
    fn seal(&self, purpose: Purpose, bytes: Vec<u8>) -> Result<Vec<u8>>;

    /// Returns what was sealed; `Corrupt` if it was not sealed for this purpose.
    fn open<'b>(&self, purpose: Purpose, sealed: &'b [u8]) -> Result<Cow<'b, [u8]>>;
}

/// Seals nothing.
#[derive(Debug)]
pub struct Plain;

impl Sealer for Plain {
    fn scheme(&self) -> &'static str {
        "plain"
    }

    fn seal(&self, _purpose: Purpose, bytes: Vec<u8>) -> Result<Vec<u8>> {
        Ok(bytes)
    }

    fn open<'b>(&self, _purpose: Purpose, sealed: &'b [u8]) -> Result<Cow<'b, [u8]>> {
        Ok(Cow::Borrowed(sealed))
    }
}
