//! What every face holds: a view here if this process owns the store, or the owner's socket.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{AgentId, Error, ErrorKind, Path, Result};
use homefs_view::{
    Components, Cursor, REMOTE_WAIT, Settings, SyncOptions, Synced, View, Watched, Who,
};
use parking_lot::{MappedRwLockReadGuard, Mutex, RwLockReadGuard};

use crate::channel::Fault;
use crate::durable;
use crate::embedders::EmbedderConfig;
use crate::line::Line;
use crate::message::{Answer, Call};
use crate::operations::{Request, Response, absolute, dispatch, unlike};
use crate::role::{Opened, Patience, Role, Shared, Tenure};

/// How long one request may wait for changes, so that an owner that leaves need not wait longer.
const WATCH_SLICE: Duration = Duration::from_millis(250);
/// Connections kept for later calls.
const IDLE_LINES_MAX: usize = 8;

/// How to open a store.
#[derive(Clone)]
pub struct ClientOptions {
    /// The store's directory; made if it is missing.
    pub dir: PathBuf,
    /// For whom calls are made.
    pub who: Who,
    /// The groups of the session, for a service that acts for somebody who is in these and in no
    /// others; else the agent's own.
    pub groups: Option<BTreeSet<AgentId>>,
    /// The settings of the store, if this process comes to own it.
    pub settings: Settings,
    /// Clock, disk and randomness of the store, if this process comes to own it.
    pub components: Components,
    /// How long a call waits for an owner that does not answer.
    pub deadline: Duration,
    /// Whether the store's remote is left alone, if this process comes to own the store.
    pub offline: bool,
    /// What gives docs their vectors, if this process comes to own the store.
    pub embedder: EmbedderConfig,
    /// The executable of homefs, if [sessions](crate::Sessions) run in processes of their own.
    pub program: Option<PathBuf>,
}

impl ClientOptions {
    /// Opens `dir` for `who` with the settings and components that suit most hosts.
    pub fn new(dir: impl Into<PathBuf>, who: Who) -> Self {
        Self {
            dir: dir.into(),
            who,
            groups: None,
            settings: Settings::default(),
            components: Components::host(),
            deadline: Duration::from_secs(10),
            offline: false,
            embedder: EmbedderConfig::default(),
            program: None,
        }
    }
}

/// A store as one agent sees it, whichever process owns it; clones share everything.
///
/// It has the methods of [`View`]. When the owner goes away a call finds or becomes the next one
/// and is then made again; a change is made once, also if the owner died after making it.
/// One message carries at most 64 MiB: larger contents go by [`Client::write_from`] and
/// [`Client::read_to`].
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

/// Where a call ended up.
pub(crate) enum Reached<'a> {
    /// This process owns the store: make the call here.
    Here(MappedRwLockReadGuard<'a, Opened>),
    /// The owner answered.
    There(Result<Answer>),
}

/// Keeps an owner from handing the store over while it lives, as a mount must.
#[must_use]
pub struct Hold {
    tenure: Arc<Mutex<Tenure>>,
}

impl Hold {
    /// Starts to keep the owner that has `tenure`.
    pub(crate) fn new(tenure: &Arc<Mutex<Tenure>>) -> Self {
        tenure.lock().holds += 1;
        Self { tenure: Arc::clone(tenure) }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.tenure.lock().holds -= 1;
    }
}

impl Client {
    /// Opens a store: as its owner if it has none, else as a client of its owner.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the owner does not answer in time, `Unsupported` if it is of another
    /// version, and whatever keeps the store from being opened.
    pub fn open(mut options: ClientOptions) -> Result<Self> {
        options.dir = absolute(&options.dir)?;
        // The kernel takes no timeout of zero.
        options.deadline = options.deadline.max(Duration::from_millis(1));
        let client = Self { shared: Arc::new(Shared::new(options)) };
        let mut line = client.take_line()?;
        client.shared.attach(&mut line, &mut client.patience())?;
        client.give_back(line);
        Ok(client)
    }

    /// Returns for whom calls are made.
    pub fn who(&self) -> &Who {
        &self.shared.options.who
    }

