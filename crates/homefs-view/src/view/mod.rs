//! The door: a store as one agent sees it.
//!
//! Every face holds a [`View`] and nothing below it. A view turns a path into a [`Place`]: a
//! space, what the agent may do there, and the path inside it. From the place comes the permit
//! without which a space neither shows nor changes anything.

mod access;
mod candidates;
mod conflicts;
mod context;
mod directories;
mod edit;
mod files;
mod grep;
mod handles;
mod history;
mod links;
mod listing;
mod meta;
mod newer;
mod place;
mod probe;
mod recall;
mod remember;
mod remote;
mod removal;
mod scopes;
mod search;
mod sources;
mod stale;
mod tags;
#[cfg(test)]
mod tests;
mod timeline;
mod watch;
mod writer;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::time::Here;
use homefs_core::{AgentId, Error, ErrorCode, ErrorKind, Path, Result, SpaceName, Version};
use homefs_store::guard::{Permit, Reach, Veil, not_in_memory};
use homefs_store::model::{Durability, Right};
use homefs_store::record::Origin;
use homefs_store::space::{Acknowledged, Author, Space};
use homefs_store::tree::{Answer, Halt};
use serde::{Deserialize, Serialize};

use crate::store::Inner;

use access::Claim;
pub use access::{CLAIMANTS, SpaceInfo};
pub use conflicts::{Conflict, ConflictSide, Side};
pub use grep::{GrepLine, GrepOptions, GrepPlace, Grepped};
pub use history::Purged;
use place::Place;
pub(crate) use place::{Spot, Virtual};
pub use probe::Probed;
pub use watch::{Action, Cursor, Event, Watched};
pub use writer::Writer;

/// How long a change waits for the remote if it is to survive the loss of the machine.
pub const REMOTE_WAIT: Duration = Duration::from_secs(30);

/// On whose behalf a view is opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    /// The agent.
    pub agent: AgentId,
    /// Holds every right.
    pub operator: bool,
    /// The root shows every space, as `agents/<id>` and `shared/<name>`, instead of the home.
    pub all: bool,
}

/// A store as one agent sees it.
#[derive(Clone)]
pub struct View {
    pub(crate) store: Arc<Inner>,
    who: Who,
    /// The groups of the session, if it was opened for somebody else than the agent.
    claim: Option<Arc<Claim>>,
    pub(crate) author: Author,
    /// The agent's home; `None` where the root shows every space.
    pub(crate) home: Option<Arc<Space>>,
    /// Whether calls are refused that have to wait.
    is_hasty: bool,
    /// Whether a path is a path, and never a handle: what it means was found out already.
    is_literal: bool,
    /// Whether special bits and devices may be given.
    is_special: bool,
}

