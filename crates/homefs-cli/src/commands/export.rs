//! `homefs export`.

use std::path::PathBuf;

use homefs_core::Path;

use crate::context::Context;
use crate::error::Result;
use crate::host;
use crate::transfer::{self, Modes};

/// Copy a directory of the store to the host
///
/// Modes, times and links are kept and every copy is read back and compared. Repeating an
/// interrupted export goes on where it stopped. What cannot be exported is named at the end.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory on the host, made if missing
    #[arg(value_name = "DIR", value_parser = host::local_path())]
    to: PathBuf,
    /// What to export
    #[arg(value_parser = Path::parse, default_value = "/", value_name = "PATH")]
    from: Path,
    #[command(flatten)]
    modes: Modes,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        self.modes.check(context)?;
        let mut to = self.to;
        if host::metadata(&to)?.is_some() {
            to = host::follow(&to)?;
        }
        let client = context.client()?;
        let report = transfer::export(client, &self.from, &to, self.modes, &context.output)?;
        report.finish(&context.output, "exported")
    }
}
