//! Ranking: which docs answer a question.
//!
//! [`search`] fuses what the text index and the vectors say of a doc:
//!
//! ```text
//! base = 0.25 · bm25 / best + 0.75 · cosine · W / (W + 16)
//! sum  = base + (W / (W + 16)) · what the best 24 docs lend to their neighbours + form
//! ```
//!
//! W is the summed rarity of a doc's tokens, so that a doc which says little is not like
//! everything. Neighbours count only as far as neighbours in this store are alike: an answer often
//! stands next to the words that were asked for in a conversation, and never in a folder of notes
//! that have nothing to do with one another. Sums compare docs of one question; what is reported is
//! scaled so that scores compare between questions and stores. What the form of a doc adds or takes is in
//! `form.rs` and `wanted.rs`: whose it is, whether it only asks, whether it says when. `cargo xtask eval` measures
//! all of this.

mod candidates;
mod form;
mod languages;
mod moments;
mod neighbours;
mod order;
mod question;
mod rarity;
mod reach;
mod related;
#[cfg(test)]
mod tests;
mod wanted;

use std::{borrow::Cow, cmp::Ordering};

use homefs_core::time::Here;

pub use homefs_wire::words::SearchKind as Kind;

use crate::{
    index::{File, Index},
    text::Query,
};
use candidates::{Candidate, Candidates};
use question::PreparedQuestion;

pub(crate) use form::{BYTES as FORM_BYTES, Form};
pub(crate) use languages::month;
pub(crate) use order::Order;
pub use question::words;
pub use rarity::meaning;
pub(crate) use rarity::{dated, rarity, shrink};
pub use related::{Related, related};

/// Where files are for who asks: of several names some may be hidden, so that an index tells none.
pub trait Names {
    /// The path of a file that is admitted; empty if it has none.
    fn path_of<'a>(&self, file: &'a File) -> Cow<'a, str>;
}

/// An index that is searched, and what of it.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The index of a space.
    pub index: &'a Index,
    /// Which files may be found; nothing: all.
    pub admits: Option<&'a dyn Fn(&File) -> bool>,
    /// Where they are; nothing: where the index says.
    pub names: Option<&'a dyn Names>,
    /// Whether who asks may read all of it, found or not: only then do its frequencies count.
    pub counts: bool,
}

impl<'a> Scope<'a> {
    /// All of an index.
    pub fn whole(index: &'a Index) -> Self {
        Self { index, admits: None, names: None, counts: true }
    }

    /// Where a file is that is admitted.
    fn path_of<'b>(&self, file: &'b File) -> Cow<'b, str> {
        self.names.map_or(Cow::Borrowed(&file.path), |names| names.path_of(file))
    }
}

/// What is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question<'a> {
    /// The query, or a question in plain words.
    pub text: &'a str,
    /// What to go by.
    pub kind: Kind,
    /// Whether the text is words and nothing else, not the query language.
    pub plain: bool,
    /// When and where it is asked, for the times in it. Nothing: at the epoch, in UTC.
    pub here: Option<&'a Here>,
    /// The vector of [`words`] by the embedder of the indexes. Nothing: static vectors only.
    pub vector: Option<&'a [f32]>,
    /// The vector by the embedder before, while some docs have no other.
    pub former: Option<&'a [f32]>,
}

/// Where the best doc scores less than this, by words and meaning, nothing is known of what is asked.
///
/// Calibrated by `cargo xtask eval`, where under 1 % of the questions that a conversation answers are
/// below it, and by small stores (`tests/known.tsv`).
pub const FLOOR: f32 = 0.38;

/// A doc that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Which of the scopes it is in.
    pub scope: usize,
    /// Its number in the index of the scope.
    pub doc: u32,
    /// How well it answers, from 0 to 1; 0 if the query had conditions only. By words and meaning,
    /// that of the best says how sure it is that the store knows what is asked, and means the same
    /// in a store of any size; see [`FLOOR`].
    pub score: f32,
    /// How well its words do, compared with the best of all docs.
    pub text: f32,
    /// How well its meaning does.
    pub vector: f32,
}

/// Finds the docs that answer a question, best first; equal ones by scope and place.
///
/// What a scope does not admit changes nothing: neither scores nor order. More hits begin with the
/// same hits as fewer.
pub fn search(scopes: &[Scope<'_>], question: &Question<'_>, limit: usize) -> Vec<Hit> {
    let query = if question.plain {
        Query::plain(question.text)
    } else {
        Query::parse(question.text, question.here.unwrap_or(&Here::default()))
    };
    if limit == 0 || query.is_empty() {
        return Vec::new();
    }
    let asked = PreparedQuestion::new(scopes, question, query);
    let mut found = Candidates::find(&asked, limit);
    if asked.kind == Kind::Hybrid {
        neighbours::lend(&asked, &mut found);
    }
    let sureness = if asked.kind == Kind::Hybrid { found.sureness(&asked) } else { 1.0 };
    if asked.wanted.is_some() && asked.kind == Kind::Hybrid && sureness < FLOOR {
        // Likeness alone would find something for any question.
        found.list.retain(|one| one.text > 0.0);
    }
    let mut best: Vec<(f32, Candidate)> =
        found.list.iter().map(|one| (found.worth(&asked, one), *one)).collect();
    let order = |one: &(f32, Candidate), other: &(f32, Candidate)| best_first(&found, one, other);
    if best.len() > limit {
        best.select_nth_unstable_by(limit, order);
        best.truncate(limit);
    }
    best.sort_unstable_by(order);
    let first = best.first().map_or(0.0, |(worth, _)| *worth);
    let scale = match asked.kind {
        Kind::Hybrid if first > 0.0 => sureness / first,
        Kind::Hybrid => 0.0,
        Kind::Text | Kind::Vector => 1.0,
    };
    best.into_iter().map(|(worth, candidate)| hit(worth * scale, &candidate)).collect()
}

/// A candidate as it is reported. One that only asks may be worth less than nothing.
fn hit(score: f32, candidate: &Candidate) -> Hit {
    let Candidate { scope, doc, text, .. } = *candidate;
    Hit { scope, doc, score: score.max(0.0), text, vector: candidate.vector() }
}

/// By place if worth is equal.
fn best_first(
    found: &Candidates<'_>,
    (worth, one): &(f32, Candidate),
    (others, other): &(f32, Candidate),
) -> Ordering {
    let late = one.is_late.cmp(&other.is_late);
    late.then_with(|| others.total_cmp(worth)).then_with(|| found.by_place(one, other))
}
