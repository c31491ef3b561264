//! Ranking: which docs answer a question.
//!
//! [`search`] fuses what the text index and the vectors say of a doc:
//!
//! ```text
//! base  = 0.25 · bm25 / best + 0.75 · cosine · W / (W + 16)
//! score = base + (W / (W + 16)) · what the best 24 docs lend to their neighbours
//! ```
//!
//! W is the summed rarity of a doc's tokens, so that a doc which says little is not like
//! everything. Neighbours count only as far as neighbours in this store are alike: an answer often
//! stands next to the words that were asked for in a conversation, and never in a folder of notes
//! that have nothing to do with one another. `cargo xtask eval` measures all of this.

mod candidates;
mod neighbours;
mod order;
mod question;
mod rarity;
mod reach;
mod related;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, cmp::Ordering};

use serde::{Deserialize, Serialize};

use crate::{
    index::{File, Index},
    text::Query,
};
use candidates::{Candidate, Candidates};
use question::Asked;

pub(crate) use order::Order;
pub use question::words;
pub use rarity::meaning;
pub(crate) use rarity::{rarity, shrink};
pub use related::{Related, related};

/// What a search goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Words and meaning.
    #[default]
    Hybrid,
    /// Words alone.
    Text,
    /// Meaning alone.
    Vector,
}

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
    /// The vector of [`words`] by the embedder of the indexes. Nothing: static vectors only.
    pub vector: Option<&'a [f32]>,
    /// The vector by the embedder before, while some docs have no other.
    pub former: Option<&'a [f32]>,
}

/// A doc that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Which of the scopes it is in.
    pub scope: usize,
    /// Its number in the index of the scope.
    pub doc: u32,
    /// How well it answers, from 0 to 1; 0 if the query had conditions only.
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
    let query =
        if question.plain { Query::plain(question.text) } else { Query::parse(question.text) };
    if limit == 0 || query.is_empty() {
        return Vec::new();
    }
    let asked = Asked::new(scopes, question, query);
    let mut found = Candidates::find(&asked, limit);
    if asked.kind == Kind::Hybrid {
        neighbours::lend(&asked, &mut found);
    }
    let mut hits: Vec<Hit> =
        found.list.iter().map(|candidate| hit(asked.kind, candidate)).collect();
    let order = best_first;
    if hits.len() > limit {
        hits.select_nth_unstable_by(limit, order);
        hits.truncate(limit);
    }
    hits.sort_unstable_by(order);
    hits
}

/// A candidate as it is reported.
fn hit(kind: Kind, candidate: &Candidate) -> Hit {
    let Candidate { scope, doc, text, lent, .. } = *candidate;
    let vector = candidate.vector();
    let score = match kind {
        Kind::Text => text,
        Kind::Vector => vector,
        Kind::Hybrid => {
            // Neighbours may lift a sum above 1; this keeps order, and nearly the value, below.
            let sum = candidate.base() + lent;
            sum / (1.0 + sum * sum).sqrt()
        }
    };
    Hit { scope, doc, score, text, vector }
}

fn best_first(one: &Hit, other: &Hit) -> Ordering {
    // By doc, as what is found by words and by vectors is cut off.
    let worth = other.score.total_cmp(&one.score);
    worth.then_with(|| (one.scope, one.doc).cmp(&(other.scope, other.doc)))
}
