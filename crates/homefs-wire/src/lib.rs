//! What every face says and hears, and nothing of how it is done.
//!
//! The table of [`mod@operations`] says what can be asked of a view and its owner, with its name in every
//! face; that of [`mod@methods`] what a program asks of a home; [`records`] are what it hears, and
//! [`words`] what all are made of. The SDKs' methods, types and stubs are made from these by
//! `cargo xtask gen`, and so will other protocols be. The choice a reader may question: these are
//! Rust types with a description (`schema`) instead of a description from which types are made,
//! because the engine fills most records itself, and a compiler checks that it does.

pub mod methods;
pub mod operations;
pub mod records;
#[cfg(feature = "schema")]
pub mod schema;
pub mod words;

use homefs_core::{Error, ErrorKind};

pub use methods::Method;

/// Makes the error of a word that is none of those that there are.
fn no_word(word: &str, known: impl Iterator<Item = &'static str>) -> Error {
    let known = known.collect::<Vec<_>>().join(", ");
    Error::new(ErrorKind::Invalid, format!("{word:?} is none of {known}"))
}
