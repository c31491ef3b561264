//! `homefs changes`.

use homefs_core::Path;
use homefs_engine::SourceChange;
use serde_json::json;

use crate::context::Context;
use crate::error::Result;
use crate::{json, text};

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
    context.output.listing(changes, json::source_change, row, &[])
}

fn row(change: &SourceChange) -> Vec<String> {
    vec![text::source_change(change.change).to_owned(), text::printable(change.path.as_str())]
}
