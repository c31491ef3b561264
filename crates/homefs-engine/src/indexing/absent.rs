//! Files whose contents only the remote has: found by name until they are fetched.

use std::time::Duration;

use homefs_core::NodeId;
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashSet;

use crate::guard::Permit;
use crate::space::Space;

/// The files of an index that wait to be fetched.
#[derive(Default)]
pub(super) struct Absent {
    state: Mutex<State>,
    /// Signalled when something was fetched, or could not be.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    nodes: FxHashSet<NodeId>,
    /// Whether the last try failed: then nobody waits for the next.
    failed: bool,
}

impl Absent {
    /// Notes whether the content of a file is absent.
    pub(super) fn note(&self, node: NodeId, is_absent: bool) {
        let mut state = self.state.lock();
        if is_absent {
            state.nodes.insert(node);
        } else {
            state.nodes.remove(&node);
        }
    }

    /// Fetches what is absent until `stop` says so, and lets the index look at it again; tells
    /// whether anything was fetched.
    pub(super) fn fetch(&self, space: &Space, stop: impl Fn() -> bool) -> bool {
        let mut fetched = false;
        while !stop() {
            let Some(node) = self.state.lock().nodes.iter().next().copied() else { break };
            let is_here = space.chunks.lender().is_some()
                && space.read(Permit::follower(), |_| Ok(node), 0, 1).is_ok();
            let mut state = self.state.lock();
            state.failed = !is_here;
            if state.failed {
                break;
            }
            state.nodes.remove(&node);
            if let Some(unindexed) = &mut space.tree.write().unindexed {
                unindexed.nodes.insert(node);
            }
            fetched = true;
        }
        self.changed.notify_all();
        fetched
    }

    /// Tells whether there is anything to wait for.
    pub(super) fn is_awaited(&self) -> bool {
        self.state.lock().is_awaited()
    }

    /// Waits until everything is here, or the remote fails, or the time is up.
    pub(super) fn wait(&self, most: Duration) {
        let mut state = self.state.lock();
        self.changed.wait_while_for(&mut state, |state| state.is_awaited(), most);
    }
}

impl State {
    fn is_awaited(&self) -> bool {
        !self.nodes.is_empty() && !self.failed
    }
}
