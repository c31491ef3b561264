//! `homefs tags`.

use homefs_core::Path;

use crate::context::Context;
use crate::error::Result;
use crate::{json, text};

/// List the tags of all files, with how many files have each
///
/// `homefs tag FILE` shows and sets those of one file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only at and below this path
    #[arg(value_parser = Path::parse, default_value = "/", value_name = "PATH")]
    below: Path,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let tags = context.client()?.tags(&self.below)?;
        context.output.listing(
            &tags,
            json::tag,
            |(tag, count)| vec![count.to_string(), text::printable(tag)],
            &[0],
        )
    }
}
