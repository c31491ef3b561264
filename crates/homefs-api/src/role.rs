//! How a process comes to own a store, finds the one that does, and stops.

use std::collections::BTreeSet;
use std::io;
use std::mem;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use homefs_core::{AgentId, ClientId, Error, ErrorKind, Result};
use homefs_shell::Workers;
use homefs_view::{Components, Store, View, Who};
use parking_lot::{Condvar, Mutex, RwLock};
use rustix::process::Pid;

use crate::channel::Fault;
use crate::client::ClientOptions;
use crate::descriptors;
use crate::line::Line;
use crate::mounts::Mounts;
use crate::remotes::Remotes;
use crate::server::Server;
use crate::sources::Sources;

/// How long an owner may take to greet a client that doubts that it lives.
const GREETING_MAX: Duration = Duration::from_secs(2);
/// Longest pause between two attempts to find an owner.
const PAUSE_MAX: Duration = Duration::from_millis(50);
/// How often an owner that has handed over looks for the next one before it tries to own the store
/// again; with the pauses between that is about 100 ms.
const GIVING_WAY: u32 = 8;

/// What the clones of a client share.
pub(crate) struct Shared {
    pub(crate) options: ClientOptions,
    /// The process that made the client; a forked child has neither its lock nor its threads.
    pid: u32,
    pub(crate) role: Arc<RwLock<Role>>,
    pub(crate) tenure: Arc<Mutex<Tenure>>,
    /// What this process serves while it is the owner.
    pub(crate) mounts: Arc<Mounts>,
    /// Counts the scripts of this process that do not end.
    pub(crate) workers: Arc<Workers>,
    /// Held while trying to own the store, before `role`; counts how often that succeeded.
    owning: Mutex<u64>,
    owned: Condvar,
    /// Connections for later calls.
    pub(crate) idle: Mutex<Vec<Line>>,
}

/// What this process is to the store.
pub(crate) enum Role {
    /// The owner. Calls keep the role locked for reading, so that it changes between them.
    Owner {
        opened: Opened,
        /// `None` if the store can only be read: then whoever needs it opens it himself.
        server: Option<Server>,
    },
    /// A client of whoever owns it.
    Client,
    /// Neither, for good.
    Closed,
}

/// A store that this process owns, and the view for which a call is made.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) view: View,
    /// The same view for calls that must not wait.
    pub(crate) hasty: Arc<View>,
    pub(crate) remotes: Arc<Remotes>,
    pub(crate) workers: Arc<Workers>,
}

/// Whether an owner may hand over.
#[derive(Default)]
pub(crate) struct Tenure {
    /// How many faces need this process to stay the owner.
    pub(crate) holds: usize,
    /// Whether it has agreed to hand over and is about to.
    pub(crate) leaving: bool,
    /// How often it still leaves the store to whoever asked for it, because a busy process would
    /// always be faster.
    giving_way: u32,
}

impl Tenure {
    /// Ends, and gives way if it was asked to.
    pub(crate) fn end(&mut self) {
        if mem::take(&mut self.leaving) {
            self.giving_way = GIVING_WAY;
        }
    }

    fn gives_way(&mut self) -> bool {
        let gives = self.giving_way > 0;
        self.giving_way = self.giving_way.saturating_sub(1);
        gives
    }
}

/// Opens the view of a session.
pub(crate) fn view_of(
    store: &Store,
    who: &Who,
    groups: Option<&BTreeSet<AgentId>>,
) -> Result<View> {
    let view = store.view(who)?;
    groups.map_or(Ok(view.clone()), |groups| view.with_groups(groups))
}

impl Shared {
    pub(crate) fn new(options: ClientOptions) -> Self {
        let tenure = Arc::default();
        Self {
            mounts: Arc::new(Mounts::new(&options, &tenure)),
            options,
            pid: process::id(),
            role: Arc::new(RwLock::new(Role::Client)),
            tenure,
            owning: Mutex::default(),
            owned: Condvar::new(),
            idle: Mutex::default(),
            workers: Arc::default(),
        }
    }

