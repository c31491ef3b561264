//! What wakes the follower.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// What wakes the follower.
#[derive(Default)]
pub struct Bell {
    rung: Mutex<bool>,
    heard: Condvar,
}

impl Bell {
    /// Wakes the follower, if there is one.
    pub fn ring(&self) {
        *self.rung.lock() = true;
        self.heard.notify_one();
    }

    /// Waits until it is rung, or was since the last wait.
    pub fn wait(&self, longest: Duration) {
        let mut rung = self.rung.lock();
        self.heard.wait_while_for(&mut rung, |rung| !*rung, longest);
        *rung = false;
    }
}
