//! An index: the whole tree at one commit, so that nobody reads all history first.

use std::collections::BTreeMap;

use bytes::Bytes;
use homefs_core::{Digest, Result};
use serde::{Deserialize, Serialize};

use super::commit::check_machine_name;
use super::entry::{self, Entry, State};
use super::envelope::{self, Body};
use super::ids::{CommitId, IndexId, MachineId, SEQ_MAX};
use super::pack::{self, PackTable};
use super::sealer::{Purpose, Sealer};
use super::{corrupt, ensure};

/// The tree at a commit, and where its contents are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Index {
    /// The commit.
    pub(crate) commit: CommitId,
    /// Every node that lives, in order of ids; a node that is not here is gone. Only a root that
    /// nobody changed is left out.
    pub(crate) entries: Vec<Entry>,
    /// Where the pieces are that stand in packs.
    pub(crate) packs: Vec<PackTable>,
    /// Contents that were purged and did not come back.
    pub(crate) purged: Vec<Digest>,
    /// Every machine that pushed, with what people call it.
    pub(crate) machines: BTreeMap<MachineId, Box<str>>,
}

impl Body for Index {
    const WHAT: &'static str = "an index";
    const MAGIC: [u8; 8] = *b"homefs-i";
    const PURPOSE: Purpose = Purpose::Index;
    // About a million nodes.
    const BYTES_MAX: usize = 256 << 20;

    fn check(&self) -> Result<(), &'static str> {
        ensure((1..=SEQ_MAX).contains(&self.commit.seq), "its commit has an impossible number")?;
        let lives = |entry: &Entry| matches!(entry.state, State::Living(_));
        ensure(self.entries.iter().all(lives), "it has a node that is gone")?;
        self.machines.values().try_for_each(|name| check_machine_name(name))?;
        entry::check(&self.entries)?;
        pack::check(&self.packs)
    }
}

impl Index {
    /// Returns the object and its name.
    pub(crate) fn encode(&self, sealer: &dyn Sealer) -> Result<(IndexId, Bytes)> {
        let (digest, object) = envelope::encode(self, sealer)?;
        Ok((IndexId { seq: self.commit.seq, digest }, object))
    }

    /// Reads the object that stands under a name.
    pub(crate) fn decode(id: IndexId, object: &[u8], sealer: &dyn Sealer) -> Result<Self> {
        let index: Self = envelope::decode(id.digest, object, sealer)?;
        if index.commit.seq != id.seq {
            return Err(corrupt("an index is of another commit"));
        }
        Ok(index)
    }
}
