//! What a commit says besides nodes and contents: readable copies, access, conflicts.

use homefs_core::{Digest, NodeId, Tag, Timestamp};
use serde::{Deserialize, Serialize};

use super::entry::Content;
use super::ids::MachineId;
use super::{ensure, keys};
use crate::merge::Choice;
use crate::model::{Grant, Quota};

/// A readable copy, as whoever wrote it last left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Readable {
    /// Where it stands.
    pub(crate) key: Box<str>,
    /// What it shows, and what the remote said of its state; `None` if it was removed.
    pub(crate) copy: Option<(Digest, Tag)>,
}

/// Who may do what in a space, and how much may live in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Access {
    /// Every rule, in order.
    pub(crate) grants: Vec<Grant>,
    /// The bounds.
    pub(crate) quota: Quota,
}

/// News of conflicts. The variants are stored by position: new ones go to the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Noted {
    /// A merge found it.
    Found(Box<OpenConflict>),
    /// Somebody looked at the one with this number.
    Resolved(u64),
}

/// One thing that two machines changed, and what the merge did about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenConflict {
    /// Its number, drawn from what it is, so that whoever repeats the merge finds the same one.
    pub(crate) number: u64,
    /// What was changed.
    pub(crate) node: NodeId,
    /// What was done.
    pub(crate) choice: Choice,
    /// HEAD's content of it; kept until the conflict is resolved.
    pub(crate) head: Content,
    /// The pushed content of it, likewise.
    pub(crate) pushed: Content,
    /// The machine that merged.
    pub(crate) machine: MachineId,
    /// When, by its clock.
    pub(crate) time: Timestamp,
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
