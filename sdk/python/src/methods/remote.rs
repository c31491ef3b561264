//! The remote of a store: attaching one, letting it go, and a new store of what one has.

use std::path::PathBuf;

use homefs_api::settings::{Overrides, client_options};
use homefs_api::{RemoteConfig, clone_remote, machine_name};
use homefs_core::AgentId;
use pyo3::prelude::*;

use super::{count, nothing};
use crate::channel::Answer;
use crate::errors::raise;
use crate::home::{ASKS_TO_CHANGE, Home, wait_alone};

#[pymethods]
impl Home {
    /// Attaches a remote to the store, where copies of all its homes are kept.
    #[pyo3(signature = (
        address, *, endpoint=None, region=None, virtual_host=false, single_writer=false,
        machine=None, read_only=false))]
    #[expect(clippy::too_many_arguments, reason = "they are the keywords of Python's method")]
    fn remote_add(
        &self,
        py: Python<'_>,
        address: String,
        endpoint: Option<String>,
        region: Option<String>,
        virtual_host: bool,
        single_writer: bool,
        machine: Option<String>,
        read_only: bool,
    ) -> PyResult<Py<PyAny>> {
        let config = RemoteConfig {
            address,
            endpoint,
            region,
            path_style: !virtual_host,
            single_writer,
            machine_name: machine.unwrap_or_else(machine_name),
            read_only,
            ..RemoteConfig::default()
        };
        let work = move |held: &crate::home::Held| held.client.remote_add(&config).map(drop);
        self.call(py, ASKS_TO_CHANGE, work, nothing)
    }

    /// Fetches what only the remote has, unless that is forgone by `force`, and lets the remote go.
    #[pyo3(signature = (*, force=false))]
    fn remote_rm(&self, py: Python<'_>, force: bool) -> PyResult<Py<PyAny>> {
        self.call(py, ASKS_TO_CHANGE, move |held| held.client.remote_rm(force), count)
    }
}

/// Makes a new store of what a remote has.
#[pyfunction]
#[pyo3(name = "_clone", signature = (
    address, agent, store, endpoint, region, virtual_host, single_writer, machine, read_only))]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of Python's function")]
pub(crate) fn clone(
    py: Python<'_>,
    address: String,
    agent: Option<&str>,
    store: Option<PathBuf>,
    endpoint: Option<String>,
    region: Option<String>,
    virtual_host: bool,
    single_writer: bool,
    machine: Option<String>,
    read_only: bool,
) -> PyResult<Py<PyAny>> {
    let agent = agent.map(AgentId::new).transpose().map_err(|error| raise(py, &error))?;
    let overrides = Overrides { store, agent, ..Overrides::default() };
    // With the interpreter's lock, without which nobody changes the environment.
    let options = client_options(&overrides).map_err(|error| raise(py, &error))?;
    let config = RemoteConfig {
        address,
        endpoint,
        region,
        path_style: !virtual_host,
        single_writer,
        machine_name: machine.unwrap_or_else(machine_name),
        read_only,
        ..RemoteConfig::default()
    };
    wait_alone(py, None, move || -> Answer {
        let cloned = clone_remote(&options, &config).map(drop);
        Box::new(move |py| nothing(py, cloned.map_err(|error| raise(py, &error))?))
    })
}
