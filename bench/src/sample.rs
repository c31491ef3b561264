//! Latencies of many operations, and what is told of them.

use serde::{Deserialize, Serialize};

use crate::clock;

/// Latencies of one kind of operation, in nanoseconds.
#[derive(Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Sample {
    nanoseconds: Vec<u64>,
}

/// What is told of a sample; times in microseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) count: usize,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) mean: f64,
    pub(crate) max: f64,
}

impl Sample {
    /// Prepares for so many operations, so that measuring does not allocate.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { nanoseconds: Vec::with_capacity(count) }
    }

    /// Measures one operation.
    pub(crate) fn time<T>(&mut self, act: impl FnOnce() -> T) -> T {
        let start = clock::now();
        let done = act();
        self.nanoseconds.push(clock::nanoseconds_since(start));
        done
    }

    /// Puts the samples of several threads together.
    pub(crate) fn joined(samples: Vec<Self>) -> Self {
        Self { nanoseconds: samples.into_iter().flat_map(|sample| sample.nanoseconds).collect() }
    }

    /// Returns the seconds that operations of at least `least` nanoseconds took together.
    pub(crate) fn seconds_of_slow(&self, least: u64) -> f64 {
        let slow = self.nanoseconds.iter().filter(|&&time| time >= least);
        slow.map(|&time| time as f64).sum::<f64>() / 1e9
    }

    /// Returns the time that so many of a thousand operations stay below, in microseconds.
    pub(crate) fn percentile(&mut self, per_mille: usize) -> f64 {
        self.nanoseconds.sort_unstable();
        self.at(per_mille)
    }

    /// As [`Self::percentile`], of times that are in order.
    fn at(&self, per_mille: usize) -> f64 {
        let count = self.nanoseconds.len();
        let index = (count * per_mille / 1000).min(count.saturating_sub(1));
        self.nanoseconds.get(index).map_or(f64::NAN, |&time| time as f64 / 1e3)
    }

    /// Sums up.
    pub(crate) fn summary(mut self) -> Summary {
        self.nanoseconds.sort_unstable();
        let (times, at) = (&self.nanoseconds, |per_mille| self.at(per_mille));
        let count = times.len();
        let sum: f64 = times.iter().map(|&time| time as f64 / 1e3).sum();
        let mean = sum / count as f64;
        Summary { count, p50: at(500), p99: at(990), p999: at(999), mean, max: at(1000) }
    }
}

impl Summary {
    /// Takes the median over rounds, each number for itself.
    pub(crate) fn of_rounds(rounds: &[Self]) -> Self {
        let over = |number: fn(&Self) -> f64| median(rounds.iter().map(number));
        Self {
            count: rounds.iter().map(|round| round.count).sum(),
            p50: over(|round| round.p50),
            p99: over(|round| round.p99),
            p999: over(|round| round.p999),
            mean: over(|round| round.mean),
            max: over(|round| round.max),
        }
    }
}

/// Returns the middle one of some numbers.
pub(crate) fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
