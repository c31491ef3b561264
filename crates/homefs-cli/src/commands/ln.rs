//! `homefs ln`.

use homefs_core::Path;

use crate::context::Context;
use crate::error::Result;
use crate::json;

/// Give a file a second name, or make a symbolic link
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The existing file; with -s any text that the link shall hold
    target: String,
    /// The new name
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// Make a symbolic link
    #[arg(short, long)]
    symbolic: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        let version = if self.symbolic {
            client.symlink(&self.target, &self.path)?
        } else {
            client.link(&Path::parse(&self.target)?, &self.path)?
        };
        context.output.changed(
            &json::changed(&self.path, version),
            format_args!("linked {} to {}", self.path, self.target),
        )
    }
}
