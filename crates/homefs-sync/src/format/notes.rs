//! What a commit says besides nodes and contents: readable copies, access, conflicts.

use homefs_core::{Digest, NodeId, Tag, Timestamp};
use homefs_store::model::{Grant, Quota};
use serde::{Deserialize, Serialize};

use super::entry::Content;
use super::ids::MachineId;
use super::{ensure, keys};
use crate::merge::Choice;

/// A readable copy, as whoever wrote it last left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readable {
    /// Where it stands.
    pub key: Box<str>,
    /// What it shows, and what the remote said of its state; `None` if it was removed.
    pub copy: Option<(Digest, Tag)>,
}

/// Who may do what in a space, and how much may live in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Every rule, in order.
    pub grants: Vec<Grant>,
    /// The bounds.
    pub quota: Quota,
}

/// News of conflicts. The variants are stored by position: new ones go to the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Noted {
    /// A merge found it.
    Found(Box<OpenConflict>),
    /// Somebody looked at the one with this number.
    Resolved(u64),
}

/// One thing that two machines changed, and what the merge did about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenConflict {
    /// Its number, drawn from what it is, so that whoever repeats the merge finds the same one.
    pub number: u64,
    /// What was changed.
    pub node: NodeId,
    /// What was done.
    pub choice: Choice,
    /// HEAD's content of it; kept until the conflict is resolved.
    pub head: Content,
    /// The pushed content of it, likewise.
    pub pushed: Content,
    /// The machine that merged.
    pub machine: MachineId,
    /// When, by its clock.
    pub time: Timestamp,
}

impl OpenConflict {
    /// Says what is wrong with it, if anything is.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        self.head.check()?;
        self.pushed.check()
    }
}

/// Says what is wrong with a list of copies, if anything is.
pub(super) fn check_readable(copies: &[Readable]) -> Result<(), &'static str> {
    let can_stand = |copy: &Readable| keys::path_of(&copy.key).is_some();
    ensure(copies.iter().all(can_stand), "a readable copy stands where none can")
}
