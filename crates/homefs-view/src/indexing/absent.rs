//! Files whose contents only the remote has: found by name until somebody reads them, or until they
//! are fetched for the index. That costs no more than is allowed: small files, and so many bytes.

use std::time::Duration;

use homefs_core::NodeId;
use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_store::guard::Permit;
use homefs_store::space::Space;
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;

/// Larger files are not fetched to be searched.
const FILE_BYTES_MAX: u64 = INLINE_BYTES_MAX as u64;

/// The files of an index that are not here.
pub(super) struct Absent {
    state: Mutex<FetchState>,
    /// Signalled when something was fetched, or could not be.
    changed: Condvar,
}

struct FetchState {
    /// Those that are fetched, each with its length.
    wanted: FxHashMap<NodeId, u64>,
    /// Those that are not.
    left: FxHashMap<NodeId, u64>,
    /// Bytes that may still be fetched.
    allowance: u64,
    /// How often contents had come when all were last looked at.
    loans: u64,
    /// Whether the last try failed: then nobody waits for the next.
    failed: bool,
}

impl Absent {
    /// Knows of none, and fetches so many bytes at most.
    pub(super) fn new(allowance: u64) -> Self {
        let (wanted, left) = (FxHashMap::default(), FxHashMap::default());
        let state = FetchState { wanted, left, allowance, loans: 0, failed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Notes whether the content of a file is absent, and how long it is.
    pub(super) fn note(&self, node: NodeId, absent: Option<u64>) {
        let mut state = self.state.lock();
        state.wanted.remove(&node);
        state.left.remove(&node);
        if let Some(size) = absent {
            let is_wanted = size <= FILE_BYTES_MAX;
            let files = if is_wanted { &mut state.wanted } else { &mut state.left };
            files.insert(node, size);
        }
    }

    /// Fetches what is absent until `stop` says so, and lets the index look at it again; tells
    /// whether anything was fetched.
    pub(super) fn fetch(&self, space: &Space, stop: impl Fn() -> bool) -> bool {
        let mut fetched = false;
        while !stop() {
            let Some((node, size)) = self.state.lock().next() else { break };
            let is_here = space.chunks.lender().is_some()
                && space.read(Permit::follower(), |_| Ok(node), 0, 1).is_ok();
            let mut state = self.state.lock();
            state.failed = !is_here;
            if state.failed {
                break;
            }
            state.wanted.remove(&node);
            state.allowance = state.allowance.saturating_sub(size);
            space.note_unindexed([node]);
            fetched = true;
        }
        self.changed.notify_all();
        fetched
    }

    /// Lets the index look again at what may have come since, for whoever read it.
    pub(super) fn look_again(&self, space: &Space) {
        let loans = space.chunks.loan_count();
        let mut state = self.state.lock();
        if state.loans == loans {
            return;
        }
        state.loans = loans;
        let nodes: Vec<NodeId> = state.nodes().collect();
        drop(state);
        space.note_unindexed(nodes);
    }

    /// Tells whether there is anything to wait for.
    pub(super) fn is_awaited(&self) -> bool {
        self.state.lock().is_awaited()
    }

    /// Returns the files that are not here.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        self.state.lock().nodes().collect()
    }

    /// Waits until everything is here that is fetched, or the remote fails, or the time is up.
    pub(super) fn wait(&self, most: Duration) {
        let mut state = self.state.lock();
        self.changed.wait_while_for(&mut state, |state| state.is_awaited(), most);
    }
}

impl FetchState {
    /// Returns what is fetched next.
    fn next(&self) -> Option<(NodeId, u64)> {
        let (node, size) = self.wanted.iter().next()?;
        (*size <= self.allowance).then_some((*node, *size))
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.wanted.keys().chain(self.left.keys()).copied()
    }

    fn is_awaited(&self) -> bool {
        self.next().is_some() && !self.failed
    }
}
