//! Threads for calls of an SDK that may block, so that its program goes on meanwhile.
//!
//! The choice a reader may question: they are not those of a language's runtime, which are few, wait
//! for each other, and are waited for when a process exits. None of these takes an interpreter's
//! lock.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use homefs_core::{Error, Result};
use parking_lot::{Condvar, Mutex};

/// Most threads that take turns; calls that may take long have threads of their own.
const THREADS_MAX: usize = 8;
/// A thread that had nothing to do for this long ends.
const IDLE_MAX: Duration = Duration::from_secs(10);

/// One call.
pub type Job = Box<dyn FnOnce() + Send>;

/// A few threads that take turns. They end by themselves.
#[derive(Clone)]
pub struct Workers(Arc<Pool>);

struct Pool {
    /// What its threads are called.
    name: &'static str,
    state: Mutex<PoolState>,
    wake: Condvar,
}

#[derive(Default)]
struct PoolState {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

impl Workers {
    /// Begins without a thread; those to come are called `name`.
    pub fn new(name: &'static str) -> Self {
        Self(Arc::new(Pool { name, state: Mutex::default(), wake: Condvar::new() }))
    }

    /// Has a job done in its turn.
    ///
    /// # Errors
    ///
    /// If there is no thread and none can be started; the job is dropped then.
    pub fn run(&self, job: Job) -> Result<()> {
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
        match start(self.0.name, move || pool.work()) {
            Ok(()) => state.threads += 1,
            // With a thread less the job waits a little longer.
            Err(_) if state.threads > 0 => {}
            Err(error) => {
                drop(state.jobs.pop_back());
                return Err(error);
            }
        }
        Ok(())
    }

    /// Has a job done at once by a thread of its own, however long it takes.
    ///
    /// # Errors
    ///
    /// If no thread can be started; the job is dropped then.
    pub fn run_alone(job: Job) -> Result<()> {
        start("homefs-wait", job)
    }
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    started.map(drop).map_err(|cause| Error::io("start a thread", cause))
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
