//! Tests of the models and of the search among vectors.

mod bad_files;
mod bert;
mod models;
mod tokens;
mod vectors;

/// Returns the cosine of two vectors.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Returns numbers between -1 and 1 that look random, the same for the same seed.
fn noise(seed: u64) -> impl Iterator<Item = f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from((state >> 48) as u16) / 32768.0 - 1.0
    })
}
