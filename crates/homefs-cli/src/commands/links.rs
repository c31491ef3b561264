//! `homefs links`.

use homefs_core::Path;

use crate::context::Context;
use crate::error::Result;
use crate::text;

/// Show what a note links to, and what links to it
///
/// Links are `[[note]]`, and Markdown links to files.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The note
    #[arg(value_parser = Path::parse)]
    path: Path,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let links = context.client()?.links(&self.path)?;
        let output = &context.output;
        if output.json {
            return output.json(&links);
        }
        let to = links.to.iter().map(|link| {
            let path = link.path.as_ref().map_or("nothing yet", Path::as_str);
            vec!["to".to_owned(), text::printable(path), text::printable(&link.target)]
        });
        let from =
            links.from.iter().map(|path| vec!["from".to_owned(), text::printable(path.as_str())]);
        let rows: Vec<_> = to.chain(from).collect();
        text::columns(&rows, &[]).into_iter().try_for_each(|line| output.line(line))
    }
}
