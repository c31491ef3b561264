//! Looking again whether sources still show what they showed, and to whom.
//!
//! A page that was made private must not stay readable because nobody looked. So a source that
//! shows more to members of groups is asked again when it is older than the settings allow, by a
//! thread of its own, because mounts have the kernel answer and ask nobody; when a session begins;
//! and before a process shows anything of it that it knows from an earlier one. A source that does
//! not answer is shown as it was last known: nobody waits long for it, and no other source at all.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::Duration;

use homefs_core::{Clock, NodeId, Timestamp};
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;

use crate::space::Space;
use crate::spaces::Spaces;

/// What is younger than this is not asked again for a session that begins.
const SESSION_AGE_MAX: Duration = Duration::from_secs(1);
/// So long a session that begins waits for sources, and not at all for one that has not answered
/// for so long.
const SESSION_WAIT_MAX: Duration = Duration::from_secs(2);

/// The thread that looks again, started when it is first needed.
#[derive(Default)]
pub struct Revalidation {
    known: OnceLock<RevalidationContext>,
    started: AtomicBool,
    state: Arc<RevalidationState>,
}

/// What the thread has to know.
#[derive(Clone)]
struct RevalidationContext {
    /// Whose sources are looked at.
    spaces: Weak<Spaces>,
    /// How old what is known of a source may be.
    age_max: Duration,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct RevalidationState {
    asked: Mutex<SourceRequests>,
    /// Rings when there is something to do.
    bell: Condvar,
    /// Rings when something is done.
    done: Condvar,
}

#[derive(Default)]
struct SourceRequests {
    /// How many sessions began.
    sessions: u64,
    /// For how many of them sources are asked, or were.
    sessions_served: u64,
    /// Sources that have not answered yet; each is asked once at a time.
    busy: FxHashMap<NodeId, Asking>,
    /// The last session for which each source has answered.
    answered: FxHashMap<NodeId, u64>,
    closed: bool,
}

/// A source that is being asked.
struct Asking {
    began: Timestamp,
    /// The last session for which it is asked: what it answers those after may be from before they
    /// began.
    session: u64,
    /// Whether a session has begun since, so that it is asked again at once.
    again: bool,
}

impl SourceRequests {
    /// Tells whether a session must wait for what a source answers.
    fn is_awaited(&self, session: u64, now: Timestamp) -> bool {
        let is_due = |(root, asking): (&NodeId, &Asking)| {
            let is_answered = self.answered.get(root).is_some_and(|last| *last >= session);
            !is_answered && now.since(asking.began) < SESSION_WAIT_MAX
        };
        self.sessions_served < session || self.busy.iter().any(is_due)
    }
}

impl Revalidation {
    /// Sets whose sources are looked at, and how old what is known of one may be; the first ones
    /// stay.
    pub fn set_spaces(&self, spaces: &Arc<Spaces>, age_max: Duration, clock: &Arc<dyn Clock>) {
        let (spaces, clock) = (Arc::downgrade(spaces), Arc::clone(clock));
        self.known.set(RevalidationContext { spaces, age_max, clock }).ok();
    }

    /// Looks again at once, because a session begins, and waits until that is done or takes long.
    pub fn begin_session(&self) {
        let Some(known) = self.known.get().filter(|_| self.started.load(Ordering::Relaxed)) else {
            return;
        };
        let mut asked = self.state.asked.lock();
        asked.sessions += 1;
        let session = asked.sessions;
        self.state.bell.notify_one();
        let is_waiting = |asked: &mut SourceRequests| {
            !asked.closed && asked.is_awaited(session, known.clock.steady())
        };
        self.state.done.wait_while_for(&mut asked, is_waiting, SESSION_WAIT_MAX);
    }

    /// Looks again from now on.
    fn start(&self) {
        let Some(known) = self.known.get().cloned() else { return };
        if self.started.swap(true, Ordering::Relaxed) {
            return;
        }
        let state = Arc::clone(&self.state);
        let started =
            thread::Builder::new().name("homefs-sources".into()).spawn(move || state.run(&known));
        if let Err(error) = started {
            tracing::warn!(%error, "sources are not looked at again");
            self.started.store(false, Ordering::Relaxed);
        }
    }

