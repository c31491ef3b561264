//! An index: the whole tree at one commit, so that nobody reads all history first.

use std::collections::BTreeMap;

use bytes::Bytes;
use homefs_core::{Digest, Result, Timestamp};
use homefs_store::fields::Fields;
use serde::{Deserialize, Serialize};

use super::commit::check_machine_name;
use super::entry::{self, Entry, EntryState};
use super::envelope::{self, Body};
use super::first;
use super::ids::{CommitId, IndexId, MachineId, SEQ_MAX};
use super::notes::{self, Access, OpenConflict, Readable};
use super::pack::{self, PackTable};
use super::sealer::{Purpose, Sealer};
use super::{corrupt, ensure};

/// Most commits of one machine that an index names.
pub const MACHINE_COMMITS_MAX: usize = 4;

/// The tree at a commit, and where its contents are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The commit.
    pub commit: CommitId,
    /// Every node that lives, in order of ids; a node that is not here is gone. Only a root that
    /// nobody changed is left out.
    pub entries: Vec<Entry>,
    /// Where all pieces are.
    pub packs: Vec<PackTable>,
    /// Pieces that the tree no longer names, and since when.
    pub(crate) unused: Vec<(Digest, Timestamp)>,
    /// Contents that were purged and did not come back.
    pub purged: Vec<Digest>,
    /// The number of the last commit with a purge; 0 if there was none.
    pub(crate) last_purge: u64,
    /// The readable copies there are.
    pub readable: Vec<Readable>,
    /// Access to the space.
    pub access: Access,
    /// Conflicts that nobody resolved yet.
    pub conflicts: Vec<OpenConflict>,
    /// Every machine that pushed.
    pub machines: BTreeMap<MachineId, MachineSeen>,
    /// What later homefs say of the space.
    pub more: Fields,
}

/// A machine, as commits tell of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineSeen {
    /// What people call it.
    pub name: Box<str>,
    /// The number of its last commit: what that says, and all before, it knows.
    pub seq: u64,
    /// Its last commits by name, newest first, at most [`MACHINE_COMMITS_MAX`]: so it recognises its
    /// own, of which it may not have heard that they became HEAD. None is known from format 1.
    pub last: Vec<CommitId>,
}

impl MachineSeen {
    fn check(&self) -> Result<(), &'static str> {
        let is_few = self.last.len() <= MACHINE_COMMITS_MAX;
        ensure(is_few, "a machine has too many commits")?;
        check_machine_name(&self.name)
    }
}

impl Body for Index {
    type First = first::Index;
    const WHAT: &'static str = "an index";
    const MAGIC: [u8; 8] = *b"homefs-i";
    const PURPOSE: Purpose = Purpose::Index;
    // About a million nodes.
    const BYTES_MAX: usize = 256 << 20;

    fn check(&self) -> Result<(), &'static str> {
        ensure((1..=SEQ_MAX).contains(&self.commit.seq), "its commit has an impossible number")?;
        let lives = |entry: &Entry| matches!(entry.state, EntryState::Living(_));
        ensure(self.entries.iter().all(lives), "it has a node that is gone")?;
        self.machines.values().try_for_each(MachineSeen::check)?;
        self.more.check()?;
        self.conflicts.iter().try_for_each(OpenConflict::check)?;
        notes::check_readable(&self.readable)?;
        entry::check(&self.entries)?;
        pack::check(&self.packs)
    }
}

impl Index {
    /// Returns the object and its name.
    pub fn encode(&self, sealer: &dyn Sealer) -> Result<(IndexId, Bytes)> {
        let (digest, object) = envelope::encode(self, sealer)?;
        Ok((IndexId { seq: self.commit.seq, digest }, object))
    }

    /// Reads the object that stands under a name.
    pub fn decode(id: IndexId, object: &[u8], sealer: &dyn Sealer) -> Result<Self> {
        let index: Self = envelope::decode(id.digest, object, sealer)?;
        if index.commit.seq != id.seq {
            return Err(corrupt("an index is of another commit"));
        }
        Ok(index)
    }
}
