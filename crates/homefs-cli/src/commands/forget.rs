//! `homefs forget`.

use homefs_core::Path;
use homefs_view::Forgotten;

use super::purge;
use crate::context::Context;
use crate::error::Result;
use crate::{text, time};

/// Let a memory go: to the trash, or with --purge for ever
///
/// The receipt says what was taken away and from where. It works on every file and directory.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// Erase it from the files, the history, the trash, the index and the remote
    #[arg(long)]
    purge: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let (client, output) = (context.client()?, &context.output);
        let mut receipt = client.forget(&self.path, self.purge)?;
        if self.purge {
            receipt.remote = purge::erase_there(context, &receipt.path)?;
        }
        if output.json {
            return output.json(&receipt);
        }
        output.line(text::printable(&sentence(&receipt)))?;
        receipt.remote.map_or(Ok(()), |there| purge::tell(context, &there))
    }
}

/// Says what is gone and from where.
fn sentence(receipt: &Forgotten) -> String {
    let Forgotten { path, nodes, bytes, erased_from, in_trash_until, .. } = receipt;
    let what = format!("{path}: {}, {}", text::count(*nodes, "node"), text::size(*bytes));
    match in_trash_until {
        Some(until) => format!(
            "forgot {what}; `homefs trash restore {path}` brings it back until {}",
            time::local(*until)
        ),
        None => format!("erased {what}, from {}", text::list(erased_from)),
    }
}
