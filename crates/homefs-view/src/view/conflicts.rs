//! Conflicts that a view shows, and their end.

use std::sync::Arc;

use homefs_core::{Error, ErrorKind, NodeId, Path, Result};
use homefs_store::guard::Reach;
use homefs_store::model::Right;
use homefs_store::record::Change;
use homefs_store::shown;
use homefs_store::space::Space;
use homefs_store::tree::Answer;
use homefs_sync::merge::Choice;
use homefs_sync::{
    Direction, OpenConflict, PurgedThere, RemoteContent, RemoteTracking, short_digest,
};

pub use homefs_wire::records::{ConflictSide, Conflicting as Conflict};
pub use homefs_wire::words::Side;

use super::View;
use super::listing::PathGlob;

/// A conflict, and where it is.
struct LocatedConflict {
    space: Arc<Space>,
    known: Arc<RemoteTracking>,
    conflict: OpenConflict,
    /// In its space.
    inner: Path,
    path: Path,
    beside: Option<Path>,
    /// Whether this machine merged.
    is_mine: bool,
}

impl View {
    /// Lists the conflicts that nobody has resolved, oldest first.
    pub fn conflicts(&self) -> Result<Vec<Conflict>> {
        let shown = self.shown_conflicts()?;
        let mut conflicts = shown.iter().map(LocatedConflict::info).collect::<Result<Vec<_>>>()?;
        conflicts.sort_by(|a, b| (a.time, &a.path).cmp(&(b.time, &b.path)));
        Ok(conflicts)
    }

    /// Closes conflicts, makes one of their contents the file's if asked, and returns them as they
    /// were: the one of a number, those at and below a path, or those at paths that a pattern
    /// matches. None is closed unless all can be.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none; `Invalid` if a content is asked for and one is not about
    /// contents.
    pub fn resolve(&self, which: &str, take: Option<Side>) -> Result<Vec<Conflict>> {
        let mut found = self.shown_conflicts()?;
        let number = u64::from_str_radix(which, 16).ok().filter(|_| which.len() == 16);
        if found.iter().any(|shown| Some(shown.conflict.number) == number) {
            found.retain(|shown| Some(shown.conflict.number) == number);
        } else if which.contains(['*', '?', '[', '{']) {
            let glob = PathGlob::new(which)?;
            found.retain(|shown| glob.matches(&Path::root(), &shown.path));
        } else {
            let path = Path::parse(which)?;
            found.retain(|shown| shown.path.starts_with(&path));
        }
        if found.is_empty() {
            let message = format!("there is no conflict {which}");
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        for shown in &found {
            self.reach(&shown.space)?.permit(&shown.inner, Right::Write)?;
            if take.is_some() && !shown.conflict.is_of_contents() {
                let message = "the conflict is not about contents, so none can be taken";
                return Err(Error::new(ErrorKind::Invalid, message).with_path(&shown.path));
            }
        }
        let mut closed = found.iter().map(LocatedConflict::info).collect::<Result<Vec<_>>>()?;
        found.iter().try_for_each(|shown| self.close_conflict(shown, take))?;
        closed.sort_by(|a, b| (a.time, &a.path).cmp(&(b.time, &b.path)));
        Ok(closed)
    }

    fn close_conflict(&self, found: &LocatedConflict, take: Option<Side>) -> Result<()> {
        let permit = self.reach(&found.space)?.permit(&found.inner, Right::Write)?;
        if let Some(side) = take {
            // The remote keeps both until the conflict is resolved.
            let end = self.store.follower()?.end(&found.space.name)?;
            let (content, pins) = end.pair.ready(found.content(side))?;
            let (node, agent) = (found.conflict.node, self.author.agent.clone());
            let done = found.space.change(&self.author, permit, |tree, draft| {
                tree.node(node)?;
                let (content, time) = (content.clone(), draft.time);
                draft.push(Change::Pulled {
                    node,
                    content,
                    time,
                    agent: agent.clone(),
                    machine: None,
                });
                tree.ready(&draft.changes)
            });
            let done = done.or_error(&found.space.name)?;
            if let Some(pins) = pins {
                found.space.hold(done.version, pins);
            }
        }
        found.known.resolve(found.conflict.number)?;
        if let Ok(follower) = self.store.follower() {
            follower.ask(&found.space.name, Direction::Both, false);
        }
        Ok(())
    }

    /// Tells how far purges in the space at a path have come beyond this machine; nothing if no
    /// remote is attached.
    pub fn purge_receipt(&self, path: &Path) -> Result<Option<PurgedThere>> {
        let name = self.at(path, Right::Read, |place, _| Ok(place.space.name.clone()))?;
        match self.store.attached_follower() {
            Some(follower) if follower.prefix_of(&name).is_some() => {
                follower.end(&name)?.pair.receipt().map(Some)
            }
            _ => Ok(None),
        }
    }

    fn shown_conflicts(&self) -> Result<Vec<LocatedConflict>> {
        let mut shown = Vec::new();
        for (_, space, reach) in self.seen_spaces()? {
            let Some((known, machine)) = self.store.known(&space.name)? else { continue };
            let conflicts = known.conflicts()?;
            if !conflicts.is_empty() {
                // Only the base knows a removed node from one that is not in memory.
                self.store.fold.catch_up(&space.name)?;
            }
            for conflict in conflicts {
                let Some(inner) = readable_path(&space, &reach, conflict.node)? else { continue };
                let Some(path) = self.path_in_view(&space.name, &inner) else { continue };
                let beside = match conflict.choice {
                    Choice::Beside(node) => readable_path(&space, &reach, node)?,
                    _ => None,
                };
                let beside = beside.and_then(|beside| self.path_in_view(&space.name, &beside));
                let (space, known, is_mine) =
                    (space.clone(), known.clone(), conflict.machine == machine);
                shown.push(LocatedConflict {
                    space,
                    known,
                    conflict,
                    inner,
                    path,
                    beside,
                    is_mine,
                });
            }
        }
        Ok(shown)
    }
}

impl LocatedConflict {
    fn content(&self, side: Side) -> &RemoteContent {
        let OpenConflict { head, pushed, .. } = &self.conflict;
        if self.is_mine == (side == Side::Ours) { pushed } else { head }
    }

    fn info(&self) -> Result<Conflict> {
        let side = |side| {
            let content = self.content(side);
            let info = ConflictSide { size: content.size(), digest: short_digest(content) };
            self.conflict.is_of_contents().then_some(info)
        };
        let machines = self.known.machines()?;
        let machine = machines.get(&self.conflict.machine);
        Ok(Conflict {
            number: format!("{:016x}", self.conflict.number),
            path: self.path.clone(),
            what: self.conflict.what().into(),
            // One that never pushed is known by its number.
            machine: machine
                .map_or_else(|| self.conflict.machine.to_string(), |m| m.name.to_string()),
            time: self.conflict.time,
            ours: side(Side::Ours),
            theirs: side(Side::Theirs),
            beside: self.beside.clone(),
        })
    }
}

/// Returns where a node is in its space, if it is there and the agent may read it.
pub(super) fn readable_path(space: &Space, reach: &Reach, node: NodeId) -> Result<Option<Path>> {
    let permit = reach.permit_look(&Path::root())?;
    let mut told = shown::Shown::new(reach, space);
    // The base says of a removed node that it is missing, which elsewhere would be damage.
    let is_gone = |error: &Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Corrupt);
    let path = space.look(permit, |tree| told.path(tree, node)).or_none(&space.name, is_gone)?;
    Ok(path.flatten())
}
