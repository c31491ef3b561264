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
        let fits = |quote: &Quote| quote.span.len() <= bytes_max;
        let quote = if text.len() <= bytes_max {
            Quote::whole(0..text.len())
        } else if let Some(quote) = excerpt(text, &self.0, bytes_max, fits) {
            quote
        } else {
            // Not even one sentence is so short.
            Quote { span: 0..text.floor_char_boundary(bytes_max), is_cut: [false, true] }
        };
        let [is_cut_before, is_cut_behind] = quote.is_cut;
        let mut line = String::with_capacity(quote.span.len() + 6);
        for word in text[quote.span].split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if is_cut_before && !line.is_empty() {
            line.insert(0, CUT);
        }
        if is_cut_behind && !line.is_empty() {
            line.push(CUT);
        }
        line
    }
}

/// What stands for the part of a sentence that is not quoted.
pub(super) const CUT: char = '…';

/// What is quoted of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) span: Range<usize>,
    /// Whether the sentence goes on before it, and behind it.
    pub(super) is_cut: [bool; 2],
}

impl Quote {
    /// A span at whose ends sentences begin and end.
    pub(super) fn whole(span: Range<usize>) -> Self {
        Self { span, is_cut: [false, false] }
    }
}

/// A sentence with at least this share of the best one's weight is quoted if it fits and the best
/// does not.
const NEARLY: f32 = 0.5;
/// What has no space within so many bytes may be cut anywhere.
const PIECE_BYTES_MAX: usize = 48;

/// Chooses the sentences of a text that answer best and for which `fits` holds.
///
/// They are neighbours, so that they stand in the doc as they are quoted: the sentence with the
/// words of the question that weigh most, the rarer in the text the more, and as many around it as
/// there is room for, those with further words first. If that one has no room, and no other that
/// says nearly as much, the part of it with the words is quoted; only where there is none of that,
/// any sentence that fits. `None` if none does.
pub(super) fn excerpt(
    text: &str,
    words: &Words,
    bytes_max: usize,
    fits: impl Fn(&Quote) -> bool,
) -> Option<Quote> {
    let parts = sentences(text);
    let found: Vec<u64> = parts.iter().map(|part| words.found(&text[part.clone()])).collect();
    let weights = Weights::of(&found);
    let weigh = |at: &usize| weights.of_words(found[*at]);
    let is_heading = |at: usize| text[parts[at].clone()].starts_with('#');
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|one, two| {
        weigh(two).total_cmp(&weigh(one)).then_with(|| is_heading(*one).cmp(&is_heading(*two)))
    });
    let best = weigh(order.first()?);
    let whole = |at: usize| Quote::whole(parts[at].clone());
    let says_enough = |at: &usize| weigh(at) >= best * NEARLY;
    if let Some(first) = order.iter().copied().filter(says_enough).find(|at| fits(&whole(*at))) {
        let grown = grow((&parts[..], &found[..]), &weights, first, bytes_max, |span| {
            fits(&Quote::whole(span))
        });
        return grown.map(Quote::whole);
    }
    let has_words = |at: &usize| weigh(at) > 0.0 && !is_code(&text[parts[*at].clone()]);
    if let Some(first) = order.iter().copied().find(has_words) {
        let cut = cut(text, parts[first].clone(), (words, &weights), bytes_max, &fits);
        if cut.is_some() {
            return cut;
        }
    }
    order.into_iter().map(whole).find(fits)
}

/// The part of a sentence that has the words that weigh most, with as much around it as fits.
fn cut(
    text: &str,
    sentence: Range<usize>,
    (words, weights): (&Words, &Weights),
    bytes_max: usize,
    fits: impl Fn(&Quote) -> bool,
) -> Option<Quote> {
    let pieces = pieces(text, sentence.clone());
    let found: Vec<u64> = pieces.iter().map(|piece| words.found(&text[piece.clone()])).collect();
    let weigh = |at: &usize| weights.of_words(found[*at]);
    // Of those that weigh alike, the first.
    let first = (0..pieces.len()).rev().max_by(|one, two| weigh(one).total_cmp(&weigh(two)))?;
    let quote = |span: Range<usize>| {
        let is_cut = [span.start > sentence.start, span.end < sentence.end];
        Quote { span, is_cut }
    };
    let fits = |span: Range<usize>| fits(&quote(span));
    if weigh(&first) == 0.0 || !fits(pieces[first].clone()) {
        return None;
    }
    grow((&pieces[..], &found[..]), weights, first, bytes_max, fits).map(quote)
}

/// The words of a sentence as they stand in it; what is longer than words are is parted too.
fn pieces(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut from = sentence.start;
    for word in text[sentence].split_whitespace() {
        let Some(at) = text[from..].find(word) else { break };
        let (mut start, end) = (from + at, from + at + word.len());
        while end - start > PIECE_BYTES_MAX {
            let next = text.floor_char_boundary(start + PIECE_BYTES_MAX);
            pieces.push(start..next);
            start = next;
        }
        pieces.push(start..end);
        from = end;
    }
    pieces
}

/// Tells whether a part is a fenced block, which says little when it is cut.
fn is_code(part: &str) -> bool {
    part.starts_with("```") || part.starts_with("~~~")
}

/// What each word of a question weighs, by the share of the parts of a text that have it.
struct Weights(Vec<f32>);

impl Weights {
    fn of(found: &[u64]) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a weight")]
        let weigh = |bit: usize| {
            let having = found.iter().filter(|found| (**found >> bit) & 1 == 1).count();
            if having == 0 { 0.0 } else { (1.0 + found.len() as f32 / having as f32).ln() }
        };
        Self((0..WORDS_MAX).map(weigh).collect())
    }

    /// What words weigh together.
    fn of_words(&self, mut found: u64) -> f32 {
        let mut sum = 0.0;
        while found != 0 {
            sum += self.0[found.trailing_zeros() as usize];
            found &= found - 1;
        }
        sum
    }
}

/// Grows a run of parts from its first one, as long as it fits.
///
/// Trying each step of the growth would count the same parts again and again: it goes on up to
/// `bytes_max`, about as many as fit, and then back until it fits.
fn grow(
    (parts, found): (&[Range<usize>], &[u64]),
    weights: &Weights,
    first: usize,
    bytes_max: usize,
    fits: impl Fn(Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let span = |(from, to): (usize, usize)| parts[from].start..parts[to].end;
    let mut has = found[first];
    let mut steps = vec![(first, first)];
    while let Some(next) = grown(*steps.last()?, found, weights, has)
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

/// A run of parts with the neighbour whose further words weigh more, the one behind if both are
/// alike.
fn grown(
    (from, to): (usize, usize),
    found: &[u64],
    weights: &Weights,
    has: u64,
) -> Option<(usize, usize)> {
    let new = |at: usize| weights.of_words(found[at] & !has);
    let before = from.checked_sub(1);
    let behind = Some(to + 1).filter(|at| *at < found.len());
    match (before, behind) {
        (Some(before), Some(behind)) if new(before) > new(behind) => Some((before, to)),
        (_, Some(behind)) => Some((from, behind)),
        (Some(before), None) => Some((before, to)),
        (None, None) => None,
    }
}
