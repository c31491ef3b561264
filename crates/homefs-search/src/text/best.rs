//! The few best of many hits.

use std::cmp::Ordering;

/// A doc that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number.
    pub doc: u32,
    /// Its score; 0 when the query had conditions only.
    pub score: f32,
}

/// The best hits so far, and some that were.
///
/// Hits are offered by ascending numbers, so that of two with one score the later is the worse. They
/// are sorted out when there are half again as many as wanted, which is quicker than a heap.
pub(crate) struct Best {
    limit: usize,
    kept: Vec<Hit>,
    least: f32,
}

impl Best {
    /// Room for `limit` hits.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, kept: Vec::new(), least: f32::NEG_INFINITY }
    }

    /// A hit is wanted if its score is above this.
    #[inline]
    pub(crate) fn least(&self) -> f32 {
        self.least
    }

    /// Keeps a hit that is wanted.
    #[inline]
    pub(crate) fn keep(&mut self, hit: Hit) {
        self.kept.push(hit);
        if self.kept.len() >= self.limit.saturating_add(self.limit / 2 + 32) {
            self.sort_out();
        }
    }

    /// The hits, best first.
    pub(crate) fn into_hits(mut self) -> Vec<Hit> {
        if self.kept.len() > self.limit {
            self.sort_out();
        }
        self.kept.sort_unstable_by(best_first);
        self.kept
    }

    fn sort_out(&mut self) {
        let Some(last) = self.limit.checked_sub(1) else { return self.kept.clear() };
        self.least = self.kept.select_nth_unstable_by(last, best_first).1.score;
        self.kept.truncate(self.limit);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what a sort calls")]
fn best_first(one: &Hit, other: &Hit) -> Ordering {
    other.score.total_cmp(&one.score).then_with(|| one.doc.cmp(&other.doc))
}
