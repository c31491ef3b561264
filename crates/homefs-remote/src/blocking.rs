//! Waiting for async work from threads that know nothing of it, or drive a runtime of their own.

use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Handle, Runtime};

/// Runs a future to its end while the caller waits.
pub(crate) fn wait_for<F>(runtime: &Runtime, future: F) -> F::Output
where
    F: Future + Send,
    F::Output: Send,
{
    if Handle::try_current().is_err() {
        return runtime.block_on(future);
    }
    // A thread that drives a runtime, as a shell's does, may not wait in another; this one may.
    let waited = thread::scope(|scope| scope.spawn(|| runtime.block_on(future)).join());
    waited.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Ends a runtime, and waits for what it has under way where the caller's thread may.
pub(crate) fn end(runtime: Runtime, wait_max: Duration) {
    if Handle::try_current().is_err() {
        runtime.shutdown_timeout(wait_max);
    } else {
        runtime.shutdown_background();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap()
    }

    #[test]
    fn one_runtime_waits_for_another() {
        let (outer, inner) = (runtime(), runtime());
        assert_eq!(wait_for(&outer, async { 1 }), 1);
        assert_eq!(outer.block_on(async { wait_for(&inner, async { 2 }) }), 2);
        outer.block_on(async { end(inner, Duration::from_secs(1)) });
        end(outer, Duration::from_secs(1));
    }
}
