//! `homefs mv`.

use homefs_core::Path;
use homefs_view::RenameMode;

use crate::context::Context;
use crate::error::Result;
use crate::json;

/// Move or rename a file or directory
///
/// The move is atomic within a space; to another space it is a copy and a removal.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to move
    #[arg(value_parser = Path::parse)]
    from: Path,
    /// Its new path, or the directory to move it into
    #[arg(value_parser = Path::parse)]
    to: Path,
    /// Fail if the new path exists
    #[arg(long, conflicts_with = "exchange")]
    no_replace: bool,
    /// Swap the two
    #[arg(long)]
    exchange: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        let from = client.path_meant(&self.from)?;
        let (mode, to) = match (self.exchange, self.no_replace) {
            (true, _) => (RenameMode::Exchange, self.to),
            (_, true) => (RenameMode::NoReplace, self.to),
            _ => (RenameMode::Replace, client.into_directory(from.name(), self.to)?),
        };
        let version = client.move_to(&from, &to, mode)?;
        context.output.changed(&json::changed(&to, version), format_args!("moved {from} to {to}"))
    }
}
