//! One call of the home on behalf of a message: on a thread that may block, told of by progress,
//! and ended when the client no longer wants it.

use std::sync::Arc;
use std::time::Duration;

use homefs_api::{Client, Interrupter, Sessions};
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, ProgressNotificationParam};
use rmcp::service::RequestContext;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::Home;

/// How often a client hears of a call that takes long.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// How often a script is told to end until it does: one that only begins does not hear it.
const INTERRUPT_EVERY: Duration = Duration::from_millis(50);

/// What a call works with.
pub(crate) struct Call {
    home: Arc<Home>,
    told: Arc<Told>,
    cancelled: CancellationToken,
}

/// What the thread of a call tells those who wait for it.
#[derive(Default)]
struct Told {
    /// What happened last, in a line.
    note: Mutex<Option<String>>,
    /// What ends the script that the call runs.
    interrupter: Mutex<Option<Interrupter>>,
}

impl Call {
    pub(crate) fn client(&self) -> &Client {
        &self.home.client
    }

    /// Returns how many bytes of text an answer may have.
    pub(crate) fn room(&self) -> usize {
        self.home.profile.answer_bytes_max
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.home.sessions
    }

    /// Tells whether the client no longer wants it.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Names what ends the script that this call runs from now on.
    pub(crate) fn runs(&self, interrupter: Interrupter) {
        *self.told.interrupter.lock() = Some(interrupter);
    }

    /// Returns what takes a line for the client to see while it waits.
    pub(crate) fn notes(&self) -> impl Fn(String) + Send + 'static {
        let told = Arc::clone(&self.told);
        move |note| *told.note.lock() = Some(note)
    }
}

/// Does a job for a message and waits for it, as long as the client does.
pub(crate) async fn work<T: Send + 'static>(
    home: &Arc<Home>,
    context: &RequestContext<RoleServer>,
    job: impl FnOnce(&Call) -> T + Send + 'static,
) -> Result<T, ErrorData> {
    let told = Arc::<Told>::default();
    let call =
        Call { home: Arc::clone(home), told: Arc::clone(&told), cancelled: context.ct.clone() };
    let mut working = tokio::task::spawn_blocking(move || job(&call));
    let mut ticks = interval(PROGRESS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first is at once.
    ticks.tick().await;
    let mut seconds = 0.0;
    loop {
        tokio::select! {
            done = &mut working => {
                return done.map_err(|_| ErrorData::internal_error("the call panicked", None));
            }
            () = context.ct.cancelled() => {
                tokio::spawn(interrupt(working, told));
                return Err(ErrorData::internal_error("the call was cancelled", None));
            }
            _ = ticks.tick() => {
                seconds += PROGRESS_EVERY.as_secs_f64();
                let note = told.note.lock().clone();
                progress(context, seconds, note).await;
            }
        }
    }
}

/// Tells a client that asked for it that its call still runs.
async fn progress(context: &RequestContext<RoleServer>, seconds: f64, note: Option<String>) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let mut progress = ProgressNotificationParam::new(token, seconds);
    progress.message = Some(note.unwrap_or_else(|| format!("working for {seconds} s")));
    // A client that is gone does not mind.
    drop(context.peer.notify_progress(progress).await);
}

/// Ends the script of a call that nobody waits for.
async fn interrupt<T>(mut working: JoinHandle<T>, told: Arc<Told>) {
    while timeout(INTERRUPT_EVERY, &mut working).await.is_err() {
        let running = told.interrupter.lock().clone();
        match running {
            Some(running) => running.interrupt(),
            None if working.is_finished() => return,
            None => {}
        }
    }
}
