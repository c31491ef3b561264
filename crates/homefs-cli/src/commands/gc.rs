//! `homefs gc`.

use homefs_core::SpaceName;
use homefs_view::Swept;

use super::remote::advise;
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::progress::counting;
use crate::{json, text};

/// Delete what nobody needs from the remote
///
/// Sends again what the remote has lost and this machine has. Exits with 1 if something is lost
/// that this machine does not have either.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only tell what would be deleted
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.upkeep_client()?;
        let swept = counting(&context.output, client, || client.gc(self.dry_run));
        let swept = swept.map_err(|error| advise(context, error))?;
        context.output.listing(&swept, json::swept, row, &[1, 2])?;
        let missing = swept.iter().flat_map(|(space, swept)| {
            swept.missing.iter().map(move |path| format!("{space}{path}"))
        });
        let missing: Vec<_> = missing.collect();
        if missing.is_empty() {
            return Ok(());
        }
        let lost = text::count(missing.len() as u64, "file");
        Err(Failure { causes: missing, ..Failure::no(format!("the remote has lost {lost}")) }
            .hint("a machine that still has them sends them again with `homefs gc`"))
    }
}

fn row((space, swept): &(SpaceName, Swept)) -> Vec<String> {
    let mut row = vec![
        space.to_string(),
        format!("{} freed", text::size(swept.bytes_freed)),
        format!("{} kept", text::size(swept.bytes_kept)),
        text::count(swept.objects_deleted, "object"),
    ];
    if swept.mended > 0 {
        row.push(format!("{} sent again", swept.mended));
    }
    row
}
