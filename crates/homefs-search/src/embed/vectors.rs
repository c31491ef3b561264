//! A set of vectors, and the exact search among them.

use homefs_core::{Error, ErrorKind, Result};

use super::centre::Centre;
use super::quantised::{Dots, Quantised, Query, score};
use super::simd;
use crate::text::{self, Best};

/// The longest vectors that are taken: their sums of products fit 32 bits.
const DIMENSIONS_MAX: usize = 4096;
/// Vectors that are compared at a time, so that the choice of the best stays out of the kernel.
const BLOCK: usize = 64;

/// A vector that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Where it is in the set.
    pub slot: u32,
    /// Its dot product with the query, times its weight.
    pub score: f32,
}

/// Vectors of one length, each in a numbered slot.
///
/// A slot may be empty: removed, never set, or set to zeros; an empty slot is never found.
#[derive(Clone, Debug)]
pub struct VectorSet {
    dimensions: usize,
    // Invariant: `dimensions` codes for each scale.
    codes: Vec<i8>,
    scales: Vec<f32>,
    centre: Centre,
}

impl VectorSet {
    /// Makes a set for vectors of a length between 1 and 4,096.
    pub fn new(dimensions: usize) -> Result<Self> {
        if (1..=DIMENSIONS_MAX).contains(&dimensions) {
            let centre = Centre::new(dimensions);
            return Ok(Self { dimensions, codes: Vec::new(), scales: Vec::new(), centre });
        }
        let message = format!("vectors of {dimensions} dimensions are not supported");
        Err(Error::new(ErrorKind::Unsupported, message))
    }

    /// Returns the length of every vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns how many slots there are, empty ones too.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Tells whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Puts a vector into a new slot behind all others.
    pub fn push(&mut self, vector: &Quantised) -> Result<u32> {
        let slot = u32::try_from(self.len())
            .map_err(|_| Error::new(ErrorKind::LimitExceeded, "the set of vectors is full"))?;
        self.check(vector.codes.len())?;
        self.codes.extend_from_slice(&vector.codes);
        self.scales.push(vector.scale);
        self.centre.add(&vector.codes, vector.scale);
        Ok(slot)
    }

    /// Puts a vector into a slot; slots before it that do not exist yet are made, empty.
    pub fn set(&mut self, slot: u32, vector: &Quantised) -> Result<()> {
        self.check(vector.codes.len())?;
        let slot = slot as usize;
        if slot >= self.len() {
            self.scales.resize(slot + 1, 0.0);
            self.codes.resize((slot + 1) * self.dimensions, 0);
        }
        let row = &mut self.codes[slot * self.dimensions..][..self.dimensions];
        if self.scales[slot] != 0.0 {
            self.centre.take(row, self.scales[slot]);
        }
        row.copy_from_slice(&vector.codes);
        self.scales[slot] = vector.scale;
        self.centre.add(row, vector.scale);
        Ok(())
    }

    /// Empties a slot; its number is not given again.
    pub fn remove(&mut self, slot: u32) {
        if let Some(scale) = self.scales.get_mut(slot as usize) {
            let row = &mut self.codes[slot as usize * self.dimensions..][..self.dimensions];
            self.centre.take(row, std::mem::take(scale));
            // Zeros also wipe the vector, from which words could be guessed.
            row.fill(0);
        }
    }

    /// Returns the sum of all vectors.
    pub fn centre(&self) -> &Centre {
        &self.centre
    }

    /// Returns the vector in a slot, unless the slot is empty.
    pub fn get(&self, slot: u32) -> Option<Quantised> {
        let scale = *self.scales.get(slot as usize).filter(|scale| **scale != 0.0)?;
        Some(Quantised { codes: self.row(slot as usize).into(), scale })
    }

    /// Returns the dot product of a query with the vector in a slot, less the query's offset,
    /// unless the slot is empty.
    pub fn dot(&self, slot: u32, query: &Query) -> Result<Option<f32>> {
        self.check(query.numbers.len())?;
        let Some(scale) = self.scales.get(slot as usize).filter(|scale| **scale != 0.0) else {
            return Ok(None);
        };
        let mut sum = [0];
        let codes = self.row(slot as usize);
        simd::run(Dots { query: &query.numbers, codes, sums: &mut sum });
        Ok(Some(score(sum[0], query.scale * scale) - query.offset))
    }

    /// Finds the `count` vectors with the best scores, best first, ties by slot.
    ///
    /// A score is the dot product, less the query's offset, times what `weight` says of the slot,
    /// which is at most 1; a slot whose weight is not positive is left out. No slot is asked for
    /// that would not be among the best whatever it weighs.
    pub fn search(
        &self,
        query: &Query,
        count: usize,
        weight: impl Fn(u32) -> f32,
    ) -> Result<Vec<Hit>> {
        self.search_admitted(query, count, weight, |_| true)
    }

    /// As [`Self::search`], among the slots that are admitted. That may take long to find out, so
    /// that it is asked last, and only of a slot that would be among the best.
    pub fn search_admitted(
        &self,
        query: &Query,
        count: usize,
        weight: impl Fn(u32) -> f32,
        admits: impl Fn(u32) -> bool,
    ) -> Result<Vec<Hit>> {
        self.check(query.numbers.len())?;
        if count == 0 || query.scale == 0.0 {
            return Ok(Vec::new());
        }
        let mut best = Best::new(count);
        let blocks = self.codes.chunks(BLOCK * self.dimensions);
        let mut sums = [0; BLOCK];
        let mut slots = 0_u32..;
        for (codes, scales) in blocks.zip(self.scales.chunks(BLOCK)) {
            let sums = &mut sums[..scales.len()];
            simd::run(Dots { query: &query.numbers, codes, sums });
            for ((sum, scale), slot) in sums.iter().zip(scales).zip(&mut slots) {
                let product = score(*sum, query.scale * scale) - query.offset;
                // A weight makes a product smaller, and one below 0 greater.
                if product.max(0.0) <= best.least() || *scale == 0.0 {
                    continue;
                }
                let weight = weight(slot);
                if weight > 0.0 && product * weight > best.least() && admits(slot) {
                    best.keep(text::Hit { doc: slot, score: product * weight });
                }
            }
        }
        let hits = best.into_hits().into_iter();
        Ok(hits.map(|hit| Hit { slot: hit.doc, score: hit.score }).collect())
    }

    fn row(&self, slot: usize) -> &[i8] {
        &self.codes[slot * self.dimensions..][..self.dimensions]
    }

    fn check(&self, dimensions: usize) -> Result<()> {
        if dimensions == self.dimensions {
            return Ok(());
        }
        let message =
            format!("a vector of {dimensions} dimensions among those of {}", self.dimensions);
        Err(Error::new(ErrorKind::Invalid, message))
    }
}
