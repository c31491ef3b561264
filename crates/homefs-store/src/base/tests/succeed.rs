//! Files that go on as other nodes.

use homefs_core::time::Moment;
use homefs_core::{NodeId, Version};

use super::super::{Elsewhere, salvage};
use super::{Rig, content, entry, node, path};
use crate::model::{Kind, Usage};
use crate::record::{Change, Content};

/// A file `a`, node 2, with the editions 1 and 2.
fn two_editions() -> Rig {
    let mut rig = Rig::new();
    rig.usage = Usage { bytes: 3, nodes: 1 };
    rig.fold(vec![node(2, Kind::File), entry(NodeId::ROOT, "a", Some(2)), content(2, b"one")]);
    rig.fold(vec![content(2, b"two")]);
    rig
}

fn succeed(node: u128, old: u128) -> Change {
    Change::Succeed { node: NodeId(node), old: NodeId(old) }
}

/// The changes that make a file and put it in the place of `a`, all in one record.
fn replace(new: u128, old: u128, text: &[u8]) -> Vec<Change> {
    vec![
        node(new, Kind::File),
        content(new, text),
        entry(NodeId::ROOT, "a", None),
        Change::Remove { node: NodeId(old), path: path("/a") },
        entry(NodeId::ROOT, "a", Some(new)),
        succeed(new, old),
    ]
}

fn versions(rig: &Rig, node: u128) -> Vec<u64> {
    let editions = rig.base.editions(NodeId(node), None, 99).expect("a history");
    editions.iter().map(|edition| edition.version.0).collect()
}

fn trash(rig: &Rig) -> Vec<u128> {
    rig.base.trash(None, 99).expect("a trash").iter().map(|trashed| trashed.node.0).collect()
}

/// Checks the lineages of nodes, living or not: each belongs to one of them.
fn check_lineages(rig: &Rig, lineages: &[(u128, u128)]) {
    for &(node, lineage) in lineages {
        assert_eq!(rig.base.lineage(NodeId(node)).unwrap(), NodeId(lineage), "of {node}");
        let holder = rig.base.of_lineage(NodeId(lineage)).unwrap();
        assert_eq!(holder, Some(NodeId(node)), "of lineage {lineage}");
    }
    assert_eq!(rig.findings(), []);
}

#[test]
fn what_replaces_a_file_has_its_lineage_and_its_history() {
    let mut rig = two_editions();
    check_lineages(&rig, &[(2, 2)]);
    rig.fold(replace(3, 2, b"six"));
    assert_eq!((versions(&rig, 3), versions(&rig, 2)), (vec![3, 2, 1], vec![]));
    assert_eq!(trash(&rig), [] as [u128; 0]);
    check_lineages(&rig, &[(3, 2), (2, 3)]);
    rig.base.checkpoint().unwrap();
    let mut rig = rig.reopen();
    rig.fold(replace(4, 3, b"ten"));
    assert_eq!(versions(&rig, 4), [4, 3, 2, 1]);
    check_lineages(&rig, &[(4, 2), (3, 4), (2, 3)]);
}

#[test]
fn several_saves_of_one_batch_are_folded_in_order() {
    let mut rig = Rig::new();
    rig.usage = Usage { bytes: 3, nodes: 1 };
    let made = vec![node(2, Kind::File), entry(NodeId::ROOT, "a", Some(2)), content(2, b"one")];
    let mut batch = vec![rig.record(made)];
    for new in 3..6 {
        let record = replace(new, new - 1, b"six");
        batch.push(rig.record(record));
    }
    rig.base.fold(&batch).unwrap();
    assert_eq!(versions(&rig, 5), [4, 3, 2, 1]);
    check_lineages(&rig, &[(5, 2), (4, 5), (3, 4), (2, 3)]);
    // Folded once more, nothing changes.
    rig.base.fold(&batch).unwrap();
    check_lineages(&rig, &[(5, 2), (4, 5), (3, 4), (2, 3)]);
}

#[test]
fn a_backup_lives_with_its_own_content() {
    let mut rig = two_editions();
    rig.fold(vec![entry(NodeId::ROOT, "a", None), entry(NodeId::ROOT, "a~", Some(2))]);
    // As a mount makes it: without a content.
    rig.usage = Usage { bytes: 3, nodes: 2 };
    rig.fold(vec![node(3, Kind::File), entry(NodeId::ROOT, "a", Some(3)), succeed(3, 2)]);
    assert_eq!((versions(&rig, 3), versions(&rig, 2)), (vec![2, 1], vec![2]));
    check_lineages(&rig, &[(3, 2), (2, 3)]);
    rig.usage = Usage { bytes: 6, nodes: 2 };
    rig.fold(vec![content(3, b"six")]);
    assert_eq!(versions(&rig, 3), [5, 2, 1]);
    let past = rig.base.edition(NodeId(3), Moment::Version(Version(2))).unwrap().unwrap();
    let Content::Blob { digest, .. } = past.content else { panic!("{:?}", past.content) };
    assert_eq!(&rig.base.blob(digest).unwrap().unwrap()[..], b"two");
    // What the file has in its history need not be in the trash, too.
    rig.usage = Usage { bytes: 3, nodes: 1 };
    let remove = |node| Change::Remove { node: NodeId(node), path: path("/a~") };
    rig.fold(vec![entry(NodeId::ROOT, "a~", None), remove(2)]);
    assert_eq!((trash(&rig), versions(&rig, 3)), (vec![], vec![5, 2, 1]));
    check_lineages(&rig, &[(3, 2), (2, 3)]);
}

