//! What a program holds.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use homefs_api::settings::{Overrides, client_options};
use homefs_api::{Call, Client, ClientOptions, Interrupter, Sessions};
use homefs_core::{AgentId, Error, ErrorKind, Result};
use homefs_wire::Method;
use napi::Env;
use napi::bindgen_prelude::{PromiseRaw, ToNapiValue};
use napi_derive::napi;
use parking_lot::Mutex;

use crate::error::thrown;
use crate::options::{OpenOptions, duration};
use crate::shown::Shown;
use crate::task;

/// What the calls of a home share.
pub(crate) struct Core {
    pub(crate) client: Client,
    pub(crate) sessions: Sessions,
    /// What ends the scripts that run, by their numbers.
    pub(crate) scripts: Mutex<HashMap<u32, Interrupter>>,
    read_only: bool,
    closed: AtomicBool,
}

/// A home directory as one agent sees it.
///
/// Every method that returns a promise does its work on another thread, and has a `…Sync` twin
/// that blocks. Calls that are not waited for may be done in any order. Paths are given as
/// `notes/x.md` or `/notes/x.md` and returned as the latter.
#[napi]
pub struct Home {
    pub(crate) core: Arc<Core>,
}

/// Opens a home: as the owner of its store if it has none, else through its owner.
#[napi(strict)]
pub fn open(env: &Env, options: Option<OpenOptions>) -> napi::Result<PromiseRaw<'_, Home>> {
    task::late(env, move || Home::open(options.unwrap_or_default()))
}

/// Opens a home, and blocks until that is done.
#[napi(strict)]
pub fn open_sync(options: Option<OpenOptions>) -> napi::Result<Home> {
    Home::open(options.unwrap_or_default()).map_err(|error| thrown(&error))
}

#[napi]
impl Home {
    /// The agent on whose behalf calls are made.
    #[napi(getter)]
    pub fn agent(&self) -> String {
        self.core.client.who().agent.to_string()
    }

    /// Whether this process owns the store now, so that calls are answered here.
    #[napi(getter)]
    pub fn owner(&self) -> bool {
        self.core.client.view_here().is_some()
    }
}

impl Home {
    /// Opens a home.
    pub(crate) fn open(options: OpenOptions) -> Result<Self> {
        let read_only = options.read_only.unwrap_or(false);
        let client = Client::open(find(options)?)?;
        let sessions = Sessions::new(&client);
        let (scripts, closed) = (Mutex::default(), false.into());
        Ok(Self { core: Arc::new(Core { client, sessions, scripts, read_only, closed }) })
    }
}

impl Home {
    /// Asks for what a method of the table does: at once if that needs no waiting, else on another
    /// thread.
    pub(crate) fn ask<'env, M>(
        &self,
        env: &'env Env,
        method: impl FnOnce() -> Result<M>,
    ) -> napi::Result<PromiseRaw<'env, Answer<M>>>
    where
        M: Call<Answer: Shown>,
        Answer<M>: ToNapiValue + Send + 'static,
    {
        let method = self.core.check(method).map_err(|error| thrown(&error))?;
        if let Some(done) = method.at_once(&self.core.client) {
            return task::done(env, done.map(Shown::shown));
        }
        let core = self.core.clone();
        let work = move || method.call(&core.client).map(Shown::shown);
        if M::WAITS { task::late(env, work) } else { task::soon(env, work) }
    }

    /// Asks for what a method of the table does, and waits for it.
    pub(crate) fn ask_sync<M: Call<Answer: Shown>>(
        &self,
        method: impl FnOnce() -> Result<M>,
    ) -> napi::Result<Answer<M>> {
        let asked = self.core.check(method).and_then(|method| method.call(&self.core.client));
        asked.map(Shown::shown).map_err(|error| thrown(&error))
    }
}

/// What JavaScript hears of a method's answer.
type Answer<M> = <<M as Method>::Answer as Shown>::Js;

impl Core {
    /// Makes a method of its arguments, if the home is opened for such.
    fn check<M: Call>(&self, method: impl FnOnce() -> Result<M>) -> Result<M> {
        if M::CHANGES {
            self.changing()?;
        }
        method()
    }

    /// Returns the client for a call that changes something.
    pub(crate) fn changing(&self) -> Result<&Client> {
        if self.read_only {
            return Err(Error::new(ErrorKind::ReadOnly, "the home was opened read-only"));
        }
        Ok(&self.client)
    }

    /// Ends the use of the store.
    pub(crate) fn close(&self) -> Result<()> {
        self.closed.store(true, Ordering::Relaxed);
        self.sessions.end_all();
        self.client.close()
    }

    /// Tells whether the use of the store has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// Finds the store and its settings, as the command line does.
pub(crate) fn find(options: OpenOptions) -> Result<ClientOptions> {
    let OpenOptions { agent, store, operator, all, offline, deadline, workers, groups, .. } =
        options;
    let ids = |groups: Vec<String>| -> Result<BTreeSet<AgentId>> {
        groups.iter().map(|group| group.parse()).collect()
    };
    client_options(&Overrides {
        store: store.map(PathBuf::from),
        agent: agent.map(|agent| agent.parse()).transpose()?,
        groups: groups.map(ids).transpose()?,
        operator: operator.unwrap_or(false),
        all: all.unwrap_or(false),
        deadline: deadline.map(duration).transpose()?,
        offline,
        workers: workers.unwrap_or(false),
    })
}
