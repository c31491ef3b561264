//! What was asked.

use homefs_core::time::Here;

use super::{
    condition::Conditions,
    each_word,
    grammar::{StopWords, without_grammar},
    stem,
    words::is_unspaced,
};

/// A longer query is cut; what matters of so much text is in its beginning.
const CLAUSES_MAX: usize = 1024;

/// One thing to look for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Clause {
    /// A term: the stem of a word, or a name as a whole.
    Term(String),
    /// All words that begin so.
    Prefix(String),
    /// Terms at successive places of one field.
    Phrase(Vec<String>),
}

/// A query: words to rank by, phrases that must be there, words that must not, and conditions.
///
/// ```
/// use homefs_core::time::Here;
/// use homefs_search::text::Query;
/// let query = Query::parse(r#"sell rule* "stop loss" -draft tag:trading after:2026-01"#, &Here::default());
/// assert_eq!(query.ranked.len(), 2);
/// ```
///
/// Anything is a query: what is no operator is taken as words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Terms and prefixes; a doc that has any of them is found.
    pub ranked: Vec<Clause>,
    /// Phrases and quoted words, which a doc must have; they rank too.
    pub required: Vec<Clause>,
    /// What a doc must not have.
    pub excluded: Vec<Clause>,
    /// Conditions on tags, path and time, for the caller's filter.
    pub conditions: Conditions,
}

impl Query {
    /// Reads the query language: words, `"phrases"`, `prefix*`, `-word`, `tag:`, `path:`,
    /// `after:` and `before:`, whose times are read here.
    pub fn parse(text: &str, here: &Here) -> Self {
        let mut query = Self::default();
        let mut plain = String::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            rest = query.take(rest, &mut plain, here).trim_start();
        }
        query.rank(&plain);
        query
    }

    /// Takes a text as words and nothing else: for questions, which may hold any sign.
    pub fn plain(text: &str) -> Self {
        let mut query = Self::default();
        query.rank(text);
        query
    }

    /// Whether nothing is asked, so that nothing is found.
    pub fn is_empty(&self) -> bool {
        self.clauses().next().is_none() && self.excluded.is_empty() && self.conditions.is_empty()
    }

    /// The clauses that a score is made of.
    pub fn clauses(&self) -> impl Iterator<Item = &Clause> {
        self.ranked.iter().chain(&self.required)
    }

    /// Takes the first piece of `text` and returns the rest.
    fn take<'a>(&mut self, text: &'a str, plain: &mut String, here: &Here) -> &'a str {
        let (wanted, piece) = match text.strip_prefix('-') {
            Some(behind) if behind.starts_with(|c: char| c.is_alphabetic() || c == '"') => {
                (false, behind)
            }
            _ => (true, text),
        };
        if let Some((phrase, rest)) = quoted(piece) {
            if let Some(clause) = phrase_of(phrase) {
                if wanted { &mut self.required } else { &mut self.excluded }.push(clause);
            }
            return rest;
        }
        let end = piece.find(char::is_whitespace).unwrap_or(piece.len());
        if let Some((key, value)) = piece[..end].split_once(':') {
            let start = key.len() + 1;
            let (value, rest) = quoted(&piece[start..]).unwrap_or((value, &piece[end..]));
            if self.conditions.take(key, value, wanted, here) {
                return rest;
            }
        }
        let (word, rest) = piece.split_at(end);
        if let Some(prefix) = word.strip_suffix('*').and_then(prefix_of) {
            if wanted { &mut self.ranked } else { &mut self.excluded }.push(prefix);
        } else if wanted {
            plain.push_str(word);
            plain.push(' ');
        } else if let Some(clause) = phrase_of(word) {
            self.excluded.push(clause);
        }
        rest
    }

    /// Adds the words of `text`: without stop words and grammar, unless there is nothing else.
    fn rank(&mut self, text: &str) {
        let all = StopWords::of(text);
        let text = &without_grammar(text);
        let mut telling = Vec::new();
        let mut stop_words = Vec::new();
        each_word(text, |word| {
            let list = if all.has(word.text) { &mut stop_words } else { &mut telling };
            if list.len() < CLAUSES_MAX {
                list.push(clause_of(word.text));
            }
        });
        let alone = telling.is_empty() && self.clauses().next().is_none();
        self.ranked.extend(if alone { stop_words } else { telling });
        let mut seen = std::collections::HashSet::new();
        self.required.retain(|clause| seen.insert(clause.clone()));
        self.ranked.retain(|clause| seen.insert(clause.clone()));
    }
}

/// What finds one word.
fn clause_of(word: &str) -> Clause {
    match word.chars().next() {
        // A single character of such a script is indexed only as half of a pair.
        Some(c) if is_unspaced(c) && c.len_utf8() == word.len() => Clause::Prefix(word.to_owned()),
        _ => Clause::Term(stem(word)),
    }
}

/// Splits `"phrase" rest`; a quote that is never closed is none.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('"')?.split_once('"')
}

/// The words of a phrase, other forms at the same place left out.
fn phrase_of(text: &str) -> Option<Clause> {
    let words = places_of(text);
    match words.as_slice() {
        [] => None,
        [word] => Some(clause_of(word)),
        words => Some(Clause::Phrase(words.iter().map(|word| stem(word)).collect())),
    }
}

/// A folded prefix, if `text` is one word.
fn prefix_of(text: &str) -> Option<Clause> {
    let mut words = places_of(text);
    if words.len() == 1 { words.pop().map(Clause::Prefix) } else { None }
}

/// The words of a text, one for each place.
fn places_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| {
        if !word.same_place && words.len() < CLAUSES_MAX {
            words.push(word.text.to_owned());
        }
    });
    words
}
