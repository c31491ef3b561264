//! `homefs detach`.

use homefs_core::Path;
use serde_json::json;

use crate::context::Context;
use crate::error::Result;
use crate::text;

/// Show a source no longer
///
/// What was written over it stays in the home; what was removed over it is forgotten. The source
/// is never changed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where it is attached
    #[arg(value_parser = Path::parse)]
    path: Path,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        client.detach_source(&self.path)?;
        let kept = client.walk(&self.path, None, 1000)?;
        let count = kept.items.len();
        let more = if kept.next.is_some() { "more than " } else { "" };
        let kept = text::count(count as u64, "node");
        context.output.changed(
            &json!({ "path": self.path, "kept": count }),
            format_args!("detached {}; {more}{kept} of the home's own stay there", self.path),
        )
    }
}
