//! From a file to docs: the spans that are indexed, ranked and cited.

mod links;
mod split;

#[cfg(test)]
mod tests;

pub use links::{Link, LinkKind, links};
pub use split::{Doc, Note, split};
