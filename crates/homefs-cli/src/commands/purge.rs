//! `homefs purge`.

use homefs_core::Path;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::{output, text};

/// Erase a file for ever, from history and trash too
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file or directory
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let question = format!("erase {} and all its versions for ever?", self.path);
        if !self.yes && !output::confirm(&question) {
            return Err(Failure::no("nothing was erased").hint("--yes erases without asking"));
        }
        let purged = context.client()?.purge(&self.path)?;
        context.output.changed(
            &serde_json::json!({
                "path": self.path, "nodes": purged.nodes, "bytes": purged.bytes,
            }),
            format_args!(
                "erased {}: {}, {}",
                self.path,
                text::count(purged.nodes, "node"),
                text::size(purged.bytes)
            ),
        )
    }
}
