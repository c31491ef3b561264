//! Following what changes in a view.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use homefs_core::{AgentId, Error, ErrorKind, Path, Result, SpaceName, Timestamp, Version};
use homefs_store::base::tells_all;
use homefs_store::guard::{Permit, Reach};
use homefs_store::model::Kind;
use homefs_store::shown::Shown;
use homefs_store::space::Space;
use homefs_store::tree::Answer;
use serde::{Deserialize, Serialize};

pub use homefs_wire::records::Event;
pub use homefs_wire::words::Action;

use super::View;

/// Changes, and where to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watched {
    /// The changes, in the order of each space.
    pub events: Vec<Event>,
    /// Where to go on.
    pub cursor: Cursor,
    /// Some changes may be known by their outcome only, because the watcher was behind what memory
    /// has: what was renamed shows at its new place, and not as removed from the old one, and what
    /// was erased does not show.
    pub gap: bool,
}

/// How far a watcher has read, as the last version of each space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cursor(BTreeMap<SpaceName, Version>);

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (space, version)) in self.0.iter().enumerate() {
            write!(f, "{}{space}:{version}", if at == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl FromStr for Cursor {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let invalid = || Error::new(ErrorKind::Invalid, format!("{text:?} is not a cursor"));
        let mut versions = BTreeMap::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (space, version) = part.split_once(':').ok_or_else(invalid)?;
            let version = version.parse().map_err(|_| invalid())?;
            versions.insert(space.parse()?, Version(version));
        }
        Ok(Self(versions))
    }
}

impl TryFrom<String> for Cursor {
    type Error = Error;
    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.to_string()
    }
}

impl View {
    /// Returns the cursor of a watcher that wants what changes from now on.
    pub fn cursor(&self) -> Result<Cursor> {
        let seen = self.seen_spaces()?.into_iter();
        let now = seen.map(|(_, space, _)| (space.name.clone(), space.tree.read().version()));
        Ok(Cursor(now.collect()))
    }

    /// Returns what changed at or below a path since a cursor; waits at most `wait` for something.
    pub fn watch(
        &self,
        path: &Path,
        since: &Cursor,
        wait: Duration,
        limit: usize,
    ) -> Result<Watched> {
        let (_, path) = self.meant_once(path)?;
        let limit = limit.clamp(1, homefs_core::limits::PAGE_ENTRIES_MAX);
        let clock = &self.store.ground.clock;
        let start = clock.steady();
        let mut watched = Watched { events: Vec::new(), cursor: since.clone(), gap: false };
        loop {
            // Taken before looking: what comes after it ends the wait below.
            let seen = self.store.ground.journal.end();
            for (_, space, reach) in self.seen_spaces()? {
                self.collect(&space, &reach, &path, limit, &mut watched)?;
            }
            let waited = clock.steady().since(start);
            if !watched.events.is_empty() || waited >= wait {
                return Ok(watched);
            }
            self.store.ground.journal.wait_beyond(seen, wait.saturating_sub(waited));
            self.store.check_open()?;
        }
    }

    fn collect(
        &self,
        space: &Space,
        reach: &Reach,
        path: &Path,
        limit: usize,
        watched: &mut Watched,
    ) -> Result<()> {
        let after = watched.cursor.0.get(&space.name).copied().unwrap_or_default();
        let room = limit.saturating_sub(watched.events.len());
        if room == 0 {
            return Ok(());
        }
        let mut shown = Shown::new(reach, space);
        let found = space.look(Permit::follower(), |tree| {
            let Some(changes) = tree.changes_after(after) else { return Ok(None) };
            let mut found = Vec::new();
            let (mut has_more, mut last) = (false, after);
            for recent in changes {
                let at = match &recent.gone {
                    Some(path) => {
                        let is_shown = reach.is_whole() || reach.right_at(path).is_some();
                        is_shown.then(|| path.clone())
                    }
                    None if tree.named(recent.node).is_some() => shown.path(tree, recent.node)?,
                    // Removed meanwhile; that change follows.
                    None => None,
                };
                // What is hidden is passed over, so that no cursor tells of what kind it was.
                let Some(at) = at else { continue };
                // Never stop inside a record: its other changes would be lost.
                if found.len() >= room && recent.version > last {
                    has_more = true;
                    break;
                }
                last = recent.version;
                found.push((at, recent.clone()));
            }
            Ok(Some((found, if has_more { last } else { tree.version() })))
        });
        let found = found.or_error(&space.name)?;
        let Some((found, last)) = found else {
            return self.collect_from_base(space, reach, path, after, room, watched);
        };
        for (at, recent) in found {
            let action = if recent.gone.is_some() { Action::Removed } else { Action::Changed };
            let what = (recent.kind, action, recent.version, recent.time, recent.agent);
            self.push_event(space, reach, path, &at, what, watched);
        }
        watched.cursor.0.insert(space.name.clone(), last);
        Ok(())
    }

    /// Serves a watcher that is further behind than memory reaches.
    fn collect_from_base(
        &self,
        space: &Space,
        reach: &Reach,
        path: &Path,
        after: Version,
        room: usize,
        watched: &mut Watched,
    ) -> Result<()> {
        self.store.fold.catch_up(&space.name)?;
        let mut most = room;
        let (rows, full) = loop {
            let mut rows = space.base.changes_since(after, most)?;
            let full = rows.len() >= most;
            let Some(newest) = rows.last().map(|row| row.version) else { break (rows, false) };
            if full {
                // The last record may have more changes than were read; take it next time.
                rows.retain(|row| row.version < newest);
            }
            if !rows.is_empty() {
                break (rows, full);
            }
            // One record changed more nodes than asked for: it comes whole or not at all.
            most *= 4;
        };
        // Whoever sees a part must not be told by it that something happened elsewhere.
        watched.gap |= !reach.is_whole() || !tells_all(after, &rows);
        let mut last = after;
        for row in rows {
            last = row.version;
            let at = if row.removed {
                row.path
            } else {
                let mut shown = Shown::new(reach, space);
                let found = space.look(Permit::follower(), |tree| shown.path(tree, row.node));
                found.ok().flatten()
            };
            if let Some(at) = at {
                let action = if row.removed { Action::Removed } else { Action::Changed };
                let what = (row.kind, action, row.version, row.time, row.agent);
                self.push_event(space, reach, path, &at, what, watched);
            }
        }
        if !full {
            last = last.max(Version(space.folded.load(std::sync::atomic::Ordering::Acquire)));
        }
        watched.cursor.0.insert(space.name.clone(), last);
        Ok(())
    }

    fn push_event(
        &self,
        space: &Space,
        reach: &Reach,
        path: &Path,
        at: &Path,
        (kind, action, version, time, agent): (Kind, Action, Version, Timestamp, AgentId),
        watched: &mut Watched,
    ) {
        if reach.right_at(at).is_none() || at.is_root() {
            return;
        }
        if let Some(shown) = self.path_in_view(&space.name, at)
            && shown.starts_with(path)
        {
            let (kind, space) = (kind.word(), space.name.clone());
            watched.events.push(Event { path: shown, kind, action, version, space, time, agent });
        }
    }
}
