//! The remote of a store: the file that names it, and what only its owner can do with it.
//!
//! The file holds no secrets: credentials come from the environment of the process that owns the
//! store. Opening a store reads the file and nothing more, see [`Deferred`].

mod config;
mod deferred;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use homefs_core::{ClientId, Clock, Disk, Error, ErrorKind, Result, SpaceName};
use homefs_engine::{AttachOptions, Components, Finding, Store, Swept, SyncOptions, Synced};
use homefs_remote::{Bucket, Capabilities, Effort, probe};
use parking_lot::Mutex;

pub use self::config::{RemoteConfig, RemoteInfo};
use self::deferred::Deferred;
use crate::client::ClientOptions;

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
    /// Whether the store has it attached, or why not.
    attached: Result<()>,
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
            offline: *offline,
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

    fn attach(&self, config: &RemoteConfig) -> Result<()> {
        let remote = Arc::new(Deferred::new(config.resolve()?));
        let options = AttachOptions {
            machine_name: config.machine_name.clone(),
            home_at_prefix: config.home_at_prefix.clone(),
        };
        self.store.attach(remote, &options)
    }

    /// Tells which remote the store has.
    pub(crate) fn remote(&self) -> Option<RemoteInfo> {
        self.named.lock().as_ref().map(|Named { config, attached }| RemoteInfo {
            config: config.clone(),
            unused: attached.as_ref().err().map(ToString::to_string),
        })
    }

    /// Finds out what a remote honours, and makes it the store's.
    pub(crate) fn remote_add(&self, config: &RemoteConfig) -> Result<Capabilities> {
        let check_none = |named: &Option<Named>| match named {
            None => Ok(()),
            Some(Named { config, .. }) => {
                let address = config.as_ref().map_or("one", |config| &config.address);
                let message = format!("the store has a remote already: {address}");
                Err(Error::new(ErrorKind::AlreadyExists, message))
            }
        };
        check_none(&self.named.lock())?;
        self.check_online()?;
        let capabilities = self.probe(config, Effort::Quick)?;
        if let Some(danger) = capabilities.danger().filter(|_| !config.single_writer) {
            return Err(Error::new(ErrorKind::Unsupported, danger));
        }
        // Nothing was locked while the remote was asked, so another may have been faster.
        let mut named = self.named.lock();
        check_none(&named)?;
        self.attach(config)?;
        if let Err(error) = config.write(&*self.disk, &self.file) {
            self.store.detach()?;
            return Err(error);
        }
        *named = Some(Named { config: Some(config.clone()), attached: Ok(()) });
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
            Some(Named { config: Some(config), attached: Ok(()) }) => Ok(config.clone()),
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
    let bucket = Bucket::open(&config.resolve()?)?;
    // The address tells more than the key of the object that was tried.
    let at = |error: Error| {
        Error::new(error.kind(), error.message()).with_path_text(config.address.clone())
    };
    probe(&bucket, id, effort, clock).map_err(at)
}
