//! `:context`: what an agent should know at its start.

use homefs_core::{Path, Result};

use super::{Arguments, On, Probe, number};
use crate::memory::Tokenizer;
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "context",
    on: On::Directory,
    arguments: &["max_tokens", "tokenizer"],
    help: "what to know at the start, of all that may be read: what is pinned, the best, the rest",
    read,
    write: None,
};

/// The budget, if none is said.
const USUAL: usize = 2000;

fn read(view: &View, _: &Path, arguments: &Arguments) -> Result<String> {
    let tokenizer = arguments.get("tokenizer").map_or(Ok(Tokenizer::O200k), str::parse)?;
    Ok(view.context(number(arguments, "max_tokens", USUAL)?, tokenizer)?.text)
}
