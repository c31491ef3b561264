//! What a caller of a view sees and says: plain data, every field meaningful as it stands.

use std::collections::BTreeMap;
use std::str::FromStr;

use bytes::Bytes;
use homefs_core::{AgentId, Error, NodeId, Path, Result, SpaceName, Timestamp, Version};
use serde::{Deserialize, Serialize};

use homefs_wire::words;

pub use homefs_wire::records::{Edition, Trashed};
pub use homefs_wire::words::{Durability, Right};

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Bytes.
    File,
    /// Names of other nodes.
    Directory,
    /// A symbolic link.
    Link,
    /// A name for something of the host's kernel; homefs keeps it and nothing more.
    Special(Special),
}

impl Kind {
    /// Returns the word that every face has for it; numbers of devices are not told.
    pub fn word(self) -> words::Kind {
        match self {
            Self::File => words::Kind::File,
            Self::Directory => words::Kind::Directory,
            Self::Link => words::Kind::Link,
            Self::Special(Special::Fifo) => words::Kind::Pipe,
            Self::Special(Special::Socket) => words::Kind::Socket,
            Self::Special(Special::Character(_)) => words::Kind::CharacterDevice,
            Self::Special(Special::Block(_)) => words::Kind::BlockDevice,
        }
    }

    /// Returns the letter that `ls -l` has for it.
    pub fn letter(self) -> char {
        match self {
            Self::File => '-',
            Self::Directory => 'd',
            Self::Link => 'l',
            Self::Special(Special::Fifo) => 'p',
            Self::Special(Special::Socket) => 's',
            Self::Special(Special::Character(_)) => 'c',
            Self::Special(Special::Block(_)) => 'b',
        }
    }
}

/// What a special node is, as `mknod` makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Special {
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device with this number.
    Character(u32),
    /// A block device with this number.
    Block(u32),
}

/// Extended attributes by name, `user.` included.
pub type Xattrs = BTreeMap<Box<str>, Bytes>;

/// Everything about a node but its content and its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attrs {
    /// What the node is.
    pub kind: Kind,
    /// Permission bits, at most `0o7777`.
    pub mode: u32,
    /// Owning user on the host.
    pub uid: u32,
    /// Owning group on the host.
    pub gid: u32,
    /// Names that lead to the node; for a directory always 1.
    pub links: u32,
    /// When the node was made.
    pub created: Timestamp,
    /// When its content, or a directory's list of names, last changed.
    pub modified: Timestamp,
    /// When anything about it last changed.
    pub changed: Timestamp,
    /// When it was last read, as far as anybody said so: reading does not change it.
    pub accessed: Timestamp,
    /// From when on it is no longer there.
    pub expires: Option<Timestamp>,
    /// Where a symbolic link points; empty for other kinds.
    pub target: Box<str>,
    /// Extended attributes.
    pub xattrs: Xattrs,
}

/// What is known of a node without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    /// The space that holds the node.
    pub space: SpaceName,
    /// The node, the same through renames.
    pub node: NodeId,
    /// What the node is.
    pub kind: Kind,
    /// Length of a file or of a link's target, in bytes; 0 for a directory.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// Owning user on the host.
    pub uid: u32,
    /// Owning group on the host.
    pub gid: u32,
    /// Names that lead to the node.
    pub links: u32,
    /// When the node was made.
    pub created: Timestamp,
    /// When its content last changed.
    pub modified: Timestamp,
    /// When anything about it last changed.
    pub changed: Timestamp,
    /// When it was last read, as far as anybody said so.
    pub accessed: Timestamp,
    /// From when on it is no longer there.
    pub expires: Option<Timestamp>,
    /// The last change of the node.
    pub version: Version,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The name.
    pub name: Box<str>,
    /// What it names.
    pub stat: Stat,
}

/// One node found below a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Where it is.
    pub path: Path,
    /// What it is.
    pub stat: Stat,
}

/// A part of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page<T> {
    /// The items, in order.
    pub items: Vec<T>,
    /// Where to go on; `None` when this was the last part.
    pub next: Option<String>,
}

/// How to write a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteOptions {
    /// Only if the file's last change is this one; 0 means that nothing is there.
    pub if_version: Option<Version>,
    /// Only if nothing is there.
    pub create_only: bool,
    /// Make missing directories on the way.
    pub parents: bool,
    /// When to return.
    pub durability: Durability,
    /// Permission bits of a new file; `0o644` if not given.
    pub mode: Option<u32>,
    /// The modification time to show; now if not given.
    pub modified: Option<Timestamp>,
}

/// A change inside a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Edit {
    /// Replaces the one exact occurrence of `old`.
    Replace {
        /// What must occur exactly once.
        old: String,
        /// What takes its place.
        new: String,
    },
    /// Inserts text after a line; 0 is before the first.
    Insert {
        /// The line after which to insert, counted from 1.
        line: usize,
        /// What to insert; a line end is added if it lacks one.
        text: String,
    },
    /// Replaces every occurrence of `old`.
    ReplaceAll {
        /// What must occur.
        old: String,
        /// What takes its place.
        new: String,
    },
}

/// Attributes to set; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAttrs {
    /// Permission bits.
    pub mode: Option<u32>,
    /// Owning user.
    pub uid: Option<u32>,
    /// Owning group.
    pub gid: Option<u32>,
    /// Modification time.
    pub modified: Option<Timestamp>,
    /// Access time.
    pub accessed: Option<Timestamp>,
    /// Extended attributes to set, or to remove where `None`.
    pub xattrs: BTreeMap<Box<str>, Option<Bytes>>,
}

/// What a rename does when the target exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RenameMode {
    /// Takes its place.
    #[default]
    Replace,
    /// Fails.
    NoReplace,
    /// Swaps the two.
    Exchange,
}

/// Who is granted something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// One agent.
    Agent(AgentId),
    /// Every member of a group.
    Group(AgentId),
}

impl FromStr for Subject {
    type Err = Error;

    /// Reads an agent, or a group after `group:`.
    fn from_str(text: &str) -> Result<Self> {
        match text.strip_prefix("group:") {
            Some(group) => group.parse().map(Self::Group),
            None => text.parse().map(Self::Agent),
        }
    }
}

/// One rule of access in a shared space; rules only add.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Grant {
    /// Who.
    pub subject: Subject,
    /// Where, inside the space.
    pub prefix: Path,
    /// What.
    pub right: Right,
}

/// What lives in a space now, history not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Sum of the lengths of its files.
    pub bytes: u64,
    /// Number of its nodes, the root not counted.
    pub nodes: u64,
}

/// Bounds on what may live in a space; `None` is unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quota {
    /// Most bytes.
    pub bytes: Option<u64>,
    /// Most nodes.
    pub nodes: Option<u64>,
}
