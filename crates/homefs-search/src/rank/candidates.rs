//! The docs that may be among the best, with what words and meaning say of each.

use std::cmp::Ordering;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{
    Kind,
    question::{Filter, PreparedQuestion},
    reach, shrink,
};
use crate::index::{Index, Source};

/// Docs that the text index brings.
const TEXT_COUNT: usize = 200;
/// Docs that each set of vectors brings.
const VECTOR_COUNT: usize = 64;
/// Docs that the days bring which are asked for, and how much of theirs must be.
const DAYS_COUNT: usize = 64;
const DAYS_SHARE_MIN: f32 = 0.9;
/// The shares of a score.
const TEXT_SHARE: f32 = 0.25;
const VECTOR_SHARE: f32 = 0.75;
/// What the words of a doc count beside its meaning when it is asked how sure an answer is, and how
/// many of the best docs are looked at for it.
const SURE_BY_WORDS: f32 = 0.9;
const SURE_COUNT: usize = 16;
/// What is asked in a word or two, or of days alone, is like much: how much its likeness counts then.
const SURE_OF_TERSE: f32 = 0.7;
/// Of few docs none is like a question by chance, of many there always is one: how much surer an
/// answer is because of that, and of how many docs it is so in full and no more.
const SURE_OF_FEW: f32 = 0.16;
const FEW: f32 = 12.0;
const MANY: f32 = 64.0;
/// Static vectors are more alike than others; this makes their cosines compare.
const STATIC_SCALE: f32 = 0.85;
/// Whose vectors a doc may have.
const SOURCES: [Source; 3] = [Source::Static, Source::Embedder, Source::Former];

/// A doc that may be among the best.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) scope: usize,
    pub(super) doc: u32,
    /// Its BM25 score by that of the best.
    pub(super) text: f32,
    /// Its cosine, shrunk; nothing as long as it was not looked up.
    vector: Option<f32>,
    /// What its neighbours lend it.
    pub(super) lent: f32,
    /// Whether it is here only because so many hits are wanted. It stands behind all others, so
    /// that more hits begin with the same ones as fewer, whatever its form is worth.
    pub(super) is_late: bool,
}

impl Candidate {
    /// Its cosine, shrunk; never below 0.
    pub(super) fn vector(&self) -> f32 {
        self.vector.unwrap_or(0.0)
    }

    /// What it is worth by itself.
    pub(super) fn base(&self) -> f32 {
        TEXT_SHARE * self.text + VECTOR_SHARE * self.vector()
    }
}

/// All candidates of a question.
pub(super) struct Candidates<'a> {
    pub(super) filters: Vec<Filter<'a>>,
    pub(super) list: Vec<Candidate>,
    places: FxHashMap<(usize, u32), usize>,
}

impl<'a> Candidates<'a> {
    /// Finds the candidates for `limit` hits.
    pub(super) fn find(asked: &'a PreparedQuestion<'a>, limit: usize) -> Self {
        let filters = asked.scopes.iter().map(|scope| asked.filter(scope)).collect();
        let places = FxHashMap::with_capacity_and_hasher(TEXT_COUNT * 2, FxBuildHasher);
        let mut found = Self { filters, list: Vec::with_capacity(TEXT_COUNT * 2), places };
        let only_conditions = asked.query.clauses().next().is_none();
        if only_conditions {
            found.add_by_text(asked, usize::MAX);
            return found;
        }
        match asked.kind {
            Kind::Text => found.add_by_text(asked, limit.max(TEXT_COUNT)),
            Kind::Vector => found.add_by_vectors(asked, limit.max(VECTOR_COUNT)),
            Kind::Hybrid => {
                found.add_by_text(asked, TEXT_COUNT);
                found.add_by_vectors(asked, limit.max(VECTOR_COUNT));
                found.add_by_days(asked);
                found.complete(asked);
            }
        }
        found
    }

