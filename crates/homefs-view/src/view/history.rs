//! The past of a view's files.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use homefs_core::time::Moment;
use homefs_core::{Error, ErrorKind, NodeId, Path, Result, Version};
use homefs_store::base::Past;
use homefs_store::guard::Permit;
use homefs_store::model::{Durability, Edition, Right};
use homefs_store::tree::{Halt, fail};
use serde::{Deserialize, Serialize};

use super::View;
use super::files::read_at_once;
use super::place::Place;

/// What a purge erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purged {
    /// How many nodes.
    pub nodes: u64,
    /// How many bytes they held last.
    pub bytes: u64,
}

/// The longest text that is compared.
const DIFF_BYTES_MAX: usize = 16 << 20;

impl View {
    /// Lists the versions of a file, newest first, older than `before` if given; also of a file
    /// in the trash.
    pub fn log(&self, path: &Path, before: Option<Version>, limit: usize) -> Result<Vec<Edition>> {
        let limit = limit.clamp(1, homefs_core::limits::PAGE_ENTRIES_MAX);
        self.at(path, Right::Read, |place, permit| {
            let node = self.past_node(place, permit)?;
            Ok(place.space.base.editions(node, before, limit)?)
        })
    }

    /// Reads a range of what a file held at a moment.
    pub fn read_past(&self, path: &Path, moment: Moment, offset: u64, len: usize) -> Result<Bytes> {
        if moment == Moment::Now {
            return self.read_at(path, offset, len);
        }
        read_at_once(path, len, |len| {
            self.at(path, Right::Read, |place, permit| {
                let node = self.past_node(place, permit)?;
                let past = past(place, node, moment)?;
                Ok(place.space.read_content(&past.content, offset, len)?)
            })
        })
    }

    /// Compares what a file held at two moments, as a unified diff; empty if it is the same.
    pub fn diff(&self, path: &Path, from: Moment, to: Moment) -> Result<String> {
        let (view, path) = self.meant_once(path)?;
        let read = |moment| {
            let bytes = view.read_past(&path, moment, 0, DIFF_BYTES_MAX + 1)?;
            if bytes.len() > DIFF_BYTES_MAX {
                let message = format!("is longer than {DIFF_BYTES_MAX} bytes");
                return Err(Error::new(ErrorKind::LimitExceeded, message).with_path(&path));
            }
            String::from_utf8(bytes.into()).map_err(|cause| {
                let message = "is not UTF-8 text and cannot be compared";
                Error::new(ErrorKind::Invalid, message).with_source(cause).with_path(&path)
            })
        };
        let (old, new) = (read(from)?, read(to)?);
        let name = |moment| match moment {
            Moment::Now => format!("{path} (now)"),
            Moment::Version(version) => format!("{path} (version {version})"),
            Moment::Time(time) => format!("{path} (at {} s)", time.seconds()),
        };
        let diff = similar::TextDiff::from_lines(&old, &new);
        Ok(diff.unified_diff().header(&name(from), &name(to)).to_string())
    }

    /// Makes what a file held at a moment its present content.
    pub fn restore(&self, path: &Path, moment: Moment) -> Result<Version> {
        let done = self.at(path, Right::Write, |place, permit| {
            let node = place.space.look(permit, |tree| tree.find(&place.path, true))?;
            self.make_past_readable(place, node)?;
            let past = past(place, node, moment)?;
            let done = place.space.change(&self.author, permit, |tree, draft| {
                tree.node(node)?;
                draft.push_content(node, past.content.clone(), None);
                Ok(())
            })?;
            place.space.hold(done.version, past.pins);
            Ok(done)
        })?;
        self.finish(done, Durability::Memory)
    }

    /// Finds the node whose history a path has: the one there, or the last one that was.
    fn past_node(&self, place: &Place<'_>, permit: Permit) -> Result<NodeId, Halt> {
        let found = place.space.look(permit, |tree| tree.find(&place.path, true));
        match found {
            Ok(node) => {
                self.make_past_readable(place, node)?;
                Ok(node)
            }
            Err(Halt::Fail(error)) if error.kind() == ErrorKind::NotFound => {
                self.store.fold.catch_up(&place.space.name)?;
                let rows = place.space.base.trashed_at(&place.path)?;
                let first = rows.first().ok_or(Halt::Fail(error))?;
                Ok(first.0.node)
            }
            Err(halt) => Err(halt),
        }
    }

    /// Settles a file and waits until the base has its whole history.
    fn make_past_readable(&self, place: &Place<'_>, node: NodeId) -> Result<()> {
        if !self.store.ground.journal.is_read_only() {
            place.space.settle(node)?;
        }
        self.store.fold.catch_up(&place.space.name)
    }
}

/// Finds what a file held at a moment.
fn past(place: &Place<'_>, node: NodeId, moment: Moment) -> Result<Past, Halt> {
    let latest = Version(place.space.folded.load(Ordering::Acquire));
    // Who sees a part only cannot tell a version to come from one that is elsewhere.
    if let Moment::Version(version) = moment
        && version > latest
        && place.reach.reads_all()
    {
        let message = format!("there is no version {version} yet, the last is {latest}");
        return Err(fail(ErrorKind::NotFound, message));
    }
    place.space.base.edition(node, moment)?.ok_or_else(|| no_version(moment))
}

fn no_version(moment: Moment) -> Halt {
    let message = match moment {
        Moment::Now => "has no settled content".into(),
        Moment::Version(version) => format!("has no version {version} or older one"),
        Moment::Time(_) => "has no version of that time or before it".into(),
    };
    fail(ErrorKind::NotFound, message)
}
