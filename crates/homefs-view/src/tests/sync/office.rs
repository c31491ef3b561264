//! Machines in a test that share a server and a clock.

use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Clock as _, Timestamp};
use homefs_testkit::{MemoryServer, VirtualClock};

use super::desk::Desk;

pub(super) const DAY: Duration = Duration::from_hours(24);

/// Machines, their server, and the time that all share.
pub(super) struct Office {
    pub(super) server: MemoryServer,
    pub(super) clock: Arc<VirtualClock>,
    pub(super) desks: Vec<Desk>,
}

impl Office {
    /// Sets up so many machines.
    pub(super) fn new(count: u64) -> Self {
        let (server, clock) = (MemoryServer::new(), Arc::new(VirtualClock::new(Timestamp(0))));
        let mut office = Self { server, clock, desks: Vec::new() };
        // Whatever a test looks back on is after the epoch.
        office.pass(DAY * 1000);
        (0..count).for_each(|_| office.hire());
        office
    }

    /// Adds a machine.
    pub(super) fn hire(&mut self) {
        let number = self.desks.len() as u64 + 1;
        self.desks.push(Desk::new(&self.server, number, &self.clock));
    }

    /// Lets time pass.
    pub(super) fn pass(&self, time: Duration) {
        self.clock.advance(time);
        self.server.set_now(self.now());
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
