//! Filling the budget.

use std::{cmp::Ordering, ops::Range};

use super::{
    Candidate, Counts, Explained, Memory, Options, Outcome, Recalled,
    duplicates::Said,
    excerpt::{Quote, Words, excerpt},
    format::{Item, body, lines},
    older,
    scores::{Score, age},
    sentences::trim,
};
use crate::rank::FLOOR;

/// A doc takes at most this part of the budget while others wait.
const SHARE: usize = 4;
/// Or this many tokens, if that is more.
const SHARE_MIN: usize = 100;
/// A doc of no more tokens is in the text as a whole or not at all, and so is one for which no
/// more are left; but for the best.
const EXCERPT_MIN: usize = 48;
/// No token of a vocabulary has more bytes, so a much longer text need not be counted.
const TOKEN_BYTES_MAX: usize = 128;
/// What has less than this share of the best relevance has nothing to do with the question.
const STRANGE: f32 = 0.2;
/// What is said instead of memories.
const NOTHING: &str = "nothing known about this\n";
/// No item has fewer tokens: a mark, a word and where it stands.
const ITEM_MIN: usize = 8;

/// Packs what candidates say into the budget.
///
/// The best candidate is in the text whenever it, or one of its sentences, has room. The others
/// follow by score, short ones a little before long ones. A long doc first gives the sentences
/// that answer the question, and the whole of it only if room is left at the end. The text has
/// the best first.
pub fn recall(
    mut candidates: Vec<Candidate>,
    options: &Options,
    question: &str,
    counts: &Counts,
) -> Recalled {
    older::mark(&mut candidates);
    let mut entries: Vec<Entry> =
        candidates.into_iter().map(|candidate| Entry::new(candidate, options)).collect();
    entries.sort_by(Entry::order);
    put_newer_first(&mut entries);
    drop_some(&mut entries, options.min_score);
    drop_strangers(&mut entries);
    Packing::new(options, question, counts, options.max_tokens).fill(&mut entries);
    let is_known = entries.iter().any(|entry| entry.dropped.is_none());
    let mut recalled = recalled(entries, options);
    let tokens = counts.count(options.tokenizer, NOTHING);
    if !is_known && tokens <= options.max_tokens {
        (recalled.text, recalled.tokens) = (NOTHING.to_owned(), tokens);
    }
    recalled
}

/// Drops everything if nothing is an answer, else what is far less relevant than the best.
fn drop_strangers(entries: &mut [Entry]) {
    let best = entries.iter().map(|entry| entry.score.relevance).fold(0.0, f32::max);
    let least = if best < FLOOR { f32::INFINITY } else { best * STRANGE };
    for entry in entries.iter_mut().filter(|entry| entry.score.relevance < least) {
        entry.dropped.get_or_insert((Outcome::NoAnswer, None));
    }
}

/// Moves what something newer has taken the place of behind that. Whatever takes the place of what,
/// be it in a circle, no entry is moved more than once for each of the others.
pub(super) fn put_newer_first(entries: &mut [Entry]) {
    for _ in 0..entries.len() {
        let mut is_sorted = true;
        for at in 0..entries.len() {
            let Some(newer) = &entries[at].candidate.newer else { continue };
            let behind = entries[at + 1..].iter().rposition(|one| one.candidate.path == *newer);
            if let Some(steps) = behind {
                entries[at..=at + 1 + steps].rotate_left(1);
                is_sorted = false;
            }
        }
        if is_sorted {
            break;
        }
    }
}

/// A candidate on its way into the text.
pub(super) struct Entry {
    candidate: Candidate,
    score: Score,
    /// The tokens of the whole of it as an item, once they are counted.
    whole: Option<usize>,
    packed: Option<Packed>,
    /// The most tokens it was tried with.
    tried: usize,
    /// Why it is not in the text.
    dropped: Option<Dropped>,
}

/// What the text has of a candidate.
struct Packed {
    quoted: Range<usize>,
    item: Item,
    tokens: usize,
}

