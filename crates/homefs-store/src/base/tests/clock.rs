//! A clock that jumps, and what ages by it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use homefs_core::{NodeId, Timestamp, Version};
use proptest::prelude::*;

use super::super::Retention;
use super::{DAY, HOUR, Rig, content, entry, node, path, time};
use crate::model::{Kind, Usage};
use crate::record::Change;

#[derive(Clone, Debug)]
enum Step {
    /// Writes a file, or writes it anew.
    Write(u128),
    Remove(u128),
    /// So many hours pass.
    Pass(u32),
    /// The clock is wrong by so many days; a day at most passes until it is right again.
    Jump(i64),
    Right,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let file = || 10u128..13;
    prop_oneof![
        6 => file().prop_map(Step::Write),
        2 => file().prop_map(Step::Remove),
        6 => (1..30u32).prop_map(Step::Pass),
        1 => (100..2000u32).prop_map(Step::Pass),
        3 => prop_oneof![-30_000..-400i64, -400..-2i64, 2..400i64, 400..30_000i64].prop_map(Step::Jump),
        2 => Just(Step::Right),
        1 => Just(Step::Reopen),
    ]
}

const KEEP: Retention = Retention {
    versions_max: 1000,
    history_age_max: Duration::from_hours(24 * 5),
    trash_age_max: Duration::from_hours(24 * 3),
};

/// A base under a clock that jumps, and what is true.
struct Desk {
    rig: Rig,
    now: Timestamp,
    wrong_days: i64,
    /// When the clock has to be right again.
    right_at: Timestamp,
    /// Each version of a living file, and when it was replaced.
    editions: BTreeMap<(u128, Version), Option<Timestamp>>,
    /// Removed files, with when.
    trash: BTreeMap<u128, (u128, Timestamp)>,
    living: BTreeMap<u128, u128>,
    made: u128,
}

impl Desk {
    fn new() -> Self {
        let (rig, now) = (Rig::new(), time(0));
        let (editions, trash, living) = Default::default();
        Self { rig, now, wrong_days: 0, right_at: now, editions, trash, living, made: 100 }
    }

    fn clock(&self) -> Timestamp {
        Timestamp(self.now.0 + self.wrong_days * 86_400_000_000_000)
    }

    fn look(&self) {
        self.rig.base.trim(&KEEP, self.clock()).unwrap();
    }

    fn pass(&mut self, time: Duration) {
        if self.wrong_days != 0 && self.now.after(time) > self.right_at {
            self.wrong_days = 0;
            self.look();
        }
        self.now = self.now.after(time);
    }

    fn fold(&mut self, changes: Vec<Change>) {
        self.rig.usage =
            Usage { bytes: 3 * self.living.len() as u64, nodes: self.living.len() as u64 };
        let mut record = self.rig.record(changes);
        record.time = self.clock();
        self.rig.base.fold(&[record]).unwrap();
    }

    fn apply(mut self, step: &Step) -> Self {
        match *step {
            Step::Write(name) => {
                let (made, is_new) = (self.made, !self.living.contains_key(&name));
                let file = *self.living.entry(name).or_insert(made);
                let mut changes = vec![content(file, b"abc")];
                if is_new {
                    self.made += 1;
                    changes.insert(0, node(file, Kind::File));
                    changes.insert(1, entry(NodeId::ROOT, &name.to_string(), Some(file)));
                }
                let last = self.editions.range_mut((file, Version(0))..=(file, Version(u64::MAX)));
                if let Some((_, replaced)) = last.last() {
                    *replaced = Some(self.now);
                }
                self.fold(changes);
                self.editions.insert((file, Version(self.rig.version)), None);
            }
            Step::Remove(name) => {
                let Some(file) = self.living.remove(&name) else { return self };
                self.editions.retain(|(node, _), _| *node != file);
                self.trash.insert(file, (name, self.now));
                let removed = Change::Remove { node: NodeId(file), path: path(&name.to_string()) };
                self.fold(vec![entry(NodeId::ROOT, &name.to_string(), None), removed]);
            }
            Step::Pass(hours) => self.pass(HOUR * hours),
            Step::Jump(days) => {
                if self.wrong_days == 0 {
                    (self.wrong_days, self.right_at) = (days, self.now.after(DAY));
                }
            }
            Step::Right => self.wrong_days = 0,
            Step::Reopen => self.rig = self.rig.reopen(),
        }
        self.look();
        self
    }

    /// What has not become too old is there.
    fn check(&self) {
        let trash = self.rig.base.trash(None, 1000).unwrap();
        for (file, (_, removed)) in &self.trash {
            let is_there = trash.iter().any(|trashed| trashed.node == NodeId(*file));
            assert!(is_there || self.now.since(*removed) >= KEEP.trash_age_max, "{file}");
        }
        for file in self.living.values() {
            let there = self.rig.base.editions(NodeId(*file), None, 1000).unwrap();
            let there: BTreeSet<Version> = there.iter().map(|edition| edition.version).collect();
            let all = self.editions.range((*file, Version(0))..=(*file, Version(u64::MAX)));
            for ((_, version), replaced) in all {
                let age = replaced.map_or(Duration::ZERO, |replaced| self.now.since(replaced));
                let is_old = age >= KEEP.history_age_max;
                assert!(there.contains(version) || is_old, "{file} {version}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_clock_that_jumps_ends_nothing_before_its_time(
        steps in prop::collection::vec(step(), 1..60)
    ) {
        let mut desk = Desk::new();
        for step in &steps {
            desk = desk.apply(step);
            desk.check();
        }
        // Nothing of it lasts: once the clock is right, everything ends in time.
        desk.wrong_days = 0;
        for _ in 0..50 {
            desk = desk.apply(&Step::Pass(6));
        }
        assert_eq!(desk.rig.base.trash(None, 10).unwrap(), []);
        for file in desk.living.values() {
            assert_eq!(desk.rig.base.editions(NodeId(*file), None, 10).unwrap().len(), 1);
        }
        assert_eq!(desk.rig.findings(), []);
    }
}
