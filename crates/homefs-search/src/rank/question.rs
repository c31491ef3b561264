//! A question, ready to be put to indexes.

use std::borrow::Cow;

use homefs_core::{Timestamp, time::Here};
use rustc_hash::FxHashMap;

use super::{Kind, Question, Scope, form::Form, rarity, reach, wanted::QuestionForm};
use crate::{
    embed::{Centre, Query as VectorQuery, StaticModel, Token},
    index::{File, Index, Source},
    text::{
        Clause, Conditions, Facts, Query, Statistics, StopWords, each_word, is_unspaced, stem,
        weight_of, without_grammar,
    },
};

/// What matters of a longer question is in its beginning.
const MEANING_BYTES_MAX: usize = 4096;
/// How many docs of the language in general are put beside those of a store.
const GENERAL_DOCUMENTS: f32 = 100.0;
/// Of more words than this, the rarest tell what a question is about.
const TELLING_MAX: usize = 32;
/// How much a stop word or a sign counts in the vector of a question.
const STOP_WEIGHT: f32 = 0.1;

/// The words of a question, which are what an embedder must be given: operators and conditions of
/// the query language have no meaning of their own.
pub fn words(text: &str, plain: bool) -> String {
    let text = &text[..text.floor_char_boundary(MEANING_BYTES_MAX)];
    if plain {
        return text.to_owned();
    }
    let mut words = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let bare = word.trim_matches(['"', '*']);
        let key = bare.split_once(':').map(|(key, _)| key.trim_start_matches('-'));
        let is_operator = matches!(key, Some("tag" | "path" | "after" | "before"))
            || word.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
        if !is_operator {
            words.push_str(bare);
            words.push(' ');
        }
    }
    words.truncate(words.trim_end().len());
    words
}

/// A question with all that its answers are measured by.
pub(super) struct PreparedQuestion<'a> {
    pub(super) scopes: &'a [Scope<'a>],
    pub(super) kind: Kind,
    pub(super) query: Query,
    pub(super) statistics: Statistics,
    /// What the form of a doc is compared with; nothing if there are conditions only.
    pub(super) wanted: Option<QuestionForm>,
    /// How much is asked for, by pairs of characters, of which the store has nothing.
    unknown: f32,
    /// Whether it is asked in a word or two.
    pub(super) is_terse: bool,
    /// Whether it has no letters but those of English, which the built-in models know: in other
    /// languages texts are alike whatever they say.
    pub(super) is_plain: bool,
    instant: VectorQuery,
    embedder: Option<VectorQuery>,
    former: Option<VectorQuery>,
}

