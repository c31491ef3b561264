//! The first frame each way.
//!
//! Its beginning never changes, so that programs of different versions can tell each other so:
//! a magic of 8 bytes, the protocol as four bytes (lowest first), the length of the program's
//! version as one byte, and that version as text. What follows is postcard of this protocol.

use std::collections::BTreeSet;

use homefs_core::{AgentId, ClientId, Error, ErrorKind, Result};
use homefs_view::Who;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::message::ErrorMessage;

const MAGIC: [u8; 8] = *b"homefs\0\n";
/// Rises with every change of a message's layout; rows are added at the end of the table only
/// together with it.
const PROTOCOL: u32 = 13;
/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a client says of itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Introduction {
    /// Under which its changes are numbered; one per connection.
    pub(crate) client: ClientId,
    /// For whom it calls.
    pub(crate) who: Who,
    /// The groups of the session, if they are not the agent's.
    pub(crate) groups: Option<BTreeSet<AgentId>>,
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

/// The part of a hello that never changes, and what follows.
struct Head<'h> {
    protocol: u32,
    version: &'h [u8],
    rest: &'h [u8],
}

impl Head<'_> {
    /// Says what both sides are.
    fn against(&self, peer: &str) -> String {
        let (version, protocol) = (String::from_utf8_lossy(self.version), self.protocol);
        format!(
            "{peer} is homefs {version} with protocol {protocol}, this is homefs {VERSION} \
             with protocol {PROTOCOL}"
        )
    }
}

/// Says that somebody is not homefs.
fn foreign(peer: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("{peer} does not speak as homefs"))
}

fn head<'h>(hello: &'h [u8], peer: &str) -> Result<Head<'h>> {
    let parts = || {
        let (protocol, rest) = hello.strip_prefix(&MAGIC)?.split_first_chunk()?;
        let (&length, rest) = rest.split_first()?;
        let (version, rest) = rest.split_at_checked(length.into())?;
        Some(Head { protocol: u32::from_le_bytes(*protocol), version, rest })
    };
    parts().ok_or_else(|| foreign(peer))
}

/// Reads the hello of `peer`, which must speak the same protocol.
pub(crate) fn decode<T: DeserializeOwned>(hello: &[u8], peer: &str) -> Result<T> {
    let head = head(hello, peer)?;
    if head.protocol != PROTOCOL {
        let what = head.against(peer);
        let message = format!("{what}; use the same version on both sides, or end the owner");
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    postcard::from_bytes(head.rest).map_err(|error| foreign(peer).with_source(error))
}

/// Reads the hello of a program that this one has started, which must be of the same version: how
/// scripts are sent to it has no number of its own, and a script does the same in either.
pub(crate) fn decode_of_same(hello: &[u8], peer: &str) -> Result<()> {
    let head = head(hello, peer)?;
    if (head.protocol, head.version) != (PROTOCOL, VERSION.as_bytes()) {
        let what = head.against(peer);
        let message = format!("{what}; scripts need a program of the same version");
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_for_scripts_is_of_the_same_version() {
        let hello = |protocol: u32, version: &str| {
            let length = u8::try_from(version.len()).unwrap();
            [&MAGIC[..], &protocol.to_le_bytes(), &[length], version.as_bytes()].concat()
        };
        decode_of_same(&encode(&()).unwrap(), "it").unwrap();
        decode_of_same(&hello(PROTOCOL, VERSION), "it").unwrap();
        for (protocol, version) in
            [(PROTOCOL, "0.0.1"), (PROTOCOL, ""), (PROTOCOL - 1, VERSION), (PROTOCOL + 1, "9.9.9")]
        {
            let error = decode_of_same(&hello(protocol, version), "it").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
            assert!(!error.message().contains("owner"), "{error}");
            assert!(error.message().contains(VERSION), "{error}");
        }
        // Who shares a store need only speak the same.
        decode::<()>(&hello(PROTOCOL, "0.0.1"), "it").unwrap();
        for foreign in [&b""[..], b"homefs", &MAGIC, &hello(PROTOCOL, VERSION)[..13]] {
            assert_eq!(decode_of_same(foreign, "it").unwrap_err().kind(), ErrorKind::Invalid);
        }
    }
}
