//! Taking up a remote by a new store, for `homefs clone` and `homefs mount`.

use homefs_api::{RemoteConfig, RemoteContents, look_at_remote};
use homefs_core::{Error, SpaceName};

use super::remote::{advise, of_conditions, with_hints};
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::progress::counting;

/// Refuses a store that has files, and a directory that is not a store's.
pub(super) fn check_new(context: &Context) -> Result<()> {
    let options = context.settings()?.client_options(context.who()?);
    homefs_api::check_new(&options).map_err(|error| {
        let hints = ["--store names a new directory", "`homefs remote add` is for one with files"];
        Failure { hints: hints.map(str::to_owned).to_vec(), code: 2, ..error.into() }
    })
}

/// Attaches a remote to a new store, and brings the agent's home and the shared spaces here.
/// Returns which spaces the remote has; none only if it may be `empty`. Nothing is made on this
/// machine before the remote has shown that it is what the caller expects.
pub(super) fn take_up(
    context: &Context,
    config: &RemoteConfig,
    empty: bool,
) -> Result<Vec<SpaceName>> {
    let (address, settings) = (&config.address, context.settings()?);
    if settings.offline {
        return Err(Failure::new(format!("{address}: --offline asks nothing of a remote")));
    }
    let found = look_at_remote(config).map_err(|error| with_hints(error, Vec::new()))?;
    found.check(address, empty).map_err(|error| nowhere(error, &found, address))?;
    let client = context.upkeep_client()?;
    let taken = client.take_up(config).map_err(|error| of_conditions(advise(context, error)))?;
    if let Some(why) = taken {
        context.output.say(format_args!("{why}; so this machine only reads there"));
    }
    let brought = counting(&context.output, client, || client.bring_home(&settings.agent));
    brought.map_err(|error| {
        advise(context, error).hint("the remote is attached; `homefs pull` tries again")
    })?;
    Ok(found.places.spaces)
}

/// Says what helps where no home is.
fn nowhere(error: Error, found: &RemoteContents, address: &str) -> Failure {
    let is_here = |(near, _): &(String, Vec<String>)| near == address.trim_end_matches('/');
    let hint = if !found.places.headless.is_empty() {
        "on a machine that has it, `homefs doctor` tells how to mend that".to_owned()
    } else if found.near.as_ref().is_some_and(is_here) {
        format!("`homefs adopt {address}` makes it the home of the agent")
    } else {
        "correct the address; `homefs remote add` begins there with what a store has".to_owned()
    };
    Failure { hints: vec![hint], code: 2, ..error.into() }
}
