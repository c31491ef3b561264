//! The signals that end a process as something to wait for.

use std::io;

use homefs_core::{Error, Result};
use nix::sys::signal::{SigSet, Signal};

/// SIGINT, SIGTERM, and SIGHUP of a terminal that closes.
#[derive(Clone, Copy)]
pub(crate) struct Signals(SigSet);

impl Signals {
    /// Keeps them from ending the process; only threads that start later are covered too.
    pub(crate) fn hold_back() -> Result<Self> {
        let signals = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
        signals.thread_block().map_err(|error| failed("hold signals back", error))?;
        Ok(Self(signals))
    }

    /// Waits for one of them.
    pub(crate) fn wait(self) -> Result<()> {
        self.0.wait().map(drop).map_err(|error| failed("wait for a signal", error))
    }

    /// Lets the next one end the process.
    pub(crate) fn release(self) -> Result<()> {
        self.0.thread_unblock().map_err(|error| failed("let signals through", error))
    }
}

fn failed(attempt: &str, error: nix::errno::Errno) -> Error {
    Error::io(attempt, io::Error::from(error))
}
