//! Merging texts: by lines, and by words where both sides changed the same lines.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::pick;
use super::pieces::{self, Piece};
use super::sequence::{By, both, holds, line_up};

/// A longer text is merged by lines only.
const WORDS_TEXT_BYTES_MAX: usize = 1 << 20;
/// A text with more lines is merged by lines only.
const WORDS_LINES_MAX: usize = 20_000;
/// More words than these in lines that both changed are not compared with each other.
const WORDS_MAX: usize = 20_000;

/// What became of two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MergedText {
    /// The merged text.
    pub(super) text: String,
    /// Whether both changed the same lines or words, each its own way, so that there was a choice.
    pub(super) overlapped: bool,
}

/// The smallest thing that one side may change without touching the change of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    /// A word of prose.
    Word,
    /// A line: half of one would mean nothing.
    Line,
}

/// Merges two changed forms of a text.
///
/// What either side removed is gone, what either side wrote is there; where both wrote at one
/// place, HEAD's comes first, whole.
pub(super) fn merge_text(grain: Grain, base: &str, head: &str, pushed: &str) -> MergedText {
    if let Some(one) = pick(base, head, pushed) {
        return MergedText { text: one.to_owned(), overlapped: false };
    }
    let large = [base, head, pushed].iter().any(|text| {
        text.len() > WORDS_TEXT_BYTES_MAX || text.split('\n').count() > WORDS_LINES_MAX
    });
    if large {
        return merge_once(Grain::Line, base, head, pushed);
    }
    let merged = merge_once(grain, base, head, pushed);
    // A side that was merged from the other one has its words already, though a diff may find them
    // at another place: taking the other side out and merging it again then gives that side.
    let without = |whole, part| merge_once(grain, part, whole, base).text;
    let text = if merge_once(grain, base, &without(head, pushed), pushed).text == head {
        head.to_owned()
    } else if merge_once(grain, base, head, &without(pushed, head)).text == pushed {
        pushed.to_owned()
    } else {
        merged.text
    };
    MergedText { text, ..merged }
}

fn merge_once(grain: Grain, base: &str, head: &str, pushed: &str) -> MergedText {
    let lines = [base, head, pushed].map(pieces::lines);
    let line_end = if head.contains("\r\n") { "\r\n" } else { "\n" };

    let mut text = String::new();
    let mut overlapped = false;
    let mut push = |line: &str, blanks: &str| {
        pieces::push_line(&mut text, line, line_end);
        text.push_str(blanks);
    };
    for stretch in line_up(&lines[0], &lines[1], &lines[2]) {
        let base = &lines[0][stretch.base.clone()];
        let head = &lines[1][stretch.head.clone()];
        let pushed = &lines[2][stretch.pushed.clone()];
        let by_words = (stretch.by == By::Both && grain == Grain::Word)
            .then(|| merge_words(base, head, pushed))
            .flatten();
        if let Some(words) = by_words {
            overlapped |= words.overlapped;
            push(&words.text, "");
        } else {
            // Lines that both added are all there, and nobody has to choose.
            overlapped |= stretch.by == By::Both && !stretch.base.is_empty();
            put(stretch.by, base, head, pushed, &mut push);
        }
    }
    MergedText { text, overlapped }
}

/// Merges the words of lines that both sides changed; `None` if the lines of both must stay whole.
fn merge_words(base: &[Piece<'_>], head: &[Piece<'_>], pushed: &[Piece<'_>]) -> Option<MergedText> {
    if base.is_empty() || holds(head, pushed) || holds(pushed, head) {
        return None;
    }
    let texts = [base, head, pushed]
        .map(|lines| lines.iter().flat_map(|line| [line.text, line.blanks]).collect::<String>());
    let words = texts.each_ref().map(|text| pieces::words(text));
    if words.iter().any(|words| words.len() > WORDS_MAX) {
        return None;
    }
    let stretches = line_up(&words[0], &words[1], &words[2]);
    let kept = stretches.iter().filter(|stretch| stretch.by == By::Nobody);
    // Too little of the base is left to hold the words of both together. The end of the text
    // counts as a word and is always kept.
    if 2 * kept.map(|stretch| stretch.base.len()).sum::<usize>() <= words[0].len() {
        return None;
    }
    let mut text = String::new();
    // Two additions at one place of a sentence are one that nobody wrote.
    let overlapped = stretches.iter().any(|stretch| stretch.by == By::Both);
    for stretch in stretches {
        let base = &words[0][stretch.base];
        let head = &words[1][stretch.head];
        let pushed = &words[2][stretch.pushed];
        put(stretch.by, base, head, pushed, &mut |word, blanks| {
            pieces::push_word(&mut text, word, blanks);
        });
    }
    Some(MergedText { text, overlapped })
}

/// Merges two texts that have nothing they began with: the words of both, equal lines once.
pub(super) fn merge_apart(head: &str, pushed: &str) -> MergedText {
    let lines = [head, pushed].map(pieces::lines);
    let line_end = if head.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = String::new();
    for op in capture_diff_slices(Algorithm::Patience, &lines[0], &lines[1]) {
        let of_head = &lines[0][op.old_range()];
        // What is equal is in both ranges.
        let is_equal = matches!(op, DiffOp::Equal { .. });
        let of_pushed = if is_equal { &[] } else { &lines[1][op.new_range()] };
        for line in of_head.iter().chain(of_pushed) {
            pieces::push_line(&mut text, line.text, line_end);
            text.push_str(line.blanks);
        }
    }
    MergedText { text, overlapped: false }
}

/// Puts one stretch where it belongs.
fn put<'a>(
    by: By,
    base: &[Piece<'a>],
    head: &[Piece<'a>],
    pushed: &[Piece<'a>],
    push: &mut dyn FnMut(&'a str, &'a str),
) {
    match by {
        By::Nobody => {
            for ((base, head), pushed) in base.iter().zip(head).zip(pushed) {
                let blanks = pick(base.blanks, head.blanks, pushed.blanks);
                push(head.text, blanks.unwrap_or(head.blanks));
            }
        }
        By::Head => head.iter().for_each(|piece| push(piece.text, piece.blanks)),
        By::Pushed => pushed.iter().for_each(|piece| push(piece.text, piece.blanks)),
        By::Both => {
            let parts = both(head, pushed);
            parts.into_iter().flatten().for_each(|piece| push(piece.text, piece.blanks));
        }
    }
}
