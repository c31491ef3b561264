//! Looking again whether sources still show what they showed, and to whom.
//!
//! A page that was made private must not stay readable because nobody looked. So a source that
//! shows more to members of groups is asked again when it is older than the settings allow, by a
//! thread of its own, because mounts have the kernel answer and ask nobody; when a session begins;
//! and before a process shows anything of it that it knows from an earlier one. A source that does
//! not answer is shown as it was last known: nobody waits long for it, and no other source at all.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::Duration;

use homefs_core::NodeId;
use parking_lot::{Condvar, Mutex};

use crate::space::Space;
use crate::spaces::Spaces;

/// What is younger than this is not asked again for a session that begins.
const SESSION_AGE_MAX: Duration = Duration::from_secs(1);
/// So long a session that begins waits for sources.
const SESSION_WAIT_MAX: Duration = Duration::from_secs(2);

/// The thread that looks again, started when it is first needed.
#[derive(Default)]
pub(crate) struct Revalidation {
    spaces: OnceLock<(Weak<Spaces>, Duration)>,
    started: AtomicBool,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    asked: Mutex<Asked>,
    /// Rings when there is something to do.
    bell: Condvar,
    /// Rings when something is done.
    done: Condvar,
}

#[derive(Default)]
struct Asked {
    /// How many sessions began.
    sessions: u64,
    /// For how many of them sources are asked, or were.
    sessions_served: u64,
    /// How often the thread has looked.
    rounds: u64,
    /// How many sources have not answered in the last round.
    pending: usize,
    /// Which sources have not answered yet, of any round; they are asked once at a time.
    busy: HashSet<NodeId>,
    closed: bool,
}

impl Revalidation {
    /// Sets whose sources are looked at, and how old what is known of one may be; the first ones
    /// stay.
    pub(crate) fn set_spaces(&self, spaces: Weak<Spaces>, age_max: Duration) {
        self.spaces.set((spaces, age_max)).ok();
    }

    /// Looks again at once, because a session begins, and waits until that is done or takes long.
    pub(crate) fn begin_session(&self) {
        if !self.started.load(Ordering::Relaxed) {
            return;
        }
        let mut asked = self.state.asked.lock();
        asked.sessions += 1;
        let session = asked.sessions;
        self.state.bell.notify_one();
        let is_waiting = |asked: &mut Asked| {
            !asked.closed && (asked.sessions_served < session || asked.pending > 0)
        };
        self.state.done.wait_while_for(&mut asked, is_waiting, SESSION_WAIT_MAX);
    }

    /// Looks again from now on.
    fn start(&self) {
        let Some((spaces, age_max)) = self.spaces.get().cloned() else { return };
        if self.started.swap(true, Ordering::Relaxed) {
            return;
        }
        let state = Arc::clone(&self.state);
        let started = thread::Builder::new()
            .name("homefs-sources".into())
            .spawn(move || state.run(&spaces, age_max / 2));
        if let Err(error) = started {
            tracing::warn!(%error, "sources are not looked at again");
            self.started.store(false, Ordering::Relaxed);
        }
    }

    /// Ends the thread; one that is asking a source ends later.
    pub(crate) fn close(&self) {
        self.state.asked.lock().closed = true;
        self.state.bell.notify_one();
        self.state.done.notify_all();
    }
}

impl State {
    fn run(self: &Arc<Self>, spaces: &Weak<Spaces>, pause: Duration) {
        loop {
            let (sessions, is_session) = {
                let mut asked = self.asked.lock();
                if asked.sessions == asked.sessions_served && !asked.closed {
                    self.bell.wait_for(&mut asked, pause);
                }
                if asked.closed {
                    return;
                }
                asked.rounds += 1;
                asked.pending = 0;
                (asked.sessions, asked.sessions > asked.sessions_served)
            };
            let age_max = if is_session { SESSION_AGE_MAX } else { pause };
            let Some(open) = spaces.upgrade().map(|spaces| spaces.open_now()) else { return };
            for space in &open {
                for root in space.attached.roots_with_groups() {
                    self.ask(space, root, age_max);
                }
            }
            self.asked.lock().sessions_served = sessions;
            self.done.notify_all();
        }
    }

    /// Asks a source by a thread of its own, so that one which does not answer keeps no other from
    /// being asked.
    fn ask(self: &Arc<Self>, space: &Arc<Space>, root: NodeId, age_max: Duration) {
        let round = {
            let mut asked = self.asked.lock();
            if !asked.busy.insert(root) {
                return;
            }
            asked.pending += 1;
            asked.rounds
        };
        let (state, asked_space) = (Arc::clone(self), Arc::clone(space));
        let ask = move || {
            asked_space.revalidate_source(root, age_max);
            state.answered(root, round);
        };
        if let Err(error) = thread::Builder::new().name("homefs-source".into()).spawn(ask) {
            tracing::warn!(%error, "a source is not looked at again");
            self.answered(root, round);
        }
    }

    fn answered(&self, root: NodeId, round: u64) {
        let mut asked = self.asked.lock();
        asked.busy.remove(&root);
        if asked.rounds == round {
            asked.pending -= 1;
        }
        self.done.notify_all();
    }
}

impl Space {
    /// Looks whether sources still show what an earlier process knew, before anything of them is
    /// shown here.
    pub(crate) fn revalidate_first(&self) {
        if self.attached.has_groups() {
            let revalidation = &self.ground.sources.revalidation;
            self.attached.looked.call_once(|| {
                revalidation.start();
                revalidation.begin_session();
            });
        }
    }

    /// Looks whether a source that shows more to members of groups shows what it showed.
    fn revalidate_source(&self, root: NodeId, age_max: Duration) {
        match self.source(root).and_then(|source| source.revalidate(age_max)) {
            Ok(true) => self.ask_again(root),
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(space = %self.name, %error, "a source is shown as it was");
            }
        }
    }
}
