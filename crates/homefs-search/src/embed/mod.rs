//! Vectors of texts: two models that are part of the binary, and the search among vectors.
//!
//! [`StaticModel`] needs microseconds and serves every write at once; [`Encoder`] reads a text as
//! a whole and needs a fraction of a millisecond. Both are computed by hand here, because an
//! inference library is a thousand times their size and slower for models as small as these.
//! [`VectorSet`] finds the nearest vectors by looking at all of them.

use homefs_core::Result;

mod encoder;
mod files;
mod forward;
mod matrix;
mod quantised;
mod simd;
mod static_model;
mod tensors;
#[cfg(test)]
mod tests;
mod vectors;
mod vocabulary;
mod wordpiece;

pub use encoder::Encoder;
pub use quantised::{Quantised, Query};
pub use static_model::StaticModel;
pub use vectors::{Hit, VectorSet};
pub use vocabulary::Token;

/// What a text is embedded for; some models treat a question otherwise than its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A text that asks.
    Query,
    /// A text that is looked for.
    Memory,
}

/// A model that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Returns the model's name; vectors of different names cannot be compared.
    fn name(&self) -> &str;

    /// Returns the length of every vector.
    fn dimensions(&self) -> usize;

    /// Returns the unit vector of a text, or zeros for a text in which the model sees nothing.
    fn embed(&self, text: &str, role: Role) -> Result<Vec<f32>>;
}

/// Scales a vector to unit length; zeros stay.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}
