//! Ranking: the best docs of a query by BM25.
//!
//! Docs are scored in windows of ordinals. Terms stand from rare to common; those at the end whose
//! bounds together cannot reach the worst hit kept so far bring no doc of their own, and are looked
//! up only for docs that the others brought (`MaxScore`). A doc's score is always summed in the
//! same order, so that it does not depend on what was skipped.
#![expect(clippy::cast_precision_loss, reason = "a score needs no more than a float holds")]

use std::collections::HashMap;

use super::{
    Clause, Query, TextIndex,
    best::{Best, Hit},
    bits::Bits,
    clauses::ClausePostings,
    postings::{Cursor, Postings},
    vocabulary::small,
};

/// How soon repeating a word stops to count.
const K1: f32 = 1.2;
/// How much a long doc is discounted.
const B: f32 = 0.75;
/// Ordinals scored at once: their sums fit the first cache.
const WINDOW: u32 = 4096;
/// Of more clauses than this, the rarest rank.
const RANKED_MAX: usize = 32;
/// What rounding may add to a sum, so that a bound is never too low.
const SLACK: f32 = 1.0001;

/// How common the clauses of a query are.
///
/// It comes from outside the search, because what an agent may not read in full must not show in
/// its scores, and because hits of several indexes compare only under one statistic.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// How many docs there are.
    pub documents: u64,
    /// The words of all of them.
    pub length_total: u64,
    /// How many docs have a clause; one that is not here counts as in none.
    pub frequencies: HashMap<Clause, u64>,
}

impl Statistics {
    /// The sums over some indexes.
    pub fn gather<'a>(indexes: impl IntoIterator<Item = &'a TextIndex>, query: &Query) -> Self {
        let mut all = Self::default();
        for index in indexes {
            all.documents += index.counted() as u64;
            all.length_total += index.length_total();
            for clause in query.clauses() {
                *all.frequencies.entry(clause.clone()).or_default() +=
                    u64::from(index.document_frequency(clause));
            }
        }
        all
    }

    /// The weight of a clause.
    pub(crate) fn rarity(&self, clause: &Clause) -> f32 {
        self.rarity_among(clause, 0.0, 0.0)
    }

    /// The weight of a clause if there were so many docs more, of which some have it.
    pub(crate) fn rarity_among(&self, clause: &Clause, documents: f32, having: f32) -> f32 {
        let frequency = having + self.frequencies.get(clause).map_or(0, |count| *count) as f32;
        let others = (documents + self.documents as f32 - frequency).max(0.0);
        (1.0 + (others + 0.5) / (frequency + 0.5)).ln()
    }
}

impl TextIndex {
    /// How many of the docs that count have a clause.
    pub fn document_frequency(&self, clause: &Clause) -> u32 {
        self.postings_of(clause).map_or(0, |postings| postings.live)
    }

    /// The best docs that `filter` admits, best first; equal scores by number.
    pub fn search(
        &self,
        query: &Query,
        statistics: &Statistics,
        limit: usize,
        mut filter: impl FnMut(u32) -> bool,
    ) -> Vec<Hit> {
        if limit == 0 || query.is_empty() {
            return Vec::new();
        }
        let found = self.ranked_postings(query, statistics);
        let required = found.iter().filter(|ranked| ranked.required);
        let required: Vec<Bits> = required.map(|ranked| docs_of(&ranked.postings)).collect();
        if required.len() < query.required.len() {
            return Vec::new();
        }
        let excluded = query.excluded.iter().filter_map(|clause| self.postings_of(clause));
        let excluded: Vec<Bits> = excluded.map(|postings| docs_of(&postings)).collect();
        let mut best = Best::new(limit);
        let mut offer = |best: &mut Best, ordinal: u32, score: f32| {
            let hit = Hit { doc: ordinal, score };
            if score > best.least()
                && !self.removed.contains(ordinal)
                && required.iter().all(|docs| docs.contains(ordinal))
                && !excluded.iter().any(|docs| docs.contains(ordinal))
                && filter(hit.doc)
            {
                best.keep(hit);
            }
        };
        if query.clauses().next().is_none() {
            for ordinal in 0..small(self.lengths.len()) {
                offer(&mut best, ordinal, 0.0);
            }
        } else {
            self.rank(&found, &Norms::new(statistics), &mut best, &mut offer);
        }
        best.into_hits()
    }

    /// Adds up what each of some docs, which ascend, has of clauses with a weight each.
    pub(crate) fn sums<'a>(
        &self,
        docs: &[u32],
        clauses: impl IntoIterator<Item = (&'a Clause, f32)>,
    ) -> Vec<f32> {
        let mut sums = vec![0.0; docs.len()];
        for (clause, weight) in clauses {
            let Some(postings) = self.postings_of(clause) else { continue };
            let mut cursor = Cursor::new(&postings);
            for (sum, doc) in sums.iter_mut().zip(docs) {
                *sum += cursor.frequency_of(*doc).map_or(0.0, |_| weight);
            }
        }
        sums
    }

