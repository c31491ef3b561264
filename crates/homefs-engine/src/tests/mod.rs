//! Tests of the whole store that need to see or stop what is inside it.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

mod absent;
mod expiry;
mod failing_base;
mod failing_disk;
mod idle;
mod listing;
mod model;
mod rig;

/// Few cases in CI, always the same ones; many new ones where the environment asks for them.
#[expect(clippy::disallowed_methods, reason = "the environment chooses how much is tried")]
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let extended = std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1");
    ProptestConfig {
        cases: if extended { 20 * cases } else { cases },
        rng_seed: if extended { RngSeed::Random } else { RngSeed::Fixed(7) },
        max_shrink_time: 20_000,
        ..ProptestConfig::default()
    }
}
