//! From a path in a view to a place in a space.

use std::borrow::Cow;
use std::sync::Arc;

use homefs_core::{AgentId, ErrorKind, Path, Result, SpaceName, not_found};
use homefs_store::guard::{Reach, not_in_memory};
use homefs_store::space::Space;

use super::View;

/// A path inside a space, and what the agent may do there.
///
/// In the agent's own home, where most calls are, it is borrowed: counting references would be felt
/// in every read.
pub(crate) struct Place<'a> {
    pub(crate) space: Cow<'a, Arc<Space>>,
    pub(crate) reach: Reach,
    /// The path inside the space.
    pub(crate) path: Cow<'a, Path>,
}

/// Directories of a view that belong to no space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Virtual {
    /// The root that shows every space.
    Root,
    /// `agents`, with every home.
    Homes,
    /// `shared`, with the shared spaces that the agent sees.
    Shared,
}

impl Virtual {
    /// Returns where it is in the view.
    pub(crate) fn path(self) -> Path {
        let text = match self {
            Self::Root => "/",
            Self::Homes => "/agents",
            Self::Shared => "/shared",
        };
        Path::parse(text).expect("a plain path")
    }
}

/// What a path of a view leads to.
pub(crate) enum Spot<'a> {
    In(Place<'a>),
    Virtual(Virtual),
}

impl View {
    /// Finds the space of a path.
    pub(crate) fn locate<'a>(&'a self, path: &'a Path) -> Result<Spot<'a>> {
        let mut names = path.names();
        let first = names.next();
        match (&self.home, first) {
            (Some(home), first) if first != Some("shared") => {
                let reach = self.reach(home)?;
                let (space, path) = (Cow::Borrowed(home), Cow::Borrowed(path));
                return Ok(Spot::In(Place { space, reach, path }));
            }
            (_, None) => return Ok(Spot::Virtual(Virtual::Root)),
            _ => {}
        }
        if self.is_hasty {
            // Another space may have to be opened first, and a source be asked for rights.
            return Err(not_in_memory());
        }
        let homes = first == Some("agents");
        if !homes && first != Some("shared") {
            return Err(not_found());
        }
        let Some(second) = names.next() else {
            return Ok(Spot::Virtual(if homes { Virtual::Homes } else { Virtual::Shared }));
        };
        let name = if homes {
            AgentId::new(second).map(SpaceName::Home)
        } else {
            SpaceName::shared(second)
        };
        let space = name.and_then(|name| self.store.spaces.existing(&name));
        let place = match space {
            Ok(Some(space)) => {
                let path = names.try_fold(Path::root(), |path, name| path.join(name))?;
                let reach = self.reach(&space)?;
                Place { space: Cow::Owned(space), reach, path: Cow::Owned(path) }
            }
            // A name that no space can have is simply not there.
            Ok(None) => return Err(not_found()),
            Err(error) if error.kind() == ErrorKind::Invalid => return Err(not_found()),
            Err(error) => return Err(error),
        };
        if place.reach.is_nothing() { Err(not_found()) } else { Ok(Spot::In(place)) }
    }

    /// Returns where the root of a space is in this view; `None` if the view does not show it.
    pub(super) fn path_of(&self, space: &SpaceName) -> Option<Path> {
        match (space, &self.home) {
            (SpaceName::Home(agent), Some(_)) => (*agent == self.who.agent).then(Path::root),
            _ => Path::parse(&space.to_string()).ok(),
        }
    }

    /// Returns the path in this view of a path inside a space.
    pub(crate) fn path_in_view(&self, space: &SpaceName, inner: &Path) -> Option<Path> {
        let root = self.path_of(space)?;
        inner.names().try_fold(root, |path, name| path.join(name)).ok()
    }
}

/// Returns the path that `path` means when its first `depth` names are a link to `target`.
pub(super) fn through_link(path: &Path, depth: usize, target: &str) -> Result<Path> {
    let mut names: Vec<&str> = if target.starts_with('/') {
        Vec::new()
    } else {
        path.names().take(depth.saturating_sub(1)).collect()
    };
    for name in target.split('/') {
        match name {
            "" | "." => {}
            // The names so far are no links, so going up by name is going up for real.
            ".." => drop(names.pop()),
            _ => names.push(name),
        }
    }
    let rest = path.names().skip(depth);
    names.into_iter().chain(rest).try_fold(Path::root(), |path, name| path.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_replaced_by_its_target() {
        for (path, depth, target, expected) in [
            ("/a/l/c", 2, "b", "/a/b/c"),
            ("/a/l/c", 2, "../x", "/x/c"),
            ("/a/l", 2, "/y/z", "/y/z"),
            ("/l", 1, "../../..", "/"),
            ("/l/c", 1, "./d//e/", "/d/e/c"),
        ] {
            let found = through_link(&Path::parse(path).unwrap(), depth, target).unwrap();
            assert_eq!(found.as_str(), expected, "{path} by {target}");
        }
    }
}
