//! Tests of merging: cases by hand, and properties over random edits.

use proptest::prelude::ProptestConfig;

mod content;
mod text;
mod tree;

/// Merging costs little, so that much is tried.
fn config() -> ProptestConfig {
    homefs_testkit::cases(500)
}
