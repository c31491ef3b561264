//! Merging trees by node: what became of every node, and where it is.
//!
//! Each node is merged on its own first. What then does not fit together is put right in an order
//! that everybody follows: directories that something lives in come back, circles are opened, and
//! of two nodes with one name HEAD's keeps it.

mod fit;
mod node;
mod part;
mod taken;

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use homefs_core::{Digest, NodeId, Result};
use homefs_store::model::Kind;
use serde::{Deserialize, Serialize};

pub use self::part::{Begun, Part};
use crate::traits::Traits;

/// All living nodes of a space, each by its *lineage*: what people know as one file is one thing,
/// also if a program saved it by putting another node in its place.
pub type Tree = BTreeMap<NodeId, Node>;

/// A name in a directory.
pub type Link = (NodeId, Box<str>);

/// A node as remote history knows it: what every machine sees alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Which node it is at present; its lineage, unless it took the place of another one.
    pub id: NodeId,
    /// Every directory and name that leads to it; a node without one is not there, but the root.
    pub links: BTreeSet<Link>,
    /// What is noted of it, [undated](Traits::undated).
    pub traits: Traits,
    /// What a file holds.
    pub content: Option<Digest>,
}

/// Two contents that both differ from the base.
#[derive(Clone, Copy, Debug)]
pub struct ContentPair<'a> {
    /// What the file is called.
    pub name: &'a str,
    /// What both began with, if anything.
    pub base: Option<Digest>,
    /// HEAD's.
    pub head: Digest,
    /// The other one.
    pub pushed: Digest,
}

/// What became of two contents.
#[derive(Clone, Copy, Debug)]
pub enum MergedDigest {
    /// One content with both changes, and whether somebody should look at it.
    One(Digest, bool),
    /// HEAD's stays, the pushed one becomes a file of its own.
    Beside,
}

/// Merges two contents, or says that they must stay apart.
pub(crate) type MergeContents<'a> = dyn FnMut(ContentPair<'_>) -> Result<MergedDigest> + 'a;

/// What a merge did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedTree {
    /// The nodes that differ from HEAD; `None` is gone.
    pub changes: BTreeMap<NodeId, Option<Node>>,
    /// Where it had to choose, or where both changed one thing.
    pub conflicts: Vec<Conflict>,
}

/// One thing that both sides changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// What was changed.
    pub node: NodeId,
    /// What was done.
    pub choice: Choice,
    /// HEAD's content of it.
    pub head: Option<Digest>,
    /// The pushed content of it.
    pub pushed: Option<Digest>,
}

/// What a merge did about a conflict. The variants are stored by position: new ones go to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choice {
    /// Merged two contents that overlap.
    Overlap,
    /// Left HEAD's content and put the pushed one into this new node.
    Beside(NodeId),
    /// Kept what one side changed and the other removed.
    Kept,
    /// Kept a removed directory because something lives in it.
    KeptDirectory,
    /// Took HEAD's name of two new ones.
    HeadsName,
    /// Left a directory where HEAD has it, because it would be inside itself.
    Circle,
    /// Gave another name to a node because HEAD has one of that name.
    Renamed,
    /// Took HEAD's attributes.
    HeadsAttributes,
}

/// Merges what a machine wants to push with what HEAD has become since both were `base`.
///
/// # Errors
///
/// Only those of `contents`.
pub fn merge_tree(
    base: &Tree,
    head: &Tree,
    pushed: &Tree,
    contents: &mut MergeContents<'_>,
) -> Result<MergedTree> {
    let old_names = links(base).map(|(id, link)| (link, id)).collect();
    let (tree, conflicts) = (Tree::new(), Vec::new());
    let mut merge = Merge { base, head, pushed, old_names, contents, tree, conflicts };
    let nodes: BTreeSet<NodeId> =
        [base, head, pushed].into_iter().flat_map(|tree| tree.keys().copied()).collect();
    for node in &nodes {
        merge.merge_node(*node)?;
    }
    merge.fit_directories();
    merge.settle_names()?;
    merge.drop_empty();
    merge.settle_ids();
    let Merge { tree, conflicts, .. } = merge;
    let all = nodes.iter().chain(tree.keys()).copied().collect::<BTreeSet<_>>();
    let changes = all
        .into_iter()
        .filter(|node| tree.get(node) != living(head, *node))
        .map(|node| (node, tree.get(&node).cloned()))
        .collect();
    Ok(MergedTree { changes, conflicts })
}

/// A merge under way.
struct Merge<'a, 'c> {
    base: &'a Tree,
    head: &'a Tree,
    pushed: &'a Tree,
    /// Whose each name of the base was.
    old_names: BTreeMap<&'a Link, NodeId>,
    contents: &'a mut MergeContents<'c>,
    /// What has been merged.
    tree: Tree,
    conflicts: Vec<Conflict>,
}

impl<'a> Merge<'a, '_> {
    /// Returns the file that had a name in the base: what a new file of that name began with,
    /// because programs save a file by putting a new one in its place.
    fn old_file(&self, link: &Link) -> Option<&'a Node> {
        let id = self.old_names.get(link)?;
        self.base.get(id).filter(|node| node.traits.kind == Kind::File)
    }

    /// Lets no node stand for two files: both sides may have made a backup of one, each its own way.
    fn settle_ids(&mut self) {
        let mut lineages: Vec<NodeId> = self.tree.keys().copied().collect();
        lineages.sort_by_key(|lineage| !self.head.contains_key(lineage));
        let mut taken = BTreeSet::new();
        for lineage in lineages {
            let node = self.tree.get_mut(&lineage).expect("it is a key of the tree");
            while !taken.insert(node.id) {
                node.id = drawn_id(node.id, Digest::of(&lineage.to_bytes()));
            }
        }
    }

    /// Notes that there was a choice.
    fn note(&mut self, node: NodeId, choice: Choice) {
        let content = |tree: &Tree| tree.get(&node).and_then(|node| node.content);
        let (head, pushed) = (content(self.head), content(self.pushed));
        self.conflicts.push(Conflict { node, choice, head, pushed });
    }
}

/// Returns a node that is there.
fn living(tree: &Tree, node: NodeId) -> Option<&Node> {
    tree.get(&node).filter(|found| node == NodeId::ROOT || !found.links.is_empty())
}

/// Returns a node id that everybody who merges these two draws alike.
fn drawn_id(node: NodeId, content: Digest) -> NodeId {
    let digest = Digest::of(&[&node.to_bytes()[..], &content.0[..]].concat());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.0[..16]);
    NodeId::from_bytes(bytes)
}

/// Returns the items of a list that are in the merge of three sets.
fn merge_sets<T: Ord + Clone>(
    base: &BTreeSet<T>,
    head: &BTreeSet<T>,
    pushed: &BTreeSet<T>,
) -> BTreeSet<T> {
    let all = head.union(pushed);
    all.filter(|item| !base.contains(item) || head.contains(item) && pushed.contains(item))
        .cloned()
        .collect()
}

/// Splits the value of the attribute that lists tags.
fn tags(value: Option<&Bytes>) -> BTreeSet<&[u8]> {
    let value = value.map(|value| &value[..]).unwrap_or_default();
    value.split(|byte| *byte == b',').filter(|tag| !tag.is_empty()).collect()
}

/// Returns every name of every node.
fn links(tree: &Tree) -> impl Iterator<Item = (NodeId, &Link)> {
    tree.iter().flat_map(|(id, node)| node.links.iter().map(|link| (*id, link)))
}
