//! Listings of a view: what is in a directory, what is below it, what matches.

use std::ops::Bound;
use std::vec;

use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{ErrorKind, NodeId, Path, Result, SpaceName, Timestamp, Version, not_found};
use homefs_store::glob::Glob;
use homefs_store::model::{Entry, Found, Kind, Page, Stat};
use homefs_store::shown::Shown;
use homefs_store::tree::is_from;

use super::View;
use super::place::{Spot, Virtual};

/// How many names a walk asks for at once at least: few are wanted of many if they are to match.
const WALKED_MIN: usize = 100;

impl View {
    /// Lists a directory in the order of names, after a name if given.
    pub fn list(&self, path: &Path, after: Option<&str>, limit: usize) -> Result<Page<Entry>> {
        let limit = limit.clamp(1, PAGE_ENTRIES_MAX);
        let first = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut items = self.children_from(path, first, limit + 1)?;
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(|entry| entry.name.to_string());
        Ok(Page { items, next })
    }

    /// Lists everything below a directory, each directory before what is in it.
    pub fn walk(&self, path: &Path, after: Option<&str>, limit: usize) -> Result<Page<Found>> {
        self.gather(path, after, limit, &|_| true)
    }

    /// Finds what matches a pattern below a directory. A pattern without `/` is matched against
    /// names, one with `/` against the path below the directory; `**` is any number of names.
    pub fn find(
        &self,
        path: &Path,
        glob: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Found>> {
        let glob = PathGlob::new(glob)?;
        self.gather(path, after, limit, &|found| glob.matches(path, found))
    }

    fn gather(
        &self,
        path: &Path,
        after: Option<&str>,
        limit: usize,
        wanted: &dyn Fn(&Path) -> bool,
    ) -> Result<Page<Found>> {
        let limit = limit.clamp(1, PAGE_ENTRIES_MAX);
        let after = after.map(Path::parse).transpose()?;
        let skip: Option<Vec<&str>> = after
            .as_ref()
            .map(|after| {
                let below = path.names().count();
                after.starts_with(path).then(|| after.names().skip(below).collect())
            })
            .map(Option::unwrap_or_default);
        let mut items = Vec::new();
        self.descend(path, skip.as_deref(), limit + 1, wanted, &mut items)?;
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(|found: &Found| found.path.to_string());
        Ok(Page { items, next })
    }

    /// Walks below a directory, beginning after the names in `skip`. Directories are looked at
    /// one by one, so a walk is no snapshot of the whole.
    fn descend(
        &self,
        path: &Path,
        skip: Option<&[&str]>,
        limit: usize,
        wanted: &dyn Fn(&Path) -> bool,
        items: &mut Vec<Found>,
    ) -> Result<()> {
        // In a list and not on the stack, which has no room for the deepest tree there can be.
        let mut levels = vec![Level::new(path.clone(), skip)];
        while items.len() < limit
            && let Some(level) = levels.last_mut()
        {
            let Some(entry) = level.children.next() else {
                if level.is_all {
                    levels.pop();
                    continue;
                }
                let count = (limit - items.len()).max(WALKED_MIN);
                match self.children_from(&level.path, level.from(), count) {
                    Ok(children) => level.fill(children, count),
                    // Removed since its parent was looked at.
                    Err(error) if !items.is_empty() && error.kind() == ErrorKind::NotFound => {
                        levels.pop();
                    }
                    Err(error) => return Err(error),
                }
                continue;
            };
            let below = level.path.join(&entry.name)?;
            // The one after which to go on was shown before, unlike what is below it.
            let shown = level.skip.and_then(<[&str]>::split_first);
            let shown = shown.filter(|(first, _)| **first == &*entry.name);
            let directory = entry.stat.kind == Kind::Directory;
            if shown.is_none() && wanted(&below) {
                items.push(Found { path: below.clone(), stat: entry.stat });
            }
            if directory {
                levels.push(Level::new(below, shown.map(|(_, rest)| rest)));
            }
        }
        Ok(())
    }

    /// Returns everything in a directory that the agent may see, in the order of names.
    pub(crate) fn children(&self, path: &Path) -> Result<Vec<Entry>> {
        self.children_from(path, Bound::Unbounded, usize::MAX)
    }

    /// As [`Self::children`], from a name on and at most so many.
    fn children_from(&self, path: &Path, first: Bound<&str>, count: usize) -> Result<Vec<Entry>> {
        self.store.check_open()?;
        let mut entries = match self.locate(path).map_err(|error| error.with_path(path))? {
            Spot::Virtual(place) => self.virtual_children(place, first)?,
            Spot::In(_) => self.look_at(path, |place, permit| {
                let whole = place.reach.is_whole();
                let mut shown = Shown::new(&place.reach, &place.space);
                place.space.look(permit, |tree| {
                    let node = tree.find(&place.path, true)?;
                    let mut entries = Vec::new();
                    for (name, node) in tree.names(node)?.from(first) {
                        if entries.len() == count {
                            break;
                        }
                        if tree.is_expired(node) {
                            continue;
                        }
                        let stat = if whole {
                            Some(tree.node(node)?.stat(&place.space.name, node))
                        } else {
                            let path = place.path.join(name)?;
                            let is_shown = place.reach.shows(&path);
                            if is_shown { shown.stat(tree, node, &path)? } else { None }
                        };
                        entries.extend(stat.map(|stat| Entry { name: name.into(), stat }));
                    }
                    Ok(entries)
                })
            })?,
        };
        let shared = "shared";
        if path.is_root() && self.home.is_some() && is_from(shared, first) && self.sees_shared()? {
            entries.push(Entry { name: shared.into(), stat: self.virtual_stat(Virtual::Shared) });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        entries.truncate(count);
        Ok(entries)
    }

    fn virtual_children(&self, place: Virtual, first: Bound<&str>) -> Result<Vec<Entry>> {
        let spaces = match place {
            Virtual::Root => {
                let places = [("agents", Virtual::Homes), ("shared", Virtual::Shared)];
                let places = places.into_iter().filter(|(name, _)| is_from(name, first));
                let entry = |(name, place): (&str, _)| Entry {
                    name: name.into(),
                    stat: self.virtual_stat(place),
                };
                return Ok(places.map(entry).collect());
            }
            Virtual::Homes => self.store.spaces.homes()?,
            Virtual::Shared => {
                let seen = self.seen_shared()?;
                if seen.is_empty() && self.home.is_some() {
                    return Err(not_found());
                }
                seen
            }
        };
        let mut entries = Vec::new();
        for name in spaces {
            let text = name.to_string();
            let last = text.rsplit('/').next().unwrap_or(&text);
            if is_from(last, first) {
                let path = self.path_of(&name).ok_or_else(not_found)?;
                entries.push(Entry { name: last.into(), stat: self.stat(&path)? });
            }
        }
        Ok(entries)
    }

    /// Lists the shared spaces of which the agent sees anything.
    pub(super) fn seen_shared(&self) -> Result<Vec<SpaceName>> {
        let mut seen = Vec::new();
        for name in self.store.spaces.shared()? {
            if let Some(space) = self.store.spaces.existing(&name)?
                && !self.reach(&space)?.is_nothing()
            {
                seen.push(name);
            }
        }
        Ok(seen)
    }

    fn sees_shared(&self) -> Result<bool> {
        self.seen_shared().map(|seen| !seen.is_empty())
    }

    /// Tells of a directory that only shows spaces; `None` for any other path.
    pub(super) fn stat_virtual(&self, path: &Path) -> Result<Option<Stat>> {
        self.store.check_open()?;
        match self.locate(path).map_err(|error| error.with_path(path))? {
            Spot::In(_) => Ok(None),
            Spot::Virtual(Virtual::Shared) if self.home.is_some() && !self.sees_shared()? => {
                Err(not_found().with_path(path))
            }
            Spot::Virtual(place) => Ok(Some(self.virtual_stat(place))),
        }
    }

    pub(crate) fn virtual_stat(&self, place: Virtual) -> Stat {
        let node = match place {
            // Apart from the root of the home, which has the same space.
            Virtual::Root => NodeId(0),
            Virtual::Homes => NodeId(2),
            Virtual::Shared => NodeId(3),
        };
        Stat {
            space: SpaceName::Home(self.who.agent.clone()),
            node,
            kind: Kind::Directory,
            size: 0,
            mode: 0o555,
            uid: self.store.ground.uid,
            gid: self.store.ground.gid,
            links: 1,
            created: Timestamp(0),
            modified: Timestamp(0),
            changed: Timestamp(0),
            accessed: Timestamp(0),
            expires: None,
            version: Version(0),
        }
    }
}

/// A directory in which a walk is.
struct Level<'a> {
    path: Path,
    /// The names after which it begins here and below.
    skip: Option<&'a [&'a str]>,
    /// What is still to be looked at of what was asked for last.
    children: vec::IntoIter<Entry>,
    /// The last that was asked for, and whether there are no more.
    last: Option<Box<str>>,
    is_all: bool,
}

