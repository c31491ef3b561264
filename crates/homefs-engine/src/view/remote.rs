//! What a view says of the remote: waiting for it, and what is kept here whatever it has.

use std::time::Duration;

use homefs_core::{ErrorKind, Path, Result};

use super::View;
use crate::model::Right;
use crate::shown::Shown;
use crate::sync::Direction;
use crate::tree::Halt;

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
        let Some(follower) = self.store.spaces.follower() else { return Ok(Vec::new()) };
        let mut paths = Vec::new();
        for (_, space, reach) in self.seen_spaces()? {
            if follower.prefix_of(&space.name).is_none() {
                continue;
            }
            let permit = reach.permit_look(&Path::root())?;
            for node in follower.end(&space.name)?.pair.known.pins()? {
                let mut shown = Shown::new(&reach, &space);
                let path = match space.look(permit, |tree| shown.path(tree, node)) {
                    Ok(path) => path,
                    // It was removed, and may be brought back.
                    Err(Halt::Fail(error)) if is_gone(error.kind()) => continue,
                    Err(halt) => return Err(halt.into_error(&space.name)),
                };
                paths.extend(path.and_then(|path| self.path_in_view(&space.name, &path)));
            }
        }
        paths.sort();
        Ok(paths)
    }
}

/// The base says of a removed node that it is missing, which elsewhere would be damage.
fn is_gone(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::Corrupt)
}
