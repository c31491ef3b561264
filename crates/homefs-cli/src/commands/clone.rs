//! `homefs clone`.

use std::path::Path as HostPath;

use homefs_core::SpaceName;
use homefs_engine::{Direction, SpaceInfo, SyncOptions};
use serde_json::json;

use super::remote::{Place, advise, attach};
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::{host, json, text};

/// Bring a home and the shared spaces from a remote to this machine
///
/// Makes a new store, in the directory that --store names. Contents come when they are first
/// read.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let config = self.place.config();
        let settings = context.settings()?;
        check_new(context, &settings.store)?;
        attach(context, &config)?;
        let client = context.upkeep_client()?;
        let again = |error| {
            advise(context, error).hint("the remote is attached; `homefs pull` tries again")
        };
        let home = SpaceName::Home(settings.agent.clone());
        let pull = SyncOptions { direction: Direction::Pull, ..SyncOptions::default() };
        let synced = client.sync(&SyncOptions { space: Some(home.clone()), ..pull.clone() });
        let is_there = synced.map_err(again)?.iter().any(|synced| synced.commit > 0);
        // The shared spaces; homes of other agents come when those agents do.
        client.sync(&pull).map_err(again)?;
        let mut spaces = client.spaces()?;
        let wanted = |space: &SpaceName| *space == home || matches!(space, SpaceName::Shared(_));
        spaces.retain(|info| wanted(&info.name));
        show(context, &config.address, &spaces)?;
        if !is_there {
            let there = client.remote_spaces().map_err(again)?;
            let names: Vec<_> = there.iter().map(ToString::to_string).collect();
            let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            context.output.say(format_args!("the remote has no {home} yet; it has {names}"));
        }
        Ok(())
    }
}

/// Refuses a store that has files, and a directory that is not a store's.
fn check_new(context: &Context, store: &HostPath) -> Result<()> {
    let refused = |why: &str| {
        Err(Failure::new(format!("{} {why}", store.display()))
            .hint("--store names a new directory")
            .hint("`homefs remote add` attaches a remote to a store that has files"))
    };
    if host::metadata(store)?.is_none() || host::names(store)?.is_empty() {
        return Ok(());
    }
    if host::metadata(&store.join("format"))?.is_none() {
        return refused("is not empty, and no store");
    }
    let spaces = context.upkeep_client()?.spaces()?;
    if spaces.iter().any(|space| space.usage.nodes > 0) {
        return refused("is a store that has files");
    }
    Ok(())
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
