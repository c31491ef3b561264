//! Counting tokens.

use std::str::FromStr;

use homefs_core::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use super::approximate::approximate;

/// What counts the tokens of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// The vocabulary `o200k_base`, exactly.
    #[default]
    O200k,
    /// The vocabulary `cl100k_base`, exactly.
    Cl100k,
    /// An estimate that rarely counts too few and needs no vocabulary.
    Approx,
}

impl Tokenizer {
    /// Every tokenizer.
    pub const ALL: [Self; 3] = [Self::O200k, Self::Cl100k, Self::Approx];

    /// Returns the name that [`Tokenizer::from_str`] reads.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
            Self::Approx => "approx",
        }
    }

    /// Returns how many tokens a text has; marks of special tokens count as the text they are.
    ///
    /// The first count of a process loads the vocabulary, see [`Tokenizer::load`].
    pub fn count(self, text: &str) -> usize {
        match self.vocabulary() {
            Some(vocabulary) => vocabulary.count(text),
            None => approximate(text),
        }
    }

    /// Loads the vocabulary, which takes some 40 to 80 ms once in a process.
    pub fn load(self) {
        let _loaded = self.vocabulary();
    }

    fn vocabulary(self) -> Option<&'static tiktoken::CoreBpe> {
        let name = match self {
            Self::O200k => "o200k_base",
            Self::Cl100k => "cl100k_base",
            Self::Approx => return None,
        };
        Some(tiktoken::get_encoding(name).expect("the vocabulary is compiled in"))
    }
}

impl FromStr for Tokenizer {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|tokenizer| tokenizer.name() == name).ok_or_else(|| {
            let message = format!("no tokenizer {name:?}: there are o200k, cl100k and approx");
            Error::new(ErrorKind::Invalid, message)
        })
    }
}
