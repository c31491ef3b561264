//! Eight writers that each wait until what they wrote survives power loss.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path as HostPath;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use homefs_core::Path;
use homefs_view::{Durability, WriteOptions};

use super::Scenario;
use crate::bench::Bench;
use crate::clock;
use crate::home::{Content, Home, SMALL_BYTES};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary, median};

const NAME: &str = "barrier";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "8 threads write 1 KiB, each with a Journal barrier",
    run,
    child: None,
};

const THREADS: usize = 8;
const ROUND_MILLISECONDS: usize = 1500;

/// The rate and the latency of one round.
pub(super) type Round = (f64, Summary);

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let home = Home::open(&folder.path().join("store"))?;
    let limit = Duration::from_millis(bench.scaled(ROUND_MILLISECONDS) as u64);
    let names = ["homefs, Journal barrier", "ext4 append+fdatasync", "ext4 overwrite+fdatasync"];
    let mut rounds: [Vec<Round>; 3] = Default::default();
    for round in 0..bench.rounds() {
        rounds[0].push(write_with_barrier(&home, limit)?);
        home.wait_for_fold()?;
        rounds[1].push(write_and_sync(folder.path(), round, true, limit)?);
        rounds[2].push(write_and_sync(folder.path(), round, false, limit)?);
    }
    let rates = rounds.each_ref().map(|rounds| median(rounds.iter().map(|(rate, _)| *rate)));
    for (name, rounds) in names.iter().zip(&rounds) {
        let summaries: Vec<_> = rounds.iter().map(|(_, summary)| *summary).collect();
        report.add_latency(NAME, name, SMALL_BYTES, Summary::of_rounds(&summaries));
    }
    let row = Row::new(NAME, "8 threads, durable writes", rates[0], Unit::PerSecond);
    report.add(row.clone().against(names[1], rates[1]).bar(Bar::TimesAsFast(1.0)));
    report.add(row.against(names[2], rates[2]));
    Ok(())
}

fn write_with_barrier(home: &Home, limit: Duration) -> Result<Round> {
    let options = WriteOptions { durability: Durability::Journal, ..WriteOptions::default() };
    in_threads(limit, |thread| {
        let (view, options) = (home.view.clone(), options.clone());
        let file = Path::parse(&format!("/thread-{thread}.md"))?;
        Ok(move |content: &[u8]| Ok(view.write(&file, content, &options).map(drop)?))
    })
}

fn write_and_sync(folder: &HostPath, round: usize, append: bool, limit: Duration) -> Result<Round> {
    in_threads(limit, |thread| {
        let file = File::create(folder.join(format!("{round}-{append}-{thread}")))?;
        // An overwritten file has its blocks already, so that its sync has no metadata to write.
        file.write_all_at(&[1; SMALL_BYTES], 0)?;
        file.sync_all()?;
        let mut offset = 0;
        Ok(move |content: &[u8]| {
            offset += if append { SMALL_BYTES as u64 } else { 0 };
            file.write_all_at(content, offset)?;
            Ok(file.sync_data()?)
        })
    })
}

/// Runs what `prepare` makes for each thread again and again until the time is over.
pub(super) fn in_threads<Act: FnMut(&[u8]) -> Result<()> + Send>(
    limit: Duration,
    prepare: impl Fn(usize) -> Result<Act>,
) -> Result<Round> {
    let acts = (0..THREADS).map(prepare).collect::<Result<Vec<_>>>()?;
    let stop = AtomicBool::new(false);
    let start = clock::now();
    let samples: Result<Vec<Sample>> = thread::scope(|scope| {
        let running: Vec<_> = acts
            .into_iter()
            .map(|mut act| {
                let stop = &stop;
                scope.spawn(move || {
                    let mut sample = Sample::default();
                    let mut content = Content::new();
                    while !stop.load(Ordering::Relaxed) {
                        let bytes = content.fresh();
                        sample.time(|| act(bytes))?;
                    }
                    Ok(sample)
                })
            })
            .collect();
        while start.elapsed() < limit {
            thread::park_timeout(limit.saturating_sub(start.elapsed()));
        }
        stop.store(true, Ordering::Relaxed);
        let joined = running.into_iter().map(thread::ScopedJoinHandle::join);
        joined.map(|done| done.map_err(|_| anyhow!("a thread panicked"))?).collect()
    });
    let seconds = start.elapsed().as_secs_f64();
    let summary = Sample::joined(samples?).summary();
    Ok((summary.count as f64 / seconds, summary))
}
