//! The mounts that an owner serves, and how a client asks for one.
//!
//! A mount needs the store in its own process, so whoever mounts becomes the owner, unless the
//! owner serves a mount already: then that one serves this one too. Each mount has a [`Hold`], so
//! that the store is not handed over below it, and a thread that waits for its end.

use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use homefs_core::{Clock, Error, ErrorKind, Result};
use homefs_fuse::{Mount, MountOptions};
use homefs_view::View;
use homefs_wire::records;
use parking_lot::{Condvar, Mutex};

use crate::client::{Client, ClientOptions, Hold, Reached};
use crate::message::{Answer, Call, MountCall};
use crate::mount_dir;
use crate::operations::{absolute, unlike};
use crate::role::Tenure;

/// How long one request waits for the end of a mount, so that an owner that leaves need not wait
/// longer.
const WAIT_SLICE: Duration = Duration::from_millis(250);
/// How long an unmounted mount may take to finish what it does.
const LETTING_GO_MAX: Duration = Duration::from_secs(10);

/// How often a mount that is in use is tried again, and how long after.
const BUSY_TRIES: usize = 10;
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// The mounts of one owner.
pub(crate) struct Mounts {
    /// The store's directory, where nothing is mounted.
    store: PathBuf,
    clock: Arc<dyn Clock>,
    tenure: Arc<Mutex<Tenure>>,
    table: Mutex<Table>,
    changed: Condvar,
}

#[derive(Default)]
struct Table {
    served: Vec<Served>,
    /// The number of the next mount.
    next: u64,
    /// Whether the process is about to end: then it takes no more.
    ended: bool,
}

/// One mount.
struct Served {
    number: u64,
    /// Where it is, which need not be text.
    dir: PathBuf,
    /// What is told of it.
    told: records::Mount,
    /// The mount itself, once it has started.
    mount: Option<Arc<Mount>>,
    /// Whether it has lost its place and only goes on for those who still use it.
    detached: bool,
}

impl Table {
    fn at(&self, dir: &HostPath) -> Option<&Served> {
        self.served.iter().find(|served| !served.detached && served.dir == dir)
    }

    fn numbered(&mut self, number: u64) -> Option<&mut Served> {
        self.served.iter_mut().find(|served| served.number == number)
    }
}

