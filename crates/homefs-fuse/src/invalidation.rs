//! Telling the kernel what others change.
//!
//! Whoever changes something leaves a note of it and waits for this thread, which holds no lock
//! while it talks to the kernel: the kernel may wait in turn for calls that the mount is serving.

use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use fuser::{Filesystem, INodeNo, Notifier, Session};
use homefs_core::{Error, NodeId, Result, SpaceName};
use homefs_view::{Observer, Touched};
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashSet;

use crate::apart::stand_apart;
use crate::inodes::{Inodes, ROOT};
use crate::{dying, host};

/// How long one who changes something waits for the kernel to hear of it. A kernel that does not
/// answer must not stop other faces.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// What was touched is told once more after this: an answer with the old state may have been on
/// its way to a kernel that did not know the inode yet.
const AGAIN: Duration = Duration::from_millis(20);
/// After so long without a change by others they count as quiet.
const QUIET: Duration = Duration::from_secs(10);

/// The thread that tells the kernel.
pub(crate) struct Teller {
    invalidations: Arc<Invalidations>,
    thread: Option<JoinHandle<()>>,
    /// Outlives the thread's own: the last of them closes the device, and the thread's table of
    /// descriptors is not that of the process.
    _notifier: Notifier,
}

/// What the thread and those who wait for it share; it is what hears of changes.
pub(crate) struct Invalidations {
    inodes: Arc<Inodes>,
    /// The directory that shows the shared spaces.
    spaces_place: (SpaceName, NodeId),
    heard: AtomicU64,
    /// Whether others have changed something lately.
    busy: AtomicBool,
    state: Mutex<InvalidationState>,
    /// Signalled when there is something to tell.
    work: Condvar,
    /// Signalled when something was told.
    done: Condvar,
}

#[derive(Default)]
struct InvalidationState {
    pending: Pending,
    /// What the kernel was told of last, and will be once more.
    lately: Arc<FxHashSet<u64>>,
    /// How many batches were noted, and how many of them the kernel knows.
    noted: u64,
    told: u64,
    stop: bool,
}

#[derive(Default)]
struct Pending {
    inodes: FxHashSet<u64>,
    names: FxHashSet<(u64, Arc<str>)>,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.inodes.is_empty() && self.names.is_empty()
    }
}

impl Teller {
    /// Starts the thread for the mount at `dir`, whose session has the device open.
    pub(crate) fn start<F: Filesystem>(
        invalidations: Arc<Invalidations>,
        session: &Session<F>,
        dir: &Path,
    ) -> Result<Self> {
        let (telling, notifier) = (invalidations.clone(), session.notifier());
        let (device, used) = (session.as_fd().as_raw_fd(), notifier.clone());
        let thread = thread::Builder::new()
            .name(dying::thread_name(host::connection(dir)))
            .spawn(move || {
                if let Err(error) = stand_apart(device) {
                    tracing::warn!(%error, "a mount that is killed may have to be unmounted");
                }
                telling.run(&used);
            })
            .map_err(|cause| Error::io("start the thread for invalidation", cause))?;
        Ok(Self { invalidations, thread: Some(thread), _notifier: notifier })
    }
}

impl Drop for Teller {
    /// Ends the thread; whoever waits for it waits no more.
    fn drop(&mut self) {
        self.invalidations.state.lock().stop = true;
        self.invalidations.work.notify_one();
        self.invalidations.done.notify_all();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread for invalidation panicked");
        }
    }
}

