//! Reads of 1 KiB, from memory and right after opening.

use anyhow::{Result, ensure};
use homefs_core::Path;
use homefs_view::WriteOptions;

use super::Scenario;
use crate::bench::Bench;
use crate::home::{Content, Home, SMALL_BYTES, files};
use crate::peers::{self, Files, Key, Lmdb, Peer, Sqlite};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary};

const NAME: &str = "read-small";
/// The scenario.
pub(super) const SCENARIO: Scenario =
    Scenario { name: NAME, about: "read 1 KiB, warm and cold", run, child: None };

/// Files that all peers keep in memory with their usual settings.
const FILES: usize = 1000;
/// Files that a processor does not keep near.
const FILES_MANY: usize = 50_000;
const READS: usize = 100_000;

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let store = folder.path().join("store");
    let home = Home::open(&store)?;
    let many = files("many", bench.scaled(FILES_MANY))?;
    home.make_directories(&many)?;
    drop(home.write_all(&many, &WriteOptions::default())?);
    home.wait_for_fold()?;
    let few = &many[..FILES];

    let keys = peers::keys(0, FILES);
    let plain = Files::open(folder.path());
    plain.prepare(&keys)?;
    let mut peers: Vec<Box<dyn Peer>> = vec![
        Box::new(Sqlite::open(folder.path())?),
        Box::new(Lmdb::open(folder.path())?),
        Box::new(plain),
    ];
    for peer in &mut peers {
        drop(peers::put_all(&mut **peer, &keys)?);
    }
    let reads = bench.scaled(READS);
    let (mut warm, mut warm_many) = (Vec::new(), Vec::new());
    let mut peer_rounds = vec![Vec::new(); peers.len()];
    for _ in 0..bench.rounds() {
        warm.push(read(&home, few, reads)?);
        warm_many.push(read(&home, &many, reads)?);
        for (peer, rounds) in peers.iter_mut().zip(&mut peer_rounds) {
            rounds.push(get(&mut **peer, &keys, reads)?);
        }
    }
    let warm = Summary::of_rounds(&warm);
    report.add_latency(NAME, "homefs, warm", SMALL_BYTES, warm);
    report.add_latency(
        NAME,
        &format!("homefs, warm, {} files", many.len()),
        SMALL_BYTES,
        Summary::of_rounds(&warm_many),
    );
    let row = Row::new(NAME, "read 1 KiB, warm, p50", warm.p50, Unit::Microseconds);
    report.add(row.clone().bar(Bar::AtMost(0.5)));
    for (peer, rounds) in peers.iter().zip(&peer_rounds) {
        let summary = Summary::of_rounds(rounds);
        report.add_latency(NAME, peer.name(), SMALL_BYTES, summary);
        report.add(row.clone().against(peer.name(), summary.p50));
    }
    home.store.close()?;
    cold(&store, &many, report)
}

/// Reads each file for the first time after opening; the kernel may have the base in memory.
fn cold(store: &std::path::Path, files: &[Path], report: &mut Report) -> Result<()> {
    let home = Home::open(store)?;
    let mut sample = Sample::with_capacity(files.len());
    for file in files {
        sample.time(|| home.view.read(file))?;
    }
    let summary = sample.summary();
    report.add_latency(NAME, "homefs, first read after opening", SMALL_BYTES, summary);
    report.add(Row::new(NAME, "first read after opening, p50", summary.p50, Unit::Microseconds));
    Ok(())
}

fn read(home: &Home, files: &[Path], reads: usize) -> Result<Summary> {
    let mut sample = Sample::with_capacity(reads);
    let mut order = Content::new();
    for _ in 0..reads {
        let file = &files[index(&mut order, files.len())];
        let bytes = sample.time(|| home.view.read(file))?;
        ensure!(bytes.len() == SMALL_BYTES, "a file has another length");
    }
    Ok(sample.summary())
}

fn get(peer: &mut dyn Peer, keys: &[Key], reads: usize) -> Result<Summary> {
    let mut sample = Sample::with_capacity(reads);
    let mut order = Content::new();
    for _ in 0..reads {
        let key = &keys[index(&mut order, keys.len())];
        let bytes = sample.time(|| peer.get(key))?;
        ensure!(bytes.len() == SMALL_BYTES, "a content has another length");
    }
    Ok(sample.summary())
}

/// Draws one of so many.
fn index(order: &mut Content, count: usize) -> usize {
    usize::try_from(order.draw() % count as u64).unwrap_or(0)
}