    /// Ends the thread; one that is asking a source ends later.
    pub fn close(&self) {
        self.state.asked.lock().closed = true;
        self.state.bell.notify_one();
        self.state.done.notify_all();
    }

    /// Counts the sessions that began, and those for which sources are asked.
    #[cfg(any(test, feature = "testing"))]
    pub fn sessions(&self) -> (u64, u64) {
        let asked = self.state.asked.lock();
        (asked.sessions, asked.sessions_served)
    }
}

impl RevalidationState {
    fn run(self: &Arc<Self>, known: &RevalidationContext) {
        let pause = known.age_max / 2;
        loop {
            let (sessions, is_session) = {
                let mut asked = self.asked.lock();
                if asked.sessions == asked.sessions_served && !asked.closed {
                    self.bell.wait_for(&mut asked, pause);
                }
                if asked.closed {
                    return;
                }
                (asked.sessions, asked.sessions > asked.sessions_served)
            };
            let age_max = if is_session { SESSION_AGE_MAX } else { pause };
            let Some(spaces) = known.spaces.upgrade() else { return };
            let open = spaces.open_now();
            drop(spaces);
            for space in &open {
                for root in space.attached.roots_with_groups() {
                    self.ask(space, root, (sessions, age_max), &known.clock);
                }
            }
            self.asked.lock().sessions_served = sessions;
            self.done.notify_all();
        }
    }

    /// Asks a source by a thread of its own, so that one which does not answer keeps no other from
    /// being asked. It is asked for the sessions up to one, and one that is being asked already
    /// again, if that began before the session.
    fn ask(
        self: &Arc<Self>,
        space: &Arc<Space>,
        root: NodeId,
        (session, age_max): (u64, Duration),
        clock: &Arc<dyn Clock>,
    ) {
        {
            let mut asked = self.asked.lock();
            if let Some(asking) = asked.busy.get_mut(&root) {
                asking.again |= asking.session < session;
                return;
            }
            let began = clock.steady();
            asked.busy.insert(root, Asking { began, session, again: false });
        }
        let (state, asked_space, clock) = (Arc::clone(self), Arc::clone(space), Arc::clone(clock));
        let ask = move || {
            let mut age_max = age_max;
            loop {
                asked_space.revalidate_source(root, age_max);
                if !state.answered(root, clock.steady()) {
                    return;
                }
                // However young that answer is, it may be from before the session began.
                age_max = Duration::ZERO;
            }
        };
        if let Err(error) = thread::Builder::new().name("homefs-source".into()).spawn(ask) {
            tracing::warn!(%error, "a source is not looked at again");
            self.asked.lock().busy.remove(&root);
            self.done.notify_all();
        }
    }

    /// Notes that a source has answered; tells whether it is to be asked again.
    fn answered(&self, root: NodeId, now: Timestamp) -> bool {
        let mut asked = self.asked.lock();
        let Some(asking) = asked.busy.remove(&root) else { return false };
        asked.answered.insert(root, asking.session);
        let is_again = asking.again && !asked.closed;
        if is_again {
            // From now on it answers for every session that has begun.
            let session = asked.sessions;
            asked.busy.insert(root, Asking { began: now, session, again: false });
        }
        drop(asked);
        self.done.notify_all();
        is_again
    }
}

impl Space {
    /// Looks whether sources still show what an earlier process knew, before anything of them is
    /// shown here.
    pub fn revalidate_first(&self) {
        if self.attached.has_groups() {
            let revalidation = &self.source_door.revalidation;
            self.attached.looked.call_once(|| {
                revalidation.start();
                revalidation.begin_session();
            });
        }
    }

    /// Looks whether a source that shows more to members of groups shows what it showed.
    fn revalidate_source(&self, root: NodeId, age_max: Duration) {
        let shown = self.source(root).and_then(|source| source.revalidate(age_max));
        match self.heard_of_all(root, shown) {
            Ok(true) => self.ask_again(root),
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(space = %self.name, %error, "a source is shown as it was");
            }
        }
    }
}
