//! Trees: cases by hand, and properties over random concurrent changes.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::{Digest, NodeId, Result, Timestamp};
use homefs_store::model::{Kind, Xattrs};
use proptest::prelude::*;

use super::config;
use crate::merge::beside_name;
use crate::merge::tree::{
    Begun, Choice, ContentPair, Link, MergedDigest, MergedTree, Node, Part, Tree, merge_tree,
};
use crate::traits::Traits;

/// Contents are sets of words here, so that a merge of them is easy to judge.
#[derive(Default)]
struct Words {
    known: BTreeMap<Digest, BTreeSet<String>>,
    /// Whether no content counts as binary.
    texts: bool,
}

impl Words {
    fn put(&mut self, words: BTreeSet<String>) -> Digest {
        let digest = Digest::of(format!("{words:?}").as_bytes());
        self.known.insert(digest, words);
        digest
    }

    fn of(&self, digest: Option<Digest>) -> BTreeSet<String> {
        digest.map(|digest| self.known[&digest].clone()).unwrap_or_default()
    }

    /// Merges two contents, unless they count as binary by a word that ends with 0.
    fn merge(&mut self, pair: ContentPair<'_>) -> MergedDigest {
        let three = [pair.base, Some(pair.head), Some(pair.pushed)].map(|digest| self.of(digest));
        let binary = three.iter().flatten().any(|word| word.ends_with('0'));
        if binary && !self.texts || pair.base.is_none() {
            return MergedDigest::Beside;
        }
        let [base, head, pushed] = three;
        let kept = |word: &&String| {
            !base.contains(*word) || head.contains(*word) && pushed.contains(*word)
        };
        let words = head.union(&pushed).filter(kept).cloned().collect();
        MergedDigest::One(self.put(words), true)
    }
}

fn merge(words: &mut Words, base: &Tree, head: &Tree, pushed: &Tree) -> MergedTree {
    merge_tree(base, head, pushed, &mut |pair| Ok(words.merge(pair))).unwrap()
}

/// A tree that answers what is asked of it.
impl Begun for &Tree {
    fn node(&mut self, node: NodeId) -> Result<Option<(NodeId, BTreeSet<Link>)>> {
        let found = self.iter().find(|(_, known)| known.id == node);
        Ok(found.map(|(lineage, known)| (*lineage, known.links.clone())))
    }

    fn of_lineage(&mut self, lineage: NodeId) -> Result<Option<NodeId>> {
        Ok(self.get(&lineage).map(|node| node.id))
    }

    fn named(&mut self, link: &Link) -> Result<Option<NodeId>> {
        Ok(self.values().find(|node| node.links.contains(link)).map(|node| node.id))
    }

    fn inside(&mut self, directory: NodeId) -> Result<Vec<NodeId>> {
        let is_inside = |node: &&Node| node.links.iter().any(|link| link.0 == directory);
        Ok(self.values().filter(is_inside).map(|node| node.id).collect())
    }
}

/// Merges as [`merge`] does, but looks at a part of the trees; returns of how many nodes.
fn merge_part(words: &mut Words, three: [&Tree; 3]) -> (MergedTree, usize) {
    let mut part = Part::new(three[0]);
    for side in &three[1..] {
        let is_changed = |(id, node): &(&NodeId, &Node)| three[0].get(id) != Some(*node);
        for (lineage, node) in side.iter().filter(is_changed) {
            part.add(node.id, *lineage, &node.links).unwrap();
        }
        for (_, gone) in three[0].iter().filter(|(id, _)| !side.contains_key(id)) {
            part.add(gone.id, gone.id, &BTreeSet::new()).unwrap();
        }
    }
    loop {
        let of = |tree: &Tree| -> Tree {
            let nodes = tree.iter().filter(|(_, node)| part.has(node.id));
            nodes.map(|(id, node)| (*id, node.clone())).collect()
        };
        let [base, head, pushed] = three.map(of);
        let merged = merge(words, &base, &head, &pushed);
        if !part.grow([&base, &head, &pushed], &merged).unwrap() {
            return (merged, base.len());
        }
    }
}

