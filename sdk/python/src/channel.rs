//! Answers on their way to an event loop.
//!
//! A worker leaves an answer here and makes a socket readable; the loop then fetches what is
//! there. An answer is turned into objects of Python by the loop, which holds the interpreter's
//! lock anyway: a worker never waits for it, and nothing of Python is lost with a loop that ends
//! early.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use homefs_api::{Job, Workers};
use homefs_core::{Error, ErrorKind, Result};
use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::errors::raise;
use crate::home::Manner;

/// What a call came to, still to be turned into objects of Python.
pub(crate) type Answer = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;
/// Ends a call early.
pub(crate) type Cancel = Box<dyn Fn() + Send + Sync>;

/// Carries the answers of calls to one event loop.
#[pyclass(module = "homefs._homefs", frozen)]
pub(crate) struct Channel(pub(crate) Arc<Line>);

/// Stands for the answer that a channel will carry.
#[pyclass(module = "homefs._homefs", frozen)]
pub(crate) struct Ticket {
    /// The number under which the answer arrives.
    #[pyo3(get)]
    number: u64,
}

/// Both ends of a channel.
pub(crate) struct Line {
    drawn: AtomicU64,
    arrived: Mutex<Vec<(u64, Answer)>>,
    cancels: Mutex<HashMap<u64, Cancel>>,
    /// The end of the last call that those after it wait for.
    fence: Mutex<Arc<OnceLock<()>>>,
    bell: UnixStream,
    ear: UnixStream,
    workers: Workers,
}

#[pymethods]
impl Channel {
    #[new]
    fn new() -> PyResult<Self> {
        let (bell, ear) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        ear.set_nonblocking(true)?;
        Ok(Self(Arc::new(Line {
            drawn: AtomicU64::new(0),
            arrived: Mutex::default(),
            cancels: Mutex::default(),
            fence: Mutex::new(Arc::new(OnceLock::from(()))),
            bell,
            ear,
            workers: Workers::new("homefs-python"),
        })))
    }

    /// Returns what becomes readable when an answer arrives.
    fn fileno(&self) -> RawFd {
        self.0.ear.as_raw_fd()
    }

    /// Returns what has arrived: number, answer and exception, of which one is None.
    #[expect(clippy::type_complexity, reason = "a triple for Python, named nowhere else")]
    fn take(&self, py: Python<'_>) -> Vec<(u64, Option<Py<PyAny>>, Option<Py<PyAny>>)> {
        // Heard before looking: what arrives in between rings once more.
        let mut rings = [0; 64];
        while matches!((&self.0.ear).read(&mut rings), Ok(read) if read == rings.len()) {}
        let arrived = std::mem::take(&mut *self.0.arrived.lock());
        let answers = arrived.into_iter().map(|(number, answer)| match answer(py) {
            Ok(answer) => (number, Some(answer), None),
            Err(error) => (number, None, Some(error.into_value(py).into_any())),
        });
        answers.collect()
    }

    /// Ends a call early, if it can be.
    fn cancel(&self, number: u64) {
        if let Some(cancel) = self.0.cancels.lock().get(&number) {
            cancel();
        }
    }
}

impl Line {
    /// Has work done by a worker, or by a thread of its own if it may take long.
    pub(crate) fn submit(
        self: &Arc<Self>,
        manner: Manner,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Result<Ticket> {
        let number = self.drawn.fetch_add(1, Ordering::Relaxed);
        if let Some(cancel) = manner.cancel {
            self.cancels.lock().insert(number, cancel);
        }
        let (fence, done) = self.pass_fence(manner.is_fence);
        let (line, opened) = (self.clone(), done.clone());
        let job: Job = Box::new(move || {
            // What it waits for has a worker already, since it came first.
            fence.wait();
            let answer = guarded(work);
            done.get_or_init(|| ());
            line.deliver(number, answer);
        });
        let run = if manner.is_long { Workers::run_alone(job) } else { self.workers.run(job) };
        run.inspect_err(|_| *opened.get_or_init(|| ()))?;
        Ok(Ticket { number })
    }

    /// Tells whether calls have to wait for an earlier one.
    pub(crate) fn is_fenced(&self) -> bool {
        self.fence.lock().get().is_none()
    }

    /// Returns what a call waits for, and what it ends: the next fence, or nothing.
    fn pass_fence(&self, is_fence: bool) -> (Arc<OnceLock<()>>, Arc<OnceLock<()>>) {
        let mut fence = self.fence.lock();
        let before = fence.clone();
        if is_fence {
            *fence = Arc::default();
        }
        (before, fence.clone())
    }

    fn deliver(&self, number: u64, answer: Answer) {
        self.cancels.lock().remove(&number);
        let mut arrived = self.arrived.lock();
        let is_first = arrived.is_empty();
        arrived.push((number, answer));
        drop(arrived);
        if is_first {
            // If the socket is full it is readable all the more.
            (&self.bell).write_all(&[0]).ok();
        }
    }
}

/// Does work; a defect becomes an error instead of a call that never ends.
pub(crate) fn guarded(work: impl FnOnce() -> Answer) -> Answer {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let error = Error::new(ErrorKind::Internal, "a call of homefs broke off, a defect");
        Box::new(move |py| Err(raise(py, &error)))
    })
}
