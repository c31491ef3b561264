//! `homefs adopt`.

use homefs_api::RemoteConfig;
use homefs_core::SpaceName;
use homefs_view::{Direction, SyncOptions};
use serde_json::json;

use super::remote::{RemoteArgs, advise, attach};
use crate::context::Context;
use crate::error::Result;
use crate::text;

/// Make a bucket of plain files the home of the agent
///
/// Every object becomes a file at the path that its key says. An object stays as it is until its
/// file changes here; then Markdown and plain text get frontmatter under the key `homefs:`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: RemoteArgs,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let agent = context.settings()?.agent.clone();
        let home_at_prefix = Some(agent.clone());
        let config = RemoteConfig { home_at_prefix, ..self.place.config() };
        attach(context, &config)?;
        let client = context.upkeep_client()?;
        let again = |error| {
            advise(context, error).hint("the remote is attached; `homefs sync --wait` goes on")
        };
        let home = SpaceName::Home(agent);
        let mut files = 0;
        // What is there first, so that a file that is here too is merged with it and not pushed.
        for direction in [Direction::Pull, Direction::Both] {
            let space = Some(home.clone());
            let options = SyncOptions { direction, space, ..SyncOptions::default() };
            files +=
                client.sync(&options).map_err(again)?.iter().map(|one| one.pulled).sum::<u64>();
        }
        let (address, found) = (&config.address, text::count(files, "file"));
        context.output.changed(
            &json!({ "address": address, "space": home.to_string(), "files": files }),
            format_args!("adopted {address} as {home}: {found}"),
        )
    }
}
