//! Words, postings and queries: what is said where.
//!
//! [`TextIndex`] ranks docs by BM25 over stems; [`Query`] is what was asked; [`Trigrams`] names the
//! files that may hold a literal. The index is in memory and our own because ranking needs the
//! newest write, a visibility filter inside the search and a few microseconds a query, which no
//! index on disk gave when measured.

mod arena;
mod best;
mod bits;
mod clauses;
pub(crate) mod codec;
mod condition;
mod frame;
mod grammar;
mod index;
mod postings;
mod query;
mod search;
mod slug;
mod stem;
mod stop;
mod trigrams;
mod vocabulary;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use arena::Arena;
pub(crate) use best::Best;
pub use best::Hit;
pub use condition::{Conditions, Day, Facts};
pub(crate) use grammar::{StopWords, weight_of, without_grammar};
pub use index::{Fields, TextIndex, Weights};
pub use query::{Clause, Query};
pub use search::Statistics;
pub use slug::slug;
pub use stem::stem;
pub use stop::is_stop_word;
pub use trigrams::{Need, Trigrams};
pub(crate) use vocabulary::small;
pub(crate) use words::is_unspaced;
pub use words::{Word, each_word};
