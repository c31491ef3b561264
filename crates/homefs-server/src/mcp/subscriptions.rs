//! Telling clients of files that change.
//!
//! One thread follows the home, from the first subscription to the last, and tells everybody of
//! each path that changed; each subscription picks what it wants.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use homefs_api::Client;
use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_view::Cursor;
use parking_lot::Mutex;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};
use tokio::task::AbortHandle;

/// How long the thread waits before it looks whether anybody is left to tell.
const SLICE: Duration = Duration::from_secs(1);
/// Changes that are told at once.
const EVENTS_MAX: usize = 1000;
/// How far behind a subscription may be before it hears that anything may have changed.
const BATCHES_MAX: usize = 64;

/// Paths that changed; `None` means that any may have.
type Batch = Option<Arc<[Path]>>;

/// Follows the home while somebody wants to hear of it.
pub(super) struct Changes {
    client: Client,
    sender: Sender<Batch>,
    /// Whether the thread runs.
    running: Arc<Mutex<bool>>,
}

impl Changes {
    pub(super) fn new(client: &Client) -> Self {
        let sender = broadcast::channel(BATCHES_MAX).0;
        Self { client: client.clone(), sender, running: Arc::default() }
    }

    /// Starts to tell of changes at and below places, each with the address it has for a client.
    pub(super) fn subscribe(&self, places: Vec<(String, Path)>) -> Result<Subscribed> {
        let mut running = self.running.lock();
        let receiver = self.sender.subscribe();
        if !*running {
            let cursor = self.client.cursor()?;
            let follower = Follower {
                client: self.client.clone(),
                sender: self.sender.clone(),
                running: Arc::clone(&self.running),
            };
            std::thread::Builder::new()
                .name("homefs-mcp-watch".into())
                .spawn(move || follower.run(cursor))
                .map_err(|error| Error::io("start a thread to watch", error))?;
            *running = true;
        }
        Ok(Subscribed { places, receiver })
    }
}

struct Follower {
    client: Client,
    sender: Sender<Batch>,
    running: Arc<Mutex<bool>>,
}

impl Follower {
    fn run(&self, mut cursor: Cursor) {
        loop {
            match self.client.watch(&Path::root(), &cursor, SLICE, EVENTS_MAX) {
                Ok(watched) => {
                    cursor = watched.cursor;
                    if watched.gap {
                        self.tell(None);
                    } else if !watched.events.is_empty() {
                        self.tell(Some(
                            watched.events.into_iter().map(|event| event.path).collect(),
                        ));
                    }
                }
                // The next owner may need a moment.
                Err(error) if error.kind() == ErrorKind::Unavailable => {}
                Err(error) => {
                    tracing::warn!(%error, "changes are no longer watched");
                    *self.running.lock() = false;
                    return;
                }
            }
            let mut running = self.running.lock();
            if self.sender.receiver_count() == 0 {
                *running = false;
                return;
            }
        }
    }

    fn tell(&self, batch: Batch) {
        // Nobody may be left to hear it.
        drop(self.sender.send(batch));
    }
}

/// What one client wants to hear of.
pub(super) struct Subscribed {
    places: Vec<(String, Path)>,
    receiver: Receiver<Batch>,
}

impl Subscribed {
    /// Waits for changes, and returns the addresses where some were; `None` when none will come.
    pub(super) async fn changed(&mut self) -> Option<Vec<String>> {
        loop {
            let batch = match self.receiver.recv().await {
                Ok(batch) => batch,
                Err(RecvError::Lagged(_)) => None,
                Err(RecvError::Closed) => return None,
            };
            let is_touched = |place: &Path| {
                batch.as_ref().is_none_or(|paths| paths.iter().any(|path| path.starts_with(place)))
            };
            let touched = self.places.iter().filter(|(_, place)| is_touched(place));
            let touched: Vec<String> = touched.map(|(uri, _)| uri.clone()).collect();
            if !touched.is_empty() {
                return Some(touched);
            }
        }
    }
}

/// Passes changes on until it is dropped.
pub(super) struct Forwarding(AbortHandle);

impl Forwarding {
    pub(super) fn start(forward: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(forward).abort_handle())
    }
}

impl Drop for Forwarding {
    fn drop(&mut self) {
        self.0.abort();
    }
}
