//! The text index: docs in, postings kept.

use rustc_hash::FxHashMap;

use super::{
    bits::Bits,
    each_word,
    postings::{Postings, write_number},
    stem,
    vocabulary::{Vocabulary, small},
};

/// Fewer removed docs than this are not worth a sweep.
const REMOVED_MIN: usize = 1024;

/// The texts of one doc.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fields<'a> {
    /// Its headings, or the title of its file.
    pub title: &'a str,
    /// The path of its file.
    pub path: &'a str,
    /// The tags of its file.
    pub tags: &'a str,
    /// Its dates, as people write them.
    pub dates: &'a str,
    /// What it says.
    pub body: &'a str,
}

/// How much each field counts; a weight of 2 is the same as writing the field twice, and a field
/// of weight 0 is not indexed.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the fields of Fields")]
pub struct Weights {
    pub title: u8,
    pub path: u8,
    pub tags: u8,
    pub dates: u8,
    pub body: u8,
}

impl Default for Weights {
    fn default() -> Self {
        Self { title: 2, path: 1, tags: 2, dates: 1, body: 1 }
    }
}

/// Docs by the words they hold.
///
/// A doc has an ordinal inside, given in the order of insertion, so that postings only ever grow
/// at their ends. A removed doc keeps its ordinal until there are more removed docs than others;
/// then all ordinals are given anew. Beside its postings a doc has its terms in order, which serve
/// phrases and removal.
pub struct TextIndex {
    weights: Weights,
    /// Folded words as they stand in texts, so that each is reduced to its stem once.
    pub(super) words: Vocabulary,
    // Invariant: one term for each word.
    pub(super) word_terms: Vec<u32>,
    /// Stems.
    pub(super) terms: Vocabulary,
    // Invariant: one for each term.
    pub(super) postings: Vec<Postings>,
    ordinals: FxHashMap<u32, u32>,
    // Invariant: ids, lengths and places have one entry for each ordinal.
    pub(super) ids: Vec<u32>,
    pub(super) lengths: Vec<u32>,
    /// The terms of a doc, place by place; see [`super::clauses`] for their reading.
    pub(super) places: Vec<Box<[u8]>>,
    pub(super) removed: Bits,
    length_total: u64,
}

impl Default for TextIndex {
    fn default() -> Self {
        Self::new(Weights::default())
    }
}

impl TextIndex {
    /// An empty index.
    pub fn new(weights: Weights) -> Self {
        Self {
            weights,
            words: Vocabulary::default(),
            word_terms: Vec::new(),
            terms: Vocabulary::default(),
            postings: Vec::new(),
            ordinals: FxHashMap::default(),
            ids: Vec::new(),
            lengths: Vec::new(),
            places: Vec::new(),
            removed: Bits::default(),
            length_total: 0,
        }
    }

    /// Adds a doc, in place of one with the same id.
    pub fn insert(&mut self, doc: u32, fields: Fields<'_>) {
        self.remove(doc);
        let ordinal = small(self.ids.len());
        let mut places = Vec::new();
        let mut occurrences: Vec<u64> = Vec::new();
        let mut length = 0;
        for (text, weight) in self.weighted(fields) {
            each_word(text, |word| {
                let term = self.term_of_word(word.text);
                write_number(&mut places, (u64::from(term) + 1) << 1 | u64::from(word.same_place));
                occurrences.push(u64::from(term) << 32 | u64::from(weight));
                length += if word.same_place { 0 } else { u32::from(weight) };
            });
            places.push(0);
        }
        occurrences.sort_unstable();
        for same in occurrences.chunk_by(|one, other| one >> 32 == other >> 32) {
            let frequency = same.iter().map(|one| one & 0xffff_ffff).sum::<u64>();
            let frequency = u32::try_from(frequency).unwrap_or(u32::MAX);
            self.postings[(same[0] >> 32) as usize].push(ordinal, frequency, length);
        }
        self.ordinals.insert(doc, ordinal);
        self.ids.push(doc);
        self.lengths.push(length);
        self.places.push(places.into_boxed_slice());
        self.length_total += u64::from(length);
    }

