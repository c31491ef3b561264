//! Who may do what: the one place where access is decided.
//!
//! A view asks for the [`Reach`] of its agent in a space, and the reach gives [`Permit`]s. A
//! space changes and shows nothing without a permit, and only this module can make one.

use std::sync::Arc;

use homefs_core::{Error, ErrorKind, Path, Result, SpaceName, not_found};

use crate::model::{Grant, Right};

/// The shared space whose files `<group>/<agent>` say who belongs to which group. Being files,
/// memberships are journalled, kept in history and follow the store like everything else.
pub const GROUPS: &str = "_groups";

/// Tells whether a space says who belongs to which group.
pub fn is_groups(space: &SpaceName) -> bool {
    matches!(space, SpaceName::Shared(name) if **name == *GROUPS)
}

/// Proof that access was decided.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is decided on its own")]
pub struct Permit {
    // Private, so that no other module can make one.
    right: Right,
    is_follower: bool,
    is_counted: bool,
    is_hasty: bool,
    is_special: bool,
    sees_all: bool,
}

impl Permit {
    /// What an agent or an operator holds.
    fn of(right: Right, reach: &Reach) -> Self {
        Self {
            right,
            is_follower: false,
            is_counted: true,
            is_hasty: false,
            is_special: reach.is_special,
            sees_all: reach.reads_all(),
        }
    }

    /// Tells whether the permit covers changing.
    pub fn writes(self) -> bool {
        self.right >= Right::Write
    }

    /// What the store's own followers hold: they act for nobody and show nothing to anybody.
    pub fn follower() -> Self {
        Self {
            right: Right::Manage,
            is_follower: true,
            is_counted: false,
            is_hasty: false,
            is_special: true,
            sees_all: true,
        }
    }

    /// What a follower holds that makes true here what was written elsewhere: by another machine,
    /// or by people in the remote.
    pub fn outside() -> Self {
        Self { is_special: false, ..Self::follower() }
    }

    /// Returns the same permit, whose reads are not counted as the agent's: for what looks into
    /// more files than it shows.
    #[must_use]
    pub fn uncounted(self) -> Self {
        Self { is_counted: false, ..self }
    }

    /// Tells whether a read counts as one of the agent's.
    pub(crate) fn is_counted(self) -> bool {
        self.is_counted
    }

    /// Returns the same permit, with which nothing is waited for.
    #[must_use]
    pub fn hasty(self) -> Self {
        Self { is_hasty: true, ..self }
    }

    /// Refuses to wait for a disk, a source or the fold, if the permit says so.
    pub(crate) fn may_wait(self) -> Result<()> {
        if self.is_hasty { Err(not_in_memory()) } else { Ok(()) }
    }

    /// Tells whether special bits and devices may be given; see [`crate::special`].
    pub fn is_special(self) -> bool {
        self.is_special
    }

    /// Tells whether everything of the space may be read, so that its totals may be told.
    pub fn sees_all(self) -> bool {
        self.sees_all
    }

    /// Tells whether quotas hold: a follower repeats what was allowed already, here or elsewhere.
    pub(crate) fn is_bounded(self) -> bool {
        !self.is_follower
    }
}

/// Says that an answer has to be waited for.
pub fn not_in_memory() -> Error {
    Error::new(ErrorKind::Unavailable, "is not in memory")
}

/// What a source of a space does not show to everybody.
pub trait Veil: Send + Sync {
    /// Refuses a right that the agent does not have at a path, if the path is below the source.
    fn check(&self, path: &Path, right: Right) -> Result<()>;

    /// Refuses a path at or below which there is something that not everybody may see.
    fn check_clear(&self, path: &Path) -> Result<()>;
}

/// What one agent may do in one space.
#[derive(Clone)]
pub struct Reach {
    rights: Rights,
    /// What sources of the space do not show to everybody.
    veils: Vec<Arc<dyn Veil>>,
    /// Whether special bits and devices may be given.
    is_special: bool,
}

#[derive(Clone)]
enum Rights {
    /// The same everywhere: its own home, or an operator.
    Whole(Right),
    /// Below some paths only.
    Below(Vec<(Path, Right)>),
}

impl Reach {
    /// Gives the same right everywhere.
    pub fn whole(right: Right) -> Self {
        Self { rights: Rights::Whole(right), veils: Vec::new(), is_special: false }
    }

