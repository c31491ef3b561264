//! What is noted of a node and is the same on every machine.

use homefs_core::Timestamp;
use homefs_store::model::{Attrs, Kind, Xattrs};
use homefs_store::special::{plain_mode, read_plain_kind, read_plain_mode};
use serde::{Deserialize, Serialize};

/// The attributes of a node but those that belong to one machine: owning user and group, when it
/// was last read, special bits, and that it is a device. Of those that others wrote nothing is
/// taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traits {
    /// What it is; a device comes as a file.
    #[serde(deserialize_with = "read_plain_kind")]
    pub kind: Kind,
    /// Permission bits; special ones do not come.
    #[serde(deserialize_with = "read_plain_mode")]
    pub mode: u32,
    /// When it was made.
    pub created: Timestamp,
    /// When its content last changed.
    pub modified: Timestamp,
    /// When anything about it last changed.
    pub changed: Timestamp,
    /// From when on it is no longer there.
    pub expires: Option<Timestamp>,
    /// Where a symbolic link points; empty for other kinds.
    pub target: Box<str>,
    /// Extended attributes.
    pub xattrs: Xattrs,
}

impl Traits {
    /// Takes them from what a machine has.
    pub fn of(attrs: Attrs) -> Self {
        let Attrs { kind, mode, created, modified, changed, expires, target, xattrs, .. } = attrs;
        let (kind, mode) = (kind.plain(), plain_mode(mode));
        Self { kind, mode, created, modified, changed, expires, target, xattrs }
    }

    /// Returns the attributes of a node of which this machine has none of its own.
    pub fn attrs(self) -> Attrs {
        let Self { kind, mode, created, modified, changed, expires, target, xattrs } = self;
        Attrs {
            kind,
            mode,
            uid: 0,
            gid: 0,
            links: 1,
            created,
            modified,
            changed,
            accessed: modified,
            expires,
            target,
            xattrs,
        }
    }

    /// Returns them as if nothing had changed about the node: when that was is told by whoever
    /// changed it, and is no difference.
    #[must_use]
    pub fn undated(&self) -> Self {
        Self { changed: Timestamp(0), ..self.clone() }
    }
}
