//! Counting tokens.

pub use homefs_wire::words::Tokenizer;

use super::approximate::approximate;

/// What a tokenizer does.
pub trait Count {
    /// Returns how many tokens a text has; marks of special tokens count as the text they are.
    ///
    /// The first count of a process loads the vocabulary, see [`Count::load`].
    fn count(self, text: &str) -> usize;

    /// Loads the vocabulary, which takes some 40 to 80 ms once in a process.
    fn load(self);
}

impl Count for Tokenizer {
    fn count(self, text: &str) -> usize {
        match vocabulary(self) {
            Some(vocabulary) => vocabulary.count(text),
            None => approximate(text),
        }
    }

    fn load(self) {
        let _loaded = vocabulary(self);
    }
}

fn vocabulary(tokenizer: Tokenizer) -> Option<&'static tiktoken::CoreBpe> {
    let name = match tokenizer {
        Tokenizer::O200k => "o200k_base",
        Tokenizer::Cl100k => "cl100k_base",
        Tokenizer::Approx => return None,
    };
    Some(tiktoken::get_encoding(name).expect("the vocabulary is compiled in"))
}