fn applied(head: &Tree, merged: &MergedTree) -> Tree {
    let mut tree = head.clone();
    for (id, node) in &merged.changes {
        match node {
            Some(node) => drop(tree.insert(*id, node.clone())),
            None => drop(tree.remove(id)),
        }
    }
    tree
}

fn node(id: NodeId, kind: Kind, parent: NodeId, name: &str, content: Option<Digest>) -> Node {
    Node {
        id,
        links: [(parent, name.into())].into(),
        traits: Traits {
            kind,
            mode: 0o644,
            created: Timestamp(0),
            modified: Timestamp(0),
            changed: Timestamp(0),
            expires: None,
            target: "".into(),
            xattrs: Xattrs::new(),
        },
        content,
    }
}

/// A tree that is changed as a view would change it.
struct Machine<'a> {
    words: &'a mut Words,
    tree: Tree,
    /// Makes the ids and words of this machine unlike those of others.
    author: &'static str,
    count: u128,
}

const FILES: [&str; 4] = ["a", "b", "c.md", "d"];

impl Machine<'_> {
    fn fresh(&mut self) -> NodeId {
        self.count += 1;
        // In another order than they are made.
        let first = Digest::of(format!("{}{}", self.author, self.count).as_bytes()).0[0];
        NodeId(u128::from(first) * 1000 + self.count * 10 + 2 + self.author.len() as u128)
    }

    fn directories(&self) -> Vec<NodeId> {
        let all = self.tree.iter().filter(|(_, node)| node.traits.kind == Kind::Directory);
        std::iter::once(NodeId::ROOT).chain(all.map(|(id, _)| *id)).collect()
    }

    fn at(&self, link: &Link) -> Option<NodeId> {
        self.tree.iter().find(|(_, node)| node.links.contains(link)).map(|(id, _)| *id)
    }

    fn unlink(&mut self, id: NodeId, link: &Link) {
        let node = self.tree.get_mut(&id).unwrap();
        node.links.remove(link);
        if node.links.is_empty() {
            self.tree.remove(&id);
            let below: Vec<(NodeId, Link)> = self
                .tree
                .iter()
                .flat_map(|(below, node)| node.links.iter().map(|link| (*below, link.clone())))
                .filter(|(_, link)| link.0 == id)
                .collect();
            for (below, link) in below {
                self.unlink(below, &link);
            }
        }
    }

    fn is_below(&self, mut id: NodeId, above: NodeId) -> bool {
        while id != NodeId::ROOT {
            if id == above {
                return true;
            }
            id = self.tree[&id].links.first().unwrap().0;
        }
        false
    }

    fn write(&mut self, id: NodeId) {
        self.count += 1;
        let mut words = self.words.of(self.tree[&id].content);
        words.insert(format!("{}{}", self.author, self.count));
        let content = self.words.put(words);
        self.tree.get_mut(&id).unwrap().content = Some(content);
    }

    /// Does one change; the numbers say which.
    fn change(&mut self, (what, which, to, name): (u8, usize, usize, usize)) {
        let directories = self.directories();
        let link: Link = (directories[to % directories.len()], FILES[name % 4].into());
        let ids: Vec<NodeId> = self.tree.keys().copied().filter(|id| *id != NodeId::ROOT).collect();
        let Some(id) = (!ids.is_empty()).then(|| ids[which % ids.len()]) else {
            return self.make(&link, what % 2 == 0);
        };
        let is_file = self.tree[&id].traits.kind == Kind::File;
        let old = self.tree[&id].links.first().unwrap().clone();
        match what {
            0 | 1 => self.make(&link, true),
            2 => self.make(&link, false),
            3 | 4 if is_file => self.write(id),
            // A program saves by renaming a new file over the old one, or the old one to a backup
            // first, which may be there already.
            11 if is_file => {
                let saved = self.fresh();
                self.tree.get_mut(&id).unwrap().id = saved;
                self.write(id);
            }
            12 if is_file && self.tree[&id].links.len() == 1 => {
                let backup: Link = (old.0, format!("{}~", old.1).into());
                if let Some(taken) = self.at(&backup).filter(|taken| *taken != id) {
                    if self.tree[&taken].traits.kind == Kind::Directory {
                        return;
                    }
                    self.unlink(taken, &backup);
                }
                let saved = self.fresh();
                let was = self.tree[&id].clone();
                self.tree.get_mut(&id).unwrap().id = saved;
                self.tree.insert(saved, Node { links: [backup].into(), ..was });
                self.write(id);
            }
            // A program replaces a file by another one of its name.
            5 if is_file => {
                let content = self.tree[&id].content;
                self.unlink(id, &old);
                let fresh = self.fresh();
                self.tree.insert(fresh, node(fresh, Kind::File, old.0, &old.1, content));
                self.write(fresh);
            }
            6 if is_file && self.at(&link).is_none() => {
                self.tree.get_mut(&id).unwrap().links.insert(link);
            }
            7 => self.unlink(id, &old),
            8 => {
                let node = self.tree.get_mut(&id).unwrap();
                node.traits.mode = 0o600 + u32::try_from(name).unwrap() % 8;
            }
            _ => self.rename(id, &old, link),
        }
    }

    fn make(&mut self, link: &Link, file: bool) {
        if self.at(link).is_some() {
            return;
        }
        let id = self.fresh();
        let kind = if file { Kind::File } else { Kind::Directory };
        self.tree.insert(id, node(id, kind, link.0, &link.1, None));
        if file {
            self.write(id);
        }
    }

    fn rename(&mut self, id: NodeId, old: &Link, link: Link) {
        if self.is_below(link.0, id) || self.at(&link) == Some(id) {
            return;
        }
        if let Some(taken) = self.at(&link) {
            if self.tree[&taken].traits.kind == Kind::Directory
                || self.tree[&id].traits.kind == Kind::Directory
            {
                return;
            }
            self.unlink(taken, &link);
        }
        let node = self.tree.get_mut(&id).unwrap();
        node.links.remove(old);
        node.links.insert(link);
    }
}

