//! The spaces of a store, opened when somebody needs them.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use homefs_core::{AgentId, Error, ErrorKind, NodeId, Result, SpaceName};
use parking_lot::{Mutex, RwLock};

use crate::attached::{ATTACHED, SourceDoor};
use crate::backlog::Behind;
use crate::ground::Ground;
use crate::guard::{GROUPS, Permit};
use crate::space::Space;
use crate::tree::{Answer, Halt};

/// What follows the spaces of a store as they are opened and closed.
pub trait Follow: Send + Sync {
    /// Follows a space that was just opened, before anybody can read from it.
    fn opened(&self, space: &Space);

    /// Lets go of a space that nobody but the list of open spaces holds otherwise; tells whether
    /// that is so.
    fn let_go(&self, space: &Arc<Space>) -> bool;
}

/// All spaces of a store.
pub struct Spaces {
    dir: PathBuf,
    ground: Arc<Ground>,
    /// What opens sources.
    pub source_door: Arc<SourceDoor>,
    open: RwLock<HashMap<SpaceName, Arc<Space>>>,
    /// Also held while a space is opened, so that it is opened once.
    backlogs: Mutex<Behind>,
    /// What follows the remote, if one is attached.
    follower: RwLock<Option<Arc<dyn Follow>>>,
}

impl Spaces {
    /// Starts with none open.
    pub fn new(dir: PathBuf, ground: Arc<Ground>, backlogs: Behind) -> Self {
        let (open, backlogs) = (RwLock::default(), Mutex::new(backlogs));
        let (source_door, follower) = (Arc::default(), RwLock::default());
        Self { dir, ground, source_door, open, backlogs, follower }
    }

    /// Returns what they stand on.
    pub fn ground(&self) -> &Arc<Ground> {
        &self.ground
    }

    /// Returns a space, opening it, and making it if it does not exist.
    pub fn get(&self, name: &SpaceName) -> Result<Arc<Space>> {
        if let Some(space) = self.open.read().get(name) {
            return Ok(space.clone());
        }
        let mut backlogs = self.backlogs.lock();
        if let Some(space) = self.open.read().get(name) {
            return Ok(space.clone());
        }
        let backlog = backlogs.get(name).cloned().unwrap_or_default();
        let dir = self.dir_of(name);
        let (ground, door) = (self.ground.clone(), self.source_door.clone());
        let space = Space::open(ground, door, &dir, name.clone(), &backlog)
            .map_err(|error| error.with_path_text(name.to_string()))?;
        let space = Arc::new(space);
        // Only now: a space that did not open must find its records at the next try.
        backlogs.remove(name);
        if let Some(follower) = self.follower() {
            // Before anybody can read from it.
            follower.opened(&space);
        }
        self.open.write().insert(name.clone(), space.clone());
        if space.next_expiry().is_some() {
            // The fold does not know yet when to sweep it.
            self.ground.journal.wake();
        }
        Ok(space)
    }

    /// Returns a space that exists.
    pub fn existing(&self, name: &SpaceName) -> Result<Option<Arc<Space>>> {
        if self.exists(name)? { self.get(name).map(Some) } else { Ok(None) }
    }

    /// Tells whether a space exists, without opening it.
    pub fn exists(&self, name: &SpaceName) -> Result<bool> {
        if self.open.read().contains_key(name) || self.backlogs.lock().contains_key(name) {
            return Ok(true);
        }
        let dir = self.dir_of(name);
        self.ground.disk.exists(&dir).map_err(|cause| Error::io("look for a space", cause))
    }

    /// Returns the groups that an agent is in.
    pub fn groups_of(&self, agent: &AgentId) -> Result<BTreeSet<String>> {
        let Some(space) = self.existing(&SpaceName::shared(GROUPS)?)? else {
            return Ok(BTreeSet::new());
        };
        let groups = space.look(Permit::follower(), |tree| {
            let mut groups = BTreeSet::new();
            for (group, &node) in tree.names(NodeId::ROOT)? {
                if tree.child(node, agent.as_str())?.is_some() {
                    groups.insert(group.to_string());
                }
            }
            Ok::<_, Halt>(groups)
        });
        groups.or_error(&space.name)
    }

    /// Lists the shared spaces there are, open or not, sorted.
    pub fn shared(&self) -> Result<Vec<SpaceName>> {
        self.named("shared", |name| SpaceName::shared(name).ok())
    }

