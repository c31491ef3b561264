//! `homefs clone`.

use homefs_core::SpaceName;
use homefs_view::SpaceInfo;
use serde_json::json;

use super::remote::RemoteArgs;
use super::take_up::{check_new, take_up};
use crate::context::Context;
use crate::error::Result;
use crate::{json, text};

/// Bring a home and the shared spaces from a remote to this machine
///
/// Makes a new store, in the directory that --store names. Contents come when they are first
/// read. With credentials that may only read, nothing is ever sent there.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: RemoteArgs,
    /// Send nothing there, though the credentials may allow it
    #[arg(long)]
    read_only: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let mut config = self.place.config();
        config.read_only = self.read_only;
        let settings = context.settings()?;
        check_new(context)?;
        let found = take_up(context, &config, false)?;
        let home = SpaceName::Home(settings.agent.clone());
        let mut spaces = context.upkeep_client()?.spaces()?;
        let wanted = |space: &SpaceName| *space == home || matches!(space, SpaceName::Shared(_));
        spaces.retain(|info| wanted(&info.name));
        show(context, &config.address, &spaces)?;
        if !found.contains(&home) {
            let names: Vec<_> = found.iter().map(ToString::to_string).collect();
            let names = names.join(", ");
            context.output.say(format_args!("the remote has no {home} yet; it has {names}"));
        }
        Ok(())
    }
}

fn show(context: &Context, address: &str, spaces: &[SpaceInfo]) -> Result<()> {
    let (store, output) = (&context.settings()?.store, &context.output);
    if output.json {
        let spaces: Vec<_> = spaces.iter().map(json::space).collect();
        return output.json(&json!({ "store": store, "address": address, "spaces": spaces }));
    }
    let row = |info: &SpaceInfo| {
        let (nodes, bytes) = (text::count(info.usage.nodes, "node"), text::size(info.usage.bytes));
        vec![info.name.to_string(), nodes, bytes]
    };
    output.listing(spaces, json::space, row, &[1, 2])
}
