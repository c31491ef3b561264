//! Random changes against a naive model.

use std::collections::BTreeMap;
use std::time::Duration;

use homefs_core::NodeId;
use proptest::prelude::*;

use super::super::Retention;
use super::{Rig, entry, node, path, time};
use crate::chunks::{ChunkWriter, read_range};
use crate::model::{Kind, Usage};
use crate::record::{Change, Content};
use homefs_testkit::cases;

#[derive(Clone, Debug)]
enum Step {
    Write { file: u128, fill: u8, len: usize },
    Remove { file: u128 },
    Restore { file: u128 },
    Purge { file: u128 },
    Succeed { file: u128, old: u128 },
    Trim { versions_max: u32 },
    Checkpoint,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let file = 10u128..14;
    // Few values and lengths, so that contents are shared; 64 bytes are still in one piece.
    let len = prop_oneof![Just(0usize), Just(5), Just(64), Just(65), Just(300), Just(600)];
    prop_oneof![
        6 => (file.clone(), 0u8..3, len).prop_map(|(file, fill, len)| Step::Write { file, fill, len }),
        2 => file.clone().prop_map(|file| Step::Remove { file }),
        1 => file.clone().prop_map(|file| Step::Restore { file }),
        1 => file.clone().prop_map(|file| Step::Purge { file }),
        2 => (file.clone(), file).prop_map(|(file, old)| Step::Succeed { file, old }),
        1 => (1u32..3).prop_map(|versions_max| Step::Trim { versions_max }),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::Reopen),
    ]
}

/// What the base should hold.
#[derive(Default)]
struct Model {
    living: BTreeMap<u128, Vec<u8>>,
    trash: BTreeMap<u128, Vec<u8>>,
}

impl Model {
    fn usage(&self) -> Usage {
        Usage {
            bytes: self.living.values().map(|bytes| bytes.len() as u64).sum(),
            nodes: self.living.len() as u64,
        }
    }
}

fn apply(rig: &mut Rig, model: &mut Model, step: &Step) {
    let name = |file: u128| format!("f{file}");
    match *step {
        Step::Write { file, fill, len } => {
            let bytes = vec![fill; len];
            let mut writer = ChunkWriter::new(&rig.chunks);
            writer.push(&bytes).unwrap();
            let (content, pins) = writer.finish().unwrap();
            let mut changes = Vec::new();
            if !model.living.contains_key(&file) {
                changes.push(node(file, Kind::File));
                changes.push(entry(NodeId::ROOT, &name(file), Some(file)));
            }
            changes.push(Change::Content { node: NodeId(file), content });
            model.trash.remove(&file);
            model.living.insert(file, bytes);
            rig.usage = model.usage();
            rig.fold(changes);
            drop(pins);
        }
        Step::Remove { file } => {
            let Some(bytes) = model.living.remove(&file) else { return };
            model.trash.insert(file, bytes);
            rig.usage = model.usage();
            let path = path(&name(file));
            let gone = entry(NodeId::ROOT, &name(file), None);
            rig.fold(vec![gone, Change::Remove { node: NodeId(file), path }]);
            if rig.base.lineage(NodeId(file)).unwrap() != NodeId(file) {
                drop_passed_on(rig, model, file);
            }
        }
        Step::Succeed { file, old } => {
            if model.living.contains_key(&file) {
                rig.fold(vec![Change::Succeed { node: NodeId(file), old: NodeId(old) }]);
                drop_passed_on(rig, model, old);
            }
        }
        Step::Restore { file } => {
            let Some(bytes) = model.trash.remove(&file) else { return };
            model.living.insert(file, bytes);
            rig.usage = model.usage();
            let back = entry(NodeId::ROOT, &name(file), Some(file));
            rig.fold(vec![node(file, Kind::File), back]);
        }
        Step::Purge { file } => {
            model.trash.remove(&file);
            rig.fold(vec![Change::Purge { node: NodeId(file) }]);
        }
        Step::Trim { versions_max } => {
            let forever = Duration::MAX;
            let keep = Retention { versions_max, history_age_max: forever, trash_age_max: forever };
            rig.base.trim(&keep, time(rig.version)).unwrap();
        }
        Step::Checkpoint => rig.base.checkpoint().unwrap(),
        Step::Reopen => unreachable!("needs the rig by value"),
    }
}

/// A removed file is not in the trash if another has all that it held in its history.
fn drop_passed_on(rig: &Rig, model: &mut Model, file: u128) {
    let mut trash = rig.base.trash(None, 100).unwrap().into_iter();
    if !trash.any(|trashed| trashed.node == NodeId(file)) {
        model.trash.remove(&file);
    }
}

fn check(rig: &Rig, model: &Model) {
    assert_eq!(rig.findings(), []);
    let found = rig.base.children(NodeId::ROOT).unwrap().into_iter().map(|(_, row)| {
        let bytes = match row.content {
            Content::Inline(bytes) => bytes,
            Content::Blob { digest, .. } => rig.base.blob(digest).unwrap().unwrap(),
            Content::Chunked { size, leaves } => {
                read_range(&rig.chunks, size, &leaves, 0, 1000).unwrap()
            }
        };
        (row.node.0, bytes.to_vec())
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), model.living);
    let trash = rig.base.trash(None, 100).unwrap();
    assert!(trash.iter().map(|trashed| trashed.node.0).eq({
        let mut nodes: Vec<_> = model.trash.keys().copied().collect();
        nodes.sort_by_key(|node| trash.iter().position(|trashed| trashed.node.0 == *node));
        nodes
    }));
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn contents_live_exactly_as_long_as_something_names_them(
        steps in prop::collection::vec(step(), 1..40)
    ) {
        let (mut rig, mut model) = (Rig::new(), Model::default());
        for step in &steps {
            if matches!(step, Step::Reopen) {
                rig = rig.reopen();
            } else {
                apply(&mut rig, &mut model, step);
            }
            check(&rig, &model);
        }
        for file in 10..14 {
            apply(&mut rig, &mut model, &Step::Remove { file });
            apply(&mut rig, &mut model, &Step::Purge { file });
        }
        check(&rig, &model);
        rig.base.remove_orphans().unwrap();
        prop_assert!(rig.chunks.list().unwrap().is_empty());
        prop_assert_eq!(rig.blob_count(), 0);
    }
}