    /// Comes to own the store, or connects `line` to its owner.
    pub(crate) fn attach(&self, line: &mut Line, patience: &mut Patience) -> Result<()> {
        let mut refusal = None;
        loop {
            patience.pause(self, || self.no_owner(refusal.as_ref()))?;
            // Owning is tried first: a forked child of a dead owner can keep its socket alive,
            // but not its lock.
            if !self.tenure.lock().gives_way() {
                refusal = self.own()?;
                if refusal.is_none() {
                    return Ok(());
                }
            }
            match line.connect(&self.options, self.options.deadline) {
                Ok(()) => return Ok(()),
                Err(Fault::Final(error)) => return Err(error),
                // The owner is not ready yet, or is leaving.
                Err(Fault::Broken(_)) => {}
            }
        }
    }

    /// Goes on waiting for `owner` if it lives, though it has not answered for long.
    pub(crate) fn doubt(&self, owner: Option<Pid>) -> Result<(), Fault> {
        let mut probe = Line::new(self.draw_client());
        match probe.connect(&self.options, GREETING_MAX) {
            Ok(()) if probe.owner() == owner => Ok(()),
            // It lives, but has no room for one more connection.
            Err(Fault::Final(error)) if error.kind() == ErrorKind::LimitExceeded => Ok(()),
            Err(Fault::Final(error)) if self.own()?.is_some() => Err(Fault::Final(error)),
            // It died, and what was a connection to it is kept open by a forked child.
            _ => Err(Fault::Broken(io::ErrorKind::TimedOut.into())),
        }
    }

    /// Fails if the client is closed or of another process.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.pid != process::id() {
            return Err(Error::new(
                ErrorKind::Closed,
                "the store was opened before a fork; open it again in the child",
            ));
        }
        match *self.role.read() {
            Role::Closed => Err(Error::new(ErrorKind::Closed, "the store is closed")),
            Role::Owner { .. } | Role::Client => Ok(()),
        }
    }

    /// Lets nothing that the store has in memory be given back when it is closed.
    pub(crate) fn keep_memory(&self) {
        if let Role::Owner { opened, .. } = &*self.role.read() {
            mem::forget(opened.clone());
        }
    }

    /// Ends the use of the store.
    pub(crate) fn close(&self) -> Result<()> {
        // In a forked child the locks may be held by threads it does not have, and shutting a
        // socket down would end the parent's service.
        if self.pid != process::id() {
            return Ok(());
        }
        // What is mounted still asks the store until it is unmounted.
        self.mounts.end();
        let role = mem::replace(&mut *self.role.write(), Role::Closed);
        self.idle.lock().clear();
        match role {
            Role::Owner { server: Some(server), .. } => server.stop(),
            Role::Owner { opened, server: None } => opened.store.close(),
            Role::Client | Role::Closed => Ok(()),
        }
    }

    /// Draws a name for a connection.
    pub(crate) fn draw_client(&self) -> ClientId {
        static DRAWN: AtomicU64 = AtomicU64::new(0);
        let Components { clock, seed, .. } = &self.options.components;
        let parts = [
            u64::from(self.pid),
            clock.now().0.cast_unsigned(),
            DRAWN.fetch_add(1, Ordering::Relaxed),
        ];
        // Two processes may be given one seed, but two connections must never share a name.
        ClientId(parts.into_iter().fold(*seed, |drawn, part| mix(drawn ^ part)))
    }

    /// Tries to own the store; returns the refusal if another process does.
    fn own(&self) -> Result<Option<Error>> {
        let mut owning = self.owning.lock();
        self.check_open()?;
        if let Role::Owner { .. } = *self.role.read() {
            return Ok(None);
        }
        let mut components = self.options.components.clone();
        if *owning > 0 {
            // Names drawn in an earlier tenure must not be drawn again.
            components.seed = mix(components.seed ^ *owning);
        }
        let settings = self.options.settings.clone();
        let store = match Store::open(&self.options.dir, settings, components) {
            Ok(store) => store,
            Err(error) if error.kind() == ErrorKind::Unavailable => return Ok(Some(error)),
            Err(error) => return Err(error),
        };
        *owning += 1;
        if let Err(error) = self.serve(&store) {
            store.close()?;
            return Err(error);
        }
        self.idle.lock().clear();
        self.owned.notify_all();
        Ok(None)
    }

    /// Becomes the owner with a store just opened.
    fn serve(&self, store: &Store) -> Result<()> {
        descriptors::raise();
        let ClientOptions { embedder, components, settings, .. } = &self.options;
        let sources = Sources::new(components.disk.clone(), &self.options.dir, settings);
        // Before there is a view, whose sources are asked whether they still show what they showed.
        store.set_source_opener(Arc::new(sources));
        let view = view_of(store, &self.options.who, self.options.groups.as_ref())?;
        // Locked before the socket appears, because the first client may ask for a hand-over.
        let mut role = self.role.write();
        if let Role::Closed = *role {
            return Err(Error::new(ErrorKind::Closed, "the store is closed"));
        }
        store.start_indexing(embedder.open(&components.disk))?;
        let remotes = Arc::new(Remotes::open(store, &self.options, self.draw_client()));
        let workers = self.workers.clone();
        let hasty = Arc::new(view.hasty());
        let opened = Opened { store: store.clone(), view, hasty, remotes, workers };
        let is_served = !store.is_read_only();
        let server = is_served.then(|| Server::start(&opened, self)).transpose()?;
        *role = Role::Owner { opened, server };
        Ok(())
    }

    fn no_owner(&self, refusal: Option<&Error>) -> Error {
        let refused = refusal.map_or("the owner went away again and again", Error::message);
        Error::new(
            ErrorKind::Unavailable,
            format!(
                "{refused}, and did not answer within {:?}; wait for it, or end it",
                self.options.deadline
            ),
        )
        .with_path_text(self.options.dir.to_string_lossy())
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The owner's thread has told of a failure.
        self.close().ok();
    }
}

