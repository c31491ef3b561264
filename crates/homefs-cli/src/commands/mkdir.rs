//! `homefs mkdir`.

use homefs_core::Path;

use crate::context::Context;
use crate::error::Result;
use crate::json;

/// Make directories
///
/// A directory /shared/NAME is a new shared space, which the agent then manages.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directories
    #[arg(value_parser = Path::parse, required = true, value_name = "PATH")]
    paths: Vec<Path>,
    /// Make missing directories on the way; one that exists is fine
    #[arg(short, long)]
    parents: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        for path in &self.paths {
            let version = context.client()?.make_dir(path, self.parents)?;
            context.output.changed(&json::changed(path, version), format_args!("made {path}"))?;
        }
        Ok(())
    }
}
