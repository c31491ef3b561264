//! The store as a whole: its remote, its sources, its state.

use std::time::Duration;

use homefs_view::SyncOptions;
use homefs_wire::methods;

use super::calls;
use crate::json;
use crate::remotes::{RemoteConfig, machine_name};
use crate::sources::source_address;

/// How long to wait for the remote if nobody says: longer than any outage.
const WAIT: Duration = Duration::from_hours(24 * 365);

calls! {
    Sync |given, client| {
        let methods::Sync { direction, space, wait, timeout } = given;
        let waits = wait.unwrap_or(timeout.is_some());
        let wait = waits.then(|| timeout.unwrap_or(WAIT));
        client.sync(&SyncOptions { direction, space, wait, copies: true, ..SyncOptions::default() })
    };
    StatusOf |_given, client| {
        let (status, remote) = (client.status()?, client.remote()?);
        // The owner's mounts are not known here.
        Ok(json::status(status, remote.as_ref(), Vec::new(), client.abandoned_scripts()?))
    };
    RemoteAdd |given, client| {
        client.remote_add(&given.into()).map(drop)
    };
    Pin |given, client| client.pin(&given.path, true);
    Unpin |given, client| client.pin(&given.path, false);
    Attach |given, client| {
        let address = source_address(&given.source)?;
        client.attach_source(&given.path, &address, &given.settings, given.read_only)
    };
}

impl From<methods::RemoteAdd> for RemoteConfig {
    fn from(given: methods::RemoteAdd) -> Self {
        Self {
            address: given.address,
            endpoint: given.endpoint,
            region: given.region,
            path_style: !given.virtual_host,
            single_writer: given.single_writer,
            machine_name: given.machine.unwrap_or_else(machine_name),
            read_only: given.read_only,
            ..Self::default()
        }
    }
}
