//! Strings as small numbers.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// The least table, so that three quarters of it are never all.
const SLOTS_MIN: usize = 64;

/// A set of strings, numbered from 0 in the order they came.
///
/// One arena and one table of numbers: some 20 bytes a word beside its letters would otherwise go
/// to pointers. Strings are never taken out.
#[derive(Default)]
pub(crate) struct Vocabulary {
    letters: String,
    ends: Vec<u32>,
    // Invariant: a power of two long, at most three quarters full; a slot is a number plus one.
    slots: Vec<u32>,
    hasher: RandomState,
}

impl Vocabulary {
    /// How many strings there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string of a number.
    pub(crate) fn text(&self, number: u32) -> &str {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.letters[start..self.ends[at] as usize]
    }

    /// The number of a string.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.slots[self.slot(text)].checked_sub(1)
    }

    /// The number of a string, which is added if it is not there.
    pub(crate) fn add(&mut self, text: &str) -> u32 {
        if self.ends.len() * 4 >= self.slots.len() * 3 {
            self.grow((self.slots.len() * 2).max(SLOTS_MIN));
        }
        let slot = self.slot(text);
        if let Some(known) = self.slots[slot].checked_sub(1) {
            return known;
        }
        let number = small(self.ends.len());
        self.letters.push_str(text);
        self.ends.push(small(self.letters.len()));
        self.slots[slot] = number + 1;
        number
    }

    /// Makes room for more strings of so many bytes.
    pub(crate) fn reserve(&mut self, more: usize, bytes: usize) {
        self.ends.reserve(more);
        self.letters.reserve(bytes.min(more * 16));
        let slots = ((self.ends.len() + more) * 4 / 3 + 1).next_power_of_two().max(SLOTS_MIN);
        if slots > self.slots.len() {
            self.grow(slots);
        }
    }

    /// The numbers of the strings that begin with `prefix`.
    pub(crate) fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = u32> + 'a {
        (0..small(self.len())).filter(move |&number| self.text(number).starts_with(prefix))
    }

    /// Bytes of memory.
    pub(crate) fn size_bytes(&self) -> usize {
        self.letters.capacity() + 4 * (self.ends.capacity() + self.slots.capacity())
    }

    /// The slot that holds `text`, or the empty one where it belongs.
    fn slot(&self, text: &str) -> usize {
        let mask = self.slots.len() - 1;
        #[expect(clippy::cast_possible_truncation, reason = "a hash loses nothing that is masked")]
        let mut at = self.hasher.hash_one(text) as usize & mask;
        while self.slots[at] != 0 && self.text(self.slots[at] - 1) != text {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self, slots: usize) {
        self.slots = vec![0; slots];
        for number in 0..small(self.ends.len()) {
            let slot = self.slot(self.text(number));
            self.slots[slot] = number + 1;
        }
    }
}

/// A length as a number of the index.
pub(crate) fn small(length: usize) -> u32 {
    u32::try_from(length).expect("an index in memory stays below four thousand million of anything")
}
