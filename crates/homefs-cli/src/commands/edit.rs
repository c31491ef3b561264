//! `homefs edit`.

use homefs_core::Path;
use homefs_view::Edit;

use super::write::Change;
use crate::context::Context;
use crate::error::Result;
use crate::json;

/// Replace a text in a file, or insert lines
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("what").args(["old", "line"]).required(true))]
pub(crate) struct Args {
    /// The file
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// The text to replace, which must occur exactly once without --every
    #[arg(long, requires = "new", value_name = "TEXT", allow_hyphen_values = true)]
    old: Option<String>,
    /// What takes its place
    #[arg(long, requires = "old", value_name = "TEXT", allow_hyphen_values = true)]
    new: Option<String>,
    /// Replace it wherever it occurs
    #[arg(long, requires = "old")]
    every: bool,
    /// The line after which to insert; 0 is before the first
    #[arg(long, requires = "text", value_name = "NUMBER")]
    line: Option<usize>,
    /// What to insert
    #[arg(long, requires = "line", allow_hyphen_values = true)]
    text: Option<String>,
    /// How sure to be.
    #[command(flatten)]
    change: Change,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let (new, text) = (self.new.unwrap_or_default(), self.text.unwrap_or_default());
        let edit = match self.old {
            Some(old) if self.every => Edit::ReplaceAll { old, new },
            Some(old) => Edit::Replace { old, new },
            None => Edit::Insert { line: self.line.unwrap_or_default(), text },
        };
        let version = context.client()?.edit(&self.path, &edit, &self.change.options())?;
        self.change.finish(context)?;
        context.output.changed(
            &json::changed(&self.path, version),
            format_args!("edited {}, version {version}", self.path),
        )
    }
}
