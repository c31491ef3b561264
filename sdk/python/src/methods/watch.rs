//! Following what changes.

use homefs_api::pages;
use homefs_view::{Cursor, Watched};
use pyo3::prelude::*;

use super::object;
use super::tree::or_root;
use crate::arguments::{PathArg, Seconds};
use crate::errors::raise;
use crate::home::{ASKS, Home, OpenHome, READS};
use crate::records::answer;

#[pymethods]
impl Home {
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
        let work = move |held: &OpenHome| held.client.watch(&path, &since, wait, pages::LIMIT);
        self.call(py, manner, work, |py, watched: Watched| {
            let events = answer(py, "Event", &watched.events)?;
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
}
