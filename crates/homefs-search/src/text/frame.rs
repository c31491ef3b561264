//! The text index as bytes: words, and the docs that hold them.
//!
//! Only the places of docs are kept. Postings are made from them again, in some ten nanoseconds
//! each, which leaves nothing to be checked against anything else.

use std::{cmp::Reverse, ops::Range};

use homefs_core::Result;

use super::{
    TextIndex,
    clauses::Places,
    codec::{Reader, corrupt, read_number, write_bytes, write_number},
    postings::Postings,
    vocabulary::small,
};

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
            write_number(bytes, u64::from(occurrences[word]));
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

    /// Adds what was written: some words and so many docs, or all in place of nothing.
    pub(crate) fn read(&mut self, mut bytes: Reader<'_>, docs: usize, whole: bool) -> Result<()> {
        let words = bytes.count()?;
        let end = self.words.len() + words;
        self.words.reserve(words, bytes.len());
        self.stems.reserve(words);
        let mut occurrences = Vec::with_capacity(if whole { words } else { 0 });
        for _ in 0..words {
            let number = self.words.len();
            if self.words.add(bytes.text()?) as usize != number {
                return Err(corrupt());
            }
            let stem = bytes.small()?;
            self.stems.push(stem);
            if whole {
                occurrences.push(bytes.small()?);
            }
            if stem as usize >= end {
                return Err(corrupt());
            }
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
        if whole {
            self.post_all(docs, occurrences)?;
        } else {
            docs.into_iter().try_for_each(|doc| self.post(doc))?;
        }
        if bytes.is_empty() { Ok(()) } else { Err(corrupt()) }
    }

    /// As [`Self::post`] for all docs, but term by term: postings in the order of docs are all over
    /// the memory, which takes three times as long.
    fn post_all(&mut self, docs: Range<u32>, occurrences: Vec<u32>) -> Result<()> {
        let total = occurrences.iter().map(|count| u64::from(*count)).sum::<u64>();
        // A place has a byte at least, so that nothing is asked for that is not there.
        let weight_max = self.weight_of_fields().into_iter().max().unwrap_or_default();
        if total > self.places.bytes_len() as u64 * u64::from(weight_max) {
            return Err(corrupt());
        }
        // Where the occurrences of a stem begin, and at last where they end.
        let mut ends: Vec<usize> = Vec::with_capacity(occurrences.len());
        let starts =
            |end: &mut usize, count: &u32| Some(std::mem::replace(end, *end + *count as usize));
        ends.extend(occurrences.iter().scan(0, starts));
        let mut sorted = vec![0; small_word(total)];
        for doc in docs {
            let mut fits = true;
            let length = self.each_occurrence(doc, |stem, weight| {
                let at = &mut ends[stem as usize];
                let end = *at + usize::from(weight);
                match sorted.get_mut(*at..end) {
                    // A weight of 2 is the same as two occurrences.
                    Some(these) => these.fill(doc),
                    None => fits = false,
                }
                *at = end;
            })?;
            self.measured(length);
            if !fits {
                return Err(corrupt());
            }
        }
        let mut start = 0;
        for ((postings, end), count) in self.postings.iter_mut().zip(ends).zip(occurrences) {
            if end != start + count as usize {
                return Err(corrupt());
            }
            for same in sorted[start..end].chunk_by(|one, other| one == other) {
                postings.push(same[0], small(same.len()), self.lengths[same[0] as usize]);
            }
            start = end;
        }
        Ok(())
    }
}

/// A number of 32 bits as a place in an array.
#[expect(clippy::cast_possible_truncation, reason = "written from numbers of 32 bits")]
fn small_word(number: u64) -> usize {
    number as usize
}
