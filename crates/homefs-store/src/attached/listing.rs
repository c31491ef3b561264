//! Asking sources: what is in a directory, how long a file is, what it holds.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use homefs_core::{Error, ErrorKind, NodeId, Path, Result, SOURCE_READ_BYTES_MAX, SourcePage, Tag};

use crate::guard::Permit;
use crate::observers::{Audience, Touched};
use crate::space::Space;
use crate::tree::{Halt, Owner, SourcedFile};

/// A listing is believed this long, or longer where listing is slow.
const BELIEVED: Duration = Duration::from_secs(1);
/// As many times as long as a listing takes it is believed.
const BELIEVED_TIMES: u32 = 10;

impl Space {
    /// Asks a source what is in a directory, unless the source says that it is as it was.
    pub(crate) fn list_source(&self, directory: NodeId) -> Result<(), Halt> {
        // The names that the space has itself come first.
        self.look(Permit::follower(), |tree| tree.names_here(directory).map(drop))?;
        let over = self.tree.read().sources().over(directory).cloned();
        let Some(over) = over else { return Ok(()) };
        let clock = &self.ground.clock;
        let begun = clock.steady();
        let source = self.source(over.root)?;
        // Who may see what is a part of the state.
        let groups = self.groups()?;
        let state = source
            .version()
            .map(|version| Tag::new(format!("{} for {groups:?}", version.as_str())));
        if state.is_some() && state == over.state {
            self.tree.memory().sources_mut().put_off(directory, clock.steady().after(BELIEVED));
            return Ok(());
        }
        let listed = match source.list_all(&over.path) {
            // Gone from the source: what the space has itself is left.
            Err(error) if !over.path.is_root() && is_gone(&error) => Ok(SourcePage::default()),
            Err(error) => Err(unreachable_source(error, &source.describe())),
            listed => listed,
        };
        let found = self.heard(over.root, listed)?.entries;
        let now = clock.steady();
        let due = now.after(BELIEVED.max(now.since(begun) * BELIEVED_TIMES));
        let owner = Owner { uid: self.ground.uid, gid: self.ground.gid };
        let mut tree = self.tree.memory();
        tree.relieve_sources();
        let touched = tree.merge(directory, found, state, due, owner);
        drop(tree);
        if !touched.is_empty() && self.ground.observers.is_observed() {
            // Not waited for: a mount may be the one who looks.
            self.ground.observers.tell(&self.name, &touched, Audience::Later);
        }
        Ok(())
    }

    /// Asks a source again about what somebody looked at, so that mounts hear what has changed.
    pub fn ask_again(&self, root: NodeId) {
        let asked = self.tree.memory().sources_mut().expire(root);
        for directory in asked {
            // It may be gone, like what it was in.
            self.look(Permit::follower(), |tree| tree.names(directory).map(drop)).ok();
        }
        if self.attached.has_groups() && self.ground.observers.is_observed() {
            self.ground.observers.tell(&self.name, &[Touched::Access], Audience::Everybody);
        }
    }

    /// Asks sources again that show more to members of groups, since members have changed.
    pub fn ask_again_for_groups(&self) {
        for root in self.attached.roots_with_groups() {
            self.ask_again(root);
        }
    }

    /// Asks a source for the length of a file that only reading tells.
    pub(crate) fn measure(&self, node: NodeId) -> Result<(), Halt> {
        let Some((root, path)) = self.tree.read().sourced_at(node) else { return Ok(()) };
        let source = self.source(root)?;
        let mut size = 0;
        loop {
            let read = source.read(&path, size, SOURCE_READ_BYTES_MAX);
            let part = match self.heard(root, read) {
                Err(error) if error.kind() == ErrorKind::Unavailable => return Err(error.into()),
                // Whoever reads it is told; the others in its directory can be listed.
                Err(_) => Bytes::new(),
                Ok(part) => part,
            };
            size += part.len() as u64;
            if part.len() < SOURCE_READ_BYTES_MAX {
                break;
            }
        }
        self.tree.memory().set_measured(node, size);
        Ok(())
    }

    /// Brings the files of a directory near whose lengths are not known, in as few calls as the
    /// source can.
    pub fn prefetch(&self, directory: NodeId) -> Result<()> {
        let (root, paths) = {
            let tree = self.tree.read();
            let Some(over) = tree.sources().over(directory) else { return Ok(()) };
            let Ok(names) = tree.names_here(directory) else { return Ok(()) };
            let unmeasured = names.values().filter(|node| tree.check_measured(**node).is_err());
            let paths: Vec<Path> =
                unmeasured.filter_map(|node| Some(tree.sourced_at(*node)?.1)).collect();
            (over.root, paths)
        };
        if paths.len() < 2 {
            return Ok(());
        }
        self.heard(root, self.source(root)?.prefetch(&paths))
    }

    /// Reads a range of a file of a source.
    pub(crate) fn read_sourced(
        &self,
        file: &SourcedFile,
        offset: u64,
        len: usize,
    ) -> Result<Bytes> {
        let source = self.source(file.root)?;
        let first = self.heard(file.root, source.read(&file.path, offset, len))?;
        // Most ranges are one part, which is then not copied.
        if first.len() == len || first.len() < SOURCE_READ_BYTES_MAX {
            return Ok(first);
        }
        let mut bytes = BytesMut::from(&first[..]);
        while bytes.len() < len {
            let part = source.read(&file.path, offset + bytes.len() as u64, len - bytes.len())?;
            bytes.extend_from_slice(&part);
            if part.len() < SOURCE_READ_BYTES_MAX {
                break;
            }
        }
        Ok(bytes.freeze())
    }
}

/// Tells whether a path leads to nothing in the source any more.
pub fn is_gone(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Tells that a source is missing, instead of the path in the home that leads to it.
fn unreachable_source(error: Error, source: &str) -> Error {
    if is_gone(&error) {
        let message = format!("the source {source} is not here");
        return Error::new(ErrorKind::Unavailable, message).with_source(error);
    }
    error
}
