//! The pass of texts through the layers of a model of BERT's kind.

use super::super::attention::{attend, dot, exponential};
use super::super::matrix::Matrix;
use super::super::simd;
use super::super::vocabulary::Token;

/// What the model has learnt.
pub(super) struct Weights {
    pub(super) width: usize,
    pub(super) head: usize,
    /// A row for each piece of the vocabulary.
    pub(super) words: Vec<f32>,
    /// A row for each position; the row of a lone text's type is added already.
    pub(super) positions: Vec<f32>,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
}

/// One layer.
pub(super) struct Layer {
    /// What a token asks, what it is asked by and what it gives.
    pub(super) attention: Linear,
    pub(super) attention_out: Linear,
    pub(super) attention_norm: Norm,
    pub(super) hidden: Linear,
    pub(super) hidden_out: Linear,
    pub(super) hidden_norm: Norm,
}

/// A matrix and what is added to its product.
pub(super) struct Linear {
    pub(super) matrix: Matrix,
    pub(super) bias: Vec<f32>,
}

impl Linear {
    /// Returns the outputs of `rows` rows.
    fn outputs(&self, inputs: &[f32], rows: usize) -> Vec<f32> {
        let mut outputs = self.bias.repeat(rows);
        self.matrix.add_product(inputs, &mut outputs);
        outputs
    }
}

/// Scales a row to a mean of zero and a variance of one, then by what was learnt.
pub(super) struct Norm {
    pub(super) gain: Vec<f32>,
    pub(super) shift: Vec<f32>,
    pub(super) epsilon: f32,
}

impl Norm {
    /// Adds the rows of `added` to those of `states` and normalises them.
    #[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a row has at most thousands of numbers")]
    fn add(&self, states: &mut [f32], added: &[f32]) {
        let width = self.gain.len();
        for (row, added) in states.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
            for (value, added) in row.iter_mut().zip(added) {
                *value += added;
            }
            let mean = row.iter().sum::<f32>() / width as f32;
            for value in &mut *row {
                *value -= mean;
            }
            let scale = 1.0 / (dot(row, row) / width as f32 + self.epsilon).sqrt();
            for ((value, gain), shift) in row.iter_mut().zip(&self.gain).zip(&self.shift) {
                *value = *value * scale * gain + shift;
            }
        }
    }
}

/// One pass of several texts; gives, one after the other, the rows of their tokens.
///
/// The texts share each step but the attention, because a small text alone would spend its time
/// on fetching the weights.
pub(super) struct Forward<'a> {
    pub(super) weights: &'a Weights,
    // Invariant: no text has more tokens than there are positions.
    pub(super) texts: &'a [Vec<Token>],
}

impl simd::Task for Forward<'_> {
    type Output = Vec<f32>;

    #[expect(clippy::inline_always, reason = "a task is compiled for the processor it runs on")]
    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let Weights { width, head, words, positions, norm, layers } = self.weights;
        let rows: usize = self.texts.iter().map(Vec::len).sum();
        let mut states = Vec::with_capacity(rows * width);
        let mut added = Vec::with_capacity(rows * width);
        for text in self.texts {
            for token in text {
                states.extend_from_slice(&words[*token as usize * width..][..*width]);
            }
            added.extend_from_slice(&positions[..text.len() * width]);
        }
        norm.add(&mut states, &added);
        for layer in layers {
            let attention = layer.attention.outputs(&states, rows);
            let mut mixed = Vec::with_capacity(rows * width);
            let mut rest = &attention[..];
            for text in self.texts {
                let (attention, after) = rest.split_at(text.len() * 3 * width);
                mixed.extend(attend(attention, *width, *head));
                rest = after;
            }
            layer.attention_norm.add(&mut states, &layer.attention_out.outputs(&mixed, rows));
            let mut hidden = layer.hidden.outputs(&states, rows);
            for value in &mut hidden {
                *value = gelu(*value);
            }
            layer.hidden_norm.add(&mut states, &layer.hidden_out.outputs(&hidden, rows));
        }
        states
    }
}

/// Returns a number times the share of a normal distribution below it.
#[expect(clippy::inline_always, reason = "a call would lose the caller's processor features")]
#[inline(always)]
fn gelu(value: f32) -> f32 {
    // The error function by Abramowitz and Stegun, 7.1.26, to seven digits.
    let x = value.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = t
        * (0.254_829_6
            + t * (-0.284_496_74 + t * (1.421_413_8 + t * (-1.453_152 + t * 1.061_405_4))));
    let tail = 0.5 * series * exponential(-x * x);
    value * if value < 0.0 { tail } else { 1.0 - tail }
}
