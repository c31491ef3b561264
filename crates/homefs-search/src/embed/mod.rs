//! Vectors of texts: two models that are part of the binary, those that a user gives, and the
//! search among vectors.
//!
//! [`StaticModel`] needs microseconds and serves every write at once; [`Encoder`] reads a text as
//! a whole and needs a fraction of a millisecond; [`Bert`] is any model of that kind on disk. All
//! are computed by hand here, because an inference library is a thousand times the size of this
//! and slower for models as small as the built-in ones.
//! [`VectorSet`] finds the nearest vectors by looking at all of them.

mod attention;
mod bert;
mod built_in;
mod centre;
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

pub use bert::Bert;
pub use built_in::BuiltIn;
pub use centre::Centre;
pub use encoder::Encoder;
pub(crate) use quantised::product;
pub use quantised::{Quantised, Query};
pub use static_model::StaticModel;
pub use vectors::{Hit, VectorSet};
pub use vocabulary::Token;

/// Scales a vector to unit length; zeros stay.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}
