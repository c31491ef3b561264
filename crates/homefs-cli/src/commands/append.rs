//! `homefs append`.

use std::io::Read;

use homefs_core::{Error, Path};

use super::write::{Change, argument, line, standard_input};
use crate::context::Context;
use crate::error::Result;
use crate::json;

/// Add to the end of a file, from the argument or from standard input
///
/// A missing file and missing directories are made.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// What to add, with a line end added; standard input if not given
    #[arg(allow_hyphen_values = true, value_parser = argument)]
    text: Option<String>,
    /// Add TEXT without a line end
    #[arg(long, short = 'n', requires = "text")]
    no_newline: bool,
    /// How sure to be.
    #[command(flatten)]
    change: Change,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let addition = if let Some(text) = self.text {
            line(text, self.no_newline)
        } else {
            // One call appends all or nothing, so it must be whole before it is sent.
            let mut addition = Vec::new();
            standard_input(context)
                .read_to_end(&mut addition)
                .map_err(|error| Error::io("read standard input", error))?;
            addition
        };
        let version = context.client()?.append(&self.path, &addition, &self.change.options())?;
        self.change.finish(context)?;
        context.output.changed(
            &json::changed(&self.path, version),
            format_args!("appended to {}, version {version}", self.path),
        )
    }
}
