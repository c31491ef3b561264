//! `homefs diff`.

use homefs_core::Path;
use homefs_view::Moment;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::time;

/// Show what changed in a file between two moments
///
/// Exits with 1 if they differ. A moment is a version number, `2h ago`, `yesterday`, a date or
/// an RFC 3339 time.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// The earlier moment; the version before the last if not given
    #[arg(long, value_parser = time::moment, value_name = "MOMENT")]
    from: Option<Moment>,
    /// The later moment
    #[arg(long, value_parser = time::moment, value_name = "MOMENT", default_value = "now")]
    to: Moment,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        let from = match self.from {
            Some(from) => from,
            None => client.previous(&self.path)?,
        };
        let diff = client.diff(&self.path, from, self.to)?;
        if context.output.json {
            context.output.json(&serde_json::json!({ "path": self.path, "diff": diff }))?;
        } else {
            for line in diff.lines() {
                let style = match line.as_bytes().first() {
                    Some(b'+') => Style::Green,
                    Some(b'-') => Style::Red,
                    Some(b'@') => Style::Blue,
                    _ => Style::Dim,
                };
                context.output.line(context.output.paint(style, line))?;
            }
        }
        if diff.is_empty() { Ok(()) } else { Err(Failure::no("")) }
    }
}
