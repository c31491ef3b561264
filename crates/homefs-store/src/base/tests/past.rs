//! History, trash, retention and purge.

use std::time::Duration;

use homefs_core::time::Moment;
use homefs_core::{Digest, NodeId, Version};

use super::super::Retention;
use super::{DAY, HOUR, Rig, content, entry, node, path, time};
use crate::chunks::ChunkWriter;
use crate::model::{Kind, Usage};
use crate::record::{Change, Content};

#[expect(clippy::disallowed_methods, reason = "the test looks at the raw files")]
fn raw(rig: &Rig) -> Vec<u8> {
    let mut bytes = std::fs::read(rig.file()).expect("the base is there");
    bytes.extend(std::fs::read(rig.dir.path().join("base.db-wal")).unwrap_or_default());
    bytes
}

fn holds(rig: &Rig, text: &str) -> bool {
    raw(rig).windows(text.len()).any(|window| window == text.as_bytes())
}

/// A file with three editions, of versions 1 to 3.
fn three_editions() -> Rig {
    let mut rig = Rig::new();
    rig.usage = Usage { bytes: 3, nodes: 1 };
    let made = node(2, Kind::File);
    rig.fold(vec![made, entry(NodeId::ROOT, "a", Some(2)), content(2, b"one")]);
    rig.fold(vec![content(2, b"two")]);
    rig.fold(vec![content(2, b"six")]);
    rig
}

#[test]
fn history_is_newest_first_and_found_by_moment() {
    let rig = three_editions();
    let versions = |before| {
        let editions = rig.base.editions(NodeId(2), before, 2).unwrap();
        editions.iter().map(|edition| edition.version.0).collect::<Vec<_>>()
    };
    assert_eq!(versions(None), [3, 2]);
    assert_eq!(versions(Some(Version(2))), [1]);
    let at = |moment| {
        let past = rig.base.edition(NodeId(2), moment).unwrap()?;
        let Content::Blob { digest, .. } = past.content else { panic!("{:?}", past.content) };
        Some(rig.base.blob(digest).unwrap().unwrap().to_vec())
    };
    assert_eq!(at(Moment::Now).unwrap(), b"six");
    assert_eq!(at(Moment::Version(Version(2))).unwrap(), b"two");
    assert_eq!(at(Moment::Time(time(1))).unwrap(), b"one");
    assert_eq!(at(Moment::Time(time(0))), None);
    assert_eq!(rig.findings(), []);
}

#[test]
fn a_removed_tree_is_found_by_its_path_and_comes_back() {
    let mut rig = Rig::new();
    rig.usage = Usage { bytes: 3, nodes: 3 };
    rig.fold(vec![
        node(2, Kind::Directory),
        entry(NodeId::ROOT, "a", Some(2)),
        node(3, Kind::File),
        entry(NodeId(2), "b", Some(3)),
        content(3, b"abc"),
        node(4, Kind::File),
        entry(NodeId::ROOT, "a-b", Some(4)),
    ]);
    rig.usage = Usage::default();
    rig.fold(vec![
        entry(NodeId(2), "b", None),
        Change::Remove { node: NodeId(3), path: path("/a/b") },
        entry(NodeId::ROOT, "a", None),
        Change::Remove { node: NodeId(2), path: path("/a") },
        entry(NodeId::ROOT, "a-b", None),
        Change::Remove { node: NodeId(4), path: path("/a-b") },
    ]);
    assert_eq!(rig.findings(), []);
    assert_eq!(rig.base.node(NodeId(3)).unwrap(), None);
    let first = rig.base.trash(None, 2).unwrap();
    let last = first.last().unwrap();
    let rest = rig.base.trash(Some((last.version, last.node)), 2).unwrap();
    assert_eq!((first.len(), rest.len()), (2, 1));

    let taken = rig.base.trashed_at(&path("/a")).unwrap();
    let paths: Vec<_> = taken.iter().map(|(trashed, _)| trashed.path.as_str()).collect();
    assert_eq!(paths, ["/a", "/a/b"]);
    assert_eq!((taken[1].0.size, taken[1].1.content.size()), (3, 3));
    assert!(rig.base.trashed_at(&path("/b")).unwrap().is_empty());

    let changed = rig.base.changes_since(Version(1), 10).unwrap();
    assert_eq!(changed.iter().filter(|row| row.removed && row.path.is_some()).count(), 3);
    assert_eq!(rig.base.changes_since(Version(2), 10).unwrap(), []);

    rig.usage = Usage { bytes: 3, nodes: 1 };
    rig.fold(vec![node(3, Kind::File), entry(NodeId::ROOT, "b", Some(3))]);
    let back = rig.base.node(NodeId(3)).unwrap().unwrap();
    assert_eq!(back.content, taken[1].1.content);
    assert_eq!(rig.base.trash(None, 10).unwrap().len(), 2);
    assert_eq!(rig.findings(), []);
}