impl Mounts {
    /// Makes an empty table.
    pub(crate) fn new(options: &ClientOptions, tenure: &Arc<Mutex<Tenure>>) -> Self {
        Self {
            store: options.dir.clone(),
            clock: Arc::clone(&options.components.clock),
            tenure: Arc::clone(tenure),
            table: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Answers a client.
    pub(crate) fn answer(self: &Arc<Self>, view: &View, call: MountCall) -> Result<Answer> {
        match call {
            MountCall::Mount { dir, read_only, allow_other, special } => {
                let hold = {
                    let table = self.table.lock();
                    if table.ended || table.served.is_empty() {
                        let message = "the owner serves no mount yet; take the store over";
                        return Err(Error::new(ErrorKind::Unsupported, message));
                    }
                    Hold::new(&self.tenure)
                };
                let options = MountOptions { read_only, allow_other, special };
                self.start(view, &dir, &options, hold).map(|()| Answer::Done)
            }
            MountCall::Unmount { dir, lazy } => self.unmount(&dir, lazy).map(|()| Answer::Done),
            MountCall::List { ending } => Ok(Answer::Mounts(self.list(ending.as_deref()))),
        }
    }

    /// Mounts a view; its hold ends with it.
    fn start(
        self: &Arc<Self>,
        view: &View,
        dir: &HostPath,
        options: &MountOptions,
        hold: Hold,
    ) -> Result<()> {
        let dir = mount_dir::prepare(dir, &self.store)?;
        let number = self.reserve(view, &dir, options)?;
        let started = Mount::start(view, &dir, options).and_then(|mount| {
            let mount = Arc::new(mount);
            let (mounts, waiting) = (Arc::clone(self), Arc::clone(&mount));
            thread::Builder::new()
                .name("homefs-mount-end".into())
                .spawn(move || mounts.see_off(number, waiting, hold))
                .map_err(|error| Error::io("start the thread of a mount", error))?;
            Ok(mount)
        });
        let mut table = self.table.lock();
        match started {
            Ok(mount) => {
                // It may have ended already.
                if let Some(served) = table.numbered(number) {
                    served.mount = Some(mount);
                }
                Ok(())
            }
            Err(error) => {
                table.served.retain(|served| served.number != number);
                self.changed.notify_all();
                Err(error)
            }
        }
    }

    /// Takes the place of a mount in the table before it starts, which may take long.
    fn reserve(&self, view: &View, dir: &HostPath, options: &MountOptions) -> Result<u64> {
        let mut table = self.table.lock();
        if table.at(dir).is_some() {
            return Err(mount_dir::taken(dir));
        }
        let number = table.next;
        table.next += 1;
        table.ended = false;
        let told = records::Mount {
            dir: dir.to_string_lossy().into_owned(),
            agent: view.who().agent.clone(),
            read_only: options.read_only,
            since: self.clock.now(),
        };
        let dir = dir.to_owned();
        table.served.push(Served { number, dir, told, mount: None, detached: false });
        Ok(number)
    }

    /// Waits for the end of a mount and strikes it off.
    fn see_off(&self, number: u64, mount: Arc<Mount>, hold: Hold) {
        mount.wait();
        let kept = self.table.lock().numbered(number).and_then(|served| served.mount.take());
        // Whoever waits for the end may then take the store over.
        drop((kept, mount, hold));
        self.table.lock().served.retain(|served| served.number != number);
        self.changed.notify_all();
    }

    /// Takes a mount away and waits until it has ended; a lazy one ends with its last user.
    fn unmount(&self, dir: &HostPath, lazy: bool) -> Result<()> {
        let found = {
            let table = self.table.lock();
            let served = table.at(dir);
            served.and_then(|served| Some((served.number, Arc::clone(served.mount.as_ref()?))))
        };
        let Some((number, mount)) = found else {
            let message = "the owner serves no mount here";
            return Err(
                Error::new(ErrorKind::NotFound, message).with_path_text(dir.to_string_lossy())
            );
        };
        self.detach(&mount, lazy)?;
        drop(mount);
        let mut table = self.table.lock();
        if lazy {
            if let Some(served) = table.numbered(number) {
                served.detached = true;
            }
            self.changed.notify_all();
            return Ok(());
        }
        let stays = |table: &mut Table| table.numbered(number).is_some();
        let waited = self.changed.wait_while_for(&mut table, stays, LETTING_GO_MAX);
        if waited.timed_out() {
            let message = "the mount is gone, but its owner has not finished with it yet";
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        Ok(())
    }

    /// Takes a mount from the host. Whoever merely looks at it, as `homefs status` does, uses it
    /// for a moment, which is waited for.
    fn detach(&self, mount: &Mount, lazy: bool) -> Result<()> {
        for _ in 0..BUSY_TRIES {
            match mount.unmount(lazy) {
                Err(error) if error.kind() == ErrorKind::Unavailable => {
                    self.changed.wait_for(&mut self.table.lock(), BUSY_PAUSE);
                }
                outcome => return outcome,
            }
        }
        mount.unmount(lazy)
    }

    /// Lists the mounts, once that at `ending` has ended or a moment has passed.
    fn list(&self, ending: Option<&HostPath>) -> Vec<records::Mount> {
        let mut table = self.table.lock();
        if let Some(dir) = ending {
            let stays = |table: &mut Table| table.at(dir).is_some();
            self.changed.wait_while_for(&mut table, stays, WAIT_SLICE);
        }
        let there = table.served.iter().filter(|served| !served.detached);
        there.map(|served| served.told.clone()).collect()
    }

    /// Waits until no mount is left, and takes no more.
    fn wait(&self) {
        let mut table = self.table.lock();
        self.changed.wait_while(&mut table, |table| !table.served.is_empty());
        table.ended = true;
    }

    /// Takes every mount away, also from those who use it.
    pub(crate) fn end(&self) {
        let served: Vec<PathBuf> = {
            let mut table = self.table.lock();
            table.ended = true;
            let served = table.served.iter().filter(|served| !served.detached);
            served.map(|served| served.dir.clone()).collect()
        };
        for dir in served {
            let ended = self.unmount(&dir, false).or_else(|_| self.unmount(&dir, true));
            if let Err(error) = ended {
                tracing::warn!(%error, "a mount could not be taken away");
            }
        }
    }
}

impl Client {
    /// Mounts what this client sees at a directory of the host, which is made if it is missing.
    ///
    /// The owner serves it if it serves a mount already; else this process becomes the owner, and
    /// stays it until the mount ends. Returns when the mount answers.
    ///
    /// # Errors
    ///
    /// `Unsupported` if the host cannot mount, `NotEmpty` or `AlreadyExists` if the place is taken.
    pub fn mount(&self, dir: &HostPath, options: &MountOptions) -> Result<()> {
        homefs_fuse::check_available()?;
        let dir = absolute(dir)?;
        let MountOptions { read_only, allow_other, special } = *options;
        let mut patience = self.patience();
        loop {
            let call = MountCall::Mount { dir: dir.clone(), read_only, allow_other, special };
            match self.ask(call) {
                Ok(Some(_)) => return Ok(()),
                Err(error) if error.kind() != ErrorKind::Unsupported => return Err(error),
                Ok(None) | Err(_) => {}
            }
            let hold = self.hold();
            match self.take_over() {
                Ok(()) => {
                    let Some(view) = self.view_here() else { continue };
                    return self.shared.mounts.start(&view, &dir, options, hold);
                }
                // Another process was faster and will soon serve this mount too.
                Err(error) if error.kind() == ErrorKind::Unavailable => {
                    patience.pause(&self.shared, || error)?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes a mount of the owner away; a lazy one goes on for those who still use it.
    ///
    /// # Errors
    ///
    /// `NotFound` if the owner does not serve it, `Unavailable` if it is in use.
    pub fn unmount(&self, dir: &HostPath, lazy: bool) -> Result<()> {
        let dir = mount_dir::resolve(dir)?;
        match self.ask(MountCall::Unmount { dir: dir.clone(), lazy }) {
            Ok(Some(_)) => Ok(()),
            Ok(None) => self.shared.mounts.unmount(&dir, lazy),
            Err(error) => Err(error),
        }
    }

    /// Lists the mounts that the owner serves.
    pub fn mounts(&self) -> Result<Vec<records::Mount>> {
        self.list_mounts(None)
    }

    /// Waits until the mount at `dir` has ended; in its owner, until all have, and it takes no
    /// more.
    pub fn wait_for_unmount(&self, dir: &HostPath) -> Result<()> {
        let dir = mount_dir::resolve(dir)?;
        loop {
            if self.here().is_some() {
                self.shared.mounts.wait();
                return Ok(());
            }
            let there = self.list_mounts(Some(dir.clone()))?;
            if there.iter().all(|mount| HostPath::new(&mount.dir) != dir) {
                return Ok(());
            }
        }
    }

    fn list_mounts(&self, ending: Option<PathBuf>) -> Result<Vec<records::Mount>> {
        match self.ask(MountCall::List { ending }) {
            Ok(Some(Answer::Mounts(mounts))) => Ok(mounts),
            Ok(Some(_)) => Err(unlike("a list of mounts")),
            Ok(None) => Ok(self.shared.mounts.list(None)),
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Asks the owner; `None` if that is this process.
    fn ask(&self, call: MountCall) -> Result<Option<Answer>> {
        if self.here().is_some() {
            return Ok(None);
        }
        let mut line = self.take_line()?;
        match self.reach(&mut line, &Call::Mounts(call))? {
            Reached::Here(_) => Ok(None),
            Reached::There(reply) => {
                self.give_back(line);
                reply.map(Some)
            }
        }
    }
}
