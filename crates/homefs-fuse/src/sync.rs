//! Barriers for `fsync`, on a thread of their own: a sync takes milliseconds, and the threads that
//! serve the kernel must not wait for it. Whoever asks meanwhile shares the next barrier.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use fuser::ReplyEmpty;
use homefs_core::{Error, Result};
use homefs_engine::{NodeRef, Nodes};
use parking_lot::{Condvar, Mutex};

use crate::errno::errno;

/// The thread that answers `fsync`.
pub(crate) struct Syncer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<(Option<NodeRef>, ReplyEmpty)>,
    stop: bool,
}

impl Syncer {
    /// Starts the thread.
    pub(crate) fn start(nodes: Arc<Nodes>) -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let serving = shared.clone();
        let thread = thread::Builder::new()
            .name("homefs-fsync".into())
            .spawn(move || serving.run(&nodes))
            .map_err(|cause| Error::io("start the thread for fsync", cause))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Answers once everything acknowledged so far survives power loss. A file that is given
    /// becomes a version of its history.
    pub(crate) fn push(&self, node: Option<NodeRef>, reply: ReplyEmpty) {
        self.shared.state.lock().waiting.push((node, reply));
        self.shared.wake.notify_one();
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.shared.state.lock().stop = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread for fsync panicked");
        }
    }
}

impl Shared {
    fn run(&self, nodes: &Nodes) {
        loop {
            let mut state = self.state.lock();
            self.wake.wait_while(&mut state, |state| state.waiting.is_empty() && !state.stop);
            let waiting = std::mem::take(&mut state.waiting);
            if waiting.is_empty() {
                return;
            }
            drop(state);
            let settled = waiting
                .into_iter()
                .map(|(node, reply)| (node.map_or(Ok(()), |node| nodes.settle(&node)), reply));
            let settled: Vec<_> = settled.collect();
            let barrier = nodes.barrier();
            for (settled, reply) in settled {
                match settled.and_then(|()| barrier.clone()) {
                    Ok(()) => reply.ok(),
                    Err(error) => reply.error(errno(&error)),
                }
            }
        }
    }
}
