//! Whether anybody uses a space: what is in use is looked at in the remote more often.
//!
//! It is asked at every look and change, so that it costs one load that all threads share; only the
//! first use after the follower has asked does more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::bell::Bell;
use crate::guard::Permit;

/// Whether somebody used a space since its follower last asked.
#[derive(Default)]
pub struct Used {
    is_used: AtomicBool,
    /// Wakes the follower, once there is one.
    bell: OnceLock<Arc<Bell>>,
}

impl Used {
    /// Notes what is done with a permit; followers do not use what they follow.
    pub fn note(&self, permit: Permit) {
        if !self.is_used.load(Ordering::Relaxed) && permit.is_bounded() {
            self.is_used.store(true, Ordering::Relaxed);
            if let Some(bell) = self.bell.get() {
                bell.ring();
            }
        }
    }

    /// Says who is woken by the next use.
    pub fn wake(&self, bell: &Arc<Bell>) {
        // A store has one bell as long as it is open.
        drop(self.bell.set(bell.clone()));
    }

    /// Tells whether somebody used it since this was asked last.
    pub fn take(&self) -> bool {
        self.is_used.swap(false, Ordering::Relaxed)
    }
}
