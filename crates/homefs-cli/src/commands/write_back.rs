//! `homefs write-back`.

use homefs_core::Path;
use homefs_view::{SourceChange, SourceChangeKind};

use super::changes;
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::{output, text};

/// Do to a folder what was changed over it, after showing it
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where the folder is attached
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Overwrite also what was written to the folder after it was changed here
    #[arg(long)]
    overwrite: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        let planned = client.source_changes(&self.path)?;
        changes::show(context, &planned)?;
        if planned.is_empty() {
            context.output.say("nothing was changed over it");
            return Ok(());
        }
        context.output.flush()?;
        let is_conflicting =
            |change: &&SourceChange| change.change == SourceChangeKind::Conflicting;
        let conflicting = planned.iter().filter(is_conflicting).count();
        if conflicting > 0 && !self.overwrite {
            let count = text::count(conflicting as u64, "change");
            let message = format!("{count} would overwrite what was written there meanwhile");
            let hint = "compare both; --overwrite does it, `homefs changes --discard` gives up all";
            return Err(Failure::no(message).hint(hint));
        }
        let count = text::count(planned.len() as u64, "change");
        let question = format!("write {count} back to the source?");
        if !self.yes && !output::confirm(&question) {
            return Err(Failure::no("nothing was written").hint("--yes writes without asking"));
        }
        let done = client.write_back(&self.path, self.overwrite)?;
        let count = text::count(done.len() as u64, "change");
        context.output.say(format_args!("wrote {count} back"));
        Ok(())
    }
}
