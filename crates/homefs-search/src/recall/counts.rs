//! Counts of texts that come again.

use std::{
    hash::BuildHasher,
    sync::{Mutex, PoisonError},
};

use foldhash::quality::RandomState;
use rustc_hash::FxHashMap;

use super::{Count, Tokenizer};

/// How many counts a generation has; two generations are kept.
const GENERATION: usize = 16 << 10;

/// Token counts of texts, so that recalling the same docs again counts nothing again.
///
/// A text is known by its length and a hash under a secret of this table, so nobody can prepare
/// two texts for one count. It holds at most some 32,000 counts, about 1 MB.
#[derive(Debug, Default)]
pub struct Counts {
    hasher: RandomState,
    generations: Mutex<Generations>,
}

/// The counts of late and those before; when the new ones are many, the old ones go.
#[derive(Debug, Default)]
struct Generations {
    new: FxHashMap<Key, u32>,
    old: FxHashMap<Key, u32>,
}

/// A tokenizer, and the length and the hash of a text.
type Key = (Tokenizer, usize, u64);

impl Counts {
    /// Returns how many tokens a text has.
    pub fn count(&self, tokenizer: Tokenizer, text: &str) -> usize {
        if tokenizer == Tokenizer::Approx {
            // The estimate is as fast as the table.
            return tokenizer.count(text);
        }
        let key = (tokenizer, text.len(), self.hasher.hash_one(text));
        if let Some(count) = self.with(|generations| generations.get(key)) {
            return count as usize;
        }
        let count = tokenizer.count(text);
        self.with(|generations| generations.put(key, u32::try_from(count).unwrap_or(u32::MAX)));
        count
    }

    /// How many counts it has.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.with(|generations| generations.new.len() + generations.old.len())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Generations) -> T) -> T {
        // Counts are whole whenever the lock is free, also after a panic.
        work(&mut self.generations.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Generations {
    fn get(&mut self, key: Key) -> Option<u32> {
        if let Some(count) = self.new.get(&key) {
            return Some(*count);
        }
        let count = *self.old.get(&key)?;
        self.put(key, count);
        Some(count)
    }

    fn put(&mut self, key: Key, count: u32) {
        if self.new.len() >= GENERATION {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(key, count);
    }
}
