//! A set of small numbers.

/// A growing set of ordinals, one bit each.
#[derive(Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// Adds an ordinal.
    pub(crate) fn insert(&mut self, ordinal: u32) {
        let at = ordinal as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (ordinal % 64);
    }

    /// Takes an ordinal out; whether it was there.
    pub(crate) fn remove(&mut self, ordinal: u32) -> bool {
        let was_there = self.contains(ordinal);
        if was_there {
            self.0[ordinal as usize / 64] &= !(1 << (ordinal % 64));
        }
        was_there
    }

    /// Whether an ordinal was added.
    pub(crate) fn contains(&self, ordinal: u32) -> bool {
        self.0.get(ordinal as usize / 64).is_some_and(|word| word >> (ordinal % 64) & 1 == 1)
    }
}