impl<'a> PreparedQuestion<'a> {
    pub(super) fn new(scopes: &'a [Scope<'a>], question: &Question<'_>, query: Query) -> Self {
        let whole = || scopes.iter().filter(|scope| scope.counts);
        let mut full = whole().peekable();
        let statistics = if full.peek().is_some() {
            Statistics::gather(full.map(|scope| scope.index.text()), &query)
        } else {
            rarity::statistics(&query)
        };
        let instant = match question.kind {
            Kind::Text => VectorQuery::new(&[]),
            _ => VectorQuery::new(&instant(&words(question.text, question.plain), &statistics)),
        };
        let has_words = query.clauses().next().is_some();
        let today = question.here.map_or(0, Here::day);
        let wanted =
            has_words.then(|| QuestionForm::of(&words(question.text, question.plain), today));
        let mut prepared = Self {
            scopes,
            kind: question.kind,
            wanted,
            unknown: unknown(&words(question.text, question.plain), &statistics),
            is_terse: question.text.split_whitespace().nth(2).is_none(),
            is_plain: !question
                .text
                .contains(|letter: char| letter.is_alphabetic() && !letter.is_ascii()),
            query,
            statistics,
            instant,
            embedder: question.vector.map(|vector| {
                let mut centre = Centre::new(vector.len());
                whole().for_each(|scope| centre.join(scope.index.vectors().centre()));
                VectorQuery::centred(vector, &centre)
            }),
            former: question.former.map(VectorQuery::new),
        };
        prepared.weigh_days();
        prepared
    }

    /// Notes how much of the question is which days it asks for.
    fn weigh_days(&mut self) {
        if self.wanted.as_ref().is_some_and(QuestionForm::asks_for_days) {
            let weights = self.weights();
            let all: f32 = weights.iter().map(|(_, weight)| weight).sum();
            let share = self.weight_of_days(&weights) / all.max(f32::MIN_POSITIVE);
            if let Some(wanted) = &mut self.wanted {
                wanted.set_only_days(share);
            }
        }
    }

    /// How much each word of the question tells. Those of a few notes say little of how rare a word
    /// is, so that docs of the language in general stand beside them: a word that all of them have
    /// still tells something, and one that none has is not all there is.
    pub(super) fn weights(&self) -> Vec<(&Clause, f32)> {
        let of = |clause| {
            let having = GENERAL_DOCUMENTS * rarity::share(clause);
            self.statistics.rarity_among(clause, GENERAL_DOCUMENTS, having)
        };
        let known = self.query.clauses().filter(|clause| !is_unknown(clause, &self.statistics));
        let mut weights: Vec<_> = known.map(|clause| (clause, of(clause))).collect();
        weights.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        weights.truncate(TELLING_MAX);
        weights
    }

    /// Whether it asks for days, and hardly for anything else.
    pub(super) fn is_mostly_days(&self) -> bool {
        self.wanted.as_ref().is_some_and(QuestionForm::is_mostly_days)
    }

    /// Whether it asks for days of certain years.
    pub(super) fn asks_for_days(&self) -> bool {
        self.wanted.as_ref().is_some_and(|wanted| !wanted.days().is_empty())
    }

    /// How much of the days is asked for that a doc of a form is from or tells of.
    pub(super) fn share_of_days(&self, form: Form) -> f32 {
        self.wanted.as_ref().map_or(0.0, |wanted| wanted.share_of_days(form))
    }

    /// How much of the weights is of words that ask for days, and not for what happened then.
    pub(super) fn weight_of_days(&self, weights: &[(&Clause, f32)]) -> f32 {
        let telling = self.wanted.as_ref().map_or(&[][..], QuestionForm::telling);
        let mut stems = Vec::new();
        for word in telling {
            each_word(word, |word| stems.push(stem(word.text)));
        }
        let is_told =
            |clause: &Clause| matches!(clause, Clause::Term(term) if stems.contains(term));
        weights.iter().filter(|(clause, _)| is_told(clause)).map(|(_, weight)| weight).sum()
    }

    /// How much is asked for, in characters of scripts without spaces, of which the store has nothing:
    /// pairs of them overlap, so that they cannot be counted as words are.
    pub(super) fn unknown(&self) -> f32 {
        self.unknown
            * self.statistics.rarity_among(&Clause::Term(String::new()), GENERAL_DOCUMENTS, 0.0)
    }

    /// The vector of the question that compares with those of a source, if there is one.
    pub(super) fn vector(&self, index: &Index, source: Source) -> Option<&VectorQuery> {
        match source {
            _ if reach::is_static(index, source) => Some(&self.instant),
            Source::Static => None,
            Source::Embedder => self.embedder.as_ref(),
            Source::Former => self.former.as_ref(),
        }
    }

    /// Which docs of a scope may be found.
    pub(super) fn filter<'b>(&'b self, scope: &Scope<'b>) -> Filter<'b> {
        let Query { required, excluded, .. } = &self.query;
        let words = (!required.is_empty() || !excluded.is_empty()).then(|| {
            let query = Query {
                required: required.clone(),
                excluded: excluded.clone(),
                ..Query::default()
            };
            let hits = scope.index.text().search(&query, &self.statistics, usize::MAX, |_| true);
            let mut docs: Vec<u32> = hits.into_iter().map(|hit| hit.doc).collect();
            docs.sort_unstable();
            docs
        });
        let conditions = &self.query.conditions;
        let all = scope.admits.is_none() && words.is_none() && conditions.is_empty();
        Filter { scope: *scope, all, conditions, words }
    }
}