type Changes = Vec<(u8, usize, usize, usize)>;

fn changes(most: usize) -> impl Strategy<Value = Changes> {
    prop::collection::vec((0..13_u8, 0..50_usize, 0..50_usize, 0..50_usize), 0..most)
}

fn changed(words: &mut Words, base: &Tree, author: &'static str, changes: &Changes) -> Tree {
    let mut machine = Machine { words, tree: base.clone(), author, count: 0 };
    for change in changes {
        machine.change(*change);
    }
    machine.tree
}

/// Returns three trees: a base, and what two machines made of it.
fn grown(words: &mut Words, made: &[Changes; 3]) -> [Tree; 3] {
    let base = changed(words, &Tree::new(), "b", &made[0]);
    let head = changed(words, &base, "hh", &made[1]);
    let pushed = changed(words, &base, "ppp", &made[2]);
    [base, head, pushed]
}

fn three() -> impl Strategy<Value = [Changes; 3]> {
    (changes(20), changes(8), changes(8)).prop_map(|(base, head, pushed)| [base, head, pushed])
}

/// Says what is wrong with a tree.
fn check(tree: &Tree) -> Result<(), String> {
    let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
    for (id, node) in tree {
        if !ids.insert(node.id) {
            return Err(format!("{} is two files", node.id));
        }
        if node.links.is_empty() {
            return Err(format!("{id} has no name"));
        }
        if node.traits.kind == Kind::Directory && node.links.len() > 1 {
            return Err(format!("{id} is a directory with two names"));
        }
        for link in &node.links {
            if !names.insert(link) {
                return Err(format!("{link:?} is there twice"));
            }
            let (mut at, mut steps) = (link.0, 0);
            while at != NodeId::ROOT {
                steps += 1;
                let above = tree.get(&at).filter(|above| above.traits.kind == Kind::Directory);
                let Some(above) = above.filter(|_| steps <= tree.len()) else {
                    return Err(format!("{id} is not below the root"));
                };
                at = above.links.first().unwrap().0;
            }
        }
    }
    Ok(())
}

