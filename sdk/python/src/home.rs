//! A home as Python holds it, and how its calls are made.

use std::collections::BTreeSet;
use std::mem;
use std::path::PathBuf;
use std::process;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use homefs_api::settings::{Overrides, client_options};
use homefs_api::{Call, Client, Sessions, Workers};
use homefs_core::{AgentId, Error, ErrorKind, Path};
use homefs_view::View;
use homefs_wire::Method as _;
use homefs_wire::methods::Cursor;
use parking_lot::Mutex;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde::Serialize;

use crate::arguments::Seconds;
use crate::channel::{Answer, Cancel, Channel, Line, guarded};
use crate::errors::{Result, raise};
use crate::records::answer;

/// How often a call that takes long looks whether a signal has come, such as Ctrl-C.
const SIGNALS_EVERY: Duration = Duration::from_millis(50);

/// The homes of this process that are not closed, for its end.
static OPEN: Mutex<Vec<Weak<OpenHome>>> = Mutex::new(Vec::new());

/// A home: files, memories and history of one agent.
///
/// Made by `homefs.open`. Threads may share it. In a forked child it refuses every call: open it
/// again there.
#[pyclass(module = "homefs", frozen, weakref)]
pub(crate) struct Home {
    held: Arc<OpenHome>,
    /// Where calls are answered later; without one they are answered when they return.
    later: Option<Arc<Line>>,
}

/// What a home and its asynchronous twin share.
pub(crate) struct OpenHome {
    pub(crate) client: Client,
    pub(crate) sessions: Sessions,
    read_only: bool,
    pid: u32,
}

/// How a call is made.
pub(crate) struct Manner {
    /// Whether it may take seconds: it then has a thread of its own and can be interrupted.
    pub(crate) is_long: bool,
    /// Whether it changes anything.
    pub(crate) changes: bool,
    /// Whether calls that are made after it wait for it.
    pub(crate) is_fence: bool,
    /// Ends it early.
    pub(crate) cancel: Option<Cancel>,
}

/// Reads.
pub(crate) const READS: Manner =
    Manner { is_long: false, changes: false, is_fence: false, cancel: None };
/// Changes.
pub(crate) const CHANGES: Manner = Manner { changes: true, ..READS };
/// Reads, and may take long.
pub(crate) const ASKS: Manner = Manner { is_long: true, ..READS };
/// Changes, and may take long.
pub(crate) const ASKS_TO_CHANGE: Manner = Manner { is_long: true, ..CHANGES };

#[pymethods]
impl Home {
    #[new]
    #[pyo3(signature = (
        agent=None, *, store=None, operator=false, all=false, offline=None, read_only=false,
        timeout=None, workers=false, groups=None))]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "they are the keywords of Python's class"
    )]
    fn new(
        py: Python<'_>,
        agent: Option<&str>,
        store: Option<PathBuf>,
        operator: bool,
        all: bool,
        offline: Option<bool>,
        read_only: bool,
        timeout: Option<Seconds>,
        workers: bool,
        groups: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let agent = agent.map(AgentId::new).transpose().map_err(|error| raise(py, &error))?;
        let deadline = timeout.map(|Seconds(timeout)| timeout);
        let ids = |groups: Vec<String>| -> homefs_core::Result<BTreeSet<AgentId>> {
            groups.iter().map(|group| AgentId::new(group)).collect()
        };
        let groups = groups.map(ids).transpose().map_err(|error| raise(py, &error))?;
        let overrides =
            Overrides { store, agent, groups, operator, all, deadline, offline, workers };
        // With the interpreter's lock, without which nobody changes the environment.
        let options = client_options(&overrides).map_err(|error| raise(py, &error))?;
        let opened = py.detach(|| {
            let client = Client::open(options)?;
            let sessions = Sessions::new(&client);
            Ok(Arc::new(OpenHome { client, sessions, read_only, pid: process::id() }))
        });
        let held = opened.map_err(|error: Error| raise(py, &error))?;
        let mut open = OPEN.lock();
        open.retain(|held| held.strong_count() > 0);
        open.push(Arc::downgrade(&held));
        Ok(Self { held, later: None })
    }

    /// The agent whose home it is.
    #[getter]
    fn agent(&self) -> &str {
        self.held.client.who().agent.as_str()
    }

    /// Returns a path inside the home that behaves like `pathlib.Path`.
    #[pyo3(signature = (*segments))]
    fn path<'py>(
        slf: Bound<'py, Self>,
        segments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let class = py.import(intern!(py, "homefs._path"))?.getattr(intern!(py, "HomePath"))?;
        let mut arguments = vec![slf.into_any()];
        arguments.extend(segments.iter());
        class.call1(PyTuple::new(py, arguments)?)
    }

    /// Ends the use of the home; later calls raise `Closed`. Closing twice is harmless.
    fn close(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.held.is_of_parent() {
            return Ok(py.None());
        }
        let close = |held: &OpenHome| {
            held.sessions.end_all();
            held.client.close()
        };
        self.call(py, ASKS, close, |py, ()| Ok(py.None()))
    }

    /// Returns a twin whose calls give an answer that needs no waiting, or a ticket.
    fn _later(&self, channel: &Channel) -> Self {
        Self { held: self.held.clone(), later: Some(channel.0.clone()) }
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, py: Python<'_>, _arguments: &Bound<'_, PyAny>) -> PyResult<()> {
        self.close(py).map(drop)
    }

    fn __repr__(&self) -> String {
        format!("<homefs.Home of {}>", self.agent())
    }
}