    /// Returns the view of this process, if it owns the store.
    pub fn view_here(&self) -> Option<View> {
        self.here().map(|opened| opened.view.clone())
    }

    /// Makes a call on a [hasty](View::hasty) view of this process, if it owns the store and keeps
    /// it meanwhile: nothing is waited for, neither a process nor a disk.
    pub fn try_here<T>(&self, call: impl FnOnce(&View) -> T) -> Option<T> {
        match &*self.shared.role.try_read()? {
            Role::Owner { opened, .. } => Some(call(&opened.hasty)),
            Role::Client | Role::Closed => None,
        }
    }

    /// Keeps this process the owner while the returned guard lives, once it is: hold first, then
    /// [take over](Self::take_over).
    pub fn hold(&self) -> Hold {
        Hold::new(&self.shared.tenure)
    }

    /// Makes this process the owner; the present one finishes what it does and becomes a client.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the owner must keep the store, because it serves a mount.
    pub fn take_over(&self) -> Result<()> {
        let mut patience = self.patience();
        loop {
            if self.here().is_some() && !self.shared.tenure.lock().leaving {
                return Ok(());
            }
            patience.pause(&self.shared, || {
                Error::new(ErrorKind::Unavailable, "the owner takes too long to hand over")
            })?;
            let mut line = self.take_line()?;
            // An owner that agrees hangs up, so that the next round finds no owner to ask.
            if let Reached::There(reply) = self.reach(&mut line, &Call::HandOver)? {
                reply?;
            }
        }
    }

    /// Ends the use of the store; an owner finishes what it does and syncs. Later calls, of
    /// clones too, are `Closed`.
    pub fn close(&self) -> Result<()> {
        self.shared.close()
    }

    /// As [`Self::close`], of a process that ends: what the store has in memory is left to the
    /// system, which takes it back at once, where giving back an overlay and an index piece by
    /// piece takes milliseconds.
    pub fn close_to_exit(&self) -> Result<()> {
        self.shared.keep_memory();
        self.close()
    }

    /// Makes any operation of the table.
    pub fn request(&self, request: Request) -> Result<Response> {
        match request {
            Request::Watch { path, since, wait, limit } => {
                self.watch(&path, &since, wait, limit).map(Response::Watch)
            }
            Request::Sync { options } => self.sync(&options).map(Response::Sync),
            other if other.operation().asks => self.ask_remote(&other),
            other => self.send(other),
        }
    }

    /// Makes an operation, whoever owns the store.
    pub(crate) fn send(&self, mut request: Request) -> Result<Response> {
        if durable::defer(&mut request) {
            let response = self.send(request)?;
            self.barrier_remote(REMOTE_WAIT)?;
            return Ok(response);
        }
        if let Some(opened) = self.here() {
            return dispatch(&opened, request);
        }
        let mut line = self.take_line()?;
        let operation = request.operation();
        let number = operation.changes.then(|| line.next_number());
        let call = Call::Request { number, request };
        match self.reach(&mut line, &call)? {
            Reached::There(reply) => {
                self.give_back(line);
                let Answer::Response(response) = reply? else { return Err(unlike(operation.name)) };
                Ok(*response)
            }
            Reached::Here(opened) => {
                let Call::Request { request, .. } = call else { return Err(unlike("a request")) };
                let Some(number) = number else { return dispatch(&opened, request) };
                // The last owner may have made this change before it went away.
                let view = opened.view.with_origin(line.origin(number));
                dispatch(&Opened { view, ..opened.clone() }, request)
            }
        }
    }

