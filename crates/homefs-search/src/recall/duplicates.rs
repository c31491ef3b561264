//! What says the same twice.

use std::{cell::OnceCell, hash::BuildHasher};

use rustc_hash::FxBuildHasher;

use super::Candidate;
use crate::{
    embed::{Quantised, StaticModel, product},
    rank::meaning,
    text::each_word,
};

/// Docs whose vectors are as near as this may say the same.
const NEAR: f32 = 0.95;
/// So many numbers of two vectors are looked at first.
const HEAD: usize = 64;

/// A candidate as others are compared with it.
pub(super) struct Said<'a> {
    pub(super) candidate: &'a Candidate,
    /// The length of its vector behind the head.
    tail: f32,
    // Most candidates are near to no other, and then nobody reads their words.
    words: OnceCell<Words>,
}

/// The words of a text.
struct Words {
    // Invariant: sorted hashes, each once.
    all: Vec<u64>,
    /// How often it says no.
    negations: usize,
}

impl<'a> Said<'a> {
    /// Takes a candidate.
    pub(super) fn new(candidate: &'a Candidate) -> Self {
        let tail = candidate.vector.as_ref().map_or(0.0, tail);
        Self { candidate, tail, words: OnceCell::new() }
    }

    /// Whether two candidates say the same: their texts are equal, or their vectors are near, they
    /// share at least half of their words, and have the same numbers and negations. The words are
    /// asked too, because vectors of long texts are near if only the topic is the same. What takes
    /// the place of the other says something else.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (one, two) = (self.candidate, other.candidate);
        let is_instead = |new: &Candidate, old: &Candidate| old.newer.as_ref() == Some(&new.path);
        if is_instead(one, two) || is_instead(two, one) {
            return false;
        }
        if one.digest == two.digest && one.text == two.text {
            return true;
        }
        let (shorter, longer) =
            (one.text.len().min(two.text.len()), one.text.len().max(two.text.len()));
        longer <= 2 * shorter
            && is_near(self, other)
            && self.words().agree(other.words())
            && numbers(meaning(&one.text)).eq(numbers(meaning(&two.text)))
    }

    fn words(&self) -> &Words {
        self.words.get_or_init(|| Words::new(&self.candidate.text))
    }
}

/// Whether two texts say the same, in nearly the same words.
pub fn says_the_same(one: &str, other: &str) -> bool {
    let (shorter, longer) = (one.len().min(other.len()), one.len().max(other.len()));
    let vector = |text: &str| Quantised::new(&StaticModel::built_in().embed(text));
    one.trim() == other.trim()
        || (longer <= 2 * shorter
            && vector(one).dot(&vector(other)) >= NEAR
            && numbers(one).eq(numbers(other))
            && Words::new(one).agree(&Words::new(other)))
}

impl Words {
    fn new(text: &str) -> Self {
        // What follows an apostrophe is no word.
        let mut negations = text.matches("n't").count() + text.matches("n’t").count();
        let mut all = Vec::new();
        each_word(text, |word| {
            negations += usize::from(is_negation(word.text));
            all.push(FxBuildHasher.hash_one(word.text));
        });
        all.sort_unstable();
        all.dedup();
        Self { all, negations }
    }

    fn agree(&self, other: &Self) -> bool {
        let shared = || self.all.iter().filter(|word| other.all.binary_search(word).is_ok());
        self.negations == other.negations
            && 3 * shared().count() >= self.all.len() + other.all.len()
    }
}

/// The numbers of a text in their order.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty())
}

fn is_negation(word: &str) -> bool {
    matches!(word, "no" | "not" | "never" | "none" | "nobody" | "nothing" | "without" | "cannot")
}

/// Whether two unit vectors of one length are near.
fn is_near(one: &Said<'_>, two: &Said<'_>) -> bool {
    let (Some(first), Some(second)) = (&one.candidate.vector, &two.candidate.vector) else {
        return false;
    };
    if first.codes.len() != second.codes.len() {
        return false;
    }
    let scale = first.scale * second.scale;
    let (head, tail) = first.codes.split_at(HEAD.min(first.codes.len()));
    let (second_head, second_tail) = second.codes.split_at(head.len());
    let near = dot(head, second_head) * scale;
    // The tails add at most the product of their lengths, which settles most pairs.
    near + one.tail * two.tail >= NEAR && near + dot(tail, second_tail) * scale >= NEAR
}

/// The length of a vector behind its head.
fn tail(vector: &Quantised) -> f32 {
    let tail = &vector.codes[HEAD.min(vector.codes.len())..];
    dot(tail, tail).sqrt() * vector.scale
}

#[expect(clippy::cast_precision_loss, reason = "a cosine has far fewer digits")]
fn dot(one: &[i8], two: &[i8]) -> f32 {
    product(one, two) as f32
}
