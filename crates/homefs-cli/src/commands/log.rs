//! `homefs log`.

use homefs_core::{Path, Version};

use crate::context::Context;
use crate::error::Result;
use crate::{text, time};

/// List the versions of a file, newest first, also of a removed one
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// Show at most this many
    #[arg(long, short = 'n', default_value_t = 100, value_name = "COUNT")]
    limit: usize,
    /// Show only versions before this one
    #[arg(long, value_name = "VERSION")]
    before: Option<u64>,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let editions = context.client()?.log(&self.path, self.before.map(Version), self.limit)?;
        let now = time::now();
        context.output.listing(
            &editions,
            Clone::clone,
            |edition| {
                vec![
                    edition.version.to_string(),
                    time::local(edition.time),
                    text::age(now, edition.time),
                    match &edition.machine {
                        Some(machine) => format!("{} on {machine}", edition.agent),
                        None => edition.agent.to_string(),
                    },
                    text::size(edition.size),
                ]
            },
            &[0, 2, 4],
        )
    }
}
