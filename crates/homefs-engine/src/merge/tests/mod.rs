//! Tests of merging: cases by hand, and properties over random edits.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

mod content;
mod text;
mod tree;

/// The same cases in CI every time; many new ones where the environment asks for them.
#[expect(clippy::disallowed_methods, reason = "the environment chooses how much is tried")]
fn config() -> ProptestConfig {
    let extended = std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1");
    ProptestConfig {
        cases: if extended { 20_000 } else { 500 },
        rng_seed: if extended { RngSeed::Random } else { RngSeed::Fixed(7) },
        ..ProptestConfig::default()
    }
}
