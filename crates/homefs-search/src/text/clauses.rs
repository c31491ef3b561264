//! Which docs have a clause.

use std::borrow::Cow;

use super::{
    Clause, TextIndex,
    codec::read_number,
    postings::{Cursor, Postings},
};

impl TextIndex {
    /// The docs that have a clause, with its frequency; nothing if none ever had it.
    pub(super) fn postings_of(&self, clause: &Clause) -> Option<Cow<'_, Postings>> {
        let term = |text: &str| self.words.find(text).map(|term| term as usize);
        match clause {
            Clause::Term(text) => Some(Cow::Borrowed(&self.postings[term(text)?])),
            Clause::Prefix(prefix) => Some(Cow::Owned(self.with_prefix(prefix))),
            Clause::Phrase(texts) => {
                let terms = texts.iter().map(|text| self.words.find(text));
                Some(Cow::Owned(self.with_phrase(&terms.collect::<Option<Vec<_>>>()?)))
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
        }
        union
    }

    /// The docs that have terms at successive places.
    fn with_phrase(&self, terms: &[u32]) -> Postings {
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
        let mut places = Vec::new();
        for (ordinal, _) in rarest.iter() {
            if self.removed.contains(ordinal)
                || !others.iter_mut().all(|cursor| cursor.frequency_of(ordinal).is_some())
            {
                continue;
            }
            let frequency = self.phrase_frequency(ordinal, terms, &mut places);
            if frequency > 0 {
                found.push(ordinal, frequency, self.lengths[ordinal as usize]);
            }
        }
        found
    }

    /// How often a doc has terms at successive places, weighted by field.
    fn phrase_frequency(&self, doc: u32, terms: &[u32], places: &mut Vec<Place>) -> u32 {
        let weights = self.weight_of_fields();
        places.clear();
        places.extend(Places::new(self.places.get(doc)));
        let term_of = |place: &Place| self.stems[place.word as usize];
        let has = |from: usize, place: u32, term: u32| {
            let mut near = places[from..].iter().take_while(|one| one.at <= place);
            near.any(|one| one.at == place && term_of(one) == term)
        };
        let starts = places.iter().enumerate().filter(|(from, start)| {
            term_of(start) == terms[0]
                && (1..).zip(&terms[1..]).all(|(step, term)| has(*from, start.at + step, *term))
        });
        starts.map(|(_, start)| u32::from(weights[start.field])).sum()
    }
}

/// One word of a doc and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) word: u32,
    at: u32,
    pub(crate) field: usize,
}

/// Reads the words of a doc in order: a number is 0 at the end of a field, else a word plus one,
/// shifted, with the lowest bit set if it stands at the place of the word before.
pub(crate) struct Places<'a> {
    bytes: &'a [u8],
    at: usize,
    place: u32,
    field: usize,
}

impl<'a> Places<'a> {
    /// A reader at the first word.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, place: 0, field: 0 }
    }
}

impl Iterator for Places<'_> {
    type Item = Place;

    fn next(&mut self) -> Option<Place> {
        while self.at < self.bytes.len() {
            let number = read_number(self.bytes, &mut self.at);
            if number >> 1 == 0 {
                // A place is left out, so that no phrase crosses the fields.
                self.field += 1;
                self.place += 1;
                continue;
            }
            self.place += u32::from(number & 1 == 0);
            #[expect(clippy::cast_possible_truncation, reason = "written from a word")]
            let word = (number >> 1) as u32 - 1;
            return Some(Place { word, at: self.place, field: self.field });
        }
        None
    }
}