    /// Makes an operation that asks the remote, which may take minutes: an owner that leaves does
    /// not wait for it, and the next one begins anew.
    pub(crate) fn ask_remote(&self, request: &Request) -> Result<Response> {
        loop {
            // The role is not kept locked, so that this process can hand the store over.
            let here = self.here().map(|opened| opened.clone());
            if let Some(opened) = here {
                match dispatch(&opened, request.clone()) {
                    Err(error) if error.kind() == ErrorKind::Closed && self.here().is_none() => {}
                    outcome => return outcome,
                }
            }
            let mut line = self.take_line()?;
            let call = Call::Request { number: None, request: request.clone() };
            let Reached::There(mut reply) = self.reach(&mut line, &call)? else { continue };
            while let Ok(Answer::Working) = reply {
                reply = match self.exchange(&mut line, &Call::GoOn) {
                    Ok(reply) => reply,
                    Err(Fault::Final(error)) => return Err(error),
                    Err(Fault::Broken(_)) => break,
                };
            }
            match reply {
                Ok(Answer::Working) => {}
                Ok(Answer::Response(response)) => {
                    self.give_back(line);
                    return Ok(*response);
                }
                Ok(_) => return Err(unlike(request.operation().name)),
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes spaces and their remote agree, the home of this client's agent too, though it may
    /// never have been here.
    pub fn sync(&self, options: &SyncOptions) -> Result<Vec<Synced>> {
        let agent = options.agent.clone().or_else(|| Some(self.who().agent.clone()));
        let options = SyncOptions { agent, ..options.clone() };
        match self.ask_remote(&Request::Sync { options })? {
            Response::Sync(synced) => Ok(synced),
            _ => Err(unlike("sync")),
        }
    }

    /// Waits for changes below a path and returns them.
    pub fn watch(
        &self,
        path: &Path,
        since: &Cursor,
        wait: Duration,
        limit: usize,
    ) -> Result<Watched> {
        // Once: its file may be removed while it is watched.
        let path = self.path_meant(path)?;
        let (mut since, mut left) = (since.clone(), wait);
        loop {
            let wait = left.min(WATCH_SLICE);
            let request = Request::Watch { path: path.clone(), since, wait, limit };
            let Response::Watch(watched) = self.send(request)? else {
                return Err(unlike("watch"));
            };
            left -= wait;
            if left.is_zero() || !watched.events.is_empty() {
                return Ok(watched);
            }
            since = watched.cursor;
        }
    }

    /// Tells whether the store is where nothing can be written, so that it can only be read.
    pub fn is_read_only(&self) -> bool {
        self.here().is_some_and(|opened| opened.store.is_read_only())
    }

    /// Returns what this process has opened, if it owns the store.
    pub(crate) fn here(&self) -> Option<MappedRwLockReadGuard<'_, Opened>> {
        RwLockReadGuard::try_map(self.shared.role.read(), |role| match role {
            Role::Owner { opened, .. } => Some(opened),
            Role::Client | Role::Closed => None,
        })
        .ok()
    }

    /// Sends a call until an owner answers it or this process is the owner.
    ///
    /// A line that led to an error must not be used again: its call may still be under way.
    pub(crate) fn reach(&self, line: &mut Line, call: &Call) -> Result<Reached<'_>> {
        let mut patience = self.patience();
        loop {
            if let Some(opened) = self.here() {
                return Ok(Reached::Here(opened));
            }
            match self.exchange(line, call) {
                Ok(reply) => return Ok(Reached::There(reply)),
                Err(Fault::Final(error)) => return Err(error),
                Err(Fault::Broken(_)) => self.shared.attach(line, &mut patience)?,
            }
        }
    }

    /// Sends a call once.
    pub(crate) fn exchange(&self, line: &mut Line, call: &Call) -> Result<Result<Answer>, Fault> {
        let owner = line.owner();
        line.exchange(call, &mut || self.shared.doubt(owner))
    }

    /// Takes a connection for one call.
    pub(crate) fn take_line(&self) -> Result<Line> {
        self.shared.check_open()?;
        let idle = self.shared.idle.lock().pop();
        Ok(idle.unwrap_or_else(|| Line::new(self.shared.draw_client())))
    }

    /// Keeps a connection for later calls.
    pub(crate) fn give_back(&self, line: Line) {
        let mut idle = self.shared.idle.lock();
        if idle.len() < IDLE_LINES_MAX {
            idle.push(line);
        }
    }

    pub(crate) fn patience(&self) -> Patience {
        Patience::new(self.shared.options.deadline)
    }
}
