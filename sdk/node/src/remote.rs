//! A new store of what a remote has.

use homefs_api::clone_remote;
use homefs_core::Result;
use homefs_wire::methods::RemoteAdd;
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;

use crate::error::thrown;
use crate::home::{Home, find};
use crate::options::OpenOptions;
use crate::task;

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
    #[allow(dead_code, reason = "the other side acts on it")]
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

impl Home {
    fn clone_from(address: String, options: CloneOptions) -> Result<Self> {
        let CloneOptions {
            agent,
            store,
            endpoint,
            region,
            virtual_host,
            single_writer,
            machine,
            read_only,
            signal: _,
        } = options;
        let remote = RemoteAdd {
            address,
            endpoint,
            region,
            virtual_host: virtual_host.unwrap_or(false),
            single_writer: single_writer.unwrap_or(false),
            machine,
            read_only: read_only.unwrap_or(false),
        };
        let opened =
            |agent: Option<String>, store| OpenOptions { agent, store, ..OpenOptions::default() };
        clone_remote(&find(opened(agent.clone(), store.clone()))?, &remote.into())?;
        Self::open(opened(agent, store))
    }
}
