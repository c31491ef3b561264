//! Names of what stands in a remote.

use std::fmt;
use std::str::FromStr;

use homefs_core::{Digest, Error, Result};
use serde::{Deserialize, Serialize};

use super::corrupt;

/// Digits of a commit's number in its name, so that keys sort by number.
const SEQ_DIGITS: usize = 12;
/// The highest number of a commit: the highest with so many digits.
pub(crate) const SEQ_MAX: u64 = 999_999_999_999;

/// Names a commit: its number in the history of its space, and the digest of its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CommitId {
    /// Its number, counted from 1.
    pub seq: u64,
    /// The digest of the object.
    pub digest: Digest,
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0SEQ_DIGITS$}-{}", self.seq, self.digest)
    }
}

impl FromStr for CommitId {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let parse = || {
            let (seq, digest) = text.split_once('-')?;
            let is_number = seq.len() == SEQ_DIGITS && seq.bytes().all(|b| b.is_ascii_digit());
            let seq = is_number.then(|| seq.parse().ok())??;
            Some(Self { seq, digest: digest_of_text(digest)? })
        };
        let id = parse().filter(|id| id.seq > 0);
        id.ok_or_else(|| corrupt("the name of a commit is not readable"))
    }
}

/// Names an index: the number of the commit whose tree it has, and the digest of its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IndexId {
    /// The number of the commit.
    pub seq: u64,
    /// The digest of the object.
    pub digest: Digest,
}

/// Names a pack by the digest of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PackId(pub Digest);

/// Names a store that pushes, drawn at random when it first does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MachineId(pub u64);

impl fmt::Display for MachineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Reads a digest from its 64 lower-case hexadecimal digits.
pub fn digest_of_text(text: &str) -> Option<Digest> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    Some(Digest(bytes?.try_into().ok()?))
}
