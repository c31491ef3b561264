//! What a person sees while a command works: a bar of one line, or a line that counts.

use std::cell::Cell;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use homefs_api::Client;
use homefs_view::RemoteStatus;

use crate::output::{self, Output};
use crate::text;

/// How often the counting line is drawn.
const MOVES: Duration = Duration::from_millis(200);

/// Bytes done of bytes to do, shown on standard error while someone looks.
pub(crate) struct Progress {
    shown: bool,
    total_bytes: u64,
    done_bytes: Cell<u64>,
    // The last step drawn. Drawing only when it changes bounds the drawing without a clock.
    step: Cell<u64>,
}

/// Steps of the bar; more than a person can tell apart is waste.
const STEPS: u64 = 200;
const WIDTH: usize = 30;

impl Progress {
    /// Starts a bar.
    pub(crate) fn new(output: &Output, total_bytes: u64) -> Self {
        let shown = output.shows_progress();
        Self { shown, total_bytes, done_bytes: Cell::new(0), step: Cell::new(u64::MAX) }
    }

    /// Adds bytes that are done.
    pub(crate) fn add(&self, bytes: u64) {
        let done = self.done_bytes.get().saturating_add(bytes);
        self.done_bytes.set(done);
        if !self.shown {
            return;
        }
        let total = self.total_bytes.max(1);
        let step = done.min(total).saturating_mul(STEPS) / total;
        if self.step.replace(step) != step {
            output::redraw(&bar(step, done, self.total_bytes));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            output::redraw("");
        }
    }
}

fn bar(step: u64, done_bytes: u64, total_bytes: u64) -> String {
    let filled = usize::try_from(step).unwrap_or(0) * WIDTH / usize::try_from(STEPS).unwrap_or(1);
    let (full, empty) = ("█".repeat(filled), "░".repeat(WIDTH.saturating_sub(filled)));
    let percent = step * 100 / STEPS;
    let (done, total) = (text::size(done_bytes), text::size(total_bytes));
    format!("{full}{empty} {percent:>3} %  {done} of {total}")
}

/// Asks something of the remote, and counts meanwhile what goes there and comes back, for someone
/// who looks.
pub(crate) fn counting<T>(output: &Output, client: &Client, ask: impl FnOnce() -> T) -> T {
    if !output.shows_progress() {
        return ask();
    }
    let counted = || client.status().ok().and_then(|status| status.remote?.status);
    let before = counted().unwrap_or_default();
    thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        scope.spawn(move || {
            while waiting.recv_timeout(MOVES) == Err(RecvTimeoutError::Timeout) {
                if let Some(remote) = counted() {
                    output::redraw(&counts(&before, &remote));
                }
            }
            output::redraw("");
        });
        let answer = ask();
        drop(done);
        answer
    })
}

/// Tells what was moved since, and what is still to come.
fn counts(before: &RemoteStatus, now: &RemoteStatus) -> String {
    let all = |status: &RemoteStatus| status.requests.unwrap_or_default().count();
    let requests = all(now).saturating_sub(all(before));
    let size = |now: Option<u64>, before: Option<u64>| {
        text::size(now.unwrap_or_default().saturating_sub(before.unwrap_or_default()))
    };
    let mut parts = vec![
        text::count(requests, "request"),
        format!("{} sent", size(now.sent_bytes, before.sent_bytes)),
        format!("{} received", size(now.received_bytes, before.received_bytes)),
    ];
    let ahead: u64 = now.spaces.iter().map(|space| space.ahead).sum();
    if ahead > 0 {
        parts.push(format!("{} to push", text::count(ahead, "change")));
    }
    let copies: u64 = now.spaces.iter().map(|space| space.copies_due).sum();
    if copies > 0 {
        parts.push(format!("{copies} of the readable copies to write"));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use homefs_view::Requests;

    use super::*;

    #[test]
    fn a_line_counts_from_the_moment_of_the_question() {
        let status = |puts, sent_bytes| RemoteStatus {
            requests: Some(Requests { gets: 3, puts, ..Requests::default() }),
            sent_bytes: Some(sent_bytes),
            ..RemoteStatus::default()
        };
        let (before, now) = (status(1, 10), status(3, 2058));
        assert_eq!(counts(&before, &now), "2 requests, 2.0 KiB sent, 0 B received");
    }
}
