//! What every transformer here does with a text's tokens: each takes from the others.

use super::matrix::Matrix;
use super::simd::PANEL;

/// The partial sums of a dot product: one register, so that no sum waits for its neighbour.
const LANES: usize = 8;

/// Lets each token take from the others what it asks for. A row of `attention` holds what a token
/// asks, what it is asked by and what it gives, `width` numbers each, every head beside the next;
/// the rows of what comes out are `width` long.
#[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
#[inline(always)]
pub(super) fn attend(attention: &[f32], width: usize, head_width: usize) -> Vec<f32> {
    let rows = attention.len() / (3 * width);
    if rows == 0 {
        return Vec::new();
    }
    let padded = rows.next_multiple_of(PANEL);
    #[expect(clippy::cast_precision_loss, reason = "a head is at most a few hundred wide")]
    let scale = 1.0 / (head_width as f32).sqrt();
    let mut mixed = vec![0.0; rows * width];
    for head in (0..width).step_by(head_width) {
        let value = |row: usize, column: usize| {
            if row < rows { attention[row * 3 * width + head + column] } else { 0.0 }
        };
        let asks = attention.chunks_exact(3 * width).flat_map(|row| &row[head..][..head_width]);
        let asks: Vec<f32> = asks.copied().collect();
        let asked = Matrix::pack(head_width, padded, |row, column| value(row, width + column));
        let mut shares = vec![0.0; rows * padded];
        asked.add_product(&asks, &mut shares);
        for shares in shares.chunks_exact_mut(padded) {
            let (shares, padding) = shares.split_at_mut(rows);
            share_out(shares, scale);
            padding.fill(0.0);
        }
        let gives = Matrix::pack(padded, head_width, |column, row| value(row, 2 * width + column));
        let mut taken = vec![0.0; rows * head_width];
        gives.add_product(&shares, &mut taken);
        for (mixed, taken) in mixed.chunks_exact_mut(width).zip(taken.chunks_exact(head_width)) {
            mixed[head..][..head_width].copy_from_slice(taken);
        }
    }
    mixed
}

/// Turns likenesses into shares that add up to one.
#[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
#[inline(always)]
fn share_out(shares: &mut [f32], scale: f32) {
    let largest = shares.iter().fold(f32::MIN, |largest, share| largest.max(*share));
    for share in &mut *shares {
        *share = exponential((*share - largest) * scale);
    }
    let sum: f32 = shares.iter().sum();
    for share in shares {
        *share /= sum;
    }
}

/// Returns the dot product of two vectors whose length is a multiple of eight.
#[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
#[inline(always)]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

/// Returns e to the power of a number that is not positive, to six digits; unlike the library's,
/// it is inlined and vectorised.
#[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
#[inline(always)]
pub(super) fn exponential(power: f32) -> f32 {
    // e^x is 2^n · 2^f, n the whole part of x / ln 2 and f the rest, which a polynomial covers.
    let power = power.max(-80.0) * std::f32::consts::LOG2_E;
    let whole = (power - 0.5).ceil();
    let rest = (power - whole) * std::f32::consts::LN_2;
    let series =
        1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest / 120.0))));
    #[expect(clippy::cast_possible_truncation, reason = "at most 116, being clipped above")]
    let exponent = (whole as i32 + 127).cast_unsigned();
    series * f32::from_bits(exponent << 23)
}
