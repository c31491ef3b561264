//! `homefs sync`.

use std::io;
use std::time::Duration;

use homefs_api::RemoteInfo;
use homefs_core::ErrorKind;
use homefs_view::{Direction, SyncOptions, Synced};
use serde_json::json;

use super::remote::{advise, describe};
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::progress::counting;
use crate::signals::Signals;
use crate::{json, logging, text, time};

/// Make all spaces and the remote agree now
///
/// A process that has the store open for long, such as a mount, syncs by itself; what short
/// commands wrote waits for it or for this one.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Go on through outages until all is there
    #[arg(long)]
    wait: bool,
    /// Give up waiting after this time, such as 10s or 5m
    #[arg(long, value_name = "DURATION", requires = "wait", value_parser = time::duration)]
    timeout: Option<Duration>,
    /// Stay and go on syncing until Ctrl-C
    #[arg(long, conflicts_with = "wait")]
    follow: bool,
}

/// How long to wait if nobody says: longer than any outage.
const WAIT: Duration = Duration::from_hours(24 * 365);

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        if self.follow {
            return follow(context);
        }
        let wait = self.wait.then(|| self.timeout.unwrap_or(WAIT));
        sync(context, &SyncOptions { wait, copies: true, ..SyncOptions::default() })
    }
}

/// Syncs one way and tells what that did.
pub(super) fn one_way(context: &Context, direction: Direction) -> Result<()> {
    sync(context, &SyncOptions { direction, copies: true, ..SyncOptions::default() })
}

fn sync(context: &Context, options: &SyncOptions) -> Result<()> {
    let client = context.upkeep_client()?;
    let synced = counting(&context.output, client, || client.sync(options)).map_err(|error| {
        let hint = error.kind() == ErrorKind::Unavailable && options.wait.is_none();
        let failure = advise(context, error);
        if hint { failure.hint("`homefs sync --wait` goes on until it succeeds") } else { failure }
    })?;
    context.output.listing(&synced, Clone::clone, row, &[])?;
    let conflicts: u64 = synced.iter().map(|synced| synced.conflicts).sum();
    if conflicts > 0 {
        let noted = text::count(conflicts, "conflict");
        context.output.say(format_args!("{noted} noted; `homefs conflicts` lists them"));
    }
    if let Some(RemoteInfo { config: Some(config), .. }) = client.remote()?
        && config.read_only
        && options.direction == Direction::Both
    {
        let address = config.address;
        context.output.say(format_args!("{address} is only read: what is written here stays here"));
    }
    Ok(())
}

fn row(Synced { space, commit, pulled, pushed, conflicts }: &Synced) -> Vec<String> {
    let parts = [(pulled, "pulled"), (pushed, "pushed"), (conflicts, "in conflict")];
    let parts = parts.into_iter().filter(|(number, _)| **number > 0);
    let told =
        parts.map(|(number, what)| format!("{number} {what}")).collect::<Vec<_>>().join(", ");
    let told = if told.is_empty() { "nothing new".to_owned() } else { told };
    vec![space.to_string(), format!("commit {commit}"), told]
}

/// Owns the store, and so syncs it, until a signal comes.
fn follow(context: &Context) -> Result<()> {
    // Before the store starts its threads, which must not take the signals either.
    let signals = Signals::hold_back()?;
    let client = context.client()?;
    let _hold = client.hold();
    client.take_over().map_err(|error| {
        Failure::from(error).hint("an owner that stays syncs by itself; `homefs status` shows how")
    })?;
    let Some(info @ RemoteInfo { unused: None, .. }) = client.remote()? else {
        return Err(Failure::new("the owner of the store has no remote to follow")
            .hint("`homefs remote ls` shows it, `homefs remote add ADDRESS` attaches one"));
    };
    logging::start(io::stderr());
    let output = &context.output;
    if output.json {
        output.json(&json!({ "following": json::remote(&info) }))?;
    } else {
        output.line(format_args!("following {}", describe(&info)))?;
    }
    output.flush()?;
    signals.wait()?;
    // Whoever asks twice does not want to wait.
    Ok(signals.release()?)
}