impl View {
    /// Opens the view of an agent.
    pub(crate) fn new(store: Arc<Inner>, who: &Who) -> Result<Self> {
        if who.all && !who.operator {
            return Err(Error::new(ErrorKind::Denied, "only an operator sees every space"));
        }
        if who.agent.is_reserved() {
            let message =
                format!("no agent can be called {}: homefs records changes so", who.agent);
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        let home = SpaceName::Home(who.agent.clone());
        let home = if who.all { None } else { Some(store.spaces.get(&home)?) };
        let author = Author::new(who.agent.clone());
        if let Some(home) = &home {
            home.revalidate_first();
        }
        store.spaces.source_door.revalidation.begin_session();
        let is_special = who.operator;
        let (who, claim) = (who.clone(), None);
        let (is_hasty, is_literal) = (false, false);
        Ok(Self { store, who, claim, author, home, is_hasty, is_literal, is_special })
    }

    /// Returns the same view for a session of somebody who is in these groups and in no others.
    /// In shared spaces they count instead of the agent's own, each as long as the agent may name
    /// it; in the home what the agent's own groups may see is narrowed to what these may see too.
    /// An operator may name any, and the session holds no right of an operator.
    ///
    /// # Errors
    ///
    /// `Denied` unless the agent is an operator, in each of the groups itself, or in the group
    /// [`CLAIMANTS`]; and where the root shows every space.
    pub fn with_groups(&self, groups: &BTreeSet<AgentId>) -> Result<Self> {
        if self.who.all {
            let message = "a session with groups is of one home: only an operator sees every space";
            return Err(Error::new(ErrorKind::Denied, message));
        }
        let claim = Claim { groups: groups.clone(), by_operator: self.who.operator };
        let who = Who { operator: false, ..self.who.clone() };
        let claim = Some(Arc::new(claim));
        let view = Self { who, claim, is_special: false, ..self.clone() };
        view.check_speaks_for(groups)?;
        Ok(view)
    }

    /// Returns the same view, whose changes answer this request of a client: each is made once,
    /// however often it is asked for.
    #[must_use]
    pub fn with_origin(&self, origin: Origin) -> Self {
        let mut view = self.clone();
        view.author.origin = Some(origin);
        view
    }

    /// Returns the same view, which reads and writes small files and looks at nodes of the home
    /// from memory or not at all: what has to wait, for a disk, a source or the fold, is
    /// `Unavailable` and not done.
    #[must_use]
    pub fn hasty(&self) -> Self {
        Self { is_hasty: true, ..self.clone() }
    }

    /// Returns the same view, which gives no special bits and makes no devices, though it be an
    /// operator's.
    #[must_use]
    pub fn plain(&self) -> Self {
        Self { is_special: false, ..self.clone() }
    }

    /// Tells on whose behalf the view is.
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// Waits until everything acknowledged so far survives power loss.
    pub fn barrier(&self) -> Result<()> {
        self.store.check_open()?;
        self.store.ground.journal.barrier(self.store.ground.journal.end())
    }

    /// Does something at a path for which the agent needs a right; links are followed.
    pub(crate) fn at<T>(
        &self,
        path: &Path,
        right: Right,
        mut act: impl FnMut(&Place<'_>, Permit) -> Result<T, Halt>,
    ) -> Result<T> {
        self.follow(path, &mut |place| {
            act(place, self.in_haste(place.reach.permit(&place.path, right)?))
        })
    }

    /// Looks at a path, be it only on the way to a grant; links are followed.
    pub(crate) fn look_at<T>(
        &self,
        path: &Path,
        mut look: impl FnMut(&Place<'_>, Permit) -> Result<T, Halt>,
    ) -> Result<T> {
        self.follow(path, &mut |place| {
            look(place, self.in_haste(place.reach.permit_look(&place.path)?))
        })
    }

    fn in_haste(&self, permit: Permit) -> Permit {
        if self.is_hasty { permit.hasty() } else { permit }
    }

    /// Does something at a path, or at the file whose handle it is: every path that a face is given
    /// comes by here.
    fn follow<T>(
        &self,
        path: &Path,
        act: &mut dyn FnMut(&Place<'_>) -> Result<T, Halt>,
    ) -> Result<T> {
        match self.by_handle(path)? {
            Some(meant) => self.follow_links(&meant, act),
            None => self.follow_links(path, act),
        }
    }

    fn follow_links<T>(
        &self,
        path: &Path,
        act: &mut dyn FnMut(&Place<'_>) -> Result<T, Halt>,
    ) -> Result<T> {
        self.store.check_open().map_err(|error| error.with_path(path))?;
        let mut at = Cow::Borrowed(path);
        for _ in 0..homefs_core::limits::LINKS_FOLLOWED_MAX {
            let place = match self.locate(&at).map_err(|error| error.with_path(path))? {
                Spot::In(place) => place,
                Spot::Virtual(_) => {
                    let message = "is a directory that only shows spaces";
                    return Err(Error::new(ErrorKind::IsADirectory, message).with_path(path));
                }
            };
            match act(&place) {
                Err(Halt::Link { depth, target }) => {
                    let above = at.names().count() - place.path.names().count();
                    at = Cow::Owned(place::through_link(&at, above + depth, &target)?);
                }
                Err(Halt::Fail(error)) => return Err(self.named(error, path)),
                answer => return answer.or_error(&place.space.name),
            }
        }
        let error = Error::new(ErrorKind::Invalid, "too many symbolic links");
        Err(error.with_code(ErrorCode::TooManyLinks).with_path(path))
    }

    /// Returns when and where a time that somebody wrote is read.
    pub(crate) fn here(&self) -> Here {
        Here::local(self.store.ground.clock.now())
    }

    /// Lets an error begin with the path that was asked for; which file of the store it is about
    /// comes after.
    fn named(&self, error: Error, path: &Path) -> Error {
        let is_of_store = |at: &str| std::path::Path::new(at).starts_with(&self.store.dir);
        match error.path() {
            Some(at) if is_of_store(at) => error.within(path.as_str()),
            _ => error.with_path(path),
        }
    }

    /// Returns once an acknowledged change is as durable as asked.
    fn finish(&self, done: Acknowledged, durability: Durability) -> Result<Version> {
        match durability {
            // No view makes a change that waits for the remote, which may take long: whoever holds
            // one asks for that barrier afterwards, with nothing locked.
            Durability::Memory | Durability::Remote => {}
            Durability::Journal => self.store.ground.journal.barrier(done.position)?,
        }
        Ok(done.version)
    }

    /// Returns the version that already answered this view's request for a change at a path.
    fn answered(&self, path: &Path) -> Result<Option<Version>> {
        if self.author.origin.is_none() {
            return Ok(None);
        }
        self.at(path, Right::Write, |place, permit| {
            place.space.pass_links(permit, &place.path)?;
            let done = place.space.answered(&self.author, permit)?;
            Ok(done.map(|done| done.version))
        })
    }

    /// Returns the same view, whose changes answer no request: for all but the last of several.
    fn without_origin(&self) -> Self {
        let mut view = self.clone();
        view.author.origin = None;
        view
    }

    /// Returns what the agent may do in a space.
    pub(crate) fn reach(&self, space: &Arc<Space>) -> Result<Reach> {
        let reach = match &space.name {
            SpaceName::Home(agent) if self.who.operator || *agent == self.who.agent => {
                let whole = Reach::whole(Right::Manage);
                // What the agent may not see the home does not show in the first place.
                if self.claim.is_some() { whole.behind(self.veils(space)?) } else { whole }
            }
            SpaceName::Home(_) => Reach::of(std::iter::empty()),
            SpaceName::Shared(_) => self.granted(space)?.behind(self.veils(space)?),
        };
        Ok(reach.special(self.is_special))
    }

    /// Returns what sources of a space may hide from the agent.
    fn veils(&self, space: &Arc<Space>) -> Result<Vec<Arc<dyn Veil>>> {
        if self.is_hasty && space.attached.has_groups() {
            // A source is asked for what it hides, and may have to be opened first.
            return Err(not_in_memory());
        }
        space.veils(|| match &self.claim {
            Some(claim) => self.claimed_groups(claim).map(Some),
            None if self.who.operator => Ok(None),
            None => self.store.spaces.groups_of(&self.who.agent).map(Some),
        })
    }

    /// Returns what the agent may do in a shared space, whatever sources show of themselves.
    fn granted(&self, space: &Space) -> Result<Reach> {
        if self.who.operator {
            return Ok(Reach::whole(Right::Manage));
        }
        let grants = space.tree.read().grants().to_vec();
        let mut mine = Vec::new();
        for grant in &grants {
            if self.concerns(&grant.subject)? {
                mine.push(grant);
            }
        }
        Ok(Reach::of(mine.into_iter()))
    }
}
