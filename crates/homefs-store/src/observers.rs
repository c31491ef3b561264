//! Telling faces that keep a picture of the tree, such as a mount, what others change in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use homefs_core::{NodeId, SpaceName};
use parking_lot::RwLock;

use crate::guard::is_groups;
use crate::record::Change;
use crate::tree::Tree;

/// Hears what others change. It is told when the change can be seen and before the call that made
/// it returns; nothing is locked meanwhile.
pub trait Observer: Send + Sync {
    /// Takes note of what changed in a space. `wait` says that whoever made the change can wait
    /// until the news has arrived; another observer cannot.
    fn told(&self, space: &SpaceName, touched: &[Touched], wait: bool);
}

/// One thing that a change touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touched {
    /// The attributes or the content of a node.
    Node(NodeId),
    /// What a name in a directory means.
    Name(NodeId, Arc<str>),
    /// Who may see what: of shared spaces, and of sources that show more to members of groups.
    Access,
}

impl Touched {
    /// Returns what changes of a space touch, each thing once where that is easy to see.
    pub fn of(space: &SpaceName, tree: &Tree, changes: &[Change]) -> Vec<Self> {
        let mut touched = Vec::with_capacity(changes.len());
        for change in changes {
            if let Change::Node { node, attrs } = change
                && let Some(known) = tree.named(*node)
                && known.attrs.expires != attrs.expires
            {
                // Until when a name means something has changed.
                let others = known.other_names.iter().cloned();
                let names = others.chain([(known.parent, known.name.clone())]);
                touched.extend(names.map(|(parent, name)| Self::Name(parent, name)));
            }
            let next = match change {
                Change::Node { node, .. }
                | Change::Content { node, .. }
                | Change::Pulled { node, .. }
                | Change::Patch { node, .. }
                | Change::Zero { node, .. }
                | Change::Remove { node, .. }
                | Change::Make { node, .. } => Self::Node(*node),
                Change::Entry { parent, name, .. } | Change::Hide { parent, name, .. } => {
                    Self::Name(*parent, name.clone())
                }
                Change::Grant { .. } => Self::Access,
                Change::Purge { .. }
                | Change::Erase { .. }
                | Change::Quota { .. }
                | Change::Succeed { .. } => continue,
            };
            if touched.last() != Some(&next) {
                touched.push(next);
            }
        }
        // Who belongs to a group is what files of that space say.
        if is_groups(space) {
            touched.push(Self::Access);
        }
        touched
    }
}

/// Names an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObserverId(u64);

/// Who hears of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All observers, and whoever made the change waits for them.
    Everybody,
    /// All observers, who may be late: for those who must not wait.
    Later,
    /// All but the one that made it, which does not wait.
    AllBut(ObserverId),
    /// Nobody: it cannot be seen.
    Nobody,
}

/// The observers of a store.
#[derive(Default)]
pub struct Observers {
    next: AtomicU64,
    count: AtomicUsize,
    list: RwLock<Vec<(ObserverId, Arc<dyn Observer>)>>,
}

impl Observers {
    /// Tells whether there are any: most stores have none.
    pub(crate) fn is_observed(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Gives a name to an observer that is to come.
    pub fn name(&self) -> ObserverId {
        ObserverId(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Adds an observer.
    pub fn add(&self, id: ObserverId, observer: Arc<dyn Observer>) {
        let mut list = self.list.write();
        list.push((id, observer));
        self.count.store(list.len(), Ordering::Relaxed);
    }

    /// Takes an observer away.
    pub fn remove(&self, id: ObserverId) {
        let mut list = self.list.write();
        list.retain(|(other, _)| *other != id);
        self.count.store(list.len(), Ordering::Relaxed);
    }

    /// Tells an audience.
    pub fn tell(&self, space: &SpaceName, touched: &[Touched], audience: Audience) {
        let list: Vec<_> = self.list.read().clone();
        for (id, observer) in list {
            if audience != Audience::AllBut(id) {
                observer.told(space, touched, audience == Audience::Everybody);
            }
        }
    }
}
