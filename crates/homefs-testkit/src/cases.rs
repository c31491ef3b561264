//! How much randomised tests try.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// Few cases in CI, always the same ones; many new ones where the environment asks for them.
#[expect(clippy::disallowed_methods, reason = "the environment chooses how much is tried")]
pub fn cases(few: u32) -> ProptestConfig {
    let extended = std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1");
    ProptestConfig {
        cases: if extended { 20 * few } else { few },
        rng_seed: if extended { RngSeed::Random } else { RngSeed::Fixed(7) },
        max_shrink_time: 20_000,
        ..ProptestConfig::default()
    }
}
