//! Which docs have a clause.

use std::{
    ops::Deref,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    Clause, TextIndex,
    codec::{read_number, small_word},
    postings::{Cursor, Postings},
};

/// What so many terms have in common with a text is no accident: of a longer phrase, the others are
/// not looked at.
const PHRASE_TERMS_MAX: usize = 64;
/// Phrases and prefixes whose postings are kept until the next change.
const MADE_MAX: usize = 16;

impl TextIndex {
    /// The docs that have a clause, with its frequency; nothing if none ever had it.
    pub(super) fn postings_of(&self, clause: &Clause) -> Option<ClausePostings<'_>> {
        match clause {
            Clause::Term(text) => {
                Some(ClausePostings::Held(&self.postings[self.words.find(text)? as usize]))
            }
            Clause::Prefix(prefix) => Some(self.made.get(clause, || self.with_prefix(prefix))),
            Clause::Phrase(texts) => {
                let terms = texts.iter().map(|text| self.words.find(text));
                let terms = terms.collect::<Option<Vec<_>>>()?;
                Some(self.made.get(clause, || self.with_phrase(&terms)))
            }
        }
    }

    /// The union of all terms whose words begin so.
    fn with_prefix(&self, prefix: &str) -> Postings {
        let mut terms: Vec<u32> =
            self.words.with_prefix(prefix).map(|word| self.stems[word as usize]).collect();
        terms.sort_unstable();
        terms.dedup();
        let all = terms.iter().flat_map(|term| self.postings[*term as usize].iter());
        let mut all: Vec<_> = all.filter(|one| !self.removed.contains(one.0)).collect();
        all.sort_unstable();
        let mut union = Postings::default();
        for same in all.chunk_by(|one, other| one.0 == other.0) {
            let frequency = same.iter().map(|one| one.1).fold(0, u32::saturating_add);
            union.push(same[0].0, frequency, self.lengths[same[0].0 as usize]);
            union.live -= u32::from(self.aside.contains(same[0].0));
        }
        union
    }

    /// The docs that have terms at successive places.
    fn with_phrase(&self, terms: &[u32]) -> Postings {
        let terms = &terms[..terms.len().min(PHRASE_TERMS_MAX)];
        let mut distinct = terms.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let mut lists: Vec<&Postings> =
            distinct.iter().map(|term| &self.postings[*term as usize]).collect();
        lists.sort_by_key(|postings| postings.live);
        let mut found = Postings::default();
        let Some((rarest, others)) = lists.split_first() else {
            return found;
        };
        let mut others: Vec<_> = others.iter().map(|postings| Cursor::new(postings)).collect();
        for (ordinal, _) in rarest.iter() {
            if self.removed.contains(ordinal)
                || !others.iter_mut().all(|cursor| cursor.frequency_of(ordinal).is_some())
            {
                continue;
            }
            let frequency = self.phrase_frequency(ordinal, terms);
            if frequency > 0 {
                found.push(ordinal, frequency, self.lengths[ordinal as usize]);
                found.live -= u32::from(self.aside.contains(ordinal));
            }
        }
        found
    }

    /// How often a doc has terms at successive places, weighted by field.
    fn phrase_frequency(&self, doc: u32, terms: &[u32]) -> u32 {
        let weights = self.weight_of_fields();
        let last = 1_u64 << (terms.len() - 1);
        // Bit n of `here` is set if term n stands at this place, of `open` if the terms up to n
        // stand at successive places that end at the one before.
        let (mut open, mut here, mut field, mut frequency) = (0_u64, 0, 0, 0);
        let (bytes, mut at) = (self.places.get(doc), 0);
        while at < bytes.len() {
            let number = read_number(bytes, &mut at);
            if number & 1 == 0 {
                open = (open << 1 | 1) & std::mem::take(&mut here);
                if open & last != 0 {
                    frequency += u32::from(weights[field]);
                }
            }
            if let Some(word) = (number >> 1).checked_sub(1) {
                let stem = self.stems[small_word(word)];
                for (bit, term) in terms.iter().enumerate() {
                    here |= u64::from(*term == stem) << bit;
                }
            } else {
                // No phrase crosses the fields.
                (open, field) = (0, field + 1);
            }
        }
        frequency
    }
}

/// Postings that a clause has.
pub(super) enum ClausePostings<'a> {
    /// Those of a term.
    Held(&'a Postings),
    /// Those of several.
    Made(Arc<Postings>),
}

impl Deref for ClausePostings<'_> {
    type Target = Postings;

    fn deref(&self) -> &Postings {
        match self {
            Self::Held(postings) => postings,
            Self::Made(postings) => postings,
        }
    }
}

/// The postings of phrases and prefixes that were asked for since the last change: a search asks
/// for the same several times, and they take the longest.
#[derive(Default)]
pub(super) struct Made(Mutex<Vec<(Clause, Arc<Postings>)>>);

impl Made {
    /// The postings of a clause, which are made if they are not there.
    fn get(&self, clause: &Clause, make: impl FnOnce() -> Postings) -> ClausePostings<'static> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = lock().iter().find(|(other, _)| other == clause) {
            return ClausePostings::Made(known.clone());
        }
        let postings = Arc::new(make());
        let mut all = lock();
        if all.len() == MADE_MAX {
            all.clear();
        }
        all.push((clause.clone(), postings.clone()));
        ClausePostings::Made(postings)
    }

    /// Forgets them, because a doc came or went.
    pub(super) fn clear(&mut self) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// One word of a doc and the field it stands in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordPosition {
    pub(crate) word: u32,
    pub(crate) field: usize,
}

/// Reads the words of a doc in order: a number is 0 at the end of a field, else a word plus one,
/// shifted, with the lowest bit set if it stands at the place of the word before.
pub(crate) struct Places<'a> {
    bytes: &'a [u8],
    at: usize,
    field: usize,
}

impl<'a> Places<'a> {
    /// A reader at the first word.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, field: 0 }
    }
}

impl Iterator for Places<'_> {
    type Item = WordPosition;

    #[inline]
    fn next(&mut self) -> Option<WordPosition> {
        while self.at < self.bytes.len() {
            let number = read_number(self.bytes, &mut self.at);
            if number >> 1 == 0 {
                self.field += 1;
                continue;
            }
            #[expect(clippy::cast_possible_truncation, reason = "written from a word")]
            let word = (number >> 1) as u32 - 1;
            return Some(WordPosition { word, field: self.field });
        }
        None
    }
}
