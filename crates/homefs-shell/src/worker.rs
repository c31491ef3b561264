//! The thread on which a session runs, and what happens if it does not come back.
//!
//! The engine checks deadlines between steps, but one step can be long: a matcher that tries
//! everything, a large file. So scripts run on a thread of their own, and whoever asked waits for
//! the deadline and not for the script. A thread that cannot be stopped is left alone and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use homefs_core::{Error, ErrorKind, Result};

use crate::shell::{Call, Look, Output};

/// Most threads that may be left alone before calls are refused.
pub const ABANDONED_MAX: usize = 4;

/// How long after its deadline a script may still answer.
const GRACE: Duration = Duration::from_millis(500);

/// Scripts nest functions, loops and substitutions on the stack of their thread.
const STACK_BYTES: usize = 64 << 20;

/// Counts the threads of all shells of a process that did not come back.
#[derive(Debug, Default)]
pub struct Workers {
    abandoned: AtomicUsize,
}

impl Workers {
    /// Returns how many threads still run a script that was given up.
    pub fn abandoned_scripts(&self) -> usize {
        self.abandoned.load(Ordering::SeqCst)
    }

    /// Refuses if too many threads are lost already.
    pub(crate) fn check(&self) -> Result<()> {
        let abandoned = self.abandoned_scripts();
        if abandoned < ABANDONED_MAX {
            return Ok(());
        }
        let message = format!("{abandoned} scripts ignore their deadline: no more are started");
        Err(Error::new(ErrorKind::Unavailable, message))
    }
}

/// How often whoever waits for a script looks around.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How often whoever asks looks for the answer before it sleeps, and the thread for the next script:
/// about as long as small scripts take, and as a caller takes that asks again at once.
const LOOKS_FOR_ANSWER: usize = 100;
const LOOKS_FOR_REQUEST: usize = 30;

/// Receives what comes at once.
///
/// It gives way between two looks: both may be on one core, and then spinning keeps the other from
/// its work for ten times as long as that takes.
fn soon<T>(receiver: &Receiver<T>, looks: usize) -> Option<T> {
    for _ in 0..looks {
        match receiver.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Empty) => thread::yield_now(),
            Err(TryRecvError::Disconnected) => return None,
        }
    }
    None
}

/// What runs scripts, on the thread that made it.
pub(crate) trait Runner {
    /// Runs one script.
    fn run(&mut self, call: Call) -> Output;
    /// Returns the working directory.
    fn directory(&self) -> String;
}

enum Request {
    Run(Box<Call>),
    Directory,
}

enum Answer {
    Ran(Output),
    Directory(String),
}

/// A thread that runs the scripts of one session, one after another.
pub(crate) struct Worker {
    requests: Sender<Request>,
    answers: Receiver<Answer>,
    /// Counted as abandoned by whoever gives it up; the thread itself takes that back at its end.
    state: Arc<State>,
    workers: Arc<Workers>,
}

/// What becomes of a thread, as a number that only rises.
#[derive(Default)]
struct State(AtomicUsize);

const RUNNING: usize = 0;
const ABANDONED: usize = 1;
const ENDED: usize = 2;

impl Worker {
    /// Starts a thread.
    pub(crate) fn start<R: Runner>(
        workers: &Arc<Workers>,
        make: impl FnOnce() -> Result<R> + Send + 'static,
    ) -> Result<Self> {
        let (requests, inbox) = channel();
        let (outbox, answers) = channel();
        let state = Arc::new(State::default());
        let ending = Ending { state: state.clone(), workers: workers.clone() };
        let run = move || {
            let _ending = ending;
            let Ok(mut runner) = make() else { return };
            while let Some(request) = soon(&inbox, LOOKS_FOR_REQUEST).or_else(|| inbox.recv().ok())
            {
                let answer = match request {
                    Request::Run(call) => Answer::Ran(runner.run(*call)),
                    Request::Directory => Answer::Directory(runner.directory()),
                };
                if outbox.send(answer).is_err() {
                    return;
                }
            }
        };
        let builder = thread::Builder::new().name("homefs-shell".into()).stack_size(STACK_BYTES);
        builder.spawn(run).map_err(|cause| Error::io("start a thread for a shell", cause))?;
        Ok(Self { requests, answers, state, workers: workers.clone() })
    }

    /// Runs a script, and calls `late` if its time is over and it still runs; `None` if it does
    /// not end soon after that, and then the worker is of no use any more.
    pub(crate) fn run(
        &self,
        call: Call,
        look: Option<Look<'_>>,
        late: impl FnOnce(),
    ) -> Result<Option<Output>> {
        let time = call.limits.time;
        self.requests.send(Request::Run(Box::new(call))).map_err(|_| ended())?;
        let answer = soon(&self.answers, LOOKS_FOR_ANSWER);
        let mut answer = answer.map_or_else(|| self.wait(time, look), Ok);
        if let Err(RecvTimeoutError::Timeout) = answer {
            late();
            answer = self.answers.recv_timeout(GRACE);
        }
        match answer {
            Ok(Answer::Ran(output)) => Ok(Some(output)),
            Ok(Answer::Directory(_)) | Err(RecvTimeoutError::Disconnected) => Err(ended()),
            Err(RecvTimeoutError::Timeout) => {
                let state = &self.state.0;
                let was =
                    state.compare_exchange(RUNNING, ABANDONED, Ordering::SeqCst, Ordering::SeqCst);
                if was.is_ok() {
                    self.workers.abandoned.fetch_add(1, Ordering::SeqCst);
                }
                Ok(None)
            }
        }
    }

    /// Waits for an answer so long, as far as whoever looks wants that.
    fn wait(&self, time: Duration, look: Option<Look<'_>>) -> Result<Answer, RecvTimeoutError> {
        let Some(look) = look else { return self.answers.recv_timeout(time) };
        let mut left = time;
        loop {
            let slice = left.min(LOOK_EVERY);
            left -= slice;
            match self.answers.recv_timeout(slice) {
                Err(RecvTimeoutError::Timeout) if !look() => {
                    return Err(RecvTimeoutError::Disconnected);
                }
                Err(RecvTimeoutError::Timeout) if !left.is_zero() => {}
                answer => return answer,
            }
        }
    }

    /// Returns the working directory of the session.
    pub(crate) fn directory(&self) -> Result<String> {
        self.requests.send(Request::Directory).map_err(|_| ended())?;
        match self.answers.recv() {
            Ok(Answer::Directory(directory)) => Ok(directory),
            Ok(Answer::Ran(_)) | Err(_) => Err(ended()),
        }
    }
}

/// Says that a thread is gone, however it ended.
struct Ending {
    state: Arc<State>,
    workers: Arc<Workers>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        if self.state.0.swap(ENDED, Ordering::SeqCst) == ABANDONED {
            self.workers.abandoned.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn ended() -> Error {
    Error::new(ErrorKind::Internal, "the thread of the shell ended")
}
