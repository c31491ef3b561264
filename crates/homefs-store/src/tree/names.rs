//! The names of a directory: found by hash, and listed in their order.

use std::collections::hash_map::Iter;
use std::collections::{BTreeSet, HashMap};
use std::ops::{Bound, Deref};
use std::sync::{Arc, OnceLock};

use homefs_core::NodeId;

/// From so many names on, their order is kept once it was asked for. Fewer are sorted whenever
/// they are listed, which costs less than a directory that remembers its order does.
const KEPT_MIN: usize = 1_000;

/// Names of a directory. Agents choose the names, so the hash is seeded.
#[derive(Debug, Default)]
pub struct Names {
    by_hash: HashMap<Arc<str>, NodeId, foldhash::fast::RandomState>,
    /// The same names in their order, so that a long listing goes on where its last page ended
    /// without looking at all names again. Empty until somebody lists them.
    in_order: OnceLock<BTreeSet<Arc<str>>>,
}

impl Names {
    /// Makes room for so many.
    pub fn with_capacity(count: usize) -> Self {
        let hasher = foldhash::fast::RandomState::default();
        let by_hash = HashMap::with_capacity_and_hasher(count, hasher);
        Self { by_hash, in_order: OnceLock::new() }
    }

    /// Lets a name lead to a node.
    pub fn insert(&mut self, name: Arc<str>, node: NodeId) {
        if let Some(in_order) = self.in_order.get_mut() {
            in_order.insert(name.clone());
        }
        self.by_hash.insert(name, node);
    }

    /// Takes a name away; returns where it led.
    pub fn remove(&mut self, name: &str) -> Option<NodeId> {
        if let Some(in_order) = self.in_order.get_mut() {
            in_order.remove(name);
        }
        self.by_hash.remove(name)
    }

    /// Returns the names from one on, in their order.
    pub fn from(&self, first: Bound<&str>) -> Box<dyn Iterator<Item = (&str, NodeId)> + '_> {
        let found = |name: &Arc<str>| {
            work::count(1);
            self.by_hash.get_key_value(&**name).map(|(name, node)| (&**name, *node))
        };
        if self.len() >= KEPT_MIN {
            let in_order = self.in_order.get_or_init(|| {
                work::count(self.len());
                self.by_hash.keys().cloned().collect()
            });
            return Box::new(in_order.range::<str, _>((first, Bound::Unbounded)).filter_map(found));
        }
        work::count(self.len());
        let from = self.by_hash.keys().filter(|name| is_from(name, first));
        let mut names: Vec<&Arc<str>> = from.collect();
        names.sort_unstable();
        Box::new(names.into_iter().filter_map(found))
    }
}

/// Tells whether a name comes no earlier than the first that is wanted.
pub fn is_from(name: &str, first: Bound<&str>) -> bool {
    match first {
        Bound::Included(first) => name >= first,
        Bound::Excluded(first) => name > first,
        Bound::Unbounded => true,
    }
}

/// What only reads them reads the map.
impl Deref for Names {
    type Target = HashMap<Arc<str>, NodeId, foldhash::fast::RandomState>;

    fn deref(&self) -> &Self::Target {
        &self.by_hash
    }
}

impl<'a> IntoIterator for &'a Names {
    type Item = (&'a Arc<str>, &'a NodeId);
    type IntoIter = Iter<'a, Arc<str>, NodeId>;

    fn into_iter(self) -> Self::IntoIter {
        self.by_hash.iter()
    }
}

/// Counts the names that listings look at, for the tests that bound it.
#[cfg(any(test, feature = "testing"))]
pub mod work {
    use std::cell::Cell;

    thread_local! {
        static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts names that were looked at.
    pub(super) fn count(names: usize) {
        LOOKED_AT.with(|looked_at| looked_at.set(looked_at.get() + names));
    }

    /// Returns how many names this thread has looked at since it was last asked.
    pub fn take() -> usize {
        LOOKED_AT.with(Cell::take)
    }
}

#[cfg(not(any(test, feature = "testing")))]
mod work {
    /// Counts nothing.
    pub(super) fn count(_: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_names_is_that_of_a_naive_set_whatever_changes() {
        for count in [0, 1, KEPT_MIN - 1, KEPT_MIN, 3 * KEPT_MIN] {
            let mut names = Names::with_capacity(count);
            let mut naive = std::collections::BTreeMap::new();
            for number in 0..count as u128 {
                let name = format!("{:x}", number * 7919 % 10_007);
                names.insert(name.as_str().into(), NodeId(number));
                naive.insert(name, NodeId(number));
            }
            for round in 0..4_usize {
                for first in ["", "7", "7b", "zz"] {
                    for bound in [Bound::Included(first), Bound::Excluded(first)] {
                        let found = names.from(bound).map(|(name, node)| (name.to_owned(), node));
                        let range = naive.range::<str, _>((bound, Bound::Unbounded));
                        assert!(found.eq(range.map(|(name, node)| (name.clone(), *node))));
                    }
                }
                names.insert("7b".into(), NodeId(round as u128));
                naive.insert("7b".to_owned(), NodeId(round as u128));
                let gone = naive.keys().nth(round % naive.len()).unwrap().clone();
                assert_eq!(names.remove(&gone), naive.remove(&gone));
            }
            assert_eq!(names.from(Bound::Unbounded).count(), naive.len());
        }
    }
}