/// Returns what every node is called and holds.
fn named(tree: &Tree) -> Vec<(&BTreeSet<Link>, Option<Digest>)> {
    tree.values().map(|node| (&node.links, node.content)).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_merge_is_a_tree(made in three()) {
        let mut words = Words::default();
        let [base, head, pushed] = grown(&mut words, &made);
        for tree in [&base, &head, &pushed] {
            prop_assert_eq!(check(tree), Ok(()));
        }
        let merged = merge(&mut words, &base, &head, &pushed);
        prop_assert_eq!(check(&applied(&head, &merged)), Ok(()));
        prop_assert_eq!(&merged, &merge(&mut words, &base, &head, &pushed));
        let (of_part, _) = merge_part(&mut words, [&base, &head, &pushed]);
        prop_assert_eq!(of_part, merged);
    }

    #[test]
    fn an_unchanged_side_gives_the_other(made in three()) {
        let mut words = Words::default();
        let [base, head, pushed] = grown(&mut words, &made);
        prop_assert_eq!(merge(&mut words, &base, &head, &base), MergedTree::default());
        prop_assert_eq!(merge(&mut words, &base, &head, &head), MergedTree::default());
        let merged = merge(&mut words, &base, &base, &pushed);
        prop_assert_eq!(applied(&base, &merged), pushed);
        prop_assert_eq!(merged.conflicts, vec![]);
    }

    #[test]
    fn no_written_word_is_lost(made in three()) {
        let mut words = Words::default();
        let [base, head, pushed] = grown(&mut words, &made);
        let merged = merge(&mut words, &base, &head, &pushed);
        let tree = applied(&head, &merged);
        let there: BTreeSet<String> =
            tree.values().flat_map(|node| words.of(node.content)).collect();
        let old: BTreeSet<String> = base.values().flat_map(|node| words.of(node.content)).collect();
        for node in head.values().chain(pushed.values()) {
            for word in words.of(node.content) {
                prop_assert!(old.contains(&word) || there.contains(&word), "{} in {:#?}", word, tree);
            }
        }
    }

    /// Of texts: where a binary content took the place of another one, a repeat cannot know that
    /// what HEAD has came of it, and puts it beside.
    #[test]
    fn merging_again_changes_nothing(made in three()) {
        let mut words = Words { texts: true, ..Words::default() };
        let [base, head, pushed] = grown(&mut words, &made);
        let merged = applied(&head, &merge(&mut words, &base, &head, &pushed));
        let again = applied(&merged, &merge(&mut words, &base, &merged, &pushed));
        prop_assert_eq!(named(&again), named(&merged));
    }
}

/// A file or directory of the cases below: its id, the id of its directory, its name and its words.
type Row = (u128, u128, &'static str, Option<&'static str>);

fn tree(words: &mut Words, rows: &[Row]) -> Tree {
    let mut tree = Tree::new();
    for (id, parent, name, content) in rows {
        let content = content.map(|text| words.put(text.split(' ').map(str::to_owned).collect()));
        let kind = if content.is_some() { Kind::File } else { Kind::Directory };
        let entry = tree
            .entry(NodeId(*id))
            .or_insert_with(|| node(NodeId(*id), kind, NodeId(*parent), name, content));
        entry.links.insert((NodeId(*parent), (*name).into()));
    }
    tree
}

