//! The remote of a store: the file that names it, and what only its owner can do with it.
//!
//! The file holds no secrets: credentials come from the environment of the process that owns the
//! store. Opening a store reads the file and nothing more, see [`Deferred`].

mod config;
mod deferred;
mod look;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use homefs_core::{ClientId, Clock, Disk, Error, ErrorKind, Remote, Result, SpaceName};
use homefs_remote::{Bucket, Capabilities, Effort, probe};
use homefs_view::{AttachOptions, Components, Finding, Store, Swept, SyncOptions, Synced, Who};
use parking_lot::Mutex;

pub use self::config::{RemoteConfig, RemoteInfo, machine_name};
use self::deferred::Deferred;
pub use self::look::{RemoteContents, look_at_remote};
use crate::client::ClientOptions;
use crate::role::Opened;

/// The file in the store's directory that names its remote.
const FILE: &str = "remote.json";

/// The remote of a store that this process owns.
pub(crate) struct Remotes {
    store: Store,
    disk: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    file: PathBuf,
    offline: bool,
    /// The id of the next probe.
    probes: AtomicU64,
    named: Mutex<Option<Named>>,
}

/// The remote that the file names.
struct Named {
    /// What the file says, if it can be read.
    config: Option<RemoteConfig>,
    /// The remote that the store has attached, or why it has none.
    attached: Result<Arc<Deferred>>,
}

impl Opened {
    /// Makes spaces and their remote agree; an agent hears of none that it may not read in full.
    pub(crate) fn sync(&self, options: &SyncOptions) -> Result<Vec<Synced>> {
        let Who { agent, operator, .. } = self.view.who();
        if *operator {
            return self.remotes.sync(options);
        }
        if let Some(SpaceName::Home(other)) = &options.space
            && other != agent
        {
            return Err(Error::new(ErrorKind::Denied, "the home of another agent"));
        }
        let agent = Some(agent.clone());
        let options = SyncOptions { agent, one_home: true, ..options.clone() };
        let mut synced = self.remotes.sync(&options)?;
        let seen = self.view.spaces_in_full()?;
        synced.retain(|synced| seen.contains(&synced.space));
        Ok(synced)
    }
}

impl Remotes {
    /// Reads the store's file and attaches the remote that it names. What is wrong with either is
    /// no reason to keep the store from its agents.
    pub(crate) fn open(store: &Store, options: &ClientOptions, probes: ClientId) -> Self {
        let ClientOptions { dir, components, offline, .. } = options;
        let remotes = Self {
            store: store.clone(),
            disk: Arc::clone(&components.disk),
            clock: Arc::clone(&components.clock),
            file: dir.join(FILE),
            // What comes from a remote has to be written down.
            offline: *offline || store.is_read_only(),
            probes: AtomicU64::new(probes.0),
            named: Mutex::default(),
        };
        let named = remotes.read();
        if let Some(Named { attached: Err(error), .. }) = &named
            && !offline
        {
            tracing::warn!(%error, "the store's remote is not attached");
        }
        *remotes.named.lock() = named;
        remotes
    }

    /// Reads the file and attaches what it names.
    fn read(&self) -> Option<Named> {
        let config = match RemoteConfig::read(&*self.disk, &self.file) {
            Ok(None) => return None,
            Ok(Some(config)) => config,
            Err(error) => return Some(Named { config: None, attached: Err(error) }),
        };
        let attached = self.check_online().and_then(|()| self.attach(&config));
        Some(Named { config: Some(config), attached })
    }

    fn attach(&self, config: &RemoteConfig) -> Result<Arc<Deferred>> {
        let remote = Arc::new(Deferred::new(config.resolve()?, config.read_only));
        let options = AttachOptions {
            machine_name: config.machine_name.clone(),
            home_at_prefix: config.home_at_prefix.clone(),
        };
        self.store.attach(Arc::clone(&remote) as Arc<dyn Remote>, &options)?;
        Ok(remote)
    }

    /// Tells which remote the store has.
    pub(crate) fn remote(&self) -> Option<RemoteInfo> {
        self.named.lock().as_ref().map(|Named { config, attached }| RemoteInfo {
            config: config.as_ref().map(RemoteConfig::shown),
            unused: attached.as_ref().err().map(ToString::to_string),
        })
    }

    /// Finds out what a remote honours, and makes it the store's; one that is only read is not
    /// asked. A remote that was only read until now is written to from now on, if it can be.
    pub(crate) fn remote_add(&self, config: &RemoteConfig) -> Result<Capabilities> {
        config.check()?;
        check_free(self.named.lock().as_ref(), config)?;
        self.check_online()?;
        let capabilities = if config.read_only {
            Capabilities::default()
        } else {
            let capabilities = self.probe(config, Effort::Quick)?;
            check_writers(capabilities, config)?;
            capabilities
        };
        // Nothing was locked while the remote was asked, so another may have been faster.
        let mut named = self.named.lock();
        check_free(named.as_ref(), config)?;
        if let Some(Named { config: Some(before), attached: Ok(remote) }) = named.as_mut() {
            let after = RemoteConfig { read_only: false, ..before.clone() };
            after.write(&*self.disk, &self.file)?;
            *before = after;
            remote.allow_changes();
            return Ok(capabilities);
        }
        let attached = self.attach(config)?;
        if let Err(error) = config.write(&*self.disk, &self.file) {
            self.store.detach()?;
            return Err(error);
        }
        *named = Some(Named { config: Some(config.clone()), attached: Ok(attached) });
        Ok(capabilities)
    }