#[test]
fn trimming_drops_what_was_replaced_long_ago_and_empties_the_trash() {
    let keep = Retention { versions_max: 100, history_age_max: DAY * 2, trash_age_max: DAY };
    let mut rig = Rig::new();
    rig.usage = Usage { bytes: 3, nodes: 1 };
    rig.fold(vec![node(2, Kind::File), entry(NodeId::ROOT, "a", Some(2)), content(2, b"one")]);
    rig.base.trim(&keep, time(1)).unwrap();
    rig.fold(vec![content(2, b"two")]);
    rig.base.trim(&keep, time(2)).unwrap();
    rig.fold(vec![content(2, b"six")]);
    rig.base.trim(&keep, time(3)).unwrap();
    assert_eq!(rig.base.editions(NodeId(2), None, 9).unwrap().len(), 3);
    // Now the first was replaced two days ago, the second one day ago.
    rig.base.trim(&keep, time(4)).unwrap();
    assert_eq!(rig.base.editions(NodeId(2), None, 9).unwrap().len(), 2);
    let few = Retention { versions_max: 1, history_age_max: Duration::MAX, ..keep.clone() };
    rig.base.trim(&few, time(4).after(HOUR / 2)).unwrap();
    assert_eq!(rig.base.editions(NodeId(2), None, 9).unwrap().len(), 2, "looked at hourly");
    rig.base.trim(&few, time(4).after(HOUR)).unwrap();
    assert_eq!(rig.base.editions(NodeId(2), None, 9).unwrap().len(), 1);
    assert!(rig.base.blob(Digest::of(b"two")).is_err());
    assert!(rig.base.blob(Digest::of(b"six")).is_ok());
    assert_eq!(rig.findings(), []);

    rig.usage = Usage::default();
    let removed = Change::Remove { node: NodeId(2), path: path("/a") };
    rig.fold(vec![entry(NodeId::ROOT, "a", None), removed]);
    rig.base.trim(&keep, time(4).after(HOUR * 2)).unwrap();
    rig.base.trim(&keep, time(5).after(HOUR)).unwrap();
    assert_eq!(rig.base.trash(None, 9).unwrap().len(), 1);
    let past = rig.base.edition(NodeId(2), Moment::Now).unwrap().unwrap();
    rig.base.trim(&keep, time(5).after(HOUR * 3)).unwrap();
    assert_eq!(rig.base.trash(None, 9).unwrap().len(), 1, "somebody holds its content");
    drop(past);
    rig.base.trim(&keep, time(5).after(HOUR * 3)).unwrap();
    assert!(rig.base.trash(None, 9).unwrap().is_empty());
    assert!(rig.base.blob(Digest::of(b"six")).is_err());
    let changed = rig.base.changes_since(Version(3), 9).unwrap();
    assert!(changed.iter().any(|row| row.node == NodeId(2) && row.removed));
    assert_eq!(rig.findings(), []);
}

#[test]
fn a_purge_leaves_no_byte_behind() {
    let mut rig = Rig::new();
    let secret = |number: u32| format!("secret-{number}-").repeat(3000 / 9);
    rig.usage = Usage { bytes: secret(3).len() as u64, nodes: 1 };
    rig.fold(vec![
        node(2, Kind::File),
        entry(NodeId::ROOT, "a", Some(2)),
        content(2, secret(1).as_bytes()),
    ]);
    rig.fold(vec![content(2, secret(2).as_bytes())]);
    rig.fold(vec![content(2, secret(3).as_bytes())]);
    rig.base.checkpoint().unwrap();
    assert!(holds(&rig, "secret-1-"));
    rig.fold(vec![Change::Purge { node: NodeId(2) }]);
    rig.base.checkpoint().unwrap();
    assert!(!holds(&rig, "secret-1-") && !holds(&rig, "secret-2-"));
    assert!(holds(&rig, "secret-3-"), "what lives stays");
    assert_eq!(rig.base.editions(NodeId(2), None, 9).unwrap().len(), 1);
    assert_eq!(rig.findings(), []);

    rig.usage = Usage::default();
    rig.fold(vec![
        entry(NodeId::ROOT, "a", None),
        Change::Remove { node: NodeId(2), path: path("/a") },
        Change::Purge { node: NodeId(2) },
    ]);
    rig.base.checkpoint().unwrap();
    assert!(!holds(&rig, "secret-"));
    assert!(rig.base.trash(None, 9).unwrap().is_empty());
    assert_eq!(rig.findings(), []);
}

#[test]
fn chunks_go_after_the_checkpoint_that_forgets_them() {
    let mut rig = Rig::new();
    let mut writer = ChunkWriter::new(&rig.chunks);
    (0..40u8).for_each(|byte| writer.push(&[byte; 50]).unwrap());
    let (large, pins) = writer.finish().unwrap();
    rig.usage = Usage { bytes: 2000, nodes: 1 };
    let change = Change::Content { node: NodeId(2), content: large };
    let record = rig.record(vec![node(2, Kind::File), entry(NodeId::ROOT, "a", Some(2)), change]);
    rig.base.checkpoint().unwrap();
    rig.base.fold(&[record]).unwrap();
    drop(pins);
    rig.base.checkpoint().unwrap();
    assert_eq!(rig.findings(), []);
    let stored = rig.chunks.list().unwrap().len();
    assert_eq!(stored, 32 + 8);

    rig.usage.bytes = 1;
    rig.fold(vec![content(2, b"x"), Change::Purge { node: NodeId(2) }]);
    assert_eq!(rig.chunks.list().unwrap().len(), stored, "power loss could bring the rows back");
    rig.base.checkpoint().unwrap();
    assert!(rig.chunks.list().unwrap().is_empty());
    assert_eq!(rig.findings(), []);
}

#[test]
fn chunks_of_a_writer_that_gave_up_go() {
    let rig = Rig::new();
    let mut writer = ChunkWriter::new(&rig.chunks);
    writer.push(&[7; 1000]).unwrap();
    let (_, pins) = writer.finish().unwrap();
    rig.base.checkpoint().unwrap();
    assert!(!rig.chunks.list().unwrap().is_empty());
    drop(pins);
    rig.base.checkpoint().unwrap();
    assert!(rig.chunks.list().unwrap().is_empty());
}
