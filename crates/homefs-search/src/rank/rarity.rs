//! How rare tokens are, whatever the store.
//!
//! The vocabulary of the static model stands in the order of frequency, so that a token's place
//! tells its rarity: by Zipf's law the word of rank n has a share of about 1/n. A table that is the
//! same everywhere makes the weight of a doc a constant of its text, and says nothing of docs that
//! the asking agent may not read.
#![expect(clippy::cast_precision_loss, reason = "a rank needs no more than a float holds")]

use std::sync::{
    LazyLock,
    atomic::{AtomicUsize, Ordering},
};

use rustc_hash::FxHashMap;

use crate::{
    embed::{StaticModel, Token},
    text::{Clause, Query, Statistics, stem},
};

/// The most frequent word. What stands before it in the vocabulary are single characters, in the
/// order of their codes.
const FIRST_WORD: &str = "the";
/// How pieces begin that continue a word.
const CONTINUES: &str = "##";
/// The rarity of a letter or digit that is a token of its own.
const CHARACTER: f32 = 5.0;
/// A doc of this weight is worth half of one that says everything.
const WEIGHT_HALF: f32 = 16.0;
/// The store that the table stands for, when there is none whose frequencies may be used.
const DOCUMENTS: u64 = 10_000;
const WORDS_PER_DOCUMENT: u64 = 24;
/// So many terms are looked up in the vocabulary itself before there is a table of them.
const LOOKED_THROUGH_MAX: usize = 64;
/// Words before this rank are in most docs.
const COMMON_RANK: f32 = 20.0;

/// The rarity of a token: the logarithm of its rank, and 0 for signs.
pub(crate) fn rarity(token: Token) -> f32 {
    static FIRST: LazyLock<Token> = LazyLock::new(|| {
        pieces().find(|(_, piece)| *piece == FIRST_WORD).map_or(0, |(token, _)| token)
    });
    match token.checked_sub(*FIRST) {
        _ if !StaticModel::built_in().piece(token).contains(char::is_alphanumeric) => 0.0,
        None => CHARACTER,
        Some(rank) => (rank as f32 + 1.0).ln(),
    }
}

/// How much of a likeness counts for a doc of this weight, so that docs which say little do not
/// crowd out others.
#[inline]
pub(crate) fn shrink(weight: f32) -> f32 {
    weight / (weight + WEIGHT_HALF)
}

/// What of a doc's text has meaning and is embedded: all but a date in brackets at its start, as
/// logs have it, which would make all docs of a day alike.
pub fn meaning(text: &str) -> &str {
    dated(text).1
}

/// The date in brackets at the start of a text, if there is one, and the text without it.
pub(crate) fn dated(text: &str) -> (Option<&str>, &str) {
    let Some((date, behind)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return (None, text);
    };
    let is_date = date.len() <= 64
        && date.contains(|c: char| c.is_ascii_digit())
        && !date.contains(['[', '\n'])
        && behind.starts_with(char::is_whitespace);
    if is_date { (Some(date), behind.trim_start()) } else { (None, text) }
}

/// Frequencies from the table, for an agent that may read no space in full.
pub(super) fn statistics(query: &Query) -> Statistics {
    let frequencies = query.clauses().map(|clause| (clause.clone(), frequency(clause)));
    Statistics {
        documents: DOCUMENTS,
        length_total: DOCUMENTS * WORDS_PER_DOCUMENT,
        frequencies: frequencies.collect(),
    }
}

/// How many docs of the table's store have a clause.
fn frequency(clause: &Clause) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of docs")]
    let frequency = (DOCUMENTS as f32 * share(clause)) as u64;
    frequency
}

/// The share of docs of the language in general that have a clause.
pub(super) fn share(clause: &Clause) -> f32 {
    let rarity = match clause {
        Clause::Term(term) | Clause::Prefix(term) => rarity_of_term(term),
        Clause::Phrase(terms) => terms.iter().map(|term| rarity_of_term(term)).fold(0.0, f32::max),
    };
    COMMON_RANK / (COMMON_RANK + rarity.exp())
}

/// The rarity of the most frequent word with a stem; one that the vocabulary does not have is as
/// rare as its last.
///
/// Who asks often gets a table, which takes some milliseconds to make; until then the vocabulary is
/// looked through, which takes a twentieth of one.
fn rarity_of_term(term: &str) -> f32 {
    static TERMS: LazyLock<FxHashMap<String, f32>> = LazyLock::new(|| {
        let mut terms = FxHashMap::default();
        for (token, piece) in pieces().filter(|(_, piece)| !piece.starts_with(CONTINUES)) {
            // Later words are rarer.
            terms.entry(stem(piece)).or_insert_with(|| rarity(token));
        }
        terms
    });
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let found = if ASKED.fetch_add(1, Ordering::Relaxed) < LOOKED_THROUGH_MAX {
        looked_up(term)
    } else {
        TERMS.get(term).copied()
    };
    found.unwrap_or_else(|| (StaticModel::built_in().token_count() as f32).ln())
}

/// The rarity of the first word of the vocabulary with a stem, found without a table.
fn looked_up(term: &str) -> Option<f32> {
    let begins = term.get(..kept_by_stem(term)).unwrap_or(term);
    let is_word = |piece: &str| piece.starts_with(begins) && !piece.starts_with(CONTINUES);
    let mut words = pieces().filter(|(_, piece)| is_word(piece));
    words.find(|(_, piece)| stem(piece) == term).map(|(token, _)| rarity(token))
}

/// How many bytes of a stem all words that have it begin with: what is put in the place of an
/// ending shares all but its last letter with it, or all but two in `-ble`.
fn kept_by_stem(stem: &str) -> usize {
    stem.len().saturating_sub(if stem.ends_with("ble") { 2 } else { 1 })
}

/// The vocabulary, in its order.
fn pieces() -> impl Iterator<Item = (Token, &'static str)> {
    let model = StaticModel::built_in();
    (0..).take(model.token_count()).map(|token| (token, model.piece(token)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_with_what_is_kept_by_its_stem() {
        for (_, piece) in pieces().filter(|(_, piece)| !piece.starts_with(CONTINUES)) {
            let stem = stem(piece);
            let kept = stem.get(..kept_by_stem(&stem)).unwrap_or(&stem);
            assert!(piece.starts_with(kept), "{piece} {stem}");
        }
    }

    #[test]
    fn the_first_questions_get_the_same_answers_as_later_ones() {
        let terms = ["the", "harbor", "happi", "abl", "ti", "museum", "zzyzx", "ß", "油", "a"];
        for _ in 0..LOOKED_THROUGH_MAX {
            rarity_of_term("the");
        }
        let none = (StaticModel::built_in().token_count() as f32).ln();
        for term in terms {
            let looked = looked_up(term).unwrap_or(none);
            assert_eq!(looked.to_bits(), rarity_of_term(term).to_bits(), "{term}");
        }
    }
}