    /// Lists the homes there are, open or not, sorted.
    pub fn homes(&self) -> Result<Vec<SpaceName>> {
        self.named("agents", |name| AgentId::new(name).ok().map(SpaceName::Home))
    }

    fn named(
        &self,
        folder: &str,
        name: impl Fn(&str) -> Option<SpaceName>,
    ) -> Result<Vec<SpaceName>> {
        let names = self
            .ground
            .disk
            .list(&self.dir.join(folder))
            .map_err(|cause| Error::io("list the spaces", cause))?;
        let mut found: BTreeSet<_> = names.iter().filter_map(|text| name(text)).collect();
        found.extend(
            self.backlogs
                .lock()
                .keys()
                .filter(|name| name.to_string().starts_with(folder))
                .cloned(),
        );
        Ok(found.into_iter().collect())
    }

    /// Returns the spaces that are open now.
    pub fn open_now(&self) -> Vec<Arc<Space>> {
        self.open.read().values().cloned().collect()
    }

    /// Tells whether a space has sources, without opening it.
    pub fn has_sources(&self, name: &SpaceName) -> Result<bool> {
        if let Some(space) = self.open.read().get(name) {
            return Ok(!space.attached.kept().is_empty());
        }
        let file = self.dir_of(name).join(ATTACHED);
        let failed = |cause| Error::io("look for the sources of a space", cause);
        self.ground.disk.exists(&file).map_err(failed)
    }

    /// Lists all spaces there are, sorted.
    pub fn all(&self) -> Result<Vec<SpaceName>> {
        let mut names = self.homes()?;
        names.extend(self.shared()?);
        Ok(names)
    }

    /// Closes spaces that nobody uses and that have nothing to fold, down to `most` open ones.
    pub(crate) fn shed(&self, most: usize) {
        let follower = self.follower();
        let mut open = self.open.write();
        let mut spare = open.len().saturating_sub(most);
        open.retain(|_, space| {
            let idle = spare > 0 && is_unused(space, follower.as_ref());
            spare -= usize::from(idle);
            !idle
        });
    }

    /// Closes a space, if nobody uses it and it has nothing to fold.
    pub(crate) fn close_unused(&self, name: &SpaceName) {
        let follower = self.follower();
        let mut open = self.open.write();
        if open.get(name).is_some_and(|space| is_unused(space, follower.as_ref())) {
            open.remove(name);
        }
    }

    /// Returns a space if it is open.
    pub(crate) fn open_already(&self, name: &SpaceName) -> Option<Arc<Space>> {
        self.open.read().get(name).cloned()
    }

    /// Tells whether a space is open.
    pub fn is_open(&self, name: &SpaceName) -> bool {
        self.open.read().contains_key(name)
    }

    fn follower(&self) -> Option<Arc<dyn Follow>> {
        self.follower.read().clone()
    }

    /// Lets the spaces be followed, those that are open and those to come.
    pub fn set_follower(&self, follower: &Arc<dyn Follow>) -> Result<()> {
        // Held meanwhile, so that no space is opened unseen.
        let _opening = self.backlogs.lock();
        let mut place = self.follower.write();
        if place.is_some() {
            return Err(Error::new(ErrorKind::AlreadyExists, "the store has a remote attached"));
        }
        *place = Some(Arc::clone(follower));
        drop(place);
        self.open_now().iter().for_each(|space| follower.opened(space));
        Ok(())
    }

    /// Ends following; the spaces have no lender from then on.
    pub fn end_following(&self) {
        let _opening = self.backlogs.lock();
        if self.follower.write().take().is_some() {
            self.open_now().iter().for_each(|space| space.chunks.set_lender(None));
        }
    }

    /// Closes all spaces. Views may still hold some, but their bases are let go.
    pub fn close(&self) {
        for (_, space) in self.open.write().drain() {
            space.base.close();
        }
    }

    /// Returns the directory of a space.
    pub fn dir_of(&self, name: &SpaceName) -> PathBuf {
        self.dir.join(name.to_string())
    }
}

/// Tells whether only those who follow all spaces hold one. Asked under the write lock, so that
/// nobody else can get hold of it meanwhile.
fn is_unused(space: &Arc<Space>, follower: Option<&Arc<dyn Follow>>) -> bool {
    space.is_folded()
        && match follower {
            None => Arc::strong_count(space) == 1,
            Some(follower) => follower.let_go(space),
        }
}
