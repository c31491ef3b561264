//! Drawing ids of nodes, which tell nothing but when a node was made.
//!
//! An agent sees the ids of what it may see. Were they counted, two of them would tell how much was
//! made between them, by whomever and wherever. So an id is the millisecond in which it was drawn,
//! which the node's own time of making tells too, and 80 random bits. The time comes first: what is
//! made together stands together in a base, as it did when ids were counted
//! ([ADR 0024](../../../docs/adr/0024-drawn-ids.md)).

use homefs_core::{NodeId, Timestamp};
use parking_lot::Mutex;

/// Random bytes of one id.
const ID_BYTES: usize = 10;
/// Ids whose random bytes are made at once, which is cheaper than one by one.
const BATCH: usize = 100;
/// Bits of an id that are random.
const RANDOM_BITS: u32 = 80;
/// Bits of an id that are its time: enough for ten thousand years.
const TIME_BITS: u32 = 48;

/// Draws ids for one opened store.
pub(crate) struct Ids(Mutex<Drawn>);

struct Drawn {
    /// Not to be foretold from what it gave: from a simpler generator an agent could compute how
    /// many ids were drawn between two of its own.
    source: blake3::OutputReader,
    bytes: [u8; BATCH * ID_BYTES],
    used: usize,
}

impl Ids {
    /// Draws from the randomness that a store was opened with.
    pub(crate) fn new(seed: u64) -> Self {
        let key = blake3::derive_key("homefs ids of nodes", &seed.to_le_bytes());
        let source = blake3::Hasher::new_keyed(&key).finalize_xof();
        let bytes = [0; BATCH * ID_BYTES];
        Self(Mutex::new(Drawn { source, bytes, used: bytes.len() }))
    }

    /// Returns an id that no other node on any machine has.
    pub(crate) fn draw(&self, now: Timestamp) -> NodeId {
        let mut random = [0; 16];
        {
            let mut drawn = self.0.lock();
            let Drawn { source, bytes, used } = &mut *drawn;
            if *used == bytes.len() {
                source.fill(bytes);
                *used = 0;
            }
            random[16 - ID_BYTES..].copy_from_slice(&bytes[*used..*used + ID_BYTES]);
            *used += ID_BYTES;
        }
        // Never 0, which is the time of the ids that every space has.
        let millis = u128::try_from(now.0 / 1_000_000).unwrap_or(0) % (1 << TIME_BITS);
        NodeId(millis.max(1) << RANDOM_BITS | u128::from_be_bytes(random))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const MILLISECOND: i64 = 1_000_000;

    fn at(millis: i64) -> Timestamp {
        Timestamp(millis * MILLISECOND)
    }

    #[test]
    fn an_id_tells_when_it_was_drawn_and_nothing_else() {
        let (one, other) = (Ids::new(7), Ids::new(7));
        // Others draw in one store and not in the other.
        let hidden: Vec<NodeId> = (0..1000).map(|_| other.draw(at(5))).collect();
        let (mut low, mut high) = (0u128, u128::MAX);
        for expected in &hidden {
            let id = one.draw(at(5));
            assert_eq!(id, *expected, "one seed gives one run");
            assert_eq!(id.0 >> RANDOM_BITS, 5);
            (low, high) = (low | id.0, high & id.0);
        }
        // No random bit is always the same, and none follows from the one before.
        let random = (1u128 << RANDOM_BITS) - 1;
        assert_eq!((low & random, high & random), (random, 0));
        let rises = hidden.windows(2).filter(|two| two[0] < two[1]).count();
        assert!((400..600).contains(&rises), "{rises} of 999 are above the one before");
        let near = |two: &&[NodeId]| two[0].0.abs_diff(two[1].0) < 1 << 60;
        assert_eq!(hidden.windows(2).filter(near).count(), 0);
    }

    #[test]
    fn ids_differ_and_those_of_later_times_are_higher() {
        let (ids, other) = (Ids::new(1), Ids::new(2));
        let mut all = BTreeSet::new();
        for number in 0..200_000 {
            for ids in [&ids, &other] {
                assert!(all.insert(ids.draw(at(1 + number / 100))));
            }
        }
        assert!(ids.draw(at(50)) < ids.draw(at(51)));
        // Whatever the clock shows, no id is one of those that every space has.
        for odd in [i64::MIN, -1, 0, 1, i64::MAX] {
            assert!(ids.draw(Timestamp(odd)).0 >> 64 > 0, "{odd}");
        }
    }
}
