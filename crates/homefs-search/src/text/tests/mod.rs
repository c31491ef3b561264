//! Tests of the text index, its words and its queries.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "numbers of tests are small"
)]

mod analysis;
mod model;
mod queries;
mod trigrams;