/// How long a call still looks for an owner.
pub(crate) struct Patience {
    left: Duration,
    next: Duration,
}

impl Patience {
    /// Waits at most `left` in sum; the first pause takes no time.
    pub(crate) fn new(left: Duration) -> Self {
        Self { left, next: Duration::ZERO }
    }

    /// Waits a little, or until this process owns the store; fails when all time is spent.
    pub(crate) fn pause(&mut self, shared: &Shared, spent: impl FnOnce() -> Error) -> Result<()> {
        if self.left.is_zero() {
            return Err(spent());
        }
        let pause = self.next.min(self.left);
        if !pause.is_zero() {
            shared.owned.wait_for(&mut shared.owning.lock(), pause);
        }
        self.left -= pause;
        self.next = (self.next * 2).clamp(Duration::from_millis(1), PAUSE_MAX);
        Ok(())
    }
}

/// Spreads the bits of a number, as splitmix64 does.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use homefs_core::{AgentId, Path};
    use homefs_view::{Who, WriteOptions};

    use super::*;
    use crate::client::Client;

    #[test]
    fn a_forked_child_is_refused_and_leaves_the_parent_alone() {
        let dir = tempfile::tempdir().unwrap();
        let who = Who { agent: AgentId::new("me").unwrap(), operator: false, all: false };
        let open = || Client::open(ClientOptions::new(dir.path(), who.clone())).unwrap();
        let path = Path::parse("/a").unwrap();
        let (mut owner, mut client, other) = (open(), open(), open());
        owner.write(&path, b"a", &WriteOptions::default()).unwrap();
        assert_eq!(client.read(&path).unwrap(), "a");
        for client in [&mut owner, &mut client] {
            Arc::get_mut(&mut client.shared).unwrap().pid += 1;
        }
        assert_eq!(client.read(&path).unwrap_err().kind(), ErrorKind::Closed);
        drop((owner, client));
        assert_eq!(other.read(&path).unwrap(), "a");
    }
}
