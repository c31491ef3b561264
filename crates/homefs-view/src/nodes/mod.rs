//! A view by its nodes: for faces that know nodes and names instead of paths, such as a mount.
//!
//! The same door with the same guard as [`View`]'s paths. A node is named by a [`NodeRef`], which
//! stays right through renames and, while the face holds it, through removal: a file can be read
//! and written for as long as somebody has it open.

mod attrs;
mod content;
mod names;

use std::sync::Arc;

use homefs_core::{Error, ErrorKind, NodeId, Path, Result, SpaceName, Timestamp, not_found};
use homefs_store::guard::Permit;
use homefs_store::model::{Kind, Right, Stat};
use homefs_store::observers::{Audience, Observer, ObserverId};
use homefs_store::shown::Shown;
use homefs_store::space::Space;
use homefs_store::tree::{Answer, Halt, Tree, fail};

use crate::view::{View, Virtual};

pub use attrs::{SetNode, TimeTo, XattrMode};
pub use content::{Capacity, Range, Seek};
pub use names::{DirEntry, MakeNode};

/// A node of a view, the same through renames.
#[derive(Clone)]
pub struct NodeRef(Spot);

#[derive(Clone)]
enum Spot {
    /// A node of a space, which stays open meanwhile.
    In(Arc<Space>, NodeId),
    /// A directory of the view that belongs to no space.
    Virtual(Virtual),
}

impl NodeRef {
    /// Tells whether both are the same node.
    pub fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Spot::In(space, node), Spot::In(other_space, other)) => {
                node == other && Arc::ptr_eq(space, other_space)
            }
            (Spot::Virtual(place), Spot::Virtual(other)) => place == other,
            _ => false,
        }
    }

    /// Tells whether it is this node of this space.
    pub fn is_node(&self, name: &SpaceName, id: NodeId) -> bool {
        matches!(&self.0, Spot::In(space, node) if *node == id && space.name == *name)
    }

    /// Returns the space of a node that belongs to one.
    pub fn space(&self) -> Option<&SpaceName> {
        match &self.0 {
            Spot::In(space, _) => Some(&space.name),
            Spot::Virtual(_) => None,
        }
    }

    /// Tells whether it may be seen by some and not by others, and may not be for ever.
    pub fn has_access(&self) -> bool {
        match &self.0 {
            Spot::In(space, _) => {
                matches!(space.name, SpaceName::Shared(_)) || space.attached.has_groups()
            }
            Spot::Virtual(_) => false,
        }
    }

    /// Tells whether it is the root of a space.
    pub fn is_root(&self) -> bool {
        matches!(&self.0, Spot::In(_, NodeId::ROOT))
    }
}

/// A view by its nodes.
pub struct Nodes {
    /// Whose changes this face knows of.
    view: View,
    /// Whose changes it is told of, like those of others, though it does not wait for that.
    told: View,
    id: ObserverId,
}

impl View {
    /// Returns the view by its nodes, for one face.
    pub fn nodes(&self) -> Nodes {
        let id = self.store.ground.observers.name();
        let mut view = self.clone();
        view.author.audience = Audience::AllBut(id);
        let mut told = self.clone();
        told.author.audience = Audience::Later;
        Nodes { view, told, id }
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        self.view.store.ground.observers.remove(self.id);
    }
}

impl Nodes {
    /// Lets an observer hear of everything that is changed by others than this face.
    pub fn observe(&self, observer: Arc<dyn Observer>) {
        self.view.store.ground.observers.add(self.id, observer);
    }

    /// Lets the observer hear no more.
    pub fn ignore(&self) {
        self.view.store.ground.observers.remove(self.id);
    }

    /// Returns the view by its paths. The face is told what is changed through it.
    pub fn paths(&self) -> &View {
        &self.told
    }

    /// Returns the root of the view.
    pub fn root(&self) -> NodeRef {
        NodeRef(match &self.view.home {
            Some(home) => Spot::In(home.clone(), NodeId::ROOT),
            None => Spot::Virtual(Virtual::Root),
        })
    }

    /// Returns the space and id under which [`Nodes::stat`] shows the directory of shared spaces.
    pub fn shared_place(&self) -> (SpaceName, NodeId) {
        let stat = self.view.virtual_stat(Virtual::Shared);
        (stat.space, stat.node)
    }

