//! The pass of a text's tokens through the encoder, after `models/encoder/reference.py`.

use homefs_core::Role;

use super::attention::{attend, dot};
use super::matrix::Matrix;
use super::simd;
use super::tensors::Rows;
use super::vocabulary::Token;

/// The numbers that stand for a token inside the model.
pub(crate) const WIDTH: usize = 256;
/// The width between the two matrices after the attention.
pub(crate) const HIDDEN: usize = 512;
/// How many positions the model knows.
pub(crate) const POSITIONS: usize = 128;
/// The width of one head of the attention.
const HEAD: usize = 32;
/// The gate is clipped to this, as it was when the model was taught.
const GATE_MAX: f32 = 8.0;

/// What the model has learnt.
pub(crate) struct Weights {
    pub(crate) words: Rows<WIDTH>,
    /// One row for a memory, one for a query.
    pub(crate) roles: Vec<f32>,
    pub(crate) positions: Vec<f32>,
    pub(crate) attention_gain: Vec<f32>,
    pub(crate) attention: Matrix,
    pub(crate) attention_bias: Vec<f32>,
    pub(crate) attention_out: Matrix,
    pub(crate) hidden_gain: Vec<f32>,
    pub(crate) hidden: Matrix,
    pub(crate) hidden_bias: Vec<f32>,
    pub(crate) hidden_out: Matrix,
    pub(crate) gate: Vec<f32>,
    pub(crate) gate_bias: f32,
    pub(crate) out: Matrix,
    pub(crate) out_bias: Vec<f32>,
}

/// One pass; gives a vector that is not yet of unit length.
pub(crate) struct Forward<'a> {
    pub(crate) weights: &'a Weights,
    pub(crate) tokens: &'a [Token],
    pub(crate) role: Role,
}

impl simd::Task for Forward<'_> {
    type Output = Vec<f32>;

    #[expect(clippy::inline_always, reason = "a task is compiled for the processor it runs on")]
    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let Self { weights, tokens, .. } = self;
        if tokens.is_empty() {
            return vec![0.0; weights.out_bias.len()];
        }
        let mut states = self.states();
        let rows = states.len();

        let normal = normal_rows(&states, &weights.attention_gain);
        let mut attention = weights.attention_bias.repeat(rows);
        weights.attention.add_product(normal.as_flattened(), &mut attention);
        let mixed = attend(&attention, WIDTH, HEAD);
        weights.attention_out.add_product(&mixed, states.as_flattened_mut());

        let normal = normal_rows(&states, &weights.hidden_gain);
        let mut hidden = weights.hidden_bias.repeat(rows);
        weights.hidden.add_product(normal.as_flattened(), &mut hidden);
        for value in &mut hidden {
            *value = value.max(0.0);
        }
        weights.hidden_out.add_product(&hidden, states.as_flattened_mut());

        let mut vector = weights.out_bias.clone();
        weights.out.add_product(&pool(weights, &states), &mut vector);
        vector
    }
}

impl Forward<'_> {
    /// Returns what goes in: a row for the role, then a row for each token at its position.
    #[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
    #[inline(always)]
    fn states(&self) -> Vec<[f32; WIDTH]> {
        let (roles, _) = self.weights.roles.as_chunks::<WIDTH>();
        let (positions, _) = self.weights.positions.as_chunks::<WIDTH>();
        let mut states = vec![roles[usize::from(self.role == Role::Query)]];
        for (token, position) in self.tokens.iter().zip(positions) {
            let mut state = *position;
            self.weights.words.add(*token as usize, 1.0, &mut state);
            states.push(state);
        }
        states
    }
}

/// Returns each row scaled to a mean square of one, times a gain per column.
#[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
#[inline(always)]
fn normal_rows(states: &[[f32; WIDTH]], gain: &[f32]) -> Vec<[f32; WIDTH]> {
    let mut normal = states.to_vec();
    for row in &mut normal {
        let scale = normal_scale(row);
        for (value, gain) in row.iter_mut().zip(gain) {
            *value *= scale * gain;
        }
    }
    normal
}

/// Returns what scales a row to a mean square of one.
#[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
#[inline(always)]
fn normal_scale(row: &[f32; WIDTH]) -> f32 {
    let mean_square = dot(row, row) / 256.0;
    1.0 / (mean_square + 1e-6).sqrt()
}

/// Returns the mean of the rows, each weighted by its gate.
#[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
#[inline(always)]
fn pool(weights: &Weights, states: &[[f32; WIDTH]]) -> [f32; WIDTH] {
    let mut pooled = [0.0; WIDTH];
    let mut sum = 0.0;
    for row in states {
        let gate = dot(row, &weights.gate) * normal_scale(row) + weights.gate_bias;
        let gate = gate.clamp(-GATE_MAX, GATE_MAX).exp();
        sum += gate;
        for (pooled, value) in pooled.iter_mut().zip(row) {
            *pooled += gate * value;
        }
    }
    pooled.map(|value| value / sum)
}
