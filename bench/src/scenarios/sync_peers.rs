//! A thousand small files until the bucket has them, beside other tools on the same server.

use std::fs;
use std::path::Path as HostPath;

use anyhow::Result;
use homefs_core::Path;
use homefs_view::Direction;

use super::Scenario;
use crate::bench::Bench;
use crate::bucket::{FarBucket, settle, sync};
use crate::clock;
use crate::home::{Content, Home};
use crate::peers::buckets::{PEERS, Send};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::median;

const NAME: &str = "sync-peers";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "1,000 files of 1 KiB until a bucket 12 ms away has them, beside rclone and s3fs",
    run,
    child: None,
};

const FILES: usize = 1_000;
const ROUND_TRIP_MS: u32 = 12;

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let bucket = FarBucket::start(ROUND_TRIP_MS)?;
    let count = bench.scaled(FILES);
    let source = folder.path().join("source");
    make_files(&source, count)?;
    let home = Home::open(&folder.path().join("store"))?;
    bucket.attach(&home, "laptop")?;
    let peers: Vec<_> = PEERS.iter().filter(|peer| peer.is_there()).collect();
    let mut own = Vec::new();
    let mut others = vec![Vec::new(); peers.len()];
    // The slowest takes a minute, in which noise is lost, so two rounds will do.
    for round in 0..bench.either(2, 1) {
        own.push(push(&home, round, count)?);
        settle(&home)?;
        for (number, (peer, rounds)) in peers.iter().zip(&mut others).enumerate() {
            let work = bench.folder()?;
            let prefix = format!("peer-{number}-{round}");
            let send = Send { bucket: &bucket, source: &source, prefix, work: work.path(), count };
            rounds.push((peer.send)(&send)?);
        }
        bucket.server.clear_log();
    }
    let own = median(own.into_iter());
    for (peer, rounds) in peers.iter().zip(others) {
        let row = Row::new(NAME, &format!("{count} files durable"), own, Unit::Milliseconds);
        let row = row.against(peer.name, median(rounds.into_iter()));
        report.add(row.bar(Bar::TimesAsFast(peer.bar)));
    }
    Ok(home.store.close()?)
}

/// Makes files for the others to send.
fn make_files(dir: &HostPath, count: usize) -> Result<()> {
    fs::create_dir(dir)?;
    let mut content = Content::new();
    for number in 0..count {
        fs::write(dir.join(format!("note-{number:04}.md")), content.text())?;
    }
    Ok(())
}

/// Writes files and pushes them; returns the milliseconds of both.
fn push(home: &Home, round: usize, count: usize) -> Result<f64> {
    let path = |number: usize| Ok(Path::parse(&format!("/round-{round}/note-{number:04}.md"))?);
    let files: Vec<Path> = (0..count).map(path).collect::<Result<_>>()?;
    let start = clock::now();
    home.view.make_dir(&Path::parse(&format!("/round-{round}"))?, true)?;
    home.write_texts(&files)?;
    sync(home, Direction::Push)?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
