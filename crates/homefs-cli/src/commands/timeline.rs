//! `homefs timeline`.

use homefs_core::{Path, Timestamp};
use homefs_view::TimelineOptions;

use crate::context::Context;
use crate::error::Result;
use crate::{text, time};

/// List files by when they were last written, newest first
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only at and below this path
    #[arg(value_parser = Path::parse, default_value = "/", value_name = "PATH")]
    below: Path,
    /// Not before this: a date, `2h ago` or `yesterday`
    #[arg(long, value_name = "TIME", value_parser = time::time)]
    after: Option<Timestamp>,
    /// Before this
    #[arg(long, value_name = "TIME", value_parser = time::time)]
    before: Option<Timestamp>,
    /// Show at most this many
    #[arg(long, short = 'n', default_value_t = 20, value_name = "COUNT")]
    limit: usize,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let Self { below, after, before, limit } = self;
        let options = TimelineOptions { after, before, limit, below };
        let files = context.client()?.timeline(&options)?;
        context.output.listing(
            &files,
            Clone::clone,
            |file| {
                let tags: Vec<_> = file.tags.iter().map(|tag| format!("#{tag}")).collect();
                vec![
                    time::local(file.modified),
                    text::printable(file.path.as_str()),
                    text::one_line(&file.title),
                    text::printable(&tags.join(" ")),
                ]
            },
            &[],
        )
    }
}
