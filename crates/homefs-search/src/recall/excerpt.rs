//! The sentences of a doc that answer a question.

use std::ops::Range;

use super::sentences::sentences;
use crate::text::{each_word, is_stop_word, stem};

/// More words of a question are not looked for.
const WORDS_MAX: usize = 64;

/// The words of a question by which sentences are chosen.
#[derive(Debug, Default)]
pub(super) struct Words(Vec<String>);

impl Words {
    /// The words of a question but stop words.
    pub(super) fn new(question: &str) -> Self {
        let mut stems: Vec<String> = Vec::new();
        each_word(question, |word| {
            if stems.len() < WORDS_MAX && !is_stop_word(word.text) {
                let stem = stem(word.text);
                if !stems.contains(&stem) {
                    stems.push(stem);
                }
            }
        });
        Self(stems)
    }

    /// Which of them stand in a text: a bit for each.
    fn found(&self, text: &str) -> u64 {
        let mut found = 0;
        each_word(text, |word| {
            // Stemming keeps the head of a word, so most words need none.
            let head = |stem: &str| stem.as_bytes().first_chunk::<2>().copied();
            let mut stemmed = None;
            for (at, wanted) in self.0.iter().enumerate() {
                if head(wanted) == head(word.text)
                    && stemmed.get_or_insert_with(|| stem(word.text)) == wanted
                {
                    found |= 1 << at;
                }
            }
        });
        found
    }
}

/// A question, ready to choose what is quoted of texts.
#[derive(Debug)]
pub struct Quoting(Words);

impl Quoting {
    /// Reads the question.
    pub fn new(question: &str) -> Self {
        Self(Words::new(question))
    }

    /// Quotes the sentences of a text that answer, in one line of about `bytes_max` bytes.
    pub fn quote(&self, text: &str, bytes_max: usize) -> String {
        let fits = |span: Range<usize>| span.len() <= bytes_max;
        let (quoted, is_cut) = if text.len() <= bytes_max {
            (text, false)
        } else if let Some(span) = excerpt(text, &self.0, bytes_max, fits) {
            (&text[span], false)
        } else {
            // Not even one sentence is so short.
            (&text[..text.floor_char_boundary(bytes_max)], true)
        };
        let mut line = String::with_capacity(quoted.len() + 3);
        for word in quoted.split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if is_cut && !line.is_empty() {
            line.push('…');
        }
        line
    }
}

/// Chooses the sentences of a text that answer best and for which `fits` holds.
///
/// They are neighbours, so that they stand in the doc as they are quoted: the sentence with the
/// most words of the question, and as many around it as there is room for, those with further
/// words first. `None` if no sentence fits.
///
/// Trying each step of the growth would count the same sentences again and again: it goes on up
/// to `bytes_max`, about as many as fit, and then back until it fits.
pub(super) fn excerpt(
    text: &str,
    words: &Words,
    bytes_max: usize,
    fits: impl Fn(Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let parts = sentences(text);
    let found: Vec<u64> = parts.iter().map(|part| words.found(&text[part.clone()])).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let is_heading = |at: usize| text[parts[at].clone()].starts_with('#');
    order.sort_by_key(|at| (u32::MAX - found[*at].count_ones(), is_heading(*at)));
    let first = order.into_iter().find(|at| fits(parts[*at].clone()))?;
    let span = |(from, to): (usize, usize)| parts[from].start..parts[to].end;
    let mut steps = vec![(first, first)];
    let mut has = found[first];
    while let Some(next) = grown(*steps.last()?, &found, has)
        && span(next).len() <= bytes_max
    {
        has |= found[next.0] | found[next.1];
        steps.push(next);
    }
    while steps.len() > 1 && !fits(span(*steps.last()?)) {
        steps.pop();
    }
    steps.last().map(|step| span(*step))
}

/// A run of sentences with the neighbour that adds more words, the one behind if both add alike.
fn grown((from, to): (usize, usize), found: &[u64], has: u64) -> Option<(usize, usize)> {
    let new = |at: usize| (found[at] & !has).count_ones();
    let before = from.checked_sub(1);
    let behind = Some(to + 1).filter(|at| *at < found.len());
    match (before, behind) {
        (Some(before), Some(behind)) if new(before) > new(behind) => Some((before, to)),
        (_, Some(behind)) => Some((from, behind)),
        (Some(before), None) => Some((before, to)),
        (None, None) => None,
    }
}
