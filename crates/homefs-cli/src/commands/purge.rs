//! `homefs purge`.

use homefs_api::RemoteInfo;
use homefs_core::Path;
use homefs_view::{Direction, PurgedThere, SyncOptions};

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::{output, text};

/// Erase a file for ever, from history and trash too
///
/// If a remote is attached it erases the file there too; other machines do when they next sync,
/// and the receipt names those that have not.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file or directory
    #[arg(value_parser = Path::parse, required_unless_present = "receipt")]
    path: Option<Path>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Only tell how far purges in the space of PATH have come beyond this machine
    #[arg(long)]
    receipt: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let path = self.path.unwrap_or_else(Path::root);
        if self.receipt {
            let pull = SyncOptions { direction: Direction::Pull, ..SyncOptions::default() };
            // What was known last is better than nothing.
            context.client()?.sync(&pull).ok();
            return receipt(context, &path);
        }
        let client = context.client()?;
        let path = client.path_meant(&path)?;
        let question = format!("erase {path} and all its versions for ever?");
        if !self.yes && !output::confirm(&question) {
            return Err(Failure::no("nothing was erased").hint("--yes erases without asking"));
        }
        let purged = client.purge(&path)?;
        let (nodes, bytes) = (text::count(purged.nodes, "node"), text::size(purged.bytes));
        context.output.changed(
            &serde_json::json!({ "path": path, "nodes": purged.nodes, "bytes": purged.bytes }),
            format_args!("erased {path}: {nodes}, {bytes}"),
        )?;
        match erase_there(context, &path)? {
            Some(there) if context.output.json => context.output.json(&there),
            Some(there) => tell(context, &there),
            None => Ok(()),
        }
    }
}

/// Lets the remote, if there is one, erase what was purged here, and tells how far that came.
pub(super) fn erase_there(context: &Context, path: &Path) -> Result<Option<PurgedThere>> {
    let client = context.client()?;
    let Some(RemoteInfo { unused: None, .. }) = client.remote()? else { return Ok(None) };
    let everywhere = SyncOptions { copies: true, ..SyncOptions::default() };
    if let Err(error) = client.sync(&everywhere) {
        context.output.say(format_args!("the remote still has it: {error}"));
        context.output.say("`homefs sync` erases it there; `homefs purge --receipt` tells how far");
        return Ok(None);
    }
    Ok(client.purge_receipt(&path.parent().unwrap_or_else(Path::root))?)
}

/// Tells how far purges have come beyond this machine.
fn receipt(context: &Context, path: &Path) -> Result<()> {
    let Some(receipt) = context.client()?.purge_receipt(path)? else {
        return Err(Failure::no("no remote is attached, so this machine is all there is"));
    };
    if context.output.json {
        return context.output.json(&receipt);
    }
    tell(context, &receipt)
}

/// Says how far purges have come beyond this machine.
pub(super) fn tell(context: &Context, receipt: &PurgedThere) -> Result<()> {
    let output = &context.output;
    let PurgedThere { commit, waiting } = receipt;
    let Some(commit) = commit else {
        return output.line("nothing that was purged is known to be erased from the remote yet");
    };
    output.line(format_args!("erased from the remote by commit {commit}"))?;
    for machine in waiting {
        output.line(format_args!("not yet confirmed by {}", text::printable(machine)))?;
    }
    output.say("a bucket that keeps old versions of its objects still has them");
    Ok(())
}
