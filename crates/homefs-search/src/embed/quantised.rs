//! Vectors in eight bits a number.

use super::simd;

/// The largest number of a query. Twelve bits beside seven cost nothing, so the query's own
/// rounding cannot be seen in a score.
const QUERY_MAX: f32 = 4095.0;

/// A vector rounded to eight bits a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    /// The numbers, the largest of them 127.
    pub codes: Box<[i8]>,
    /// What they are multiplied by; zero for a vector of zeros.
    pub scale: f32,
}

impl Quantised {
    /// Rounds a vector; one with a number that is not finite becomes zeros.
    pub fn new(vector: &[f32]) -> Self {
        let (scale, numbers) = round(vector, 127.0);
        #[expect(clippy::cast_possible_truncation, reason = "at most 127 by the scale")]
        Self { codes: numbers.map(|number| number as i8).collect(), scale }
    }

    /// Returns the dot product of two vectors of one length.
    pub fn dot(&self, other: &Self) -> f32 {
        let wide: Vec<i16> = other.codes.iter().map(|code| i16::from(*code)).collect();
        let mut sum = [0];
        simd::run(Dots { query: &wide, codes: &self.codes, sums: &mut sum });
        score(sum[0], self.scale * other.scale)
    }
}

/// A vector to compare others with.
#[derive(Clone, Debug)]
pub struct Query {
    /// The numbers, the largest of them 4,095.
    pub(super) numbers: Vec<i16>,
    /// What they are multiplied by; zero for a vector of zeros.
    pub(super) scale: f32,
    /// What is taken from every product.
    pub(super) offset: f32,
}

impl Query {
    /// Makes a query of a vector.
    pub fn new(vector: &[f32]) -> Self {
        let (scale, numbers) = round(vector, QUERY_MAX);
        #[expect(clippy::cast_possible_truncation, reason = "at most 4095 by the scale")]
        Self { numbers: numbers.map(|number| number as i16).collect(), scale, offset: 0.0 }
    }
}

impl From<&Quantised> for Query {
    fn from(vector: &Quantised) -> Self {
        let numbers = vector.codes.iter().map(|code| i16::from(*code)).collect();
        Self { numbers, scale: vector.scale, offset: 0.0 }
    }
}

/// The sums of products of a query with rows of codes.
pub(super) struct Dots<'a> {
    pub(super) query: &'a [i16],
    /// Rows as long as the query, one for each sum.
    pub(super) codes: &'a [i8],
    pub(super) sums: &'a mut [i32],
}

impl simd::Task for Dots<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "a task is compiled for the processor it runs on")]
    #[inline(always)]
    fn run(self) {
        for (sum, row) in self.sums.iter_mut().zip(self.codes.chunks_exact(self.query.len())) {
            let products = self.query.iter().zip(row);
            *sum = products.map(|(query, code)| i32::from(*query) * i32::from(*code)).sum();
        }
    }
}

/// Returns the sum of products of two rows of codes.
pub(crate) fn product(one: &[i8], two: &[i8]) -> i32 {
    simd::run(Product { one, two })
}

struct Product<'a> {
    one: &'a [i8],
    two: &'a [i8],
}

impl simd::Task for Product<'_> {
    type Output = i32;

    #[expect(clippy::inline_always, reason = "a task is compiled for the processor it runs on")]
    #[inline(always)]
    fn run(self) -> i32 {
        let pairs = self.one.iter().zip(self.two);
        pairs.map(|(one, two)| i32::from(i16::from(*one) * i16::from(*two))).sum()
    }
}

/// Returns a sum of products as the number it stands for.
#[expect(clippy::cast_precision_loss, reason = "a score has far fewer digits than the sum")]
pub(super) fn score(sum: i32, scale: f32) -> f32 {
    sum as f32 * scale
}

/// Returns a scale and whole numbers up to `largest` that, times the scale, are nearly the vector.
fn round(vector: &[f32], largest: f32) -> (f32, impl Iterator<Item = f32>) {
    let finite = vector.iter().all(|value| value.is_finite());
    let peak = vector.iter().fold(0.0_f32, |peak, value| peak.max(value.abs()));
    let usable = finite && peak / largest >= f32::MIN_POSITIVE;
    let (scale, inverse) = if usable { (peak / largest, largest / peak) } else { (0.0, 0.0) };
    let number = move |value: &f32| if usable { (value * inverse).round() } else { 0.0 };
    (scale, vector.iter().map(number))
}