/// Base, HEAD, pushed, what becomes of them, and what is noted.
type Case = (&'static [Row], &'static [Row], &'static [Row], &'static [Row], &'static [Choice]);

const A: Row = (10, 1, "a", Some("x"));
const B: Row = (10, 1, "b", Some("x"));
const D: Row = (2, 1, "d", None);
const E: Row = (3, 1, "e", None);
const IN_D: Row = (10, 2, "a", Some("x"));
const HEADS: Row = (10, 1, "a", Some("x h"));
const PUSHED: Row = (10, 1, "a", Some("x p"));
const MERGED: Row = (10, 1, "a", Some("x h p"));
const HEADS_NEW: Row = (11, 2, "h", Some("h"));
const PUSHED_NEW: Row = (12, 2, "p", Some("p"));
const D_IN_E: Row = (2, 3, "d", None);

const CASES: &[Case] = &[
    // Renamed here, edited there.
    (&[A], &[B], &[PUSHED], &[(10, 1, "b", Some("x p"))], &[]),
    // Edited by both, renamed by both.
    (&[A], &[HEADS], &[PUSHED], &[MERGED], &[Choice::Overlap]),
    (&[A], &[B], &[(10, 1, "p", Some("x"))], &[B], &[Choice::HeadsName]),
    // Edited or renamed here, removed there.
    (&[A], &[HEADS], &[], &[HEADS], &[Choice::Kept]),
    (&[A], &[], &[B], &[B], &[Choice::Kept]),
    // Saved as a new file in the place of the old one, by both or by one.
    (
        &[A],
        &[(11, 1, "a", Some("x h"))],
        &[(12, 1, "a", Some("x p"))],
        &[(11, 1, "a", Some("x h p"))],
        &[Choice::Overlap],
    ),
    (&[A], &[HEADS], &[(12, 1, "a", Some("x p"))], &[MERGED], &[Choice::Overlap]),
    // Made by both under one name.
    (
        &[],
        &[(11, 1, "a", Some("h"))],
        &[(12, 1, "a", Some("p"))],
        &[(11, 1, "a", Some("h")), (12, 1, "a.conflict-21d102a1", Some("p"))],
        &[Choice::Renamed],
    ),
    (&[], &[(11, 1, "a", Some("x"))], &[(12, 1, "a", Some("x"))], &[(11, 1, "a", Some("x"))], &[]),
    // Directories of one name become one.
    (
        &[],
        &[D, HEADS_NEW],
        &[(4, 1, "d", None), (12, 4, "p", Some("p"))],
        &[D, HEADS_NEW, PUSHED_NEW],
        &[],
    ),
    // A name more, a name less.
    (&[A, B], &[A], &[A, B, (10, 1, "c", Some("x"))], &[A, (10, 1, "c", Some("x"))], &[]),
    (&[A, B], &[A], &[B], &[A], &[]),
    // Each moves its directory into that of the other.
    (&[D, E], &[D_IN_E, E], &[D, (3, 2, "e", None)], &[D_IN_E, E], &[Choice::Circle]),
    // A directory is removed while something is put into it.
    (&[D, IN_D], &[D, IN_D, HEADS_NEW], &[], &[D, HEADS_NEW], &[Choice::KeptDirectory]),
    (&[D], &[], &[D, PUSHED_NEW], &[D, PUSHED_NEW], &[Choice::KeptDirectory]),
];

#[test]
fn both_changes_of_a_tree_survive() {
    for (base, head, pushed, expected, choices) in CASES {
        let mut words = Words::default();
        let [base, head, pushed, expected] =
            [base, head, pushed, expected].map(|rows| tree(&mut words, rows));
        let merged = merge(&mut words, &base, &head, &pushed);
        assert_eq!(applied(&head, &merged), expected);
        let noted: Vec<Choice> = merged.conflicts.iter().map(|conflict| conflict.choice).collect();
        assert_eq!(noted, *choices);
    }
}

#[test]
fn a_merge_looks_at_what_changed_and_at_what_that_runs_into() {
    let mut words = Words::default();
    let mut base = tree(&mut words, &[D, E, IN_D]);
    for number in 100..1000 {
        let (id, name) = (NodeId(number), format!("{number}.md"));
        base.insert(id, node(id, Kind::File, NodeId(2), &name, None));
    }
    let edited = |words: &mut Words, base: &Tree, word: &str| {
        let (mut tree, file) = (base.clone(), NodeId(10));
        tree.get_mut(&file).unwrap().content = Some(words.put([word.to_owned()].into()));
        tree
    };
    let [head, pushed] = ["h", "p"].map(|word| edited(&mut words, &base, word));
    let (merged, looked_at) = merge_part(&mut words, [&base, &head, &pushed]);
    // The file and its directory.
    assert_eq!((merged.changes.len(), looked_at), (1, 2));

    // What must stay apart is put beside, where something has that name, of which nobody thought.
    let content = edited(&mut words, &base, "p0")[&NodeId(10)].content.unwrap();
    let holder = NodeId(50);
    let name = beside_name("a", content);
    base.insert(holder, node(holder, Kind::File, NodeId(2), &name, None));
    let [head, pushed] = ["h0", "p0"].map(|word| edited(&mut words, &base, word));
    let (merged, looked_at) = merge_part(&mut words, [&base, &head, &pushed]);
    assert_eq!(merged, merge(&mut words, &base, &head, &pushed));
    assert_eq!(looked_at, 3);
}

#[test]
fn tags_of_both_are_kept() {
    let tagged = |tags: &'static str| {
        let mut file = node(NodeId(10), Kind::File, NodeId::ROOT, "a", None);
        file.traits.xattrs.insert("user.homefs.tags".into(), tags.into());
        Tree::from([(NodeId(10), file)])
    };
    let merged = merge(&mut Words::default(), &tagged("a,b"), &tagged("a,b,h"), &tagged("b,p"));
    assert_eq!(applied(&tagged("a,b,h"), &merged), tagged("b,h,p"));
    assert_eq!(merged.conflicts, vec![]);
}

