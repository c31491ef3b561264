//! How a server is told to end.

use tokio_util::sync::CancellationToken;

/// Ends the servers that were given it; clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Stop(CancellationToken);

impl Stop {
    /// Makes one that nobody has used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends them, from any thread.
    pub fn stop(&self) {
        self.0.cancel();
    }

    pub(crate) fn token(&self) -> CancellationToken {
        self.0.clone()
    }
}