impl<'a> Level<'a> {
    fn new(path: Path, skip: Option<&'a [&'a str]>) -> Self {
        Self { path, skip, children: Vec::new().into_iter(), last: None, is_all: false }
    }

    /// Returns from which name on to ask next.
    fn from(&self) -> Bound<&str> {
        match (&self.last, self.skip.and_then(<[&str]>::first)) {
            (Some(last), _) => Bound::Excluded(last),
            (None, Some(first)) => Bound::Included(first),
            (None, None) => Bound::Unbounded,
        }
    }

    /// Takes what was answered to who asked for so many.
    fn fill(&mut self, children: Vec<Entry>, count: usize) {
        self.is_all = children.len() < count;
        self.last = children.last().map(|entry| entry.name.clone());
        self.children = children.into_iter();
    }
}

/// A pattern of names, or of paths below a directory if it has a `/`.
pub(super) struct PathGlob {
    glob: Glob,
    by_path: bool,
}

impl PathGlob {
    /// Reads a pattern.
    pub(super) fn new(glob: &str) -> Result<Self> {
        let pattern = glob.strip_prefix('/').unwrap_or(glob);
        Ok(Self { glob: Glob::new(pattern)?, by_path: glob.contains('/') })
    }

    /// Tells whether something below a directory matches.
    pub(super) fn matches(&self, directory: &Path, found: &Path) -> bool {
        if self.by_path {
            let below = found.strip_prefix(directory).unwrap_or_else(|| found.clone());
            self.glob.matches(&below.as_str()[1..])
        } else {
            found.name().is_some_and(|name| self.glob.matches(name))
        }
    }
}