    /// Takes docs that are from the days that are asked for, or tell of them, the newest first: who
    /// asks what happened last week names none of it.
    fn add_by_days(&mut self, asked: &PreparedQuestion<'_>) {
        if !asked.asks_for_days() {
            return;
        }
        for scope in 0..self.filters.len() {
            let filter = &self.filters[scope];
            let index = filter.index();
            let is_from = |doc: &u32| {
                asked.share_of_days(index.form(*doc)) >= DAYS_SHARE_MIN
                    && index.doc(*doc).is_some()
                    && filter.admits(*doc)
            };
            let found: Vec<u32> =
                (0..index.text().doc_end()).rev().filter(is_from).take(DAYS_COUNT).collect();
            for doc in found {
                self.at(scope, doc);
            }
        }
    }

    /// The places of the candidates that are worth most by themselves, the best first.
    pub(super) fn best(&self, count: usize) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.list.len()).collect();
        let order = |one: &usize, other: &usize| {
            let (one, other) = (&self.list[*one], &self.list[*other]);
            other.base().total_cmp(&one.base()).then_with(|| self.by_place(one, other))
        };
        if places.len() > count {
            places.select_nth_unstable_by(count, order);
            places.truncate(count);
        }
        places.sort_unstable_by(order);
        places
    }

    /// The order of equal ones: by scope, by when the file was made, and by where in it they are.
    /// What number a doc has is no order: it follows from when others asked, too.
    pub(super) fn by_place(&self, one: &Candidate, other: &Candidate) -> Ordering {
        let place = |one: &Candidate| {
            let file = self.filters[one.scope].index().file_of(one.doc);
            (one.scope, file.map(|file| (file.created, file.node)), one.doc)
        };
        place(one).cmp(&place(other))
    }

    /// How sure it is that the store knows what is asked, from 0 to 1: how much of what the question
    /// names one doc has, and how like its meaning is. It is measured by what the question asks for
    /// and not by the other docs, so that it means the same in a store of any size.
    pub(super) fn sureness(&self, asked: &PreparedQuestion<'_>) -> f32 {
        let weights = asked.weights();
        let most = weights.iter().map(|(_, weight)| weight).sum::<f32>() + asked.unknown();
        let of_days = if asked.is_mostly_days() { asked.weight_of_days(&weights) } else { 0.0 };
        let mut places = self.best(SURE_COUNT);
        if asked.asks_for_days() {
            places.extend((0..self.list.len()).filter(|place| self.is_from_days(asked, *place)));
        }
        places.retain(|place| !self.list[*place].is_late);
        places.sort_unstable_by_key(|place| (self.list[*place].scope, self.list[*place].doc));
        places.dedup();
        let same_scope =
            |one: &usize, other: &usize| self.list[*one].scope == self.list[*other].scope;
        let is_terse = asked.is_terse || asked.is_mostly_days();
        let share = if is_terse { SURE_OF_TERSE } else { 1.0 };
        let mut sure = 0.0_f32;
        for places in places.chunk_by(same_scope) {
            let docs: Vec<u32> = places.iter().map(|place| self.list[*place].doc).collect();
            let index = self.filters[self.list[places[0]].scope].index();
            let sums = index.text().sums(&docs, weights.iter().copied());
            for ((place, doc), sum) in places.iter().zip(&docs).zip(sums) {
                // What is from the days that are asked for need not name them.
                let then = asked.share_of_days(index.form(*doc));
                let named = (sum + then * of_days).min(most) / most.max(f32::MIN_POSITIVE);
                let likeness = self.list[*place].vector();
                // What says little is as sure as anything if it is what was asked for.
                let shrunk = shrink(index.weight(*doc)).max(f32::MIN_POSITIVE);
                let likeness = if asked.is_plain { likeness * share / shrunk } else { likeness };
                sure = sure.max(SURE_BY_WORDS * named + likeness);
            }
        }
        // What is from the days that are asked for is that among many, too.
        let is_like = asked.is_plain && !asked.is_mostly_days();
        (sure + if is_like { self.sure_of_few() } else { 0.0 }).min(1.0)
    }

    /// What is added because there are few docs that could be like the question by chance.
    fn sure_of_few(&self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let count = self.list.iter().filter(|one| !one.is_late).count() as f32;
        SURE_OF_FEW * (MANY / count.clamp(FEW, MANY)).ln() / (MANY / FEW).ln()
    }

    /// Whether the candidate at a place is from the days that are asked for.
    fn is_from_days(&self, asked: &PreparedQuestion<'_>, place: usize) -> bool {
        let one = &self.list[place];
        let form = self.filters[one.scope].index().form(one.doc);
        asked.share_of_days(form) >= DAYS_SHARE_MIN
    }

    /// What a candidate is worth, all counted.
    pub(super) fn worth(&self, asked: &PreparedQuestion<'_>, one: &Candidate) -> f32 {
        match asked.kind {
            Kind::Text => one.text,
            Kind::Vector => one.vector(),
            Kind::Hybrid => {
                let form = self.filters[one.scope].index().form(one.doc);
                let bonus = asked.wanted.as_ref().map_or(0.0, |wanted| wanted.bonus(form));
                one.base() + one.lent + bonus
            }
        }
    }

    /// The candidate that a doc is; it becomes one if it is none.
    pub(super) fn at(&mut self, scope: usize, doc: u32) -> &mut Candidate {
        let place = *self.places.entry((scope, doc)).or_insert_with(|| {
            self.list.push(Candidate {
                scope,
                doc,
                text: 0.0,
                vector: None,
                lent: 0.0,
                is_late: false,
            });
            self.list.len() - 1
        });
        &mut self.list[place]
    }

    /// Looks up the vectors of candidates that came without.
    pub(super) fn complete(&mut self, asked: &PreparedQuestion<'_>) {
        for one in self.list.iter_mut().filter(|one| one.vector.is_none()) {
            let index = self.filters[one.scope].index();
            let likeness = index.source_of(one.doc).and_then(|source| {
                let dot = index.dot(one.doc, asked.vector(index, source)?)?;
                // The same products in the same order as in a search among all vectors.
                Some(dot * shrink(index.weight(one.doc)) * scale(index, source))
            });
            one.vector = Some(likeness.unwrap_or(0.0).max(0.0));
        }
    }

    /// Takes the best docs of all scopes by their words.
    fn add_by_text(&mut self, asked: &PreparedQuestion<'_>, count: usize) {
        let mut hits = Vec::new();
        for (scope, filter) in self.filters.iter().enumerate() {
            let text = filter.index().text();
            let found =
                text.search(&asked.query, &asked.statistics, count, |doc| filter.admits(doc));
            hits.extend(found.into_iter().map(|hit| (scope, hit)));
        }
        if self.filters.len() > 1 {
            // The sort is stable: equal ones stay in the order of scopes.
            hits.sort_by(|one, other| other.1.score.total_cmp(&one.1.score));
            hits.truncate(count);
        }
        let best = hits.first().map_or(0.0, |(_, hit)| hit.score);
        for (scope, hit) in hits {
            self.at(scope, hit.doc).text = if best > 0.0 { hit.score / best } else { 0.0 };
        }
    }

    /// Takes the best docs of each scope by their meaning.
    fn add_by_vectors(&mut self, asked: &PreparedQuestion<'_>, count: usize) {
        for scope in 0..self.filters.len() {
            self.take_vectors(asked, scope, count);
        }
    }

    /// Takes the best of the docs that are wanted in a scope.
    fn take_vectors(&mut self, asked: &PreparedQuestion<'_>, scope: usize, count: usize) {
        for source in SOURCES {
            let filter = &self.filters[scope];
            let index = filter.index();
            let (Some(vectors), Some(query)) =
                (index.vectors_of(source), asked.vector(index, source))
            else {
                continue;
            };
            let weight = |doc| shrink(index.weight(doc));
            let admits = |doc| filter.admits(doc);
            // A vector of another length is that of an embedder which this index does not have;
            // its docs are found by their words.
            let hits = vectors.search_admitted(query, count, weight, admits).unwrap_or_default();
            let scale = scale(index, source);
            let hits = hits.into_iter().filter(|hit| hit.score > 0.0);
            for (place, hit) in hits.enumerate() {
                let is_new = !self.places.contains_key(&(scope, hit.doc));
                let one = self.at(scope, hit.doc);
                one.vector = Some(hit.score * scale);
                one.is_late = is_new && place >= VECTOR_COUNT && asked.kind == Kind::Hybrid;
            }
        }
    }
}

/// What makes the cosines of a source compare with others.
fn scale(index: &Index, source: Source) -> f32 {
    if reach::is_static(index, source) { STATIC_SCALE } else { 1.0 }
}
