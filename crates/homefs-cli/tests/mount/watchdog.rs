//! Ends a mount that hangs, so that a test fails instead of waiting for ever.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Mounted, is_plain};
use crate::tools::say;

/// A thread that aborts the mount unless it is dismissed in time.
pub(crate) struct Watchdog {
    state: Arc<State>,
    dismiss: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread knows of the mount.
struct State {
    /// The process that serves the mount.
    process: Pid,
    /// The number of the kernel's connection; 0 until it is known.
    connection: AtomicU64,
    /// Whether the mount was aborted.
    fired: AtomicBool,
}

impl Watchdog {
    /// Watches a process that is about to serve a mount.
    pub(crate) fn start(process: Pid, limit: Duration) -> Self {
        let state = Arc::new(State {
            process,
            connection: AtomicU64::new(0),
            fired: AtomicBool::new(false),
        });
        let (dismiss, dismissed) = channel();
        let seen = Arc::clone(&state);
        // It has the name of the test, which is what it talks about.
        let name = std::thread::current().name().unwrap_or("a test").to_owned();
        let thread = std::thread::Builder::new()
            .name(name)
            .spawn(move || seen.wait(&dismissed, limit))
            .expect("a thread starts");
        Self { state, dismiss: Some(dismiss), thread: Some(thread) }
    }

    /// Tells which connection serves the mount, by the device number of its root.
    pub(crate) fn mounted(&self, device: u64) {
        self.state.connection.store(rustix::fs::minor(device).into(), Ordering::Relaxed);
    }

    /// Ends the watch and tells whether the mount was aborted.
    pub(crate) fn dismiss(&mut self) -> bool {
        drop(self.dismiss.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the watchdog does not panic");
        }
        self.state.fired.load(Ordering::Relaxed)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.dismiss();
    }
}

impl State {
    fn wait(&self, dismissed: &Receiver<()>, limit: Duration) {
        if dismissed.recv_timeout(limit) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
        self.fired.store(true, Ordering::Relaxed);
        let connection = self.connection.load(Ordering::Relaxed);
        say(&format!("the test takes longer than {limit:?}: aborting connection {connection}"));
        let abort = format!("/sys/fs/fuse/connections/{connection}/abort");
        // The process is killed too: without a connection number that is all there is to end.
        if Path::new(&abort).exists() {
            drop(std::fs::write(&abort, "1"));
        }
        let _ = kill_process(self.process, Signal::KILL);
    }
}

#[test]
fn a_mount_that_hangs_is_aborted() {
    if is_plain() {
        return;
    }
    let Some(mut mounted) = Mounted::new(3) else { return };
    mounted.stop();
    // The kernel waits for an answer until the connection is aborted.
    assert!(std::fs::metadata(mounted.path("a.md")).is_err());
    assert!(mounted.was_aborted());
}
