//! Which of two memories is out of date, where nobody said so.
//!
//! Of what says another value of the same, the newer one comes first and the older one is marked.
//! Two memories do so if they differ in one value and are the same around it, if that is of what
//! has one value at a time, and the values are of one sort; or if the newer one says that it has
//! changed. What is about the same and holds beside it must not be marked: rather too few are
//! found. `tests/older.tsv` measures both.

mod judge;
mod language;
mod statement;

use std::cell::OnceCell;

use super::Candidate;
use crate::{rank::dated, text::each_word};
use statement::Statement;

/// So many of the best candidates are compared with one another.
const COMPARED: usize = 48;
/// What is so far apart in meaning is not about the same.
const NEAR: f32 = 0.45;
/// A longer text says more than one thing.
const TEXT_BYTES_MAX: usize = 1000;
/// Words before a subject that say nothing of which it is.
const BEFORE_SUBJECT: [&str; 8] = ["the", "a", "an", "our", "my", "his", "her", "their"];
/// Words of a path that say nothing of what a file is about.
const EMPTY_WORDS: [&str; 7] = ["memory", "memories", "note", "notes", "md", "txt", "facts"];

/// Marks candidates that another one puts out of date, the newest if several do, and lets that one
/// be no less relevant. What was said by hand stays.
pub(super) fn mark(candidates: &mut [Candidate]) {
    let found = find(candidates);
    for (old, new) in found {
        candidates[new].relevance = candidates[new].relevance.max(candidates[old].relevance);
        candidates[old].newer = Some(candidates[new].path.clone());
    }
}

/// The candidates that are out of date, each with the one that says what is so now. The latter come
/// in the order of their times, so that relevance is passed on from each to the next.
fn find(candidates: &[Candidate]) -> Vec<(usize, usize)> {
    let mut best: Vec<usize> = (0..candidates.len()).collect();
    best.retain(|at| candidates[*at].text.len() <= TEXT_BYTES_MAX);
    best.sort_by(|one, two| candidates[*two].relevance.total_cmp(&candidates[*one].relevance));
    best.truncate(COMPARED);
    let mut said: Vec<Said<'_>> =
        best.into_iter().filter_map(|at| Said::of(at, &candidates[at])).collect();
    // What says the same subject stands together, the oldest first.
    said.sort_by(|one, two| {
        (&one.subject, one.candidate.modified).cmp(&(&two.subject, two.candidate.modified))
    });
    let mut found = Vec::new();
    for group in said.chunk_by(|one, two| one.subject == two.subject) {
        for (at, old) in group.iter().enumerate().filter(|(_, old)| old.candidate.newer.is_none()) {
            let newest = group[at + 1..].iter().rev().find(|new| old.is_outdated_by(new));
            found.extend(newest.map(|new| (old.at, new.at)));
        }
    }
    found
}

/// A candidate as it is compared.
struct Said<'a> {
    at: usize,
    candidate: &'a Candidate,
    /// The first word that says what it is about.
    subject: String,
    // Most candidates are not compared.
    statement: OnceCell<Statement<'a>>,
}

impl<'a> Said<'a> {
    fn of(at: usize, candidate: &'a Candidate) -> Option<Self> {
        let (_, text) = dated(&candidate.text);
        let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let first = text.split(|c: char| c.is_whitespace() || matches!(c, ':' | '=' | '\''));
        let words = first.filter(|word| !word.is_empty()).take(4).map(str::to_lowercase);
        let subject = words.into_iter().find(|word| !BEFORE_SUBJECT.contains(&&**word))?;
        Some(Self { at, candidate, subject, statement: OnceCell::new() })
    }

    fn statement(&self) -> &Statement<'a> {
        self.statement.get_or_init(|| Statement::of(&self.candidate.text))
    }

    fn is_outdated_by(&self, new: &Said<'_>) -> bool {
        let (one, two) = (self.candidate, new.candidate);
        one.modified < two.modified
            && one.path != two.path
            && two.newer.as_ref() != Some(&one.path)
            && are_of_one_length(&one.text, &two.text)
            && self.is_near(new)
            && judge::is_outdated(self.statement(), new.statement())
            && self.is_placed_alike(new)
    }

    fn is_near(&self, other: &Said<'_>) -> bool {
        match (&self.candidate.vector, &other.candidate.vector) {
            (Some(one), Some(two)) if one.codes.len() == two.codes.len() => one.dot(two) >= NEAR,
            _ => true,
        }
    }

    /// Whether titles and names of files say no other subject than the texts.
    fn is_placed_alike(&self, other: &Said<'_>) -> bool {
        let (one, two) = (self.candidate, other.candidate);
        let is_titled = !one.title.is_empty() && !two.title.is_empty();
        !(is_titled && one.title != two.title) && self.own_words() == other.own_words()
    }

    /// The words of its name and its folder that its text does not have.
    fn own_words(&self) -> Vec<String> {
        let path = &self.candidate.path;
        let name = path.rmatch_indices('/').nth(1).map_or(&**path, |(at, _)| &path[at..]);
        let mut words = Vec::new();
        each_word(name, |word| {
            let is_number = word.text.bytes().all(|byte| byte.is_ascii_digit());
            if !word.same_place && !is_number && !EMPTY_WORDS.contains(&word.text) {
                words.push(word.text.to_owned());
            }
        });
        each_word(&self.candidate.text, |word| words.retain(|own| own != word.text));
        words.sort_unstable();
        words
    }
}

/// Whether two texts may differ in one value.
fn are_of_one_length(old: &str, new: &str) -> bool {
    old.len() <= 2 * new.len() + 100 && new.len() <= 2 * old.len() + 100
}