/// What may be found in a scope.
pub(super) struct Filter<'a> {
    scope: Scope<'a>,
    /// Whether everything may be found, which is worth knowing once instead of for each doc.
    all: bool,
    conditions: &'a Conditions,
    /// The docs that have what the query requires and not what it excludes, ascending.
    words: Option<Vec<u32>>,
}

impl<'a> Filter<'a> {
    /// The index of the scope.
    pub(super) fn index(&self) -> &'a Index {
        self.scope.index
    }

    /// Where a file is for who asks; nowhere if it may not be found.
    pub(super) fn path_of(&self, file: &'a File) -> Cow<'a, str> {
        self.scope.path_of(file)
    }

    /// Whether a doc may be found.
    #[inline]
    pub(super) fn admits(&self, doc: u32) -> bool {
        self.all || self.admits_by_facts(doc)
    }

    fn admits_by_facts(&self, doc: u32) -> bool {
        let Some(file) = self.scope.index.file_of(doc) else { return false };
        if self.words.as_ref().is_some_and(|docs| docs.binary_search(&doc).is_err())
            || self.scope.admits.is_some_and(|admits| !admits(file))
        {
            return false;
        }
        if self.conditions.is_empty() {
            return true;
        }
        let tags: Vec<&str> = file.tags.iter().map(|tag| &**tag).collect();
        // Where a file is may take long to find out, so that it is asked only where it matters.
        let is_asked = !self.conditions.paths.is_empty();
        let path = if is_asked { self.scope.path_of(file) } else { Cow::Borrowed("") };
        self.conditions.admit(Facts {
            path: &path,
            tags: &tags,
            modified: Timestamp(file.modified),
        })
    }
}

/// The static vector of a question, its words weighted by how rare they are in the store: a name
/// that is in every doc tells none from another.
fn instant(words: &str, statistics: &Statistics) -> Vec<f32> {
    let model = StaticModel::built_in();
    let mut weights: FxHashMap<Token, f32> = FxHashMap::default();
    let stop_words = StopWords::of(words);
    each_word(&without_grammar(words), |word| {
        if !word.same_place && !stop_words.has(word.text) {
            let weight = statistics.rarity(&Clause::Term(stem(word.text)));
            model.tokens(word.text, |token| {
                weights.insert(token, weight);
            });
        }
    });
    model.embed_weighted(words, |token| weights.get(&token).copied().unwrap_or(STOP_WEIGHT))
}

/// Whether a clause is a pair of characters, of a script without spaces, that no doc has.
fn is_unknown(clause: &Clause, statistics: &Statistics) -> bool {
    let Clause::Term(term) = clause else { return false };
    is_pair(term) && statistics.frequencies.get(clause).is_none_or(|count| *count == 0)
}

fn is_pair(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(is_unspaced) && letters.next().is_some() && letters.next().is_none()
}

/// How many characters of what is asked for, in scripts without spaces, the store has nothing of,
/// by what each counts. Words are not known there, only pairs, most of which lie across two words: a
/// character counts if no pair with it is known.
fn unknown(words: &str, statistics: &Statistics) -> f32 {
    let mut row: Vec<(char, bool)> = Vec::new();
    let mut ended = Vec::new();
    each_word(&without_grammar(words), |word| {
        if !is_pair(word.text) {
            return;
        }
        let is_known = !is_unknown(&Clause::Term(word.text.to_owned()), statistics);
        let mut letters = word.text.chars();
        let (first, second) = (letters.next().unwrap_or(' '), letters.next().unwrap_or(' '));
        match row.last_mut() {
            Some((last, known)) if *last == first => *known |= is_known,
            _ => {
                ended.append(&mut row);
                row.push((first, is_known));
            }
        }
        row.push((second, is_known));
    });
    ended.append(&mut row);
    ended.into_iter().filter(|(_, is_known)| !is_known).map(|(letter, _)| weight_of(letter)).sum()
}
