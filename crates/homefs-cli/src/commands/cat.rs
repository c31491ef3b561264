//! `homefs cat`.

use homefs_core::{Path, Version};
use homefs_view::Moment;

use crate::context::Context;
use crate::error::Result;
use crate::time;

/// Print files, as they are or as they were
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files
    #[arg(value_parser = Path::parse, required = true, value_name = "PATH")]
    paths: Vec<Path>,
    /// When.
    #[command(flatten)]
    when: When,
}

/// A point in history.
#[derive(clap::Args)]
pub(crate) struct When {
    /// As it was at this version
    #[arg(long, conflicts_with = "at", value_name = "NUMBER")]
    version: Option<u64>,
    /// As it was then: `2h ago`, `yesterday`, 2026-01-31, 2026-01-31T12:00:00Z
    #[arg(long, value_parser = time::moment, value_name = "TIME")]
    at: Option<Moment>,
}

impl When {
    /// Returns the moment that was asked for.
    pub(crate) fn moment(&self) -> Option<Moment> {
        self.version.map(|version| Moment::Version(Version(version))).or(self.at)
    }
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let moment = self.when.moment().unwrap_or(Moment::Now);
        for path in &self.paths {
            context.client()?.read_to(path, moment, &mut &context.output)?;
        }
        Ok(())
    }
}