    /// Offers every doc that may be among the best.
    fn rank(
        &self,
        found: &[Ranked<'_>],
        norms: &Norms,
        best: &mut Best,
        offer: &mut impl FnMut(&mut Best, u32, f32),
    ) {
        let mut scorers: Vec<Scorer<'_>> = found
            .iter()
            .map(|one| Scorer { rarity: one.rarity, cursor: Cursor::new(&one.postings) })
            .collect();
        // The most that the clauses from here to the last can give together.
        let mut bounds = vec![0.0; found.len() + 1];
        for (at, Ranked { rarity, postings, .. }) in found.iter().enumerate().rev() {
            let most = rarity * norms.gain(postings.frequency_max, postings.length_min);
            bounds[at] = bounds[at + 1] + most * SLACK;
        }
        let mut window = Window::new();
        let mut bringing = scorers.len();
        for start in (0..small(self.lengths.len())).step_by(WINDOW as usize) {
            while bringing > 0 && bounds[bringing - 1] < best.least() {
                bringing -= 1;
            }
            if bringing == 0 {
                return;
            }
            let (brings, looks) = scorers.split_at_mut(bringing);
            for scorer in brings {
                window.add(start, scorer, norms, &self.lengths);
            }
            window.drain(|within, mut score| {
                let ordinal = start + within;
                for (scorer, bound) in looks.iter_mut().zip(&bounds[bringing..]) {
                    if score + bound < best.least() {
                        return;
                    }
                    if let Some(frequency) = scorer.cursor.frequency_of(ordinal) {
                        let length = self.lengths[ordinal as usize];
                        score += scorer.rarity * norms.gain(frequency, length);
                    }
                }
                offer(best, ordinal, score);
            });
        }
    }

    /// The clauses of a query that some doc has, the rarest first.
    fn ranked_postings(&self, query: &Query, statistics: &Statistics) -> Vec<Ranked<'_>> {
        let mut clauses: Vec<_> =
            query.clauses().map(|clause| (statistics.rarity(clause), clause)).collect();
        clauses.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        let mut ranked = 0;
        let found = clauses.into_iter().filter_map(|(rarity, clause)| {
            let required = query.required.contains(clause);
            ranked += usize::from(!required);
            let postings = self.postings_of(clause).filter(|_| required || ranked <= RANKED_MAX)?;
            Some(Ranked { rarity, postings, required })
        });
        found.collect()
    }
}

/// The docs of some postings.
fn docs_of(postings: &Postings) -> Bits {
    let mut docs = Bits::default();
    for (ordinal, _) in postings.iter() {
        docs.insert(ordinal);
    }
    docs
}

/// A clause that some doc has.
struct Ranked<'a> {
    rarity: f32,
    postings: ClausePostings<'a>,
    required: bool,
}

/// One clause during a search.
struct Scorer<'a> {
    rarity: f32,
    cursor: Cursor<'a>,
}

/// What BM25 makes of frequency and length.
struct Norms {
    fixed: f32,
    by_length: f32,
}

impl Norms {
    fn new(statistics: &Statistics) -> Self {
        let average = statistics.length_total as f32 / (statistics.documents.max(1) as f32);
        Self { fixed: K1 * (1.0 - B), by_length: K1 * B / average.max(1.0) }
    }

    #[inline]
    fn gain(&self, frequency: u32, length: u32) -> f32 {
        let frequency = frequency as f32;
        frequency * (K1 + 1.0) / (frequency + self.fixed + self.by_length * length as f32)
    }
}

/// The sums of one window.
struct Window {
    scores: Vec<f32>,
    touched: Vec<u64>,
}

impl Window {
    fn new() -> Self {
        Self { scores: vec![0.0; WINDOW as usize], touched: vec![0; WINDOW as usize / 64] }
    }

    /// Adds what a clause gives to the docs of the window.
    fn add(&mut self, start: u32, scorer: &mut Scorer<'_>, norms: &Norms, lengths: &[u32]) {
        loop {
            let postings = scorer.cursor.take_below(start + WINDOW);
            if postings.is_empty() {
                return;
            }
            for &(ordinal, frequency) in postings {
                let within = (ordinal - start) as usize;
                let gain = norms.gain(frequency, lengths[ordinal as usize]);
                self.scores[within] += scorer.rarity * gain;
                self.touched[within / 64] |= 1 << (within % 64);
            }
        }
    }

    /// Visits the docs that got a score, ascending, and empties the window.
    fn drain(&mut self, mut visit: impl FnMut(u32, f32)) {
        for (base, word) in (0..).step_by(64).zip(&mut self.touched) {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let within = base + bits.trailing_zeros();
                bits &= bits - 1;
                visit(within, std::mem::take(&mut self.scores[within as usize]));
            }
        }
    }
}
