//! The few best of many hits.

use std::{cmp::Ordering, collections::BinaryHeap};

/// A doc that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number.
    pub doc: u32,
    /// Its score; 0 when the query had conditions only.
    pub score: f32,
}

/// The best hits so far, the worst of them on top.
pub(super) struct Best {
    limit: usize,
    kept: BinaryHeap<Worst>,
}

impl Best {
    /// Room for `limit` hits.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, kept: BinaryHeap::new() }
    }

    /// A score below this is not wanted.
    #[inline]
    pub(super) fn least(&self) -> f32 {
        if self.kept.len() < self.limit {
            return f32::NEG_INFINITY;
        }
        self.kept.peek().map_or(f32::NEG_INFINITY, |worst| worst.0.score)
    }

    /// Whether a hit would be kept.
    pub(super) fn wants(&self, hit: Hit) -> bool {
        self.kept.len() < self.limit || self.kept.peek().is_some_and(|worst| Worst(hit) < *worst)
    }

    /// Keeps a hit that is wanted.
    pub(super) fn keep(&mut self, hit: Hit) {
        if self.kept.len() == self.limit {
            self.kept.pop();
        }
        self.kept.push(Worst(hit));
    }

    /// The hits, best first.
    pub(super) fn into_hits(self) -> Vec<Hit> {
        self.kept.into_sorted_vec().into_iter().map(|worst| worst.0).collect()
    }
}

/// A hit that is the greater the worse it is.
struct Worst(Hit);

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.total_cmp(&self.0.score).then_with(|| self.0.doc.cmp(&other.0.doc))
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Worst {}
