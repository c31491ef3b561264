//! Work off the thread of JavaScript.
//!
//! The choice a reader may question: calls do not use the threads of Node.js. Those are four, wait
//! with each other, and a process that exits waits for them.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use homefs_core::{Error, ErrorKind, Result};
use napi::bindgen_prelude::{JsValue, PromiseRaw, ToNapiValue};
use napi::{Env, JsDeferred};
use parking_lot::{Condvar, Mutex};

use crate::error::thrown;

/// Threads for calls that end soon; calls beyond wait for one.
const THREADS_MAX: usize = 8;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that are kept for calls that end soon.
struct Pool {
    queue: Mutex<Queue>,
    wake: Condvar,
}

struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

static POOL: Pool = Pool {
    queue: Mutex::new(Queue { jobs: VecDeque::new(), threads: 0, idle: 0 }),
    wake: Condvar::new(),
};

/// Starts a call that ends soon and returns the promise of its answer.
pub(crate) fn soon<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> napi::Result<PromiseRaw<'_, T>> {
    let (job, promise) = job(env, work)?;
    POOL.run(job)?;
    Ok(promise)
}

/// Starts a call that may wait for long, on a thread of its own, and returns the promise of its
/// answer.
pub(crate) fn late<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> napi::Result<PromiseRaw<'_, T>> {
    let (job, promise) = job(env, work)?;
    start("homefs-wait", job)?;
    Ok(promise)
}

/// Makes the job of a call, and the promise that it settles.
fn job<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> napi::Result<(Job, PromiseRaw<'_, T>)> {
    let (deferred, promise) = env.create_deferred()?;
    let promise = PromiseRaw::new(env.raw(), promise.raw());
    Ok((Box::new(move || settle(deferred, work)), promise))
}

fn settle<T: ToNapiValue + Send + 'static>(
    deferred: JsDeferred<T, Box<dyn FnOnce(Env) -> napi::Result<T>>>,
    work: impl FnOnce() -> Result<T>,
) {
    // A promise that is never settled would keep the process from its end.
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::Internal, "the call panicked, which is a defect of homefs"))
    });
    match outcome {
        Ok(value) => deferred.resolve(Box::new(move |_| Ok(value))),
        Err(error) => deferred.reject(thrown(&error)),
    }
}

impl Pool {
    fn run(&'static self, job: Job) -> napi::Result<()> {
        let mut queue = self.queue.lock();
        queue.jobs.push_back(job);
        if queue.jobs.len() <= queue.idle || queue.threads == THREADS_MAX {
            drop(queue);
            self.wake.notify_one();
            return Ok(());
        }
        match start("homefs-call", move || self.serve()) {
            Ok(()) => queue.threads += 1,
            // Those that there are will come to it.
            Err(_) if queue.threads > 0 => {}
            Err(error) => {
                queue.jobs.pop_back();
                return Err(error);
            }
        }
        Ok(())
    }

    fn serve(&self) {
        let mut queue = self.queue.lock();
        loop {
            while let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                job();
                queue = self.queue.lock();
            }
            queue.idle += 1;
            self.wake.wait(&mut queue);
            queue.idle -= 1;
        }
    }
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> napi::Result<()> {
    match thread::Builder::new().name(name.to_owned()).spawn(work) {
        Ok(_) => Ok(()),
        Err(error) => Err(thrown(&Error::io("start a thread", error))),
    }
}
