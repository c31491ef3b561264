//! Scripts on a home.

use std::sync::{Arc, OnceLock};

use homefs_api::{Interrupter, Limits, ShellCall, json};
use pyo3::prelude::*;

use crate::arguments::{Content, Seconds};
use crate::channel::Cancel;
use crate::home::{ASKS_TO_CHANGE, Home, Manner, OpenHome};
use crate::records::answer;

#[pymethods]
impl Home {
    /// Runs a script on the files of the home, in a worker if it was opened with `workers`; starts
    /// nothing on the host.
    ///
    /// The scripts of a named session follow one another: directory, variables and functions stay.
    #[pyo3(signature = (script, *, session=None, timeout=None, stdin=None))]
    fn sh(
        &self,
        py: Python<'_>,
        script: String,
        session: Option<String>,
        timeout: Option<Seconds>,
        stdin: Option<Content<'_>>,
    ) -> PyResult<Py<PyAny>> {
        let mut limits = Limits::default();
        limits.time = timeout.map_or(limits.time, |Seconds(timeout)| timeout);
        let stdin = stdin.map(|Content(stdin)| stdin.into_owned()).unwrap_or_default();
        let call = ShellCall { script, limits, stdin, ..ShellCall::default() };
        let running: Arc<OnceLock<Interrupter>> = Arc::default();
        let told = running.clone();
        let cancel: Cancel = Box::new(move || {
            if let Some(interrupter) = running.get() {
                interrupter.interrupt();
            }
        });
        let manner = Manner { cancel: Some(cancel), ..ASKS_TO_CHANGE };
        let work = move |held: &OpenHome| {
            // Told once, since one script is run.
            let starts = |interrupter| drop(told.set(interrupter));
            held.sessions.run_told(session.as_deref(), call, starts)
        };
        self.call(py, manner, work, |py, output| answer(py, "Output", &json::output(output)))
    }
}
