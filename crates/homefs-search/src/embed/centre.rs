//! The mean of vectors, and queries by what sets them apart from it.
//!
//! The notes of one home are alike: the same people, the same matters. What they share is in every
//! vector and says nothing of which note answers a question; without it the right ones stand out.
//! It is worth three points of recall to a model whose cosines crowd together, such as e5, and
//! one to the built-in encoder.

use super::quantised::Query;
use super::simd;

/// The numbers are summed as whole ones, this many to one, so that the order does not matter.
const UNIT: f32 = 16_777_216.0;
/// How many vectors count for the mean at most, and how many of zeros are put beside them: a mean
/// of a few is mostly the few themselves, and taking away all of a mean takes too much.
const VECTORS_MAX: f32 = 64.0;
const ZEROS: f32 = 32.0;

/// The sum of vectors of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Centre {
    sums: Vec<i64>,
    count: u64,
}

impl Centre {
    /// Makes one without vectors.
    pub fn new(dimensions: usize) -> Self {
        Self { sums: vec![0; dimensions], count: 0 }
    }

    /// Adds the vectors of another, which must be of the same length to count.
    pub fn join(&mut self, other: &Self) {
        if self.sums.len() == other.sums.len() {
            self.sums.iter_mut().zip(&other.sums).for_each(|(sum, other)| *sum += other);
            self.count += other.count;
        }
    }

    /// Adds a vector.
    pub(super) fn add(&mut self, codes: &[i8], scale: f32) {
        self.change(codes, whole(scale));
        self.count += u64::from(scale != 0.0);
    }

    /// Takes a vector away that was added.
    pub(super) fn take(&mut self, codes: &[i8], scale: f32) {
        self.change(codes, -whole(scale));
        self.count -= u64::from(scale != 0.0);
    }

    fn change(&mut self, codes: &[i8], scale: i32) {
        simd::run(Change { sums: &mut self.sums, codes, scale });
    }

    /// Returns the mean as far as it is taken from vectors, and how long on average they are then.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs few digits")]
    fn taken(&self) -> (Vec<f32>, f32) {
        let count = (self.count as f32).max(1.0);
        let share = count.min(VECTORS_MAX) / (count.min(VECTORS_MAX) + ZEROS);
        let scale = share / (count * UNIT);
        let taken: Vec<f32> = self.sums.iter().map(|sum| *sum as f32 * scale).collect();
        // The mean of |v - t|² over unit vectors v, where t is a share of their mean.
        let square = 1.0 - (2.0 / share - 1.0) * dot(&taken, &taken);
        // Vectors that are all the same have nothing left.
        (taken, square.max(0.01).sqrt())
    }
}

impl Query {
    /// Makes a query whose scores are the cosines of a vector and others once the mean is taken
    /// from all: of what is left, zero means no more in common than any two.
    ///
    /// The vector and those of the mean are of unit length. What is left of each vector is taken
    /// to be as long as on average, so that vectors need not be changed when the mean does.
    pub fn centred(vector: &[f32], centre: &Centre) -> Self {
        if vector.len() != centre.sums.len() || centre.count == 0 {
            return Self::new(vector);
        }
        let (taken, length) = centre.taken();
        let mut rest: Vec<f32> =
            vector.iter().zip(&taken).map(|(value, taken)| value - taken).collect();
        super::normalise(&mut rest);
        for value in &mut rest {
            *value /= length;
        }
        Self { offset: dot(&rest, &taken), ..Self::new(&rest) }
    }
}

/// A vector that is added to the sums.
struct Change<'a> {
    sums: &'a mut [i64],
    codes: &'a [i8],
    scale: i32,
}

impl simd::Task for Change<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "a task is compiled for the processor it runs on")]
    #[inline(always)]
    fn run(self) {
        for (sum, code) in self.sums.iter_mut().zip(self.codes) {
            *sum += i64::from(i32::from(*code) * self.scale);
        }
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns a scale as a whole number; those of unit vectors are at most 1/127 of one.
#[expect(clippy::cast_possible_truncation, reason = "larger ones are cut, as no model has them")]
fn whole(scale: f32) -> i32 {
    (scale * UNIT).round().clamp(-UNIT / 2.0, UNIT / 2.0) as i32
}
