//! `homefs status`.

use homefs_engine::Status;

use crate::context::Context;
use crate::error::Result;
use crate::text;

/// Show how the store is
#[derive(clap::Args)]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "every command runs by value of its arguments")]
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let status = context.upkeep_client()?.status()?;
        if context.output.json {
            return context.output.json(&status);
        }
        text::columns(&rows(&status), &[])
            .into_iter()
            .try_for_each(|line| context.output.line(line))
    }
}

fn rows(status: &Status) -> Vec<Vec<String>> {
    let owner = if status.pid == std::process::id() {
        "this command".to_owned()
    } else {
        format!("process {}", status.pid)
    };
    let mut rows = vec![
        ("store", status.dir.clone()),
        ("owner", format!("{owner}, homefs {}", status.version)),
        ("format", status.format.to_string()),
        ("journal", text::size(status.journal_bytes)),
        ("not yet synced", text::size(status.unsynced_bytes)),
        ("not yet folded", text::size(status.unfolded_bytes)),
        ("in memory", text::size(status.memory_bytes)),
        ("in staging", text::size(status.staging_bytes)),
        ("spaces open", status.spaces_open.to_string()),
        ("disk free", text::size(status.disk_free_bytes)),
    ];
    if let Some(why) = &status.poisoned {
        rows.push(("read-only", why.clone()));
    }
    if let Some(why) = &status.fold_failure {
        rows.push(("folding fails", why.clone()));
    }
    for (space, why) in &status.failed_spaces {
        rows.push(("failed space", format!("{space}: {why}")));
    }
    rows.into_iter().map(|(key, value)| vec![key.to_owned(), value]).collect()
}