#[test]
fn a_broken_tree_is_put_right() {
    let mut words = Words::default();
    // A directory that is nowhere, one inside itself, and a file in a file.
    let rows: &[Row] = &[(10, 99, "a", Some("x")), (2, 2, "d", None), (11, 10, "b", Some("y"))];
    let pushed = tree(&mut words, rows);
    let merged = merge(&mut words, &Tree::new(), &Tree::new(), &pushed);
    assert_eq!(check(&applied(&Tree::new(), &merged)), Ok(()));
    assert_eq!(merged.changes.len(), 3);
}

#[test]
fn a_save_is_an_edit_of_the_file_that_people_know() {
    let mut words = Words::default();
    let base = tree(&mut words, &[(10, 1, "note.md", Some("x"))]);
    let mut save = |id: u128, backup: bool| {
        let mut tree = base.clone();
        let mut known: BTreeSet<String> = words.of(base[&NodeId(10)].content);
        known.insert(format!("by-{id}-saved"));
        let content = Some(words.put(known));
        let was =
            tree.insert(NodeId(10), Node { id: NodeId(id), content, ..base[&NodeId(10)].clone() });
        let links = [(NodeId::ROOT, "note.md~".into())].into();
        tree.extend(backup.then(|| (NodeId(id), Node { links, ..was.unwrap() })));
        tree
    };
    let [one, other] = [save(21, true), save(22, true)];
    let [edited, replaced] = [save(10, false), save(23, false)];
    for (head, pushed) in
        [(&one, &edited), (&edited, &one), (&one, &other), (&one, &replaced), (&replaced, &edited)]
    {
        let merged = merge(&mut words, &base, head, pushed);
        let tree = applied(head, &merged);
        assert_eq!(check(&tree), Ok(()));
        let note =
            tree.values().find(|node| node.links.contains(&(NodeId::ROOT, "note.md".into())));
        assert_eq!(words.of(note.unwrap().content).len(), 3, "{tree:?}");
        // Of two backups of one text, one is left, and it has what was there before.
        let backups: Vec<_> = tree
            .values()
            .filter(|node| node.links.iter().any(|link| link.1.ends_with('~')))
            .collect();
        assert!(backups.len() <= 1, "{tree:?}");
        for backup in backups {
            assert_eq!(words.of(backup.content).len(), 1, "{tree:?}");
        }
        assert!(
            !merged.conflicts.iter().any(|conflict| conflict.choice != Choice::Overlap),
            "{:?}",
            merged.conflicts
        );
    }
}
