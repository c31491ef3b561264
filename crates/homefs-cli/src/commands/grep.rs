//! `homefs grep`.

use homefs_api::words;
use homefs_core::Path;
use homefs_view::GrepOptions;

use crate::context::Context;
use crate::error::{Failure, Result};

/// Find the lines of text files that match a pattern
///
/// Each is printed with its path and number. An index of the home is asked first, so that most
/// files are not read. Exits with 1 if nothing is found, and with 2 if files of a source could not be
/// read, whatever the others say.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A regular expression
    pattern: String,
    /// Where to look
    #[arg(value_parser = Path::parse, default_value = "/")]
    path: Path,
    /// Match letters in either case
    #[arg(long, short)]
    ignore_case: bool,
    /// Take PATTERN as the text itself
    #[arg(long, short = 'F')]
    literal: bool,
    /// Only files that match this, as `homefs find` takes it
    #[arg(long, value_name = "PATTERN")]
    glob: Option<String>,
    /// Show so many lines before each
    #[arg(long, short = 'B', default_value_t = 0, value_name = "COUNT")]
    before: usize,
    /// Show so many lines after each
    #[arg(long, short = 'A', default_value_t = 0, value_name = "COUNT")]
    after: usize,
    /// Find at most this many
    #[arg(long, default_value_t = 1000, value_name = "COUNT")]
    limit: usize,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let options = GrepOptions {
            below: self.path,
            glob: self.glob,
            literal: self.literal,
            ignore_case: self.ignore_case,
            before: self.before,
            after: self.after,
            limit: self.limit,
            since: None,
        };
        let found = context.client()?.grep_all(&self.pattern, &options)?;
        let output = &context.output;
        if output.json {
            output.json(&found.lines)?;
        } else if !found.lines.is_empty() {
            output.content(&format!("{}\n", words::grep_lines(&found.lines)))?;
        }
        if found.next.is_some() {
            output.say("there may be more; --limit finds them");
        }
        if let Some(unread) = words::unread(&found) {
            return Err(Failure::new(unread).hint("`homefs cat` says why a file cannot be read"));
        }
        // As with `find`: the exit code says it without words.
        if found.lines.is_empty() { Err(Failure::no("")) } else { Ok(()) }
    }
}