    /// Collects the grants that concern an agent.
    pub fn of<'a>(grants: impl Iterator<Item = &'a Grant>) -> Self {
        let below = grants.map(|grant| (grant.prefix.clone(), grant.right)).collect();
        Self { rights: Rights::Below(below), veils: Vec::new(), is_special: false }
    }

    /// Returns the same reach, in which special bits and devices may be given or not.
    #[must_use]
    pub fn special(self, is_special: bool) -> Self {
        Self { is_special, ..self }
    }

    /// Returns the same reach, less what sources do not show.
    #[must_use]
    pub fn behind(self, veils: Vec<Arc<dyn Veil>>) -> Self {
        Self { veils, ..self }
    }

    /// Tells whether the same holds everywhere, so that no path has to be looked at.
    pub fn is_whole(&self) -> bool {
        matches!(self.rights, Rights::Whole(_)) && self.veils.is_empty()
    }

    /// Tells whether everything of the space may be read.
    pub fn reads_all(&self) -> bool {
        self.granted_at(&Path::root()).is_some() && self.veils.is_empty()
    }

    /// Tells whether nothing of the space may be seen.
    pub fn is_nothing(&self) -> bool {
        matches!(&self.rights, Rights::Below(grants) if grants.is_empty())
    }

    /// Returns the strongest right at a path.
    pub fn right_at(&self, path: &Path) -> Option<Right> {
        let right = self.granted_at(path)?;
        match self.check_veils(path, Right::Read) {
            Err(_) => None,
            Ok(()) if self.check_veils(path, right).is_err() => Some(Right::Read),
            Ok(()) => Some(right),
        }
    }

    fn granted_at(&self, path: &Path) -> Option<Right> {
        match &self.rights {
            Rights::Whole(right) => Some(*right),
            Rights::Below(grants) => grants
                .iter()
                .filter(|(prefix, _)| path.starts_with(prefix))
                .map(|(_, right)| *right)
                .max(),
        }
    }

    /// Tells whether the path may be seen: it can be read, or it is on the way to what can.
    pub fn shows(&self, path: &Path) -> bool {
        let is_granted = match &self.rights {
            Rights::Whole(_) => true,
            Rights::Below(grants) => grants
                .iter()
                .any(|(prefix, _)| path.starts_with(prefix) || prefix.starts_with(path)),
        };
        is_granted && self.check_veils(path, Right::Read).is_ok()
    }

    /// Gives the permit for a right at a path.
    ///
    /// What may not be seen does not exist; what is only on the way to a grant can be passed but
    /// neither read nor changed.
    pub fn permit(&self, path: &Path, right: Right) -> Result<Permit> {
        if self.granted_at(path).is_some_and(|held| held >= right) {
            self.check_veils(path, right)?;
            return Ok(Permit::of(right, self));
        }
        Err(if self.shows(path) {
            Error::new(ErrorKind::Denied, format!("the agent has no right to {right} here"))
        } else {
            not_found()
        })
    }

    /// Gives the permit to look at a path, be it only on the way to a grant.
    pub fn permit_look(&self, path: &Path) -> Result<Permit> {
        if self.shows(path) {
            return Ok(Permit::of(Right::Read, self));
        }
        self.permit(path, Right::Read)
    }

    /// Refuses what would take away at once what the agent may not see.
    pub fn check_clear(&self, path: &Path) -> Result<()> {
        self.veils.iter().try_for_each(|veil| veil.check_clear(path))
    }

    fn check_veils(&self, path: &Path, right: Right) -> Result<()> {
        self.veils.iter().try_for_each(|veil| veil.check(path, right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        Path::parse(text).unwrap()
    }

    fn below(grants: &[(&str, Right)]) -> Reach {
        let grants = grants.iter().map(|(prefix, right)| (path(prefix), *right)).collect();
        Reach { rights: Rights::Below(grants), veils: Vec::new(), is_special: false }
    }

    #[test]
    fn a_grant_shows_its_subtree_and_the_way_to_it() {
        let reach = below(&[("/a/b", Right::Read), ("/a/b/w", Right::Write)]);
        for (at, shown, readable, writable) in [
            ("/", true, false, false),
            ("/a", true, false, false),
            ("/a/b", true, true, false),
            ("/a/b/c", true, true, false),
            ("/a/b/w/x", true, true, true),
            ("/a/bc", false, false, false),
            ("/z", false, false, false),
        ] {
            let at = path(at);
            assert_eq!(reach.shows(&at), shown, "{at}");
            assert_eq!(reach.permit(&at, Right::Read).is_ok(), readable, "{at}");
            assert_eq!(reach.permit(&at, Right::Write).is_ok(), writable, "{at}");
        }
        let hidden = reach.permit(&path("/z"), Right::Read).unwrap_err();
        assert_eq!(hidden.kind(), ErrorKind::NotFound);
        assert_eq!(reach.permit(&path("/a"), Right::Read).unwrap_err().kind(), ErrorKind::Denied);
    }

    #[test]
    fn grants_only_add_and_write_implies_read() {
        let reach = below(&[("/a", Right::Write), ("/a", Right::Read)]);
        assert_eq!(reach.right_at(&path("/a/x")), Some(Right::Write));
        assert!(reach.permit(&path("/a/x"), Right::Read).is_ok());
    }
}
