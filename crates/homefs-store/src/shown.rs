//! What is told of a node to an agent that sees only a part of its space.
//!
//! A node has attributes that tell of more than itself: a directory on the way to a grant changes
//! when something beside that way does, and a file counts all of its names. An agent is told what
//! would be so if there were nothing but what it may see.

use homefs_core::{NodeId, Path, Version};
use rustc_hash::FxHashSet;

use crate::draft::DIRECTORY_MODE;
use crate::guard::Reach;
use crate::model::{Kind, Stat};
use crate::space::Space;
use crate::tree::{Halt, Tree};

/// The stats of nodes as an agent is told them.
pub struct Shown<'a> {
    reach: &'a Reach,
    space: &'a Space,
    /// Nodes whose names were asked for, so that none is asked for twice.
    asked: FxHashSet<NodeId>,
}

impl<'a> Shown<'a> {
    /// Tells of nodes of a space what a reach allows.
    pub fn new(reach: &'a Reach, space: &'a Space) -> Self {
        Self { reach, space, asked: FxHashSet::default() }
    }

    /// Returns the stat of a node, by the path at which it was found; `None` if nothing of it may be
    /// told.
    pub fn stat(&mut self, tree: &Tree, node: NodeId, path: &Path) -> Result<Option<Stat>, Halt> {
        let stat = tree.node(node)?.stat(&self.space.name, node);
        if self.reach.is_whole() {
            return Ok(Some(stat));
        }
        if self.reach.right_at(path).is_none() {
            return Ok(self.on_the_way(stat));
        }
        if stat.links < 2 || self.reach.reads_all() {
            return Ok(Some(stat));
        }
        let names = self.readable(tree, node)?.len();
        Ok(Some(Stat { links: u32::try_from(names.max(1)).unwrap_or(stat.links), ..stat }))
    }

    /// As [`Self::stat`], by whichever of its paths the agent may see.
    pub fn stat_by_node(&mut self, tree: &Tree, node: NodeId) -> Result<Option<Stat>, Halt> {
        if self.reach.is_whole() {
            return Ok(Some(tree.node(node)?.stat(&self.space.name, node)));
        }
        match self.readable(tree, node)?.first() {
            Some(path) => self.stat(tree, node, path),
            None => Ok(self.on_the_way(tree.node(node)?.stat(&self.space.name, node))),
        }
    }

    /// Returns where a node is, by one of its names that may be read.
    pub fn path(&mut self, tree: &Tree, node: NodeId) -> Result<Option<Path>, Halt> {
        if self.reach.is_whole() {
            return tree.path_of(node).map(Some);
        }
        Ok(self.readable(tree, node)?.into_iter().next())
    }

    /// Returns the paths of a node that may be read.
    pub fn readable(&mut self, tree: &Tree, node: NodeId) -> Result<Vec<Path>, Halt> {
        let mut paths = tree.all_paths_of(node, &mut self.asked)?;
        paths.retain(|path| self.reach.right_at(path).is_some());
        Ok(paths)
    }

    /// Tells of a directory on the way to a grant that it is there, and of anything else nothing:
    /// no way leads through it.
    fn on_the_way(&self, stat: Stat) -> Option<Stat> {
        let created = stat.created;
        (stat.kind == Kind::Directory).then(|| Stat {
            mode: DIRECTORY_MODE,
            uid: self.space.ground.uid,
            gid: self.space.ground.gid,
            links: 1,
            modified: created,
            changed: created,
            accessed: created,
            expires: None,
            version: Version(0),
            ..stat
        })
    }
}
