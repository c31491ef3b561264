//! The memory tool of Anthropic, for its adapter.

use homefs_api::MemoryCommand;
use pyo3::prelude::*;

use super::text;
use crate::errors::invalid;
use crate::home::{CHANGES, Home, READS};

#[pymethods]
impl Home {
    /// Does what a command of the memory tool, as JSON, asks for; returns what the tool says.
    fn _memory_command(&self, py: Python<'_>, command: &str) -> PyResult<Py<PyAny>> {
        let command: MemoryCommand = serde_json::from_str(command)
            .map_err(|cause| invalid(py, format!("no command of the memory tool: {cause}")))?;
        let manner = if command.changes() { CHANGES } else { READS };
        self.call(py, manner, move |held| held.client.memory_command(&command), text)
    }

    /// Removes all that the memory tool sees, to the trash.
    fn _clear_memories(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.call(py, CHANGES, |held| held.client.clear_memories(), text)
    }
}
