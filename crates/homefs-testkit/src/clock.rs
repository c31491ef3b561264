//! A clock that moves only when it is told to.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use homefs_core::{Clock, Timestamp};

/// A clock that stands still until a test moves it.
#[derive(Debug, Default)]
pub struct VirtualClock {
    nanos: AtomicI64,
    steady: AtomicI64,
}

impl VirtualClock {
    /// Makes a clock that shows `now`.
    pub fn new(now: Timestamp) -> Self {
        Self { nanos: AtomicI64::new(now.0), steady: AtomicI64::new(now.0) }
    }

    /// Shows `now` from here on, be it earlier or later; no time passes by that.
    pub fn set(&self, now: Timestamp) {
        self.nanos.store(now.0, Ordering::SeqCst);
    }

    /// Moves forward.
    pub fn advance(&self, duration: Duration) {
        let nanos = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        self.nanos.fetch_add(nanos, Ordering::SeqCst);
        self.steady.fetch_add(nanos, Ordering::SeqCst);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.nanos.load(Ordering::SeqCst))
    }

    fn steady(&self) -> Timestamp {
        Timestamp(self.steady.load(Ordering::SeqCst))
    }
}
