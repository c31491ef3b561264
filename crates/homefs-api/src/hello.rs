//! The first frame each way.
//!
//! Its beginning never changes, so that programs of different versions can tell each other so:
//! a magic of 8 bytes, the protocol as four bytes (lowest first), the length of the program's
//! version as one byte, and that version as text. What follows is postcard of this protocol.

use homefs_core::{ClientId, Error, ErrorKind, Result};
use homefs_engine::Who;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::message::ErrorMessage;

const MAGIC: [u8; 8] = *b"homefs\0\n";
/// Rises with every change of a message's layout; rows are added at the end of the table only
/// together with it.
const PROTOCOL: u32 = 10;
/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a client says of itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Introduction {
    /// Under which its changes are numbered; one per connection.
    pub(crate) client: ClientId,
    /// For whom it calls.
    pub(crate) who: Who,
}

/// What the owner says to that.
pub(crate) type Welcome = std::result::Result<(), ErrorMessage>;

/// Returns the bytes of a hello.
pub(crate) fn encode(rest: &impl Serialize) -> Result<Vec<u8>> {
    let mut hello = Vec::with_capacity(64);
    hello.extend_from_slice(&MAGIC);
    hello.extend_from_slice(&PROTOCOL.to_le_bytes());
    hello.push(u8::try_from(VERSION.len()).expect("a version is short"));
    hello.extend_from_slice(VERSION.as_bytes());
    postcard::to_extend(rest, hello)
        .map_err(|error| Error::new(ErrorKind::Internal, "encode a hello").with_source(error))
}

/// Reads the hello of `peer`, which must speak the same protocol.
pub(crate) fn decode<T: DeserializeOwned>(hello: &[u8], peer: &str) -> Result<T> {
    let invalid = || Error::new(ErrorKind::Invalid, format!("{peer} does not speak as homefs"));
    let rest = hello.strip_prefix(&MAGIC).ok_or_else(invalid)?;
    let (protocol, rest) = rest.split_first_chunk().ok_or_else(invalid)?;
    let (&length, rest) = rest.split_first().ok_or_else(invalid)?;
    let (version, rest) = rest.split_at_checked(length.into()).ok_or_else(invalid)?;
    let protocol = u32::from_le_bytes(*protocol);
    if protocol != PROTOCOL {
        let version = String::from_utf8_lossy(version);
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!(
                "{peer} is homefs {version} with protocol {protocol}, this is homefs {VERSION} \
                 with protocol {PROTOCOL}; use the same version on both sides, or end the owner"
            ),
        ));
    }
    postcard::from_bytes(rest).map_err(|error| invalid().with_source(error))
}