    /// Returns the time, as the store sees it.
    pub fn now(&self) -> Timestamp {
        self.view.store.ground.clock.now()
    }

    /// Returns where a node is in the view, by one of its names.
    pub fn path(&self, node: &NodeRef) -> Result<Path> {
        match &node.0 {
            Spot::Virtual(place) => Ok(place.path()),
            Spot::In(space, node) => {
                let permit = self.permit(space, *node, None)?;
                let reach = self.view.reach(space)?;
                let mut shown = Shown::new(&reach, space);
                let inner = look(space, permit, |tree| match shown.path(tree, *node)? {
                    Some(path) => Ok(path),
                    // Only on the way to what may be read.
                    None => tree.path_of(*node),
                })?;
                self.view.path_in_view(&space.name, &inner).ok_or_else(not_found)
            }
        }
    }

    /// Gives back `count` holds on a node.
    pub fn release(&self, node: &NodeRef, count: u64) {
        if let Spot::In(space, node) = &node.0 {
            space.release_node(*node, count);
        }
    }

    /// Returns the space and the id of a node that belongs to a space.
    fn inside<'n>(&self, node: &'n NodeRef) -> Result<(&'n Arc<Space>, NodeId)> {
        self.view.store.check_open()?;
        match &node.0 {
            Spot::In(space, node) => Ok((space, *node)),
            Spot::Virtual(_) => {
                let message = "only shows spaces and cannot be changed";
                Err(Error::new(ErrorKind::Denied, message))
            }
        }
    }

    /// Returns the stat of a node, which may be held by that.
    fn stat_now(
        &self,
        space: &Arc<Space>,
        permit: Permit,
        node: NodeId,
        is_held: bool,
    ) -> Result<Stat> {
        let reach = self.view.reach(space)?;
        let mut shown = Shown::new(&reach, space);
        look(space, permit, |tree| {
            let stat = stat_of(tree, &mut shown, node)?.ok_or_else(not_found)?;
            if is_held {
                tree.hold(node)?;
            }
            Ok(stat)
        })
    }

    /// Decides on a node: for a right, or without one for a look at what may only be on the way
    /// to a grant.
    fn permit(&self, space: &Arc<Space>, node: NodeId, right: Option<Right>) -> Result<Permit> {
        let reach = self.view.reach(space)?;
        let decide = |path: &Path| match right {
            Some(right) => reach.permit(path, right),
            None => reach.permit_look(path),
        };
        if reach.is_whole() {
            return decide(&Path::root());
        }
        let paths = look(space, Permit::follower(), |tree| tree.paths_of(node))?;
        // Any of its names will do: that is the one by which the agent knows it.
        let mut last = Err(not_found());
        for path in &paths {
            last = decide(path);
            if last.is_ok() {
                break;
            }
        }
        last
    }

    /// Decides on a name in a directory.
    fn permit_name(
        &self,
        space: &Arc<Space>,
        parent: NodeId,
        name: &str,
        right: Option<Right>,
    ) -> Result<Permit> {
        let reach = self.view.reach(space)?;
        let path = if reach.is_whole() {
            Path::root()
        } else {
            look(space, Permit::follower(), |tree| Ok(tree.path_of(parent)?.join(name)?))?
        };
        match right {
            Some(right) => reach.permit(&path, right),
            None => reach.permit_look(&path),
        }
    }
}

fn look<T>(space: &Space, permit: Permit, look: impl FnMut(&Tree) -> Result<T, Halt>) -> Result<T> {
    space.look(permit, look).or_error(&space.name)
}

/// Returns the stat of a node, as it is now; `None` if nothing of it may be told.
fn stat_of(tree: &Tree, shown: &mut Shown<'_>, node: NodeId) -> Result<Option<Stat>, Halt> {
    let node = tree.successor(node);
    // A face that caches needs the exact length.
    tree.check_measured(node)?;
    shown.stat_by_node(tree, node)
}

/// Refuses what is not a directory.
fn check_directory(tree: &Tree, node: NodeId) -> Result<(), Halt> {
    match tree.node(node)?.attrs.kind {
        Kind::Directory => Ok(()),
        _ => Err(fail(ErrorKind::NotADirectory, "not a directory")),
    }
}
