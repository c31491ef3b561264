//! The text index: docs in, postings kept.

use homefs_core::Result;

use super::{
    arena::Arena,
    bits::Bits,
    clauses::{Made, Places},
    codec::{Reader, corrupt, write_number},
    each_word,
    postings::Postings,
    stem,
    vocabulary::{Vocabulary, small},
};

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
/// Docs are numbered in the order they come, so that postings only ever grow at their ends, and a
/// removed doc keeps its number: whoever owns the index makes it anew from what is left, see
/// `frame.rs`. Beside its postings a doc has its words in order, which serve phrases,
/// removal and the frame.
pub struct TextIndex {
    weights: Weights,
    /// Folded words as they stand in texts, and their stems.
    pub(super) words: Vocabulary,
    // Invariant: stems and postings have one entry for each word. A word's postings are those of
    // the texts whose words have it for their stem.
    pub(super) stems: Vec<u32>,
    pub(super) postings: Vec<Postings>,
    // Invariant: lengths and places have one entry for each doc.
    pub(super) lengths: Vec<u32>,
    /// The words of a doc, place by place; see [`super::clauses`] for their reading.
    pub(super) places: Arena,
    pub(super) removed: Bits,
    /// Docs that are found and do not count: how rare a word is does not depend on them.
    pub(super) aside: Bits,
    live: usize,
    counted: usize,
    length_total: u64,
    pub(super) made: Made,
    /// Stems and weights of the doc that is being added.
    occurrences: Vec<u64>,
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
            stems: Vec::new(),
            postings: Vec::new(),
            lengths: Vec::new(),
            places: Arena::default(),
            removed: Bits::default(),
            aside: Bits::default(),
            live: 0,
            counted: 0,
            length_total: 0,
            made: Made::default(),
            occurrences: Vec::new(),
        }
    }

    /// Adds a doc and numbers it.
    ///
    /// # Panics
    /// If all texts together are larger than memory can be.
    pub fn push(&mut self, fields: Fields<'_>) -> u32 {
        let texts = self.indexed(fields);
        let mut places = std::mem::take(&mut self.places);
        places.push_with(|bytes| {
            for text in texts {
                each_word(text, |word| {
                    let number = u64::from(self.word(word.text));
                    write_number(bytes, (number + 1) << 1 | u64::from(word.same_place));
                });
                bytes.push(0);
            }
        });
        self.places = places;
        let doc = small(self.lengths.len());
        self.post(doc).expect("the places were just written");
        doc
    }

    /// Adds the postings of a doc whose places are there.
    pub(super) fn post(&mut self, doc: u32) -> Result<()> {
        let mut occurrences = std::mem::take(&mut self.occurrences);
        occurrences.clear();
        let length = self.each_occurrence(doc, |stem, weight| {
            occurrences.push(u64::from(stem) << 32 | u64::from(weight));
        })?;
        occurrences.sort_unstable();
        for same in occurrences.chunk_by(|one, other| one >> 32 == other >> 32) {
            let frequency = same.iter().map(|one| one & 0xffff_ffff).sum::<u64>();
            let frequency = u32::try_from(frequency).unwrap_or(u32::MAX);
            self.postings[(same[0] >> 32) as usize].push(doc, frequency, length);
        }
        self.occurrences = occurrences;
        self.measured(length);
        Ok(())
    }

    /// Visits each stem of a doc with the weight of its field, and returns the doc's length.
    pub(super) fn each_occurrence(&self, doc: u32, mut visit: impl FnMut(u32, u8)) -> Result<u32> {
        let weights = self.weight_of_fields();
        let (mut field, mut length) = (0, 0_u32);
        let mut places = Reader::new(self.places.get(doc));
        while !places.is_empty() {
            let number = places.number()?;
            let Some(word) = (number >> 1).checked_sub(1) else {
                field += 1;
                continue;
            };
            let weight = *weights.get(field).ok_or_else(corrupt)?;
            let word = usize::try_from(word).map_err(|_| corrupt())?;
            visit(*self.stems.get(word).ok_or_else(corrupt)?, weight);
            length += if number & 1 == 0 { u32::from(weight) } else { 0 };
        }
        Ok(length)
    }

    /// Notes the length of the next doc.
    pub(super) fn measured(&mut self, length: u32) {
        self.made.clear();
        self.lengths.push(length);
        self.length_total += u64::from(length);
        self.live += 1;
        self.counted += 1;
    }

    /// Takes a doc out; whether it was there.
    pub fn remove(&mut self, doc: u32) -> bool {
        if !self.contains(doc) {
            return false;
        }
        if !self.aside.remove(doc) {
            self.discount(doc);
        }
        self.live -= 1;
        self.removed.insert(doc);
        self.made.clear();
        true
    }

    /// Lets a doc count for nothing, so that no other is worth more or less because of it; it is
    /// found as before.
    pub fn set_aside(&mut self, doc: u32) {
        if self.contains(doc) && !self.aside.contains(doc) {
            self.discount(doc);
            self.aside.insert(doc);
            self.made.clear();
        }
    }

    /// Takes a doc out of what is counted.
    fn discount(&mut self, doc: u32) {
        let places = Places::new(self.places.get(doc));
        let mut stems: Vec<u32> = places.map(|at| self.stems[at.word as usize]).collect();
        stems.sort_unstable();
        stems.dedup();
        for stem in stems {
            self.postings[stem as usize].live -= 1;
        }
        self.length_total -= u64::from(self.lengths[doc as usize]);
        self.counted -= 1;
    }

    /// How many docs there are.
    pub fn len(&self) -> usize {
        self.live
    }

    /// How many docs count.
    pub fn counted(&self) -> usize {
        self.counted
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Whether a doc is here.
    pub fn contains(&self, doc: u32) -> bool {
        (doc as usize) < self.lengths.len() && !self.removed.contains(doc)
    }

    /// The words of all docs that count, weighted.
    pub fn length_total(&self) -> u64 {
        self.length_total
    }

    /// Bytes of memory, nearly.
    pub fn size_bytes(&self) -> usize {
        self.words.size_bytes()
            + 4 * (self.stems.capacity() + self.lengths.capacity())
            + self.postings.iter().map(Postings::size_bytes).sum::<usize>()
            + self.places.size_bytes()
    }

    /// The texts that are indexed, in the order of the fields.
    ///
    /// A field of weight 0 is empty, because [`super::clauses::Places`] counts the fields.
    fn indexed<'a>(&self, fields: Fields<'a>) -> [&'a str; 5] {
        let weights = self.weight_of_fields();
        let texts = [fields.title, fields.path, fields.tags, fields.dates, fields.body];
        std::array::from_fn(|at| if weights[at] == 0 { "" } else { texts[at] })
    }

    /// The weights in the order of the fields.
    pub(super) fn weight_of_fields(&self) -> [u8; 5] {
        let Weights { title, path, tags, dates, body } = self.weights;
        [title, path, tags, dates, body]
    }

    /// The number of a word.
    fn word(&mut self, word: &str) -> u32 {
        if let Some(known) = self.words.find(word) {
            return known;
        }
        let number = self.words.add(word);
        self.stems.push(number);
        self.postings.push(Postings::default());
        let stem = stem(word);
        if stem != word {
            // A stem is a word like any other, so that each has a stem from the beginning.
            self.stems[number as usize] = self.word(&stem);
        }
        number
    }
}