impl Observer for Invalidations {
    fn told(&self, space: &SpaceName, touched: &[Touched], wait: bool) {
        // First, so that one who is about to tell the kernel of an inode sees that it changed.
        self.heard.fetch_add(1, Ordering::AcqRel);
        if !self.busy.swap(true, Ordering::AcqRel) {
            self.work.notify_one();
        }
        let mut pending = Pending::default();
        for touched in touched {
            match touched {
                Touched::Node(node) => {
                    pending.inodes.extend(self.inodes.known(space, *node));
                }
                Touched::Name(parent, name) => {
                    let parent = self.inodes.known(space, *parent);
                    pending.names.extend(parent.map(|parent| (parent, name.clone())));
                }
                Touched::Access => self.forget_access(&mut pending),
            }
        }
        if pending.is_empty() {
            return;
        }
        let mut state = self.state.lock();
        state.pending.inodes.extend(pending.inodes);
        state.pending.names.extend(pending.names);
        state.noted += 1;
        let mine = state.noted;
        self.work.notify_one();
        if !wait {
            return;
        }
        let waiting = |state: &mut InvalidationState| state.told < mine && !state.stop;
        if self.done.wait_while_for(&mut state, waiting, WAIT_MAX).timed_out() {
            tracing::error!("the kernel did not hear of a change within {WAIT_MAX:?}");
        }
    }
}

impl Invalidations {
    /// Starts with nothing to tell.
    pub(crate) fn new(inodes: Arc<Inodes>, spaces_place: (SpaceName, NodeId)) -> Self {
        Self {
            inodes,
            spaces_place,
            heard: AtomicU64::new(0),
            busy: AtomicBool::new(false),
            state: Mutex::default(),
            work: Condvar::new(),
            done: Condvar::new(),
        }
    }

    /// Tells whether others have changed something lately.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    /// Tells whether others have changed an inode just now.
    ///
    /// The kernel calls attributes valid a moment before it has taken the size over, so that who asks
    /// at this moment gets the one that it knew before. It does not where nothing is called valid.
    pub(crate) fn is_changing(&self, number: u64) -> bool {
        self.is_busy() && {
            let state = self.state.lock();
            state.pending.inodes.contains(&number) || state.lately.contains(&number)
        }
    }

    /// Counts the changes heard of so far.
    pub(crate) fn count(&self) -> u64 {
        self.heard.load(Ordering::Acquire)
    }

    /// Makes the kernel forget an inode, soon.
    pub(crate) fn forget_inode(&self, number: u64) {
        let mut state = self.state.lock();
        state.pending.inodes.insert(number);
        state.noted += 1;
        self.work.notify_one();
    }

    /// Who may see what has changed: the kernel forgets everything that not all may see.
    fn forget_access(&self, pending: &mut Pending) {
        let place = self.inodes.number_of(&self.spaces_place.0, self.spaces_place.1);
        pending.inodes.extend([ROOT, place]);
        pending.names.insert((ROOT, Arc::from("shared")));
        for (number, root_of) in self.inodes.with_access() {
            pending.inodes.insert(number);
            pending.names.extend(root_of.map(|name| (place, Arc::from(name))));
        }
    }

    fn run(&self, notifier: &Notifier) {
        loop {
            let mut state = self.state.lock();
            if state.pending.is_empty() && !state.stop {
                if !state.lately.is_empty() {
                    self.work.wait_for(&mut state, AGAIN);
                } else if self.is_busy() {
                    let is_quiet = self.work.wait_for(&mut state, QUIET).timed_out();
                    self.busy.fetch_and(!is_quiet, Ordering::AcqRel);
                } else {
                    self.work.wait(&mut state);
                }
            }
            if state.stop {
                return;
            }
            let noted = state.noted;
            let pending = std::mem::take(&mut state.pending);
            let lately = Arc::new(pending.inodes);
            let repeat = std::mem::replace(&mut state.lately, lately.clone());
            drop(state);
            // An error says that there is nothing to forget; this thread could not log it either.
            for (parent, name) in &pending.names {
                drop(notifier.inval_entry(INodeNo(*parent), name.as_ref().as_ref()));
            }
            for number in lately.union(&repeat) {
                drop(notifier.inval_inode(INodeNo(*number), 0, 0));
            }
            self.state.lock().told = noted;
            self.done.notify_all();
        }
    }
}
