//! How somebody else ends a script that runs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Ends the script that a session runs, from any thread; the session goes on.
#[derive(Clone, Debug, Default)]
pub struct Interrupter(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Ends a script that waits.
    notify: Notify,
    /// Ends one that is busy, at its next command.
    flag: Mutex<Arc<AtomicBool>>,
    /// The script has used up its time.
    late: AtomicBool,
    /// Why the script has to end before that.
    why: Mutex<Option<String>>,
    /// Ends one that another process runs.
    elsewhere: Mutex<Option<Elsewhere>>,
}

/// Tells another process to end the script that it runs.
pub struct Elsewhere(pub Box<dyn Fn() + Send>);

impl fmt::Debug for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Elsewhere")
    }
}

impl Interrupter {
    /// Ends the script that runs now; none that follows.
    pub fn interrupt(&self) {
        self.0.flag.lock().store(true, Ordering::Relaxed);
        self.0.notify.notify_waiters();
        if let Some(Elsewhere(interrupt)) = &*self.0.elsewhere.lock() {
            interrupt();
        }
    }

    /// Sets what ends a script that another process runs, or takes it away.
    pub fn set_elsewhere(&self, elsewhere: Option<Elsewhere>) {
        *self.0.elsewhere.lock() = elsewhere;
    }

    /// Ends the script that runs now, for a reason that whoever asked for it is told.
    pub(crate) fn stop(&self, why: String) {
        self.0.why.lock().get_or_insert(why);
        self.interrupt();
    }

    /// Returns why the script that ran had to end.
    pub(crate) fn why(&self) -> Option<String> {
        self.0.why.lock().clone()
    }

    /// Begins a script, whose interpreter looks at `flag`.
    pub(crate) fn begin(&self, flag: Arc<AtomicBool>) {
        flag.store(false, Ordering::Relaxed);
        self.0.late.store(false, Ordering::Relaxed);
        *self.0.why.lock() = None;
        *self.0.flag.lock() = flag;
    }

    /// Notes that the script that runs has used up its time.
    pub(crate) fn note_late(&self) {
        self.0.late.store(true, Ordering::Relaxed);
    }

    /// Tells whether the script that ran has used up its time.
    pub(crate) fn is_late(&self) -> bool {
        self.0.late.load(Ordering::Relaxed)
    }

    /// Tells whether a long command should end, because its script does.
    pub(crate) fn is_over(&self) -> bool {
        self.is_late() || self.0.flag.lock().load(Ordering::Relaxed)
    }

    /// Ends when the script is to end.
    pub(crate) fn asked(&self) -> Notified<'_> {
        self.0.notify.notified()
    }
}
