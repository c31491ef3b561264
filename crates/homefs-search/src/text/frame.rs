//! The text index as bytes: words, and the docs that hold them.
//!
//! Only the places of docs are kept. Postings are made from them again, in some ten nanoseconds
//! each, which leaves nothing to be checked against anything else.

use std::{cmp::Reverse, ops::Range};

use homefs_core::Result;

use super::{
    TextIndex,
    clauses::Places,
    codec::{Reader, corrupt, read_number, small_word, write_bytes, write_number},
    postings::Postings,
    vocabulary::small,
};

/// So many docs are worth sorting their occurrences.
const SORTED_MIN: usize = 256;
/// So many docs are sorted at once: their occurrences fit the second cache.
const SORTED_MAX: usize = 8192;

impl TextIndex {
    /// How many words were ever seen.
    pub(crate) fn word_count(&self) -> u32 {
        small(self.words.len())
    }

    /// How many numbers were given to docs.
    pub(crate) fn doc_end(&self) -> u32 {
        small(self.lengths.len())
    }

    /// How many bytes the places of a doc are.
    pub(crate) fn places_bytes(&self, doc: u32) -> usize {
        self.places.get(doc).len()
    }

    /// Writes the words and docs from some on; nothing of a removed doc but its number.
    pub(crate) fn write_from(&self, first_word: u32, first_doc: u32, bytes: &mut Vec<u8>) {
        write_number(bytes, u64::from(self.word_count() - first_word));
        for word in first_word..self.word_count() {
            write_bytes(bytes, self.words.text(word).as_bytes());
            write_number(bytes, u64::from(self.stems[word as usize]));
        }
        for doc in first_doc..self.doc_end() {
            let places = if self.contains(doc) { self.places.get(doc) } else { &[] };
            write_bytes(bytes, places);
        }
    }

    /// Writes the docs that are not removed, as an index that never had any other.
    pub(crate) fn write_whole(&self, bytes: &mut Vec<u8>) {
        let docs = || (0..self.doc_end()).filter(|doc| self.contains(*doc));
        let weights = self.weight_of_fields();
        let mut counts = vec![0_u32; self.words.len()];
        let mut occurrences = counts.clone();
        let mut used = vec![false; counts.len()];
        let mut words = Vec::new();
        for place in docs().flat_map(|doc| Places::new(self.places.get(doc))) {
            // A stem is a word too, and may have a stem of its own.
            let mut word = place.word as usize;
            while !std::mem::replace(&mut used[word], true) {
                words.push(word);
                word = self.stems[word] as usize;
            }
            let weight = u32::from(weights[place.field]);
            counts[place.word as usize] += weight;
            occurrences[self.stems[place.word as usize] as usize] += weight;
        }
        // Common words get small numbers, so that their places are fewer bytes, and what is known
        // of them is near to each other when the docs are read again.
        words.sort_by_key(|word| Reverse(counts[*word].max(occurrences[*word])));
        let mut numbers = counts;
        for (number, word) in (0..).zip(&words) {
            numbers[*word] = number;
        }
        write_number(bytes, words.len() as u64);
        for word in words {
            write_bytes(bytes, self.words.text(small(word)).as_bytes());
            let stem = self.stems[word];
            write_number(bytes, u64::from(numbers[stem as usize]));
        }
        let mut renumbered = Vec::new();
        for doc in docs() {
            let (places, mut at) = (self.places.get(doc), 0);
            renumbered.clear();
            while at < places.len() {
                let number = read_number(places, &mut at);
                let word = (number >> 1).checked_sub(1);
                let word = word.map_or(0, |word| u64::from(numbers[small_word(word)]) + 1);
                write_number(&mut renumbered, word << 1 | number & 1);
            }
            write_bytes(bytes, &renumbered);
        }
    }

    /// Adds what was written: some words and so many docs.
    pub(crate) fn read(&mut self, mut bytes: Reader<'_>, docs: usize) -> Result<()> {
        let words = bytes.count()?;
        let end = self.words.len() + words;
        self.words.reserve(words, bytes.len());
        self.stems.reserve(words);
        for number in self.words.len()..end {
            if self.words.add(bytes.text()?) as usize != number {
                return Err(corrupt());
            }
            let stem = bytes.small()?;
            if stem as usize >= end {
                return Err(corrupt());
            }
            self.stems.push(stem);
        }
        self.postings.resize_with(end, Postings::default);
        // A doc has a byte at least.
        if docs > bytes.len() {
            return Err(corrupt());
        }
        self.places.reserve(docs, bytes.len());
        self.lengths.reserve(docs);
        let docs = self.doc_end()..self.doc_end() + small(docs);
        for _ in docs.clone() {
            self.places.push(bytes.bytes()?);
        }
        for start in docs.clone().step_by(SORTED_MAX) {
            self.post_all(start..docs.end.min(start + small(SORTED_MAX)))?;
        }
        if bytes.is_empty() { Ok(()) } else { Err(corrupt()) }
    }

    /// As [`Self::post`] for many docs, but term by term: postings in the order of docs are all
    /// over the memory, which takes three times as long.
    fn post_all(&mut self, docs: Range<u32>) -> Result<()> {
        if docs.len() < SORTED_MIN {
            return docs.into_iter().try_for_each(|doc| self.post(doc));
        }
        let mut stems = Vec::new();
        // Where the occurrences of a stem begin, and at last where they end.
        let mut ends = vec![0_u32; self.postings.len()];
        let mut ends_of_docs = Vec::with_capacity(docs.len());
        for doc in docs.clone() {
            let length = self.each_occurrence(doc, |stem, weight| {
                // A weight of 2 is the same as two occurrences.
                for _ in 0..weight {
                    stems.push(stem);
                }
                ends[stem as usize] += u32::from(weight);
            })?;
            ends_of_docs.push(small(stems.len()));
            self.measured(length);
        }
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut sorted = vec![0; stems.len()];
        let mut start = 0;
        for (doc, end) in docs.zip(ends_of_docs) {
            for stem in &stems[start as usize..end as usize] {
                let at = &mut ends[*stem as usize];
                sorted[*at as usize] = doc;
                *at += 1;
            }
            start = end;
        }
        let mut start = 0;
        for (postings, end) in self.postings.iter_mut().zip(ends) {
            postings.extend(&sorted[start as usize..end as usize], &self.lengths);
            start = end;
        }
        Ok(())
    }
}
