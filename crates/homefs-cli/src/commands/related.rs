//! `homefs related`.

use homefs_core::Path;

use super::search;
use crate::context::Context;
use crate::error::Result;

/// Find the files that are most like a file
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// Show at most this many
    #[arg(long, short = 'n', default_value_t = 10, value_name = "COUNT")]
    limit: usize,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        search::show(context, &context.client()?.related(&self.path, self.limit)?)
    }
}
