//! How a store is doing, and how much of that an agent hears.

use std::sync::atomic::Ordering;

use homefs_core::{Result, SpaceName};
use homefs_store::base::Freeable;
use homefs_store::ground::Ground;
use homefs_wire::records::RemoteStatus;

pub use homefs_wire::records::{Load, Status};

use crate::store::{FORMAT, Inner};
use crate::view::View;

impl View {
    /// Tells how the store is doing, to an agent only of spaces that it may read in full.
    pub fn status(&self) -> Result<Status> {
        self.store.check_open()?;
        let status = self.store.status();
        if self.who().operator {
            return Ok(status);
        }
        Ok(told(status, &self.spaces_in_full()?, &self.store))
    }

    /// Lists the spaces that the agent may read in full.
    pub fn spaces_in_full(&self) -> Result<Vec<SpaceName>> {
        let seen = self.seen_spaces()?.into_iter();
        let whole = seen.filter(|(_, _, reach)| reach.reads_all());
        Ok(whole.map(|(_, space, _)| space.name.clone()).collect())
    }
}

/// Leaves out of a status what is not about these spaces.
fn told(mut status: Status, seen: &[SpaceName], store: &Inner) -> Status {
    status.failed_spaces.retain(|(name, _)| seen.contains(name));
    status.indexes.retain(|index| seen.contains(&index.space));
    if let Some(remote) = status.remote.as_mut().and_then(|remote| remote.status.as_mut()) {
        let spaces = std::mem::take(&mut remote.spaces).into_iter();
        let spaces = spaces.filter(|space| seen.contains(&space.space)).collect();
        *remote = RemoteStatus { spaces, ..RemoteStatus::default() };
    }
    let untold = |failure: Option<String>| failure.map(|_| "an operator is told why".into());
    Status {
        load: None,
        fold_failure: untold(status.fold_failure),
        // It may quote the text of another home that was to be embedded.
        embedder_failure: untold(status.embedder_failure),
        disk_full: status.disk_full.map(|_| store.freeable(seen)),
        ..status
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

    /// Tells everything about how the store is doing that is known here: the owner knows its mounts
    /// and its scripts.
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
            remote: self.attached_follower().map(|follower| follower.status()),
            mounts: Vec::new(),
            abandoned_scripts: 0,
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
