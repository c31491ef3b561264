//! A deadline for every answer: a caller whose call is never answered cannot even be killed.

use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use fuser::{
    Errno, ReplyAttr, ReplyData, ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry,
    ReplyLseek, ReplyStatfs, ReplyWrite, ReplyXattr,
};
use homefs_core::{Error, Result};
use parking_lot::{Condvar, Mutex};

/// How long a call may take. Back-pressure of the journal ends long before.
const DEADLINE: Duration = Duration::from_mins(1);
/// Begun calls are looked through for answered ones when there are so many.
const BEGUN_MAX: usize = 64;
/// How often the overdue are looked for.
const ROUND: Duration = Duration::from_secs(5);

/// A way to answer the kernel that can also refuse.
pub(crate) trait Refuse: Send + 'static {
    /// Answers with an error.
    fn refuse(self, errno: Errno);
}

macro_rules! refuse {
    ($($reply:ty),*) => {
        $(impl Refuse for $reply {
            fn refuse(self, errno: Errno) {
                self.error(errno);
            }
        })*
    };
}

refuse!(
    ReplyAttr,
    ReplyData,
    ReplyDirectory,
    ReplyDirectoryPlus,
    ReplyEmpty,
    ReplyEntry,
    ReplyLseek,
    ReplyStatfs,
    ReplyWrite,
    ReplyXattr
);

/// An answer that is still to be given: by its handler, or by the deadline.
pub(crate) struct Pending<R>(Arc<Mutex<Option<R>>>);

impl<R> Pending<R> {
    /// Takes the answer, unless the deadline has given it.
    pub(crate) fn take(&self) -> Option<R> {
        self.0.lock().take()
    }
}

trait Overdue: Send + Sync {
    fn refuse_now(&self) -> bool;
}

impl<R: Refuse> Overdue for Mutex<Option<R>> {
    fn refuse_now(&self) -> bool {
        let reply = self.lock().take();
        reply.map(|reply| reply.refuse(Errno::ETIMEDOUT)).is_some()
    }
}

/// The thread that answers what is overdue.
pub(crate) struct Deadlines {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<DeadlineState>,
    wake: Condvar,
}

#[derive(Default)]
struct DeadlineState {
    /// Rounds since the start.
    round: u64,
    /// Begun calls with the round in which they began; those answered meanwhile are gone.
    pending: Vec<(u64, Weak<dyn Overdue>)>,
    stop: bool,
}

impl Deadlines {
    /// Starts the thread.
    pub(crate) fn start() -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let watching = shared.clone();
        let thread = thread::Builder::new()
            .name("homefs-deadline".into())
            .spawn(move || watching.run())
            .map_err(|cause| Error::io("start the thread for deadlines", cause))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Puts an answer under the deadline.
    pub(crate) fn begin<R: Refuse>(&self, reply: R) -> Pending<R> {
        let cell = Arc::new(Mutex::new(Some(reply)));
        let overdue: Weak<dyn Overdue> = Arc::downgrade(&(cell.clone() as Arc<dyn Overdue>));
        let mut state = self.shared.state.lock();
        // What has been answered is dropped here as well, so that the list stays short.
        if state.pending.len() >= BEGUN_MAX {
            state.pending.retain(|(_, pending)| pending.strong_count() > 0);
        }
        let round = state.round;
        state.pending.push((round, overdue));
        Pending(cell)
    }
}

impl Drop for Deadlines {
    fn drop(&mut self) {
        self.shared.state.lock().stop = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread for deadlines panicked");
        }
    }
}

impl Shared {
    fn run(&self) {
        let mut state = self.state.lock();
        while !state.stop {
            self.wake.wait_for(&mut state, ROUND);
            state.round += 1;
            let overdue = state.take_overdue();
            drop(state);
            for pending in overdue {
                if pending.refuse_now() {
                    tracing::error!("a call through the mount took longer than {DEADLINE:?}");
                }
            }
            state = self.state.lock();
        }
    }
}

impl DeadlineState {
    fn take_overdue(&mut self) -> Vec<Arc<dyn Overdue>> {
        let rounds = DEADLINE.as_secs() / ROUND.as_secs();
        let round = self.round;
        let mut overdue = Vec::new();
        self.pending.retain(|(begun, pending)| {
            let Some(pending) = pending.upgrade() else { return false };
            let is_overdue = begun + rounds < round;
            if is_overdue {
                overdue.push(pending);
            }
            !is_overdue
        });
        overdue
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// An answer that only tells how it was refused.
    struct Fake(Sender<i32>);

    impl Refuse for Fake {
        fn refuse(self, errno: Errno) {
            self.0.send(errno.code()).expect("the test listens");
        }
    }

    fn fake() -> (Fake, Receiver<i32>) {
        let (sender, refused) = channel();
        (Fake(sender), refused)
    }

    /// Wakes the thread for one round after the other, as if the time had passed.
    fn pass(deadlines: &Deadlines, rounds: u64) {
        let round = || deadlines.shared.state.lock().round;
        let end = round() + rounds;
        while round() < end {
            deadlines.shared.wake.notify_one();
            thread::yield_now();
        }
    }

    #[test]
    fn an_overdue_answer_is_refused_once() {
        let deadlines = Deadlines::start().unwrap();
        let (reply, refused) = fake();
        let pending = deadlines.begin(reply);
        let rounds = DEADLINE.as_secs() / ROUND.as_secs();
        pass(&deadlines, rounds + 1);
        assert_eq!(refused.recv(), Ok(libc::ETIMEDOUT));
        assert!(pending.take().is_none(), "the handler is too late");
        pass(&deadlines, rounds + 1);
        assert!(refused.recv().is_err(), "the answer is used up");
    }

    #[test]
    fn an_answer_is_overdue_after_the_deadline_and_not_before() {
        // Without the thread, so that only the test counts rounds.
        let deadlines = Deadlines { shared: Arc::default(), thread: None };
        let (reply, _refused) = fake();
        let pending = deadlines.begin(reply);
        let mut state = deadlines.shared.state.lock();
        state.round = DEADLINE.as_secs() / ROUND.as_secs();
        assert!(state.take_overdue().is_empty());
        state.round += 1;
        let overdue = state.take_overdue();
        assert_eq!(overdue.len(), 1);
        assert!(state.pending.is_empty(), "it is not looked for again");
        drop(state);
        // The handler comes first after all.
        assert!(pending.take().is_some());
        assert!(!overdue[0].refuse_now());
    }

    #[test]
    fn what_was_answered_is_not_kept() {
        let deadlines = Deadlines { shared: Arc::default(), thread: None };
        for _ in 0..1_000 {
            let (reply, _refused) = fake();
            assert!(deadlines.begin(reply).take().is_some());
        }
        assert!(deadlines.shared.state.lock().pending.len() <= BEGUN_MAX);
    }
}
