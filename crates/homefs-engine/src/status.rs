//! How a store is doing, and how much of that an agent hears.

use std::sync::atomic::Ordering;

use homefs_core::{Result, SpaceName};
use serde::{Deserialize, Serialize};

use crate::base::Freeable;
use crate::ground::Ground;
use crate::indexing::IndexStatus;
use crate::store::{FORMAT, Inner};
use crate::sync::RemoteStatus;
use crate::view::View;

/// How a store is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Its directory.
    pub dir: String,
    /// The process that owns it.
    pub pid: u32,
    /// The version of homefs that the owner runs.
    pub version: String,
    /// The format of its directory.
    pub format: u32,
    /// What all homes cost together; told to operators only.
    pub load: Option<Load>,
    /// Why the store takes no more changes, if it does not.
    pub poisoned: Option<String>,
    /// Why folding fails, if it does; it is tried again.
    pub fold_failure: Option<String>,
    /// Spaces that can only be read, or not even that, and why.
    pub failed_spaces: Vec<(SpaceName, String)>,
    /// Free bytes of the disk.
    pub disk_free_bytes: u64,
    /// What would free room, if the disk is full.
    pub disk_full: Option<Freeable>,
    /// How the open indexes are doing.
    pub indexes: Vec<IndexStatus>,
    /// Why docs get no vectors, if the embedder fails.
    pub embedder_failure: Option<String>,
    /// How the remote stands, if one is attached.
    pub remote: Option<RemoteStatus>,
}

/// What all homes of a store cost together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Spaces open now.
    pub spaces_open: usize,
    /// Bytes in the journal that are not released yet.
    pub journal_bytes: u64,
    /// Bytes in the journal that power loss would take.
    pub unsynced_bytes: u64,
    /// Bytes in the journal that are not folded yet.
    pub unfolded_bytes: u64,
    /// Bytes of small contents in memory.
    pub memory_bytes: u64,
    /// Bytes of unsettled contents in memory.
    pub staging_bytes: u64,
}

impl View {
    /// Tells how the store is doing, to an agent only of spaces that it may read in full.
    pub fn status(&self) -> Result<Status> {
        self.store.check_open()?;
        let status = self.store.status();
        if self.who().operator {
            return Ok(status);
        }
        Ok(status.of(&self.spaces_in_full()?, &self.store))
    }

    /// Lists the spaces that the agent may read in full.
    pub fn spaces_in_full(&self) -> Result<Vec<SpaceName>> {
        let seen = self.seen_spaces()?.into_iter();
        let whole = seen.filter(|(_, _, reach)| reach.reads_all());
        Ok(whole.map(|(_, space, _)| space.name.clone()).collect())
    }
}

impl Status {
    /// Leaves out what is not about these spaces.
    fn of(mut self, seen: &[SpaceName], store: &Inner) -> Self {
        self.failed_spaces.retain(|(name, _)| seen.contains(name));
        self.indexes.retain(|index| seen.contains(&index.space));
        if let Some(remote) = &mut self.remote {
            remote.spaces.retain(|space| seen.contains(&space.space));
            remote.counters = None;
        }
        let untold = |failure: Option<String>| failure.map(|_| "an operator is told why".into());
        Self {
            load: None,
            fold_failure: untold(self.fold_failure),
            // It may quote the text of another home that was to be embedded.
            embedder_failure: untold(self.embedder_failure),
            disk_full: self.disk_full.map(|_| store.freeable(seen)),
            ..self
        }
    }
}

impl Inner {
    /// Tells what all homes cost together.
    pub(crate) fn load(&self) -> Load {
        let ground = &self.ground;
        let open = self.spaces.open_now();
        let (unfolded_bytes, _) = self.fold.lag();
        let (first, synced, end) =
            (ground.journal.first(), ground.journal.synced(), ground.journal.end());
        Load {
            spaces_open: open.len(),
            journal_bytes: end.0.saturating_sub(first.0),
            unsynced_bytes: end.0.saturating_sub(synced.0),
            unfolded_bytes,
            memory_bytes: ground.resident_bytes.load(Ordering::Relaxed),
            staging_bytes: open.iter().map(|space| space.staging_bytes()).sum(),
        }
    }

    /// Tells everything about how the store is doing.
    pub(crate) fn status(&self) -> Status {
        let ground = &self.ground;
        let (_, fold_failure) = self.fold.lag();
        let open = self.spaces.open_now();
        let (indexes, embedder_failure) = self.indexing.status();
        let failed_spaces = open.iter().filter_map(|space| {
            let error = space.failed.get()?;
            Some((space.name.clone(), error.to_string()))
        });
        let disk_free_bytes = ground.disk.space_bytes(&self.dir).map_or(0, |(free, _)| free);
        let is_full = self.is_full(disk_free_bytes);
        let all = || self.spaces.all().unwrap_or_default();
        Status {
            dir: self.dir.display().to_string(),
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            format: FORMAT,
            load: Some(self.load()),
            poisoned: ground.journal.poisoned().map(|error| error.to_string()),
            fold_failure: fold_failure.map(|error| error.to_string()),
            failed_spaces: failed_spaces.collect(),
            disk_full: is_full.then(|| self.freeable(&all())),
            disk_free_bytes,
            indexes,
            embedder_failure,
            remote: self.spaces.follower().map(|follower| follower.status()),
        }
    }

    /// Tells whether the disk is full, or as good as that.
    fn is_full(&self, disk_free_bytes: u64) -> bool {
        let Ground { journal, settings, .. } = &*self.ground;
        journal.is_out_of_room() || disk_free_bytes < settings.reserve_bytes / 4
    }

    /// Tells what would free room, in those of the spaces that can be looked at.
    fn freeable(&self, spaces: &[SpaceName]) -> Freeable {
        let mut sum = Freeable::default();
        for name in spaces {
            let found = self.spaces.get(name).and_then(|space| space.base.freeable());
            let Freeable { trash_bytes, history_bytes } = found.unwrap_or_default();
            sum.trash_bytes += trash_bytes;
            sum.history_bytes += history_bytes;
        }
        sum
    }
}
