//! `homefs sources`.

use homefs_core::Path;
use homefs_view::Attachment;
use serde_json::json;

use crate::context::Context;
use crate::error::Result;
use crate::text;

/// List the sources that are attached
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Look for what has changed at the source that is attached here
    #[arg(long, value_parser = Path::parse, value_name = "PATH")]
    refresh: Option<Path>,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        if let Some(path) = self.refresh {
            client.refresh_source(&path)?;
            return context.output.changed(
                &json!({ "path": path }),
                format_args!("{path} shows what its source has now"),
            );
        }
        context.output.listing(&client.sources()?, Attachment::clone, row, &[])
    }
}

fn row(source: &Attachment) -> Vec<String> {
    let how = if source.read_only { "read-only" } else { "copy-on-write" };
    let mut row = vec![source.path.to_string(), text::printable(&source.source), how.to_owned()];
    row.extend(source.trouble.as_deref().map(text::printable));
    row
}
