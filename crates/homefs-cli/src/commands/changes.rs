//! `homefs changes`.

use homefs_core::Path;
use homefs_view::SourceChange;
use serde_json::json;

use crate::context::Context;
use crate::error::Result;
use crate::text;

/// Show what was changed over a source
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where it is attached
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// Give all of it up: what is the home's own goes to the trash, and the source shows again
    #[arg(long)]
    discard: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        let changes = client.source_changes(&self.path)?;
        if !self.discard {
            return show(context, &changes);
        }
        client.discard_source_changes(&self.path)?;
        let count = text::count(changes.len() as u64, "change");
        context.output.changed(
            &json!({ "path": self.path, "discarded": changes.len() }),
            format_args!("gave up {count}; `homefs trash` has what was written"),
        )
    }
}

/// Lists changes.
pub(super) fn show(context: &Context, changes: &[SourceChange]) -> Result<()> {
    context.output.listing(changes, SourceChange::clone, row, &[])
}

fn row(change: &SourceChange) -> Vec<String> {
    vec![change.change.to_string(), text::printable(change.path.as_str())]
}
