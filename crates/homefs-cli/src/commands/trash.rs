//! `homefs trash`.

use homefs_core::Path;
use homefs_view::Trashed;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::{json, output, pages, text, time};

/// List removed files and bring them back
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Trash>,
}

#[derive(clap::Subcommand)]
enum Trash {
    /// List what was removed
    List,
    /// Bring back what the last removal of a path took
    Restore {
        /// Where it was
        #[arg(value_parser = Path::parse)]
        path: Path,
        /// Bring it back to this path instead
        #[arg(long, value_parser = Path::parse, value_name = "PATH")]
        to: Option<Path>,
    },
    /// End what was removed, on this machine, and give its room back
    Empty {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        match self.command.unwrap_or(Trash::List) {
            Trash::List => list(context),
            Trash::Restore { path, to } => {
                let version = context.client()?.untrash(&path, to.as_ref())?;
                let path = to.unwrap_or(path);
                context
                    .output
                    .changed(&json::changed(&path, version), format_args!("brought back {path}"))
            }
            Trash::Empty { yes } => empty(context, yes),
        }
    }
}

fn empty(context: &Context, yes: bool) -> Result<()> {
    if !yes && !output::confirm("end everything in the trash for ever?") {
        return Err(Failure::no("nothing was ended").hint("--yes ends it without asking"));
    }
    let ended = context.client()?.empty_trash()?;
    let (nodes, bytes) = (text::count(ended.nodes, "node"), text::size(ended.bytes));
    context.output.changed(
        &serde_json::json!({ "nodes": ended.nodes, "bytes": ended.bytes }),
        format_args!("ended {nodes}, {bytes}"),
    )
}

fn list(context: &Context) -> Result<()> {
    let client = context.client()?;
    let items = pages::all(|after| client.trash(after, pages::LIMIT))?;
    let now = time::now();
    context.output.listing(
        &items,
        Trashed::clone,
        |item| {
            vec![
                text::age(now, item.time),
                item.agent.to_string(),
                item.kind.to_string(),
                text::size(item.size),
                text::printable(item.path.as_str()),
            ]
        },
        &[0, 3],
    )
}
