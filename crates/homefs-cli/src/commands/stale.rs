//! `homefs stale`.

use homefs_core::Path;

use crate::context::Context;
use crate::error::Result;
use crate::{text, time};

/// List files that nobody has read for long and that matter little, to be forgotten first
///
/// Reads are counted on this machine only, are part of no ranking, and leave out what the kernel
/// answers from its cache in a mount.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only at and below this path
    #[arg(value_parser = Path::parse, default_value = "/", value_name = "PATH")]
    below: Path,
    /// Neither read nor written for this many days
    #[arg(long, default_value_t = 90)]
    days: u32,
    /// Show at most this many
    #[arg(long, short = 'n', default_value_t = 20, value_name = "COUNT")]
    limit: usize,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let files = context.client()?.stale(self.days, self.limit, &self.below)?;
        let now = time::now();
        context.output.listing(
            &files,
            Clone::clone,
            |file| {
                let read = file.read.map_or_else(|| "never".into(), |read| text::age(now, read));
                vec![
                    format!("read {read}"),
                    format!("written {}", text::age(now, file.modified)),
                    format!("importance {}", file.importance),
                    text::printable(file.path.as_str()),
                    text::one_line(&file.title),
                ]
            },
            &[],
        )
    }
}
