//! The store as a whole: its remote, its sources, its state.

use std::collections::BTreeMap;
use std::time::Duration;

use homefs_api::{json, source_address};
use homefs_engine::{Direction, Side, SourceChange, SyncOptions};
use pyo3::prelude::*;

use super::{nothing, object};
use crate::arguments::{PathArg, Seconds, choice};
use crate::errors::{Result, raise};
use crate::home::{ASKS, ASKS_TO_CHANGE, CHANGES, Held, Home, READS};
use crate::records::{plain, records};

/// How long to wait for the remote if nobody says: longer than any outage.
const WAIT: Duration = Duration::from_hours(24 * 365);
/// Which way spaces are synced.
const DIRECTIONS: [(&str, Direction); 3] =
    [("both", Direction::Both), ("pull", Direction::Pull), ("push", Direction::Push)];

#[pymethods]
impl Home {
    /// Makes spaces and their remote agree; with `wait` it goes on through outages.
    #[pyo3(signature = (*, direction="both", space=None, wait=false, timeout=None))]
    fn sync(
        &self,
        py: Python<'_>,
        direction: &str,
        space: Option<&str>,
        wait: bool,
        timeout: Option<Seconds>,
    ) -> PyResult<Py<PyAny>> {
        let options = || -> Result<_> {
            let direction = choice("direction", direction, &DIRECTIONS)?;
            let space = space.map(str::parse).transpose()?;
            let wait = wait.then(|| timeout.map_or(WAIT, |Seconds(timeout)| timeout));
            Ok(SyncOptions { direction, space, wait, copies: true, ..SyncOptions::default() })
        };
        let options = options().map_err(|error| raise(py, &error))?;
        self.call(
            py,
            ASKS_TO_CHANGE,
            move |held| held.client.sync(&options),
            |py, synced| object(py, records(py, "Synced", &synced, json::synced)?),
        )
    }

    /// Tells how the store is.
    fn status(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let work = |held: &Held| {
            let client = &held.client;
            let (status, remote) = (client.status()?, client.remote()?);
            let abandoned = client.abandoned_scripts()?;
            Ok(json::status(&status, remote.as_ref(), &[], abandoned))
        };
        self.call(py, READS, work, |py, status| Ok(plain(py, status)?.unbind()))
    }

    /// Lists the conflicts that nobody has resolved, oldest first.
    fn conflicts(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.call(
            py,
            READS,
            |held| held.client.conflicts(),
            |py, conflicts| object(py, records(py, "Conflicting", &conflicts, json::conflict)?),
        )
    }

    /// Closes conflicts by number, path or pattern, and makes "ours" or "theirs" the content of
    /// their files if asked.
    #[pyo3(signature = (which, take=None))]
    fn resolve(&self, py: Python<'_>, which: String, take: Option<&str>) -> PyResult<Py<PyAny>> {
        let sides = [("ours", Side::Ours), ("theirs", Side::Theirs)];
        let take = take.map(|word| choice("take", word, &sides)).transpose();
        let take = take.map_err(|error| raise(py, &error))?;
        self.call(
            py,
            ASKS_TO_CHANGE,
            move |held| held.client.resolve(&which, take),
            |py, closed| object(py, records(py, "Conflicting", &closed, json::conflict)?),
        )
    }

    /// Keeps everything at and below a path on this machine.
    fn pin(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        self.call(py, ASKS_TO_CHANGE, move |held| held.client.pin(&path, true), nothing)
    }

    /// Keeps it there no longer.
    fn unpin(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        self.call(py, ASKS_TO_CHANGE, move |held| held.client.pin(&path, false), nothing)
    }

    /// Lists the paths that are kept on this machine.
    fn pins(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.call(
            py,
            READS,
            |held| held.client.pins(),
            |py, pins| object(py, pins.iter().map(ToString::to_string).collect::<Vec<_>>()),
        )
    }

    /// Shows a folder, a bucket or a collection below a path.
    #[pyo3(signature = (source, path, *, read_only=false, settings=None))]
    fn attach(
        &self,
        py: Python<'_>,
        source: String,
        path: PathArg,
        read_only: bool,
        settings: Option<BTreeMap<String, String>>,
    ) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let settings = settings.unwrap_or_default();
        let work = move |held: &Held| {
            let address = source_address(&source)?;
            held.client.attach_source(&path, &address, &settings, read_only)
        };
        self.call(py, ASKS_TO_CHANGE, work, nothing)
    }

    /// Shows a source no longer; what the home has itself stays.
    fn detach(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        self.call(py, CHANGES, move |held| held.client.detach_source(&path), nothing)
    }

    /// Lists the sources that are attached.
    fn sources(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.call(
            py,
            READS,
            |held| held.client.sources(),
            |py, sources| object(py, records(py, "Source", &sources, json::source)?),
        )
    }

    /// Lists what was changed over a source.
    fn changes(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        self.call(py, ASKS, move |held| held.client.source_changes(&path), changes)
    }

    /// Gives up what was changed over a source.
    fn discard_changes(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let work = move |held: &Held| held.client.discard_source_changes(&path);
        self.call(py, ASKS_TO_CHANGE, work, nothing)
    }

    /// Does to a source what was changed over it; lists what was done.
    fn write_back(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        self.call(py, ASKS_TO_CHANGE, move |held| held.client.write_back(&path), changes)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the form that every answer has")]
fn changes(py: Python<'_>, changes: Vec<SourceChange>) -> PyResult<Py<PyAny>> {
    object(py, records(py, "SourceChange", &changes, json::source_change)?)
}
