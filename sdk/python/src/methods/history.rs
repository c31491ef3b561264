//! What was: versions, the trash, and what changes.

use homefs_api::{json, pages};
use homefs_core::Version;
use homefs_engine::{Cursor, Moment, View, Watched};
use pyo3::prelude::*;

use super::tree::or_root;
use super::{number, object, text};
use crate::arguments::{MomentArg, PathArg, Seconds};
use crate::errors::raise;
use crate::home::{ASKS, CHANGES, Held, Home, Manner, READS};
use crate::records::{record, records};

#[pymethods]
impl Home {
    /// Lists the versions of a file, newest first, also of a removed one.
    #[pyo3(signature = (path, *, limit=100, before=None))]
    fn log(
        &self,
        py: Python<'_>,
        path: PathArg,
        limit: usize,
        before: Option<u64>,
    ) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let work = move |held: &Held| held.client.log(&path, before.map(Version), limit);
        self.call(py, READS, work, |py, editions| {
            Ok(records(py, "Edition", &editions, json::edition)?.into_any().unbind())
        })
    }

    /// Shows how a file differs between two moments, as a unified diff; from the version before
    /// the last to now if nothing else is said.
    #[pyo3(signature = (path, from_=None, to=None))]
    fn diff(
        &self,
        py: Python<'_>,
        path: PathArg,
        from_: Option<MomentArg>,
        to: Option<MomentArg>,
    ) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let to = to.map_or(Moment::Now, |MomentArg(to)| to);
        let work = move |held: &Held| {
            let from = match from_ {
                Some(MomentArg(from)) => from,
                None => held.client.previous(&path)?,
            };
            held.client.diff(&path, from, to)
        };
        self.call(py, READS, work, text)
    }

    /// Makes an old version of a file the present one; returns the new version.
    fn restore(&self, py: Python<'_>, path: PathArg, version: MomentArg) -> PyResult<Py<PyAny>> {
        let (PathArg(path), MomentArg(moment)) = (path, version);
        self.call(py, CHANGES, move |held| held.client.restore(&path, moment), number)
    }

    /// Lists what was removed and can be brought back, the last first.
    fn trash(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let work = |held: &Held| pages::all(|after| held.client.trash(after, pages::LIMIT));
        self.call(py, READS, work, |py, items| {
            Ok(records(py, "Trashed", &items, json::trashed)?.into_any().unbind())
        })
    }

    /// Brings back what the last removal of a path took, there or to another path.
    #[pyo3(signature = (path, *, to=None))]
    fn untrash(&self, py: Python<'_>, path: PathArg, to: Option<PathArg>) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let to = to.map(|PathArg(to)| to);
        self.call(py, CHANGES, move |held| held.client.untrash(&path, to.as_ref()), number)
    }

    /// Returns the cursor of this moment, from which changes can be watched.
    fn cursor(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Some(Ok(cursor)) = self.held().client.try_here(View::cursor) {
            return object(py, cursor.to_string());
        }
        let answer = |py: Python<'_>, cursor: Cursor| object(py, cursor.to_string());
        // What is asked for after this must not come before it, or a watch would miss it.
        let manner = Manner { is_fence: true, ..READS };
        self.call(py, manner, |held| held.client.cursor(), answer)
    }

    /// Returns what changed since a cursor, where to go on, and whether only outcomes are known;
    /// waits for something at most so many seconds.
    fn _watch_once(
        &self,
        py: Python<'_>,
        path: PathArg,
        since: &str,
        wait: Seconds,
    ) -> PyResult<Py<PyAny>> {
        let (PathArg(path), Seconds(wait)) = (path, wait);
        let since: Cursor = since.parse().map_err(|error| raise(py, &error))?;
        // Whoever waits for an event loop may wait long, and must not keep a worker from others.
        let manner = if self.is_later() { ASKS } else { READS };
        let work = move |held: &Held| held.client.watch(&path, &since, wait, pages::LIMIT);
        self.call(py, manner, work, |py, watched: Watched| {
            let events = records(py, "Event", &watched.events, json::event)?;
            object(py, (events, watched.cursor.to_string(), watched.gap))
        })
    }

    /// Follows what changes at and below a path from now on, or since a cursor.
    ///
    /// Iterating waits for the next change; with a timeout it ends after so many seconds without
    /// one.
    #[pyo3(signature = (path=None, *, since=None, timeout=None))]
    fn watch<'py>(
        slf: Bound<'py, Self>,
        path: Option<PathArg>,
        since: Option<&str>,
        timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let path = or_root(path);
        let class = py.import(pyo3::intern!(py, "homefs._watch"))?.getattr("Watch")?;
        class.call1((slf, path.as_str(), since, timeout))
    }

    /// Erases a node from the tree, the history and the trash; tells what that took.
    fn purge(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let work = move |held: &Held| held.client.forget(&path, true);
        self.call(py, CHANGES, work, |py, receipt| {
            Ok(record(py, "Forgotten", json::forgotten(&receipt))?.unbind())
        })
    }
}