/// Closes every home that is still open.
#[pyfunction]
#[pyo3(name = "_close_all")]
pub(crate) fn close_all(py: Python<'_>) {
    py.detach(|| {
        let open = mem::take(&mut *OPEN.lock());
        for held in open.iter().filter_map(Weak::upgrade).filter(|held| !held.is_of_parent()) {
            // Nobody is left to be told, and what was acknowledged is safe.
            held.client.close().ok();
        }
    });
}

impl Home {
    /// Asks for what a method of the table does: at once if that needs no waiting.
    pub(crate) fn ask<M: Call<Answer: Serialize>>(
        &self,
        py: Python<'_>,
        method: impl FnOnce() -> Result<M>,
        class: &'static str,
    ) -> PyResult<Py<PyAny>> {
        let method = method().map_err(|error| raise(py, &error))?;
        if !self.is_fenced()
            && let Some(done) = method.at_once(&self.held.client)
        {
            return answer(py, class, &done.map_err(|error| raise(py, &error))?);
        }
        let manner = Manner {
            is_long: M::WAITS,
            changes: M::CHANGES,
            // What is asked for after a cursor must not come before it, or a watch would miss it.
            is_fence: M::NAME == Cursor::NAME,
            cancel: None,
        };
        let work = move |held: &OpenHome| method.call(&held.client);
        self.call(py, manner, work, move |py, done| answer(py, class, &done))
    }

    /// Makes a call that may block, without the interpreter's lock.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        py: Python<'_>,
        manner: Manner,
        work: impl FnOnce(&OpenHome) -> Result<T> + Send + 'static,
        answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> PyResult<Py<PyAny>> {
        self.check(py, manner.changes)?;
        if self.later.is_none() && !manner.is_long {
            let done = py.detach(|| work(&self.held));
            return answer(py, done.map_err(|error| raise(py, &error))?);
        }
        let held = self.held.clone();
        let work = move || -> Answer {
            let done = work(&held);
            Box::new(move |py| answer(py, done.map_err(|error| raise(py, &error))?))
        };
        match &self.later {
            Some(line) => {
                let ticket = line.submit(manner, work).map_err(|error| raise(py, &error))?;
                Ok(Py::new(py, ticket)?.into_any())
            }
            None => wait_alone(py, manner.cancel.as_ref(), work),
        }
    }

    /// Makes a call that is answered in memory, if this process owns the store and an event loop
    /// waits for nothing that must come first.
    #[inline]
    pub(crate) fn at_once<T>(
        &self,
        path: &Path,
        call: impl FnOnce(&View) -> Result<T>,
    ) -> Option<Result<T>> {
        if self.is_fenced() { None } else { self.held.client.at_once(path, call) }
    }

    /// Tells whether an event loop waits for something that must come first.
    #[inline]
    pub(crate) fn is_fenced(&self) -> bool {
        self.later.as_ref().is_some_and(|line| line.is_fenced())
    }

    /// Refuses what a home of a parent process, or one that is only read, cannot do.
    pub(crate) fn check(&self, py: Python<'_>, changes: bool) -> PyResult<()> {
        let error = if self.held.is_of_parent() {
            let message = "the home was opened before a fork; open it again in the child";
            Error::new(ErrorKind::Closed, message)
        } else if changes && self.held.read_only {
            Error::new(ErrorKind::ReadOnly, "the home was opened read-only")
        } else {
            return Ok(());
        };
        Err(raise(py, &error))
    }

    /// Tells whether changes are refused.
    #[inline]
    pub(crate) fn is_read_only(&self) -> bool {
        self.held.read_only
    }

    /// Tells whether a call must not wait, because an event loop does.
    #[inline]
    pub(crate) fn is_later(&self) -> bool {
        self.later.is_some()
    }

    /// Returns what calls are made on.
    pub(crate) fn held(&self) -> &OpenHome {
        &self.held
    }
}

impl OpenHome {
    fn is_of_parent(&self) -> bool {
        self.pid != process::id()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if self.held.is_of_parent() {
            // Its locks may be held by threads that only the parent has.
            mem::forget(self.held.clone());
        } else if Arc::strong_count(&self.held) == 1 {
            // A failure has been told of by the owner's thread.
            let close = || self.held.client.close().ok();
            Python::try_attach(|py| py.detach(close));
        }
    }
}

/// Has work done by a thread of its own, and meanwhile lets signals through.
pub(crate) fn wait_alone(
    py: Python<'_>,
    cancel: Option<&Cancel>,
    work: impl FnOnce() -> Answer + Send + 'static,
) -> PyResult<Py<PyAny>> {
    let (done, mut arrived) = sync_channel(1);
    Workers::run_alone(Box::new(move || drop(done.send(guarded(work)))))
        .map_err(|error| raise(py, &error))?;
    loop {
        let arrived = &mut arrived;
        match py.detach(move || arrived.recv_timeout(SIGNALS_EVERY)) {
            Ok(answer) => return answer(py),
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| {
                if let Some(cancel) = cancel {
                    cancel();
                }
            })?,
            Err(RecvTimeoutError::Disconnected) => {
                let error = Error::new(ErrorKind::Internal, "a call of homefs broke off");
                return Err(raise(py, &error));
            }
        }
    }
}
