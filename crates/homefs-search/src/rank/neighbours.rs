//! What docs lend to those that were written next to them.

use super::{
    candidates::Candidates,
    question::{Filter, PreparedQuestion},
    shrink,
};
use crate::embed::Query;

/// The docs that lend, the best by themselves.
const LENDERS: usize = 24;
/// What a lender gives to the docs behind it, from the nearest; those before it get less, because
/// an answer comes after its question.
const SHARES: [f32; 4] = [0.3, 0.2, 0.13, 0.09];
const SHARE_BEFORE: f32 = 0.7;
/// Neighbours whose likeness is measured, on either side.
const MEASURED: usize = 2;
/// Neighbours are this much more alike than others, in standard deviations, when they count in
/// full.
const ALIKE_FULL: f32 = 0.25;
/// How sure that must be, in standard errors.
const SURE: f32 = 1.5;

/// Lets the best candidates lend to their neighbours, as far as neighbours are alike here.
pub(super) fn lend(asked: &PreparedQuestion<'_>, found: &mut Candidates<'_>) {
    let lenders = lenders(found);
    let trust = coherence(found, &lenders);
    if trust == 0.0 {
        return;
    }
    for lender in &lenders {
        let index = found.filters[lender.scope].index();
        for (docs, side) in [(&lender.before, SHARE_BEFORE), (&lender.behind, 1.0)] {
            for (doc, share) in docs.iter().zip(SHARES) {
                let loan = lender.base * share * side * trust;
                let one = found.at(lender.scope, *doc);
                one.lent += loan * shrink(index.weight(*doc));
                one.is_late = false;
            }
        }
        // What follows a question is its answer.
        if let Some(doc) = lender.behind.first() {
            let loan = lender.base * index.form(lender.doc).loan(index.form(*doc)) * trust;
            found.at(lender.scope, *doc).lent += loan * shrink(index.weight(*doc));
        }
    }
    found.complete(asked);
}

/// A doc that lends, and those that may borrow, the nearest first.
struct Lender {
    scope: usize,
    doc: u32,
    base: f32,
    before: Vec<u32>,
    behind: Vec<u32>,
}

impl Lender {
    fn nearest(&self) -> impl Iterator<Item = u32> + '_ {
        let before = self.before.iter().take(MEASURED);
        before.chain(self.behind.iter().take(MEASURED)).copied()
    }

    fn is_near(&self, scope: usize, doc: u32) -> bool {
        let near = doc == self.doc || self.before.contains(&doc) || self.behind.contains(&doc);
        scope == self.scope && near
    }
}

/// The best candidates, best first, each with the docs around it that may be found.
fn lenders(found: &Candidates<'_>) -> Vec<Lender> {
    let lender = |place: usize| {
        let one = &found.list[place];
        let filter = &found.filters[one.scope];
        let (before, behind) = filter.index().around(one.doc, |file| filter.path_of(file))?;
        let (before, behind) = (admitted(filter, before), admitted(filter, behind));
        Some(Lender { scope: one.scope, doc: one.doc, base: one.base(), before, behind })
    };
    found.best(LENDERS).into_iter().filter_map(lender).collect()
}

/// The first docs that may be found. Others are passed over, not counted: they must not show by
/// what they displace.
fn admitted(filter: &Filter<'_>, docs: impl Iterator<Item = u32>) -> Vec<u32> {
    docs.filter(|doc| filter.admits(*doc)).take(SHARES.len()).collect()
}

/// How far the order of docs means something here, from 0 to 1: docs are compared with their own
/// neighbours and with the neighbours of another. In a folder of unrelated notes both are alike.
fn coherence(found: &Candidates<'_>, lenders: &[Lender]) -> f32 {
    let (mut own, mut others) = (Sample::default(), Sample::default());
    for (lender, other) in lenders.iter().zip(lenders.iter().cycle().skip(1)) {
        let index = found.filters[lender.scope].index();
        let Some((source, vector)) = index.vector(lender.doc) else { continue };
        let query = Query::from(&vector);
        let alike = |scope: usize, doc: u32| {
            let index = found.filters[scope].index();
            let compares = index.source_of(doc) == Some(source);
            if compares { index.dot(doc, &query) } else { None }
        };
        own.extend(lender.nearest().filter_map(|doc| alike(lender.scope, doc)));
        let strangers = other.nearest().filter(|doc| !lender.is_near(other.scope, *doc));
        others.extend(strangers.filter_map(|doc| alike(other.scope, doc)));
    }
    let spread = others.deviation();
    if own.count == 0.0 || spread == 0.0 {
        return 0.0;
    }
    let error = (1.0 / own.count + 1.0 / others.count).sqrt();
    let alike = (own.mean() - others.mean()) / spread - SURE * error;
    (alike / ALIKE_FULL).clamp(0.0, 1.0)
}

/// Likenesses, summed up.
#[derive(Default)]
struct Sample {
    count: f32,
    sum: f32,
    squares: f32,
}

impl Sample {
    fn mean(&self) -> f32 {
        self.sum / self.count.max(1.0)
    }

    fn deviation(&self) -> f32 {
        (self.squares / self.count.max(1.0) - self.mean().powi(2)).max(0.0).sqrt()
    }
}

impl Extend<f32> for Sample {
    fn extend<I: IntoIterator<Item = f32>>(&mut self, likenesses: I) {
        for likeness in likenesses {
            self.count += 1.0;
            self.sum += likeness;
            self.squares += likeness * likeness;
        }
    }
}
