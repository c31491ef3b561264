//! `homefs restore`.

use homefs_core::Path;
use homefs_view::Moment;

use super::cat::When;
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::json;

/// Make an old version of a file the present one
///
/// The version that it replaces stays in the history.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// When.
    #[command(flatten)]
    when: When,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let path = &self.path;
        let Some(moment) = self.when.moment().filter(|moment| *moment != Moment::Now) else {
            return Err(Failure::new("say which version to restore: --version or --at")
                .hint(format!("`homefs log {path}` lists them")));
        };
        let version = context.client()?.restore(path, moment)?;
        context.output.changed(
            &json::changed(path, version),
            format_args!("restored {path}, now version {version}"),
        )
    }
}
