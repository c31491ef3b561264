//! `homefs find`.

use homefs_core::Path;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::{json, pages, text};

/// Find files by a pattern of their names
///
/// A pattern without `/` matches names at any depth; with `/` it matches the path below PATH,
/// where `**` stands for any number of directories.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The pattern, such as '*.md' or 'notes/**/todo.md'
    pattern: String,
    /// Where to look
    #[arg(value_parser = Path::parse, default_value = "/")]
    path: Path,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        let found =
            pages::all(|after| client.find(&self.path, &self.pattern, after, pages::LIMIT))?;
        context.output.listing(
            &found,
            json::found,
            |item| vec![text::printable(item.path.as_str())],
            &[],
        )?;
        // Nothing found is an answer, not an error; the exit code says it without words.
        if found.is_empty() { Err(Failure::no("")) } else { Ok(()) }
    }
}
