//! A commit: one step of a space's remote history.

use bytes::Bytes;
use homefs_core::limits::NAME_BYTES_MAX;
use homefs_core::{AgentId, Digest, Result, Timestamp};
use homefs_store::fields::Fields;
use serde::{Deserialize, Serialize};

use super::entry::{self, Entry};
use super::envelope::{self, Body};
use super::first;
use super::ids::{CommitId, MachineId, PackId, SEQ_MAX};
use super::notes::{self, Access, Noted, Readable};
use super::pack::{self, PackTable};
use super::sealer::{Purpose, Sealer};
use super::{corrupt, ensure};

/// The longest message.
const MESSAGE_BYTES_MAX: usize = 4096;
/// Most commits that one follows: HEAD, and what was merged into it.
const PARENTS_MAX: usize = 2;

/// What one push changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its number, one more than that of its first parent.
    pub seq: u64,
    /// The commits it follows; the first commit of a space has none.
    pub parents: Vec<CommitId>,
    /// Who pushed it.
    pub author: Author,
    /// What it is about; may be empty.
    pub message: Box<str>,
    /// When it was made, by the author's clock.
    pub time: Timestamp,
    /// The nodes that changed, in order of their ids.
    pub entries: Vec<Entry>,
    /// Where the pieces are that came with it; it wins over what earlier commits say.
    pub packs: Vec<PackTable>,
    /// Packs that nobody may ask for, or count on, any more.
    pub dropped: Vec<PackId>,
    /// Contents that every machine erases.
    pub purged: Vec<Digest>,
    /// Readable copies that the author wrote since its last commit.
    pub readable: Vec<Readable>,
    /// Access to the space, if that changed.
    pub access: Option<Access>,
    /// Conflicts that were found or resolved.
    pub conflicts: Vec<Noted>,
    /// What later homefs say of it.
    pub more: Fields,
}

/// Who pushed a commit; who made the changes stands in their entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The machine.
    pub machine: MachineId,
    /// What people call it.
    pub(crate) machine_name: Box<str>,
    /// The agent in whose name it syncs.
    pub agent: AgentId,
    /// Drawn whenever the store is opened, so that a copy of a store can be told from it; 0 in
    /// format 1.
    pub(crate) incarnation: u64,
}

impl Body for Commit {
    type First = first::Commit;
    const WHAT: &'static str = "a commit";
    const MAGIC: [u8; 8] = *b"homefs-c";
    const PURPOSE: Purpose = Purpose::Commit;
    const BYTES_MAX: usize = 64 << 20;

    fn check(&self) -> Result<(), &'static str> {
        ensure((1..=SEQ_MAX).contains(&self.seq), "it has an impossible number")?;
        let first = self.parents.first().map_or(0, |first| first.seq);
        let is_past = self.parents.iter().all(|parent| (1..self.seq).contains(&parent.seq));
        let follows = is_past && first == self.seq - 1 && self.parents.len() <= PARENTS_MAX;
        ensure(follows, "its number does not follow its parents'")?;
        check_machine_name(&self.author.machine_name)?;
        ensure(self.message.len() <= MESSAGE_BYTES_MAX, "its message is too long")?;
        for noted in &self.conflicts {
            if let Noted::Found(conflict) = noted {
                conflict.check()?;
            }
        }
        self.more.check()?;
        notes::check_readable(&self.readable)?;
        entry::check(&self.entries)?;
        pack::check(&self.packs)
    }
}

impl Commit {
    /// Returns the object and its name.
    pub fn encode(&self, sealer: &dyn Sealer) -> Result<(CommitId, Bytes)> {
        let (digest, object) = envelope::encode(self, sealer)?;
        Ok((CommitId { seq: self.seq, digest }, object))
    }

    /// Reads the object that stands under a name.
    pub fn decode(id: CommitId, object: &[u8], sealer: &dyn Sealer) -> Result<Self> {
        let commit: Self = envelope::decode(id.digest, object, sealer)?;
        if commit.seq != id.seq {
            return Err(corrupt("a commit stands under another number"));
        }
        Ok(commit)
    }
}

/// Says whether a machine can be called so.
pub(super) fn check_machine_name(name: &str) -> Result<(), &'static str> {
    let is_name = name.len() <= NAME_BYTES_MAX && !name.contains(char::is_control);
    ensure(is_name, "a machine has an impossible name")
}
