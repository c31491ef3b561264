//! The chapter that measures.

use std::time::{Duration, Instant};

use homefs_core::Path;
use homefs_view::WriteOptions;

use super::stage::Stage;
use crate::error::Result;

const WRITES: usize = 10_000;
const SIZE: usize = 1024;

/// Times writes of a process that owns the store, as a program using the library would make them.
pub(super) fn show(stage: &Stage<'_>) -> Result<()> {
    stage.chapter("It is as fast as memory")?;
    let client = stage.open("akashi")?;
    client.make_dir(&Path::parse("/speed")?, true)?;
    let paths = (0..WRITES)
        .map(|number| Path::parse(&format!("/speed/{number:05}.md")))
        .collect::<homefs_core::Result<Vec<_>>>()?;
    let (content, options) = (vec![b'x'; SIZE], WriteOptions::default());
    let mut times = Vec::with_capacity(WRITES);
    for path in &paths {
        let start = now();
        client.write(path, &content, &options)?;
        times.push(now() - start);
    }
    let start = now();
    client.barrier()?;
    let barrier = now() - start;
    client.close()?;
    let total: Duration = times.iter().sum();
    times.sort();
    stage.line(&format!(
        "{WRITES} new files of {SIZE} bytes, in process, each safe from kill -9: {total:.1?}"
    ))?;
    stage.line(&format!(
        "p50 {:.1?}, p99 {:.1?}; then safe from power loss after {barrier:.1?}",
        times[WRITES / 2],
        times[WRITES * 99 / 100],
    ))?;
    if cfg!(debug_assertions) {
        stage.line("(this is a debug build; a release build is many times faster)")?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the tour shows real time to a person")]
fn now() -> Instant {
    Instant::now()
}
