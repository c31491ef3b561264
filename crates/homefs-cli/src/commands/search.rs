//! `homefs search`.

use homefs_api::words;
use homefs_core::{Path, SpaceName, line_reference};
use homefs_view::{Hit, SearchKind, SearchOptions};

use super::question;
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::{text, time};

/// Find notes by their words and their meaning, the best first
///
/// In QUERY, "two words" are a phrase, pref* finds words that begin so, -word leaves out, and
/// tag:t, path:notes, after:2026-01-31 and before:2026-01-31 narrow. Anything else is words. Every
/// write that returned before is seen. Exits with 1 if nothing is found.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to look for; `-` or nothing reads it from standard input
    #[arg(value_name = "QUERY", allow_hyphen_values = true, value_parser = super::write::argument)]
    query: Option<String>,
    /// Show at most this many
    #[arg(long, short = 'n', default_value_t = 10, value_name = "COUNT")]
    limit: usize,
    /// Search by words, by meaning, or by both
    #[arg(long, value_parser = question::word::<SearchKind>(SearchKind::WORDS), default_value_t)]
    kind: SearchKind,
    /// Only in this space, such as shared/market; may be given again
    #[arg(long = "space", value_name = "SPACE")]
    spaces: Vec<SpaceName>,
    /// Only at and below this path
    #[arg(long, value_name = "PATH", value_parser = Path::parse, default_value = "/")]
    below: Path,
    /// Also what is no memory: what an ignore rule names, and files that are no text
    #[arg(long)]
    all: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let query = question::read(context, self.query)?;
        let Self { limit, kind, spaces, below, all, .. } = self;
        let options = SearchOptions { limit, kind, spaces, below, all };
        let client = context.client()?;
        let hits = client.search(&query, &options)?;
        show(context, &hits)?;
        say_unseen(context, client.unseen(&options.below)?);
        say_unsearched(context, &options.below)?;
        // As with `find`: the exit code says it without words.
        if hits.is_empty() { Err(Failure::no("")) } else { Ok(()) }
    }
}

/// Says how many files were searched by their names only.
pub(super) fn say_unseen(context: &Context, unseen: u64) {
    if unseen > 0 {
        let files = text::count(unseen, "file");
        context.output.say(format_args!(
            "not searched: {files} whose contents are not here yet; `homefs pin PATH` fetches them"
        ));
    }
}

/// Says which sources were not searched.
pub(super) fn say_unsearched(context: &Context, below: &Path) -> Result<()> {
    let sources = context.client()?.sources()?;
    if let Some(unsearched) = words::unsearched(&sources, below) {
        context.output.say(text::printable(&unsearched));
    }
    Ok(())
}

/// Prints hits: where each is, and the sentence that fits best.
pub(super) fn show(context: &Context, hits: &[Hit]) -> Result<()> {
    let output = &context.output;
    if output.json {
        return output.json(&hits);
    }
    let now = time::now();
    for hit in hits {
        let place = text::printable(&format!("{}{}", hit.path, line_reference(hit.lines)));
        let place = output.paint(Style::Bold, &place);
        let age = output.paint(Style::Dim, &text::age(now, hit.modified));
        let title = text::printable(&hit.title);
        let gap = if title.is_empty() { "" } else { "  " };
        output.line(format_args!("{:.2}  {place}  {age}{gap}{title}", hit.score))?;
        let excerpt = text::one_line(&hit.excerpt);
        if !excerpt.is_empty() {
            output.line(format_args!("      {excerpt}"))?;
        }
    }
    Ok(())
}
