//! `homefs rm`.

use homefs_core::Path;

use crate::context::Context;
use crate::error::Result;
use crate::json;

/// Remove files; `homefs trash` can bring them back
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files
    #[arg(value_parser = Path::parse, required = true, value_name = "PATH")]
    paths: Vec<Path>,
    /// Remove directories with everything in them
    #[arg(short, long)]
    recursive: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        for path in &self.paths {
            let client = context.client()?;
            // What brings it back is its path: its handle is gone with it.
            let path = &client.path_meant(path)?;
            let version = client.remove(path, self.recursive)?;
            context.output.changed(
                &json::changed(path, version),
                format_args!("removed {path}; `homefs trash restore {path}` brings it back"),
            )?;
        }
        Ok(())
    }
}
