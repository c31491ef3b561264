//! `homefs context`.

use homefs_view::Tokenizer;

use crate::context::Context;
use crate::error::Result;

/// Print what an agent should know at its start, within a budget of tokens
///
/// Notes with the tag `pinned` first, then the best by importance and age, then an index of what
/// else exists.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Most tokens of the answer
    #[arg(long, default_value_t = 2000, value_name = "COUNT")]
    max_tokens: usize,
    /// Whose tokens are counted: o200k, cl100k or approx
    #[arg(long, default_value = "o200k")]
    tokenizer: Tokenizer,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let standing = context.client()?.context(self.max_tokens, self.tokenizer)?;
        let output = &context.output;
        if output.json {
            return output.json(&standing);
        }
        output.content(&standing.text)
    }
}
