//! What a view says of the remote: waiting for it, and what is kept here whatever it has.

use std::time::Duration;

use homefs_core::{Path, Result};
use homefs_store::model::Right;
use homefs_sync::Direction;

use super::View;
use super::conflicts::readable_path;

impl View {
    /// Waits until everything acknowledged so far is in the remote too, at most so long.
    ///
    /// # Errors
    ///
    /// `Unavailable` if that takes longer: it is safe here, and will be pushed. `Unsupported` if
    /// no remote is attached.
    pub fn barrier_remote(&self, wait: Duration) -> Result<()> {
        self.store.barrier_remote(wait)
    }

    /// Keeps everything at and below a path on this machine, or no longer; links are followed.
    /// What is absent is fetched in the background.
    pub fn pin(&self, path: &Path, pinned: bool) -> Result<()> {
        let (name, node) = self.at(path, Right::Read, |place, permit| {
            let node = place.space.look(permit, |tree| tree.find(&place.path, true))?;
            Ok((place.space.name.clone(), node))
        })?;
        let follower = self.store.follower()?;
        follower.end(&name)?.pair.known.pin(node, pinned)?;
        if pinned {
            follower.ask(&name, Direction::Both, false);
        }
        Ok(())
    }

    /// Lists the paths that are kept on this machine; without a remote all are.
    pub fn pins(&self) -> Result<Vec<Path>> {
        let Some(follower) = self.store.attached_follower() else { return Ok(Vec::new()) };
        let mut paths = Vec::new();
        for (_, space, reach) in self.seen_spaces()? {
            if follower.prefix_of(&space.name).is_none() {
                continue;
            }
            for node in follower.end(&space.name)?.pair.known.pins()? {
                // One that was removed may be brought back.
                let path = readable_path(&space, &reach, node)?;
                paths.extend(path.and_then(|path| self.path_in_view(&space.name, &path)));
            }
        }
        paths.sort();
        Ok(paths)
    }
}
