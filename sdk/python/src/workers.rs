//! Threads for calls that may block. None of them ever takes the interpreter's lock.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Most threads that take turns; calls that may take long have threads of their own.
const THREADS_MAX: usize = 8;
/// A thread that had nothing to do for this long ends.
const IDLE_MAX: Duration = Duration::from_secs(10);

/// One call.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// A few threads that take turns. They end by themselves.
#[derive(Clone, Default)]
pub(crate) struct Workers(Arc<Pool>);

#[derive(Default)]
struct Pool {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

impl Workers {
    /// Has a job done in its turn.
    pub(crate) fn run(&self, job: Job) -> io::Result<()> {
        let mut state = self.0.state.lock();
        state.jobs.push_back(job);
        if state.jobs.len() <= state.idle {
            self.0.wake.notify_one();
            return Ok(());
        }
        if state.threads == THREADS_MAX {
            return Ok(());
        }
        let pool = self.0.clone();
        match thread::Builder::new().name("homefs-python".into()).spawn(move || pool.work()) {
            Ok(_) => state.threads += 1,
            // With a thread less the job waits a little longer.
            Err(_) if state.threads > 0 => {}
            Err(error) => {
                drop(state.jobs.pop_back());
                return Err(error);
            }
        }
        Ok(())
    }

    /// Has a job done at once, however long it takes.
    pub(crate) fn run_alone(job: Job) -> io::Result<()> {
        thread::Builder::new().name("homefs-python-1".into()).spawn(job).map(drop)
    }
}

impl Pool {
    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.state.lock();
                continue;
            }
            state.idle += 1;
            let waited = self.wake.wait_for(&mut state, IDLE_MAX);
            state.idle -= 1;
            if waited.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}
