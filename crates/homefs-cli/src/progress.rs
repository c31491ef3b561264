//! A progress bar of one line.

use std::cell::Cell;

use crate::output::{self, Output};
use crate::text;

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