impl Entry {
    /// Scores a candidate.
    pub(super) fn new(candidate: Candidate, options: &Options) -> Self {
        let score = Score::new(&candidate, options);
        Self { candidate, score, whole: None, packed: None, tried: 0, dropped: None }
    }

    /// Takes a candidate that is wanted whatever it says and however old it is.
    pub(super) fn wanted(candidate: Candidate) -> Self {
        let score = Score { relevance: 1.0, importance: 1.0, recency: 1.0 };
        Self { candidate, score, whole: None, packed: None, tried: 0, dropped: None }
    }

    /// The better one first; those alike by where they stand, so that the order is always one.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let place = |entry: &Self| (entry.candidate.lines, entry.candidate.version);
        (other.score.value().total_cmp(&self.score.value()))
            .then_with(|| self.candidate.path.cmp(&other.candidate.path))
            .then_with(|| place(self).cmp(&place(other)))
    }

    /// Its item, if it is in the text.
    pub(super) fn text(&self) -> Option<&str> {
        self.packed.as_ref().map(|packed| packed.item.text.as_str())
    }

    /// All of its text but the space around it.
    fn all(&self) -> Range<usize> {
        trim(&self.candidate.text, 0..self.candidate.text.len())
    }

    fn is_whole(&self) -> bool {
        self.packed.as_ref().is_some_and(|packed| packed.quoted == self.all())
    }

    /// What the filling goes by: the score, with a mild preference for what takes little room.
    fn gain(&self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a length")]
        let length = self.candidate.text.len() as f32;
        self.score.value() / (length + 400.0).powf(0.3)
    }
}

/// Why a candidate is not in the text, and what says the same.
type Dropped = (Outcome, Option<String>);

/// Drops what has nothing to say, what scores too low, and what says the same as a better one.
pub(super) fn drop_some(entries: &mut [Entry], min_score: f32) {
    let mut said: Vec<Said<'_>> = Vec::new();
    let mut dropped = Vec::with_capacity(entries.len());
    for entry in &*entries {
        let candidate = &entry.candidate;
        let outcome = if entry.all().is_empty() && candidate.title.trim().is_empty() {
            Some((Outcome::Empty, None))
        } else if entry.score.relevance < min_score {
            Some((Outcome::BelowMinimum, None))
        } else {
            let new = Said::new(candidate);
            let same = said.iter().find(|better| better.is_same(&new));
            let outcome =
                same.map(|better| (Outcome::Duplicate, Some(better.candidate.path.clone())));
            if outcome.is_none() {
                said.push(new);
            }
            outcome
        };
        dropped.push(outcome);
    }
    for (entry, outcome) in entries.iter_mut().zip(dropped) {
        entry.dropped = outcome;
    }
}

/// The budget as it is filled.
pub(super) struct Packing<'a> {
    options: &'a Options,
    words: Words,
    counts: &'a Counts,
    room: usize,
}

impl<'a> Packing<'a> {
    /// A budget with room for so many tokens.
    pub(super) fn new(
        options: &'a Options,
        question: &str,
        counts: &'a Counts,
        room: usize,
    ) -> Self {
        Self { options, words: Words::new(question), counts, room }
    }

    /// The tokens that are left.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Packs entries, which have the best first.
    pub(super) fn fill(&mut self, entries: &mut [Entry]) {
        let share = (self.room / SHARE).max(SHARE_MIN);
        let by_score: Vec<usize> =
            (0..entries.len()).filter(|at| entries[*at].dropped.is_none()).collect();
        let Some(best) = by_score.first().map(|at| &mut entries[*at]) else { return };
        self.place(best, share, 0);
        if best.packed.is_none() {
            self.place(best, self.room, 0);
        }
        let gains: Vec<f32> = entries.iter().map(Entry::gain).collect();
        let mut by_gain = by_score.clone();
        by_gain.sort_by(|one, two| gains[*two].total_cmp(&gains[*one]));
        for at in by_gain {
            if entries[at].packed.is_none() {
                self.place(&mut entries[at], share, EXCERPT_MIN);
            }
        }
        for at in by_score {
            self.place(&mut entries[at], usize::MAX, EXCERPT_MIN);
        }
    }

