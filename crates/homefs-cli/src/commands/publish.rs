//! `homefs publish`.

use homefs_core::Path;
use serde_json::json;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::text;

/// Keep a Chroma collection up to date with files, for programs that search there
///
/// The collection belongs to homefs: what is removed here is removed there. Files that are not text
/// are left out. Run it again to send what has changed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The collection: `chroma://host:port/collection`, or `chromas://` with TLS
    target: String,
    /// The directory whose files are published
    #[arg(value_parser = Path::parse, default_value = "/")]
    path: Path,
    /// Let everybody see the pages where the collection is attached; else the groups that may read
    /// the files here
    #[arg(long)]
    public: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let done = context.client()?.publish(&self.target, &self.path, self.public)?;
        for skipped in &done.skipped {
            context.output.say(format_args!("left out: {}", text::printable(&skipped.to_string())));
        }
        context.output.changed(
            &json!({
                "target": self.target,
                "sent": done.sent,
                "unchanged": done.unchanged,
                "removed": done.removed,
                "skipped": done.skipped.len(),
            }),
            format_args!(
                "{} sent, {} unchanged, {} removed",
                done.sent, done.unchanged, done.removed
            ),
        )?;
        if done.skipped.is_empty() {
            return Ok(());
        }
        Err(Failure::no(format!(
            "{} were left out",
            text::count(done.skipped.len() as u64, "file")
        )))
    }
}
