//! A question, ready to be put to indexes.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::{Kind, Question, Scope, rarity, reach};
use crate::{
    embed::{Centre, Query as VectorQuery, StaticModel, Token},
    index::{Index, Source},
    text::{Clause, Conditions, Day, Facts, Query, Statistics, each_word, is_stop_word, stem},
};

/// What matters of a longer question is in its beginning.
const MEANING_BYTES_MAX: usize = 4096;
/// How much a stop word or a sign counts in the vector of a question.
const STOP_WEIGHT: f32 = 0.1;
const NANOS_PER_MILLI: i64 = 1_000_000;

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
pub(super) struct Asked<'a> {
    pub(super) scopes: &'a [Scope<'a>],
    pub(super) kind: Kind,
    pub(super) query: Query,
    pub(super) statistics: Statistics,
    instant: VectorQuery,
    embedder: Option<VectorQuery>,
    former: Option<VectorQuery>,
}

impl<'a> Asked<'a> {
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
        Self {
            scopes,
            kind: question.kind,
            query,
            statistics,
            instant,
            embedder: question.vector.map(|vector| {
                let mut centre = Centre::new(vector.len());
                whole().for_each(|scope| centre.join(scope.index.vectors().centre()));
                VectorQuery::centred(vector, &centre)
            }),
            former: question.former.map(VectorQuery::new),
        }
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
        let day = Day::from_millis(file.modified.div_euclid(NANOS_PER_MILLI));
        // Where a file is may take long to find out, so that it is asked only where it matters.
        let is_asked = !self.conditions.paths.is_empty();
        let path = if is_asked { self.scope.path_of(file) } else { Cow::Borrowed("") };
        self.conditions.admit(Facts { path: &path, tags: &tags, day })
    }
}

/// The static vector of a question, its words weighted by how rare they are in the store: a name
/// that is in every doc tells none from another.
fn instant(words: &str, statistics: &Statistics) -> Vec<f32> {
    let model = StaticModel::built_in();
    let mut weights: FxHashMap<Token, f32> = FxHashMap::default();
    each_word(words, |word| {
        if !word.same_place && !is_stop_word(word.text) {
            let weight = rarity_of(&Clause::Term(stem(word.text)), statistics);
            model.tokens(word.text, |token| {
                weights.insert(token, weight);
            });
        }
    });
    model.embed_weighted(words, |token| weights.get(&token).copied().unwrap_or(STOP_WEIGHT))
}

/// How rare a word is in the store.
#[expect(clippy::cast_precision_loss, reason = "a weight needs no more than a float holds")]
fn rarity_of(clause: &Clause, statistics: &Statistics) -> f32 {
    let frequency = statistics.frequencies.get(clause).copied().unwrap_or(0) as f32;
    let others = (statistics.documents as f32 - frequency).max(0.0);
    (1.0 + (others + 0.5) / (frequency + 0.5)).ln()
}
