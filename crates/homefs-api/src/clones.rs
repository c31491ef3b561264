//! New stores that take up what a remote has.

use homefs_core::{AgentId, Error, ErrorKind, Result, SpaceName};
use homefs_view::{Direction, SyncOptions, Who};

use crate::client::{Client, ClientOptions};
use crate::remotes::{RemoteConfig, RemoteContents, look_at_remote};

/// Makes a new store of what a remote has, for the agent of the options. Returns why this machine
/// only reads there, if it does though nobody asked for that.
///
/// Nothing is made on this machine before the remote has shown a home.
///
/// # Errors
///
/// `AlreadyExists` or `NotEmpty` if the store is not new, `NotFound` if no home is at the address,
/// and whatever keeps the remote from being read.
pub fn clone_remote(options: &ClientOptions, config: &RemoteConfig) -> Result<Option<Error>> {
    check_new(options)?;
    if options.offline {
        let message = "a store that works offline asks nothing of a remote";
        return Err(Error::new(ErrorKind::Unavailable, message).with_path_text(&config.address));
    }
    look_at_remote(config)?.check(&config.address, false)?;
    let client = upkeep(options)?;
    let taken = client.take_up(config);
    let taken = taken.and_then(|why| client.bring_home(&options.who.agent).map(|()| why));
    client.close().and(taken)
}

/// Refuses a store that has files, and a directory that is not a store's.
pub fn check_new(options: &ClientOptions) -> Result<()> {
    let (dir, disk) = (&options.dir, &options.components.disk);
    let refused =
        |kind, why: &str| Err(Error::new(kind, why).with_path_text(dir.display().to_string()));
    let failed = |cause| Error::io("look at the directory of the store", cause);
    if !disk.exists(dir).map_err(failed)? || disk.list(dir).map_err(failed)?.is_empty() {
        return Ok(());
    }
    if !disk.exists(&dir.join("format")).map_err(failed)? {
        return refused(ErrorKind::NotEmpty, "it is not empty, and no store");
    }
    let client = upkeep(options)?;
    let spaces = client.spaces();
    client.close()?;
    if spaces?.iter().any(|space| space.usage.nodes > 0) {
        return refused(ErrorKind::AlreadyExists, "it is a store that has files");
    }
    Ok(())
}

/// Opens a store though it has no home of the agent.
fn upkeep(options: &ClientOptions) -> Result<Client> {
    let who = Who { operator: true, all: true, ..options.who.clone() };
    Client::open(ClientOptions { who, ..options.clone() })
}

impl RemoteContents {
    /// Refuses an address where no home is. One where nothing is at all may be meant to be `empty`.
    pub fn check(&self, address: &str, empty: bool) -> Result<()> {
        let no = |why: String| Err(Error::new(ErrorKind::NotFound, why).with_path_text(address));
        if !self.places.spaces.is_empty() {
            return Ok(());
        }
        if let Some(lost) = self.places.headless.first() {
            return no(format!("{lost} has commits, but its HEAD is gone"));
        }
        match &self.near {
            _ if self.is_home => no("it is one agent's home itself".to_owned()),
            Some((near, names)) if near == address.trim_end_matches('/') => {
                no(format!("no home is there, but {}", names.join(", ")))
            }
            _ if empty => Ok(()),
            Some((near, names)) => no(format!("nothing is there; {near} has {}", names.join(", "))),
            None => no("nothing is there".to_owned()),
        }
    }
}

impl Client {
    /// Attaches a remote that can be read; one that may only be read is only read from then on, and
    /// the reason is returned.
    pub fn take_up(&self, config: &RemoteConfig) -> Result<Option<Error>> {
        match self.remote_add(config) {
            Err(why) if why.kind() == ErrorKind::Denied && !config.read_only => {
                self.remote_add(&RemoteConfig { read_only: true, ..config.clone() })?;
                Ok(Some(why))
            }
            added => added.map(|_| None),
        }
    }

    /// Brings an agent's home and the shared spaces from the remote.
    pub fn bring_home(&self, agent: &AgentId) -> Result<()> {
        // The shared spaces come with the second; homes of other agents when those agents do.
        for space in [Some(SpaceName::Home(agent.clone())), None] {
            let direction = Direction::Pull;
            self.sync(&SyncOptions { direction, space, ..SyncOptions::default() })?;
        }
        Ok(())
    }
}
