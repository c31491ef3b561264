//! Names and numbers of things, each with a type of its own.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::limits::PRINCIPAL_BYTES_MAX;
use crate::{Error, ErrorKind, Result};

/// Names a node across machines and renames.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u128);

// Written as bytes: as a number it would be taken apart seven bits at a time, which shows on the
// write path. Where people read it, it is hexadecimal.
impl Serialize for NodeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.collect_str(self);
        }
        serializer.serialize_bytes(&self.to_bytes())
    }
}

impl<'de> Deserialize<'de> for NodeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
            let read = u128::from_str_radix(&text, 16);
            return read.map(Self).map_err(serde::de::Error::custom);
        }
        let bytes = <&[u8]>::deserialize(deserializer)?;
        let bytes = bytes.try_into().map_err(|_| {
            serde::de::Error::invalid_length(bytes.len(), &"the 16 bytes of a node id")
        })?;
        Ok(Self::from_bytes(bytes))
    }
}

impl NodeId {
    /// The root directory of every space.
    pub const ROOT: Self = Self(1);

    /// Returns the 16 bytes under which the id is stored.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// Reads an id back from its 16 bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeId({self})")
    }
}

/// The number of a change within its space on this machine, counted from 1; 0 is "before any".
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Version(pub u64);

impl Version {
    /// Returns the version after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Names a content by its BLAKE3 hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Stands for a run of zero bytes that is stored nowhere: a hole in a sparse file.
    pub const HOLE: Self = Self([0; 32]);

    /// Computes the digest of `content`.
    pub fn of(content: &[u8]) -> Self {
        Self(*blake3::hash(content).as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// Names one client of a store, drawn at random when it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ClientId(pub u64);

/// Names an agent, or a group of agents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId(Arc<str>);

impl AgentId {
    /// Who makes what homefs does by itself.
    pub const KEEPER: &str = "homefs";
    /// Who made what comes from people and programs that homefs does not know.
    pub const OUTSIDE: &str = "outside";

    /// Checks and takes a name: lower-case letters, digits, `-`, `_` and inner dots.
    pub fn new(name: &str) -> Result<Self> {
        check_principal(name, "agent id")?;
        Ok(Self(name.into()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether nobody can be called so, because changes are recorded under the name that no
    /// agent made.
    pub fn is_reserved(&self) -> bool {
        [Self::KEEPER, Self::OUTSIDE].contains(&self.as_str())
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for AgentId {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        Self::new(name)
    }
}

impl Serialize for AgentId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for AgentId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

/// Reads a checked name from its text, without owning the text first.
pub(crate) fn text<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err = Error>,
    D: Deserializer<'de>,
{
    struct Text<T>(PhantomData<T>);
    impl<T: FromStr<Err = Error>> Visitor<'_> for Text<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a name")
        }
        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }
    deserializer.deserialize_str(Text(PhantomData))
}

/// Names a space: an agent's home or a shared place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpaceName {
    /// The home of an agent, written `agents/<id>`.
    Home(AgentId),
    /// A shared place, written `shared/<name>`.
    Shared(Arc<str>),
}

impl SpaceName {
    /// Returns in whose name homefs changes the space where it cannot tell who did.
    pub fn keeper(&self) -> AgentId {
        match self {
            Self::Home(agent) => agent.clone(),
            Self::Shared(_) => AgentId(AgentId::KEEPER.into()),
        }
    }

    /// Checks and takes the name of a shared place, which follows the rules of agent ids.
    pub fn shared(name: &str) -> Result<Self> {
        check_principal(name, "space name")?;
        Ok(Self::Shared(name.into()))
    }
}

impl fmt::Display for SpaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Home(agent) => write!(f, "agents/{agent}"),
            Self::Shared(name) => write!(f, "shared/{name}"),
        }
    }
}

impl FromStr for SpaceName {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        match text.split_once('/') {
            Some(("agents", id)) => AgentId::new(id).map(Self::Home),
            Some(("shared", name)) => Self::shared(name),
            _ => Err(Error::new(
                ErrorKind::Invalid,
                format!("space name {text:?} is neither agents/<id> nor shared/<name>"),
            )),
        }
    }
}

// People read `agents/me`; between programs the parts are told apart, because putting the text
// together would allocate on the write path.
impl Serialize for SpaceName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.collect_str(self);
        }
        match self {
            Self::Home(agent) => (false, agent.as_str()).serialize(serializer),
            Self::Shared(name) => (true, &**name).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SpaceName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return text(deserializer);
        }
        let (shared, name) = <(bool, &str)>::deserialize(deserializer)?;
        let read = if shared { Self::shared(name) } else { AgentId::new(name).map(Self::Home) };
        read.map_err(serde::de::Error::custom)
    }
}

/// Such a name becomes a directory on case-insensitive hosts and a key part in buckets, so it is
/// kept to what all of them spell alike.
fn check_principal(name: &str, what: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let inner = |byte: u8| plain(byte) || matches!(byte, b'-' | b'_' | b'.');
    let bytes = name.as_bytes();
    let ends_plain = bytes.first().is_some_and(|&b| plain(b) || b == b'_')
        && bytes.last().is_some_and(|&b| plain(b) || b == b'_');
    if ends_plain && bytes.iter().all(|&b| inner(b)) && bytes.len() <= PRINCIPAL_BYTES_MAX {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Invalid,
        format!(
            "{what} {name:?} is not 1 to {PRINCIPAL_BYTES_MAX} of a-z, 0-9, '-', '_' and '.', \
             starting and ending with a letter, a digit or '_'"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principals_are_spelled_alike_everywhere() {
        for good in ["me", "akashi", "a", "team-1", "a.b_c", "_x"] {
            assert!(AgentId::new(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "A", "a/b", "é", "a ", "-a", "a.", &"x".repeat(65)] {
            assert!(AgentId::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_space_name_reads_back_as_written() {
        for text in ["agents/me", "shared/market"] {
            assert_eq!(text.parse::<SpaceName>().unwrap().to_string(), text);
        }
        for bad in ["me", "agents/", "other/x", "shared/a/b"] {
            assert!(bad.parse::<SpaceName>().is_err(), "{bad}");
        }
    }
}
