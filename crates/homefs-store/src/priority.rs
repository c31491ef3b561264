//! Who goes first when threads are more than cores.

/// Lets every other thread go before this one, which nobody waits for.
pub fn step_back() {
    let me = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(me), 10) {
        tracing::debug!(%error, "a thread in the background runs as fast as everybody else");
    }
}
