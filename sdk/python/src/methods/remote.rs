//! A new store of what a remote has.

use std::path::PathBuf;

use homefs_api::settings::{Overrides, client_options};
use homefs_api::{RemoteConfig, clone_remote};
use homefs_core::AgentId;
use homefs_wire::methods::RemoteAdd;
use pyo3::prelude::*;

use super::nothing;
use crate::channel::Answer;
use crate::errors::raise;
use crate::home::wait_alone;

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
    let remote =
        RemoteAdd { address, endpoint, region, virtual_host, single_writer, machine, read_only };
    let config = RemoteConfig::from(remote);
    wait_alone(py, None, move || -> Answer {
        let cloned = clone_remote(&options, &config).map(drop);
        Box::new(move |py| nothing(py, cloned.map_err(|error| raise(py, &error))?))
    })
}
