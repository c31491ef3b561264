//! Time, as the scenarios measure it.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

/// How often a condition is looked at while waiting for it.
const POLL: Duration = Duration::from_millis(2);

/// Returns the present instant.
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns nanoseconds since `start`.
pub(crate) fn nanoseconds_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Returns the seconds that this process has been at work, on all cores together.
pub(crate) fn cpu_seconds() -> f64 {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}

/// Returns the cost of measuring one operation, in nanoseconds. It is part of every latency that
/// is reported: nothing is subtracted.
pub(crate) fn cost_nanoseconds() -> f64 {
    const COUNT: u32 = 1_000_000;
    let start = now();
    for _ in 0..COUNT {
        black_box(nanoseconds_since(black_box(now())));
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(COUNT)
}

/// Waits until `check` holds.
pub(crate) fn wait_until(what: &str, check: impl FnMut() -> bool) -> Result<()> {
    wait_looking(what, POLL, check)
}

/// Waits until `check` holds, which is looked at so often.
pub(crate) fn wait_looking(
    what: &str,
    pause: Duration,
    mut check: impl FnMut() -> bool,
) -> Result<()> {
    let start = now();
    while !check() {
        ensure!(start.elapsed() < Duration::from_mins(2), "waited too long: {what}");
        thread::park_timeout(pause);
    }
    Ok(())
}

/// Returns the day, in UTC.
pub(crate) fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}