#[test]
fn what_one_record_wrote_in_both_stays_with_both() {
    let mut rig = Rig::new();
    rig.usage = Usage { bytes: 6, nodes: 2 };
    rig.fold(vec![
        node(2, Kind::File),
        entry(NodeId::ROOT, "a", Some(2)),
        content(2, b"one"),
        node(3, Kind::File),
        entry(NodeId::ROOT, "b", Some(3)),
        content(3, b"two"),
    ]);
    rig.fold(vec![content(2, b"six")]);
    rig.usage = Usage { bytes: 3, nodes: 1 };
    rig.fold(vec![
        content(3, b"two"),
        entry(NodeId::ROOT, "a", None),
        Change::Remove { node: NodeId(2), path: path("/a") },
        entry(NodeId::ROOT, "b", None),
        entry(NodeId::ROOT, "a", Some(3)),
        succeed(3, 2),
    ]);
    assert_eq!((versions(&rig, 3), versions(&rig, 2)), (vec![3, 2, 1], vec![1]));
    assert_eq!(trash(&rig), [2]);
    check_lineages(&rig, &[(3, 2), (2, 3)]);
}

#[test]
fn a_file_may_go_on_before_it_was_heard_of() {
    let mut rig = two_editions();
    rig.fold(vec![succeed(2, 77), succeed(78, 2), succeed(2, 2)]);
    assert_eq!((versions(&rig, 2), trash(&rig)), (vec![2, 1], vec![]));
    check_lineages(&rig, &[(2, 77), (77, 2)]);
    rig.usage = Usage { bytes: 6, nodes: 2 };
    rig.fold(vec![node(77, Kind::File), entry(NodeId::ROOT, "b", Some(77)), content(77, b"old")]);
    check_lineages(&rig, &[(2, 77), (77, 2)]);
}

#[test]
fn lineages_are_saved_from_damage() {
    let mut rig = two_editions();
    rig.fold(vec![entry(NodeId::ROOT, "a", None), entry(NodeId::ROOT, "a~", Some(2))]);
    rig.usage = Usage { bytes: 3, nodes: 2 };
    rig.fold(vec![node(3, Kind::File), entry(NodeId::ROOT, "a", Some(3)), succeed(3, 2)]);
    rig.base.checkpoint().unwrap();
    let (file, fresh) = (rig.file(), Rig::new());
    salvage(&file, &fresh.base, &[], &Elsewhere::nothing()).unwrap();
    check_lineages(&fresh, &[(3, 2), (2, 3)]);
    // What has no content yet does not get one of its history.
    assert_eq!(fresh.base.node(NodeId(3)).unwrap().unwrap().content.size(), 0);
    // A lineage that two rows claim is left to one.
    {
        let inner = rig.base.inner.lock();
        let connection = &inner.as_ref().expect("it is open").connection;
        connection.execute("UPDATE nodes SET lineage = NULL WHERE id = ?1", [NodeId(2).to_bytes()])
    }
    .expect("a row to damage");
    assert_eq!(rig.findings().len(), 1);
    rig.base.checkpoint().unwrap();
    let fresh = Rig::new();
    salvage(&file, &fresh.base, &[], &Elsewhere::nothing()).unwrap();
    check_lineages(&fresh, &[(3, 3), (2, 2)]);
}

#[test]
fn a_backup_that_takes_the_place_of_its_file_again_leaves_nothing_in_the_trash() {
    let mut rig = two_editions();
    // Emacs: `a` becomes a backup, and a new file goes on as it.
    rig.usage = Usage { bytes: 6, nodes: 2 };
    rig.fold(vec![
        entry(NodeId::ROOT, "a", None),
        entry(NodeId::ROOT, "a~", Some(2)),
        node(3, Kind::File),
        entry(NodeId::ROOT, "a", Some(3)),
        content(3, b"six"),
        succeed(3, 2),
    ]);
    assert_eq!((versions(&rig, 3), versions(&rig, 2)), (vec![3, 2, 1], vec![2]));
    rig.usage = Usage { bytes: 3, nodes: 1 };
    rig.fold(vec![
        content(2, b"ten"),
        entry(NodeId::ROOT, "a~", None),
        entry(NodeId::ROOT, "a", Some(2)),
        Change::Remove { node: NodeId(3), path: path("/a") },
        succeed(2, 3),
    ]);
    assert_eq!((versions(&rig, 2), versions(&rig, 3)), (vec![4, 3, 2, 1], vec![]));
    assert_eq!(trash(&rig), [] as [u128; 0]);
    check_lineages(&rig, &[(2, 2), (3, 3)]);
}
