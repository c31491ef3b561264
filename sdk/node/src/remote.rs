//! The remote of a store: attaching one, letting it go, and a new store of what one has.

use homefs_api::{RemoteConfig, clone_remote, machine_name};
use homefs_core::Result;
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;

use crate::error::thrown;
use crate::home::{Home, find};
use crate::methods::methods;
use crate::options::OpenOptions;
use crate::task;

/// How to talk to a remote, and how this machine takes part.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct RemoteOptions {
    /// The server, such as `http://127.0.0.1:9000`.
    pub endpoint: Option<String>,
    /// The region of an S3 bucket.
    pub region: Option<String>,
    /// Name an S3 bucket in the host's name instead of the path.
    pub virtual_host: Option<bool>,
    /// No other machine ever writes there.
    pub single_writer: Option<bool>,
    /// What history calls this machine; its host name if not given.
    pub machine: Option<String>,
    /// Only read there, and send nothing.
    pub read_only: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// How a remote is let go.
#[napi(object, object_to_js = false)]
pub struct RemoteRmOptions {
    /// Let it go though what only it has is then out of reach.
    pub force: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// How a new store is made of a remote.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct CloneOptions {
    /// The agent whose home comes here.
    pub agent: Option<String>,
    /// The directory of the new store.
    pub store: Option<String>,
    /// The server, such as `http://127.0.0.1:9000`.
    pub endpoint: Option<String>,
    /// The region of an S3 bucket.
    pub region: Option<String>,
    /// Name an S3 bucket in the host's name instead of the path.
    pub virtual_host: Option<bool>,
    /// No other machine ever writes there.
    pub single_writer: Option<bool>,
    /// What history calls this machine; its host name if not given.
    pub machine: Option<String>,
    /// Only read there, and send nothing.
    pub read_only: Option<bool>,
    /// Ends the wait.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<()>,
}

/// Makes a new store of what a remote has, and opens the home.
///
/// Contents come when they are first read. With credentials that may only read, or with
/// `readOnly`, nothing is ever sent there. If no home is at the address, no store is made.
#[napi(strict)]
pub fn clone(
    env: &Env,
    address: String,
    options: Option<CloneOptions>,
) -> napi::Result<PromiseRaw<'_, Home>> {
    task::late(env, move || Home::clone_from(address, options.unwrap_or_default()))
}

/// Makes a new store of what a remote has, and blocks until that is done.
#[napi(strict)]
pub fn clone_sync(address: String, options: Option<CloneOptions>) -> napi::Result<Home> {
    Home::clone_from(address, options.unwrap_or_default()).map_err(|error| thrown(&error))
}

methods! {
    "Attaches a remote to the store, where copies of all its homes are kept."
    late remote_add remote_add_sync
    |core, address: [String], options: [Option<RemoteOptions>]| -> [()] {
        core.changing()?.remote_add(&options.unwrap_or_default().config(address)).map(drop)
    }

    "Fetches what only the remote has, unless that is forgone, and lets the remote go; returns how"
    "many bytes were fetched."
    late remote_rm remote_rm_sync |core, options: [Option<RemoteRmOptions>]| -> [i64] {
        let force = options.is_some_and(|options| options.force.unwrap_or(false));
        Ok(core.changing()?.remote_rm(force)?.try_into().unwrap_or(i64::MAX))
    }
}

impl RemoteOptions {
    /// Returns what the store's file says of such a remote.
    pub(crate) fn config(self, address: String) -> RemoteConfig {
        RemoteConfig {
            address,
            endpoint: self.endpoint,
            region: self.region,
            path_style: !self.virtual_host.unwrap_or(false),
            single_writer: self.single_writer.unwrap_or(false),
            machine_name: self.machine.unwrap_or_else(machine_name),
            read_only: self.read_only.unwrap_or(false),
            ..RemoteConfig::default()
        }
    }
}

impl Home {
    fn clone_from(address: String, options: CloneOptions) -> Result<Self> {
        let CloneOptions { agent, store, endpoint, region, virtual_host, .. } = options;
        let CloneOptions { single_writer, machine, read_only, signal: _, .. } = options;
        let signal = None;
        let remote = RemoteOptions {
            endpoint,
            region,
            virtual_host,
            single_writer,
            machine,
            read_only,
            signal,
        };
        let opened =
            |agent: Option<String>, store| OpenOptions { agent, store, ..OpenOptions::default() };
        clone_remote(&find(opened(agent.clone(), store.clone()))?, &remote.config(address))?;
        Self::open(opened(agent, store))
    }
}