    /// Fetches what only the remote has, unless that is forgone, and lets the remote go. Returns
    /// how many bytes were fetched.
    pub(crate) fn remote_rm(&self, force: bool) -> Result<u64> {
        let attached = self.attached();
        let fetched = match &attached {
            Ok(_) if !force => self.store.fetch_all(None)?,
            Err(error) if !force || error.kind() == ErrorKind::NotFound => {
                return Err(error.clone());
            }
            _ => 0,
        };
        let mut named = self.named.lock();
        if attached.is_ok() {
            self.store.detach()?;
        }
        RemoteConfig::remove(&*self.disk, &self.file)?;
        *named = None;
        Ok(fetched)
    }

    /// Finds out what the store's remote honours.
    pub(crate) fn remote_check(&self) -> Result<Capabilities> {
        self.probe(&self.attached()?, Effort::Thorough)
    }

    /// Lists the spaces that the remote has.
    pub(crate) fn remote_spaces(&self) -> Result<Vec<SpaceName>> {
        self.attached()?;
        self.store.remote_spaces()
    }

    /// Makes spaces and their remote agree.
    pub(crate) fn sync(&self, options: &SyncOptions) -> Result<Vec<Synced>> {
        self.attached()?;
        self.store.sync(options)
    }

    /// Ends what nobody needs in the remote, or tells what that would be.
    pub(crate) fn gc(&self, dry_run: bool) -> Result<Vec<(SpaceName, Swept)>> {
        self.attached()?;
        self.store.gc(dry_run)
    }

    /// Sends again what the remote has lost, and tells what was wrong.
    pub(crate) fn mend(&self) -> Result<Vec<Finding>> {
        self.attached()?;
        self.store.mend()
    }

    /// Returns the remote that is attached, or why there is none.
    fn attached(&self) -> Result<RemoteConfig> {
        match &*self.named.lock() {
            Some(Named { config: Some(config), attached: Ok(_) }) => Ok(config.clone()),
            Some(Named { attached: Err(error), .. }) => Err(error.clone()),
            _ => Err(Error::new(ErrorKind::NotFound, "the store has no remote")),
        }
    }

    fn check_online(&self) -> Result<()> {
        if self.offline {
            return Err(Error::new(ErrorKind::Unavailable, "the owner of the store works offline"));
        }
        Ok(())
    }

    fn probe(&self, config: &RemoteConfig, effort: Effort) -> Result<Capabilities> {
        probe_with(config, self.probes.fetch_add(1, Ordering::Relaxed), effort, &*self.clock)
    }
}

/// Refuses a remote if the store has one, unless that is the same and was only read.
fn check_free(named: Option<&Named>, config: &RemoteConfig) -> Result<()> {
    let Some(Named { config: before, attached }) = named else { return Ok(()) };
    let is_more = |before: &RemoteConfig| {
        before.read_only && !config.read_only && before.is_same_remote(config)
    };
    if attached.is_ok() && before.as_ref().is_some_and(is_more) {
        return Ok(());
    }
    let other = before.as_ref().map_or("one", |before| &before.address);
    let message = format!("the store has a remote already: {other}");
    Err(Error::new(ErrorKind::AlreadyExists, message).with_path_text(config.address.clone()))
}

/// Refuses a remote where two machines would overwrite each other.
fn check_writers(found: Capabilities, config: &RemoteConfig) -> Result<()> {
    match found.danger().filter(|_| !config.single_writer) {
        None => Ok(()),
        Some(danger) => {
            let at = config.address.clone();
            Err(Error::new(ErrorKind::Unsupported, danger).with_path_text(at))
        }
    }
}

/// Finds out what a remote honours, without a store.
///
/// # Errors
///
/// `Denied` if the credentials are wrong, `Unavailable` if the server does not answer, `Invalid`
/// if the address is wrong or names no bucket.
pub fn check_remote(config: &RemoteConfig, components: &Components) -> Result<Capabilities> {
    probe_with(config, components.seed, Effort::Thorough, &*components.clock)
}

fn probe_with(
    config: &RemoteConfig,
    id: u64,
    effort: Effort,
    clock: &dyn Clock,
) -> Result<Capabilities> {
    let bucket = Bucket::open(&config.resolve()?)
        .map_err(|error| error.with_path_text(config.address.clone()))?;
    // The address tells more than the key of the object that was tried.
    let at = |error: Error| {
        let whole = Error::new(error.kind(), error.message()).with_code(error.code());
        whole.with_path_text(config.address.clone())
    };
    probe(&bucket, id, effort, clock).map_err(at)
}
