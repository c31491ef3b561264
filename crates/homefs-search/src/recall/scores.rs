//! How much a candidate is worth.

pub use homefs_wire::words::Strategy;

use super::{Candidate, Options};

/// The time in which recency halves, in days.
const HALF_LIFE_DAYS: f64 = 30.0;
const DAY: f64 = 86_400e9;

/// How far importance and recency may take the score from the relevance, up and down.
fn reach(strategy: Strategy) -> (f32, f32) {
    match strategy {
        Strategy::Balanced => (0.25, 0.15),
        Strategy::Relevance => (0.0, 0.0),
        Strategy::Importance => (0.6, 0.1),
        Strategy::Recency => (0.15, 0.6),
    }
}

/// A score and its factors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Score {
    pub(super) relevance: f32,
    pub(super) importance: f32,
    pub(super) recency: f32,
}

impl Score {
    /// Scores a candidate.
    pub(super) fn new(candidate: &Candidate, options: &Options) -> Self {
        let (importance, recency) = reach(options.strategy);
        let factor = |reach: f32, share: f32| 1.0 - reach + 2.0 * reach * share;
        Self {
            relevance: share(candidate.relevance, 0.0),
            importance: factor(importance, share(candidate.importance, 0.5)),
            recency: factor(recency, freshness(age(candidate.modified, options.now))),
        }
    }

    /// The product.
    pub(super) fn value(self) -> f32 {
        self.relevance * self.importance * self.recency
    }
}

/// The time since a change; what comes from the future is new.
pub(super) fn age(modified: i64, now: i64) -> i64 {
    now.saturating_sub(modified).max(0)
}

/// How new something is: 1 now, a half after the half-life.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a share")]
fn freshness(age: i64) -> f32 {
    (-(age as f64) / DAY / HALF_LIFE_DAYS).exp2() as f32
}

/// A number from 0 to 1, or `otherwise` if it is none.
fn share(number: f32, otherwise: f32) -> f32 {
    if number.is_nan() { otherwise } else { number.clamp(0.0, 1.0) }
}