    /// Takes a doc out; whether it was there.
    pub fn remove(&mut self, doc: u32) -> bool {
        let Some(ordinal) = self.ordinals.remove(&doc) else {
            return false;
        };
        let places = std::mem::take(&mut self.places[ordinal as usize]);
        let mut terms: Vec<u32> = super::clauses::Places::new(&places).map(|at| at.term).collect();
        terms.sort_unstable();
        terms.dedup();
        for term in terms {
            self.postings[term as usize].live -= 1;
        }
        self.length_total -= u64::from(self.lengths[ordinal as usize]);
        self.removed.insert(ordinal);
        if self.ids.len() - self.ordinals.len() > self.ordinals.len().max(REMOVED_MIN) {
            self.sweep();
        }
        true
    }

    /// How many docs there are.
    pub fn len(&self) -> usize {
        self.ordinals.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ordinals.is_empty()
    }

    /// Whether a doc is here.
    pub fn contains(&self, doc: u32) -> bool {
        self.ordinals.contains_key(&doc)
    }

    /// The words of all docs, weighted.
    pub fn length_total(&self) -> u64 {
        self.length_total
    }

    /// Bytes of memory, nearly.
    pub fn size_bytes(&self) -> usize {
        let places: usize = self.places.iter().map(|places| places.len()).sum();
        self.words.size_bytes()
            + self.terms.size_bytes()
            + 4 * (self.word_terms.capacity() + self.ids.capacity() + self.lengths.capacity())
            + self.postings.iter().map(Postings::size_bytes).sum::<usize>()
            + self.ordinals.capacity() * 9
            + self.places.capacity() * size_of::<Box<[u8]>>()
            + places
    }

    /// The fields that are indexed, each with its weight.
    ///
    /// A field of weight 0 is empty, because [`super::clauses::Places`] counts the fields.
    fn weighted<'a>(&self, fields: Fields<'a>) -> [(&'a str, u8); 5] {
        let weights = self.weight_of_fields();
        let texts = [fields.title, fields.path, fields.tags, fields.dates, fields.body];
        std::array::from_fn(|at| (if weights[at] == 0 { "" } else { texts[at] }, weights[at]))
    }

    /// The weights in the order of the fields.
    pub(super) fn weight_of_fields(&self) -> [u8; 5] {
        let Weights { title, path, tags, dates, body } = self.weights;
        [title, path, tags, dates, body]
    }

    fn term_of_word(&mut self, word: &str) -> u32 {
        if let Some(known) = self.words.find(word) {
            return self.word_terms[known as usize];
        }
        let stem = stem(word);
        let term = self.terms.find(&stem).unwrap_or_else(|| {
            self.postings.push(Postings::default());
            self.terms.add(&stem)
        });
        self.words.add(word);
        self.word_terms.push(term);
        term
    }

    /// Gives ordinals anew, in the same order, and drops the postings of removed docs.
    fn sweep(&mut self) {
        let mut renumbered = vec![None; self.ids.len()];
        let mut kept = 0;
        for (ordinal, new) in (0..).zip(&mut renumbered) {
            if !self.removed.contains(ordinal) {
                *new = Some(kept);
                self.ids[kept as usize] = self.ids[ordinal as usize];
                self.lengths[kept as usize] = self.lengths[ordinal as usize];
                self.places.swap(kept as usize, ordinal as usize);
                self.ordinals.insert(self.ids[kept as usize], kept);
                kept += 1;
            }
        }
        for postings in &mut self.postings {
            let mut fresh = Postings::default();
            for (ordinal, frequency) in postings.iter() {
                if let Some(new) = renumbered[ordinal as usize] {
                    fresh.push(new, frequency, self.lengths[new as usize]);
                }
            }
            *postings = fresh;
        }
        self.ids.truncate(kept as usize);
        self.lengths.truncate(kept as usize);
        self.places.truncate(kept as usize);
        self.removed = Bits::default();
    }
}