    /// Puts an entry in the text, or more of it, with at most `most` tokens. It is cut to an
    /// excerpt if it has more than `excerpt_min`.
    fn place(&mut self, entry: &mut Entry, most: usize, excerpt_min: usize) {
        let had = entry.packed.as_ref().map_or(0, |packed| packed.tokens);
        let limit = most.min(self.room + had);
        if limit < ITEM_MIN || limit <= entry.tried || entry.is_whole() {
            return;
        }
        entry.tried = limit;
        if let Some(packed) = self.fit(entry, limit, excerpt_min)
            && packed.tokens > had
        {
            self.room = self.room + had - packed.tokens;
            entry.packed = Some(packed);
        }
    }

    /// The whole of an entry, or else an excerpt of it, that has at most `limit` tokens.
    fn fit(&self, entry: &mut Entry, limit: usize, excerpt_min: usize) -> Option<Packed> {
        let all = entry.all();
        if entry.whole.is_none_or(|whole| whole <= limit) {
            let packed = self.pack(&entry.candidate, Quote::whole(all.clone()))?;
            entry.whole = Some(packed.tokens);
            if packed.tokens <= limit {
                return Some(packed);
            }
        }
        // An excerpt of a few words is hardly worth where it stands.
        let whole = entry.whole.filter(|whole| excerpt_min < limit.min(*whole))?;
        let bytes_max = all.len().saturating_mul(limit) / whole;
        let text = &entry.candidate.text;
        let pack = |quote: &Quote| self.pack(&entry.candidate, quote.clone());
        let quote = excerpt(text, &self.words, bytes_max, |quote| {
            pack(quote).is_some_and(|packed| packed.tokens <= limit)
        })?;
        pack(&quote)
    }

    /// Writes a span of a candidate and counts it, if it can have room at all.
    fn pack(&self, candidate: &Candidate, quote: Quote) -> Option<Packed> {
        if quote.span.len() / TOKEN_BYTES_MAX > self.options.max_tokens {
            return None;
        }
        let item = Item::new(candidate, &quote, self.options);
        let tokens = item.tokens(self.options.tokenizer, self.counts);
        Some(Packed { quoted: quote.span, item, tokens })
    }
}

/// Writes down what became of entries, which have the best first.
fn recalled(entries: Vec<Entry>, options: &Options) -> Recalled {
    let mut recalled = Recalled::default();
    for entry in entries {
        let is_whole = entry.is_whole();
        let Entry { candidate, score, whole, packed, dropped, .. } = entry;
        let (outcome, duplicate_of) = match (&packed, dropped) {
            (_, Some(dropped)) => dropped,
            (None, None) => (Outcome::NoRoom, None),
            (Some(_), None) if is_whole => (Outcome::Kept, None),
            (Some(_), None) => (Outcome::Excerpted, None),
        };
        recalled.explained.push(Explained {
            path: candidate.path.clone(),
            lines: candidate.lines,
            relevance: score.relevance,
            importance: score.importance,
            recency: score.recency,
            score: score.value(),
            tokens: packed.as_ref().map_or(whole.unwrap_or(0), |packed| packed.tokens),
            outcome,
            duplicate_of,
        });
        if let Some(Packed { quoted, item, tokens }) = packed {
            recalled.text.push_str(&item.text);
            recalled.tokens += tokens;
            recalled.items.push(Memory {
                lines: lines(&candidate, &quoted),
                text: body(&candidate, quoted).to_owned(),
                path: candidate.path,
                handle: candidate.handle,
                version: candidate.version,
                score: score.value(),
                age: age(candidate.modified, options.now),
                older: candidate.newer.is_some(),
                tokens,
            });
        }
    }
    recalled
}
