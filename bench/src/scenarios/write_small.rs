//! Writes of 1 KiB, acknowledged when they survive `kill -9`.

use anyhow::Result;
use homefs_view::WriteOptions;

use super::Scenario;
use crate::bench::Bench;
use crate::clock;
use crate::home::{Home, SMALL_BYTES, files};
use crate::peers::{self, Files, Lmdb, Peer, Sqlite, SqliteByNumber};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary};

const NAME: &str = "write-small";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "write 1 KiB in bursts of 32 MiB, to new and to existing paths, and without pause",
    run,
    child: None,
};

/// Writes of one burst: 32 MiB.
const BURST: usize = 32 << 10;
/// Writes without pause: 512 MiB.
const SUSTAINED: usize = 512 << 10;
/// A write that takes longer waited for the fold or the disk.
const WAITED_NANOSECONDS: u64 = 1_000_000;

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let home = Home::open(&folder.path().join("store"))?;
    let burst = bench.scaled(BURST);
    let keys = peers::keys(0, burst / 4 * bench.rounds());
    let plain = Files::open(folder.path());
    plain.prepare(&keys)?;
    let mut peers: [(Box<dyn Peer>, Option<Bar>); 5] = [
        (Box::new(Sqlite::open(folder.path())?), Some(Bar::TimesAsFast(10.0))),
        (Box::new(Lmdb::open(folder.path())?), Some(Bar::TimesAsFast(3.0))),
        (Box::new(SqliteByNumber::open(folder.path())?), None),
        (Box::new(Lmdb::open_mapped(folder.path())?), None),
        (Box::new(plain), None),
    ];

    let (mut new, mut existing) = (Vec::new(), Vec::new());
    let mut peer_rounds = vec![Vec::new(); peers.len()];
    for (round, keys) in keys.chunks(burst / 4).enumerate() {
        let files = files(&format!("round-{round}"), burst)?;
        home.make_directories(&files)?;
        home.wait_for_fold()?;
        new.push(home.write_all(&files, &WriteOptions::default())?.summary());
        home.wait_for_fold()?;
        existing.push(home.write_all(&files, &WriteOptions::default())?.summary());
        home.wait_for_fold()?;
        for ((peer, _), rounds) in peers.iter_mut().zip(&mut peer_rounds) {
            rounds.push(peers::put_all(&mut **peer, keys)?.summary());
        }
        // What the peers left to the kernel must not be written out during the next burst.
        rustix::fs::sync();
    }
    let (new, existing) = (Summary::of_rounds(&new), Summary::of_rounds(&existing));
    report.add_latency(NAME, "homefs, new path", SMALL_BYTES, new);
    report.add_latency(NAME, "homefs, existing path", SMALL_BYTES, existing);
    for (what, summary) in [("new path", new), ("existing path", existing)] {
        let what = format!("write 1 KiB, {what}, p50");
        let row = Row::new(NAME, &what, summary.p50, Unit::Microseconds);
        report.add(row.bar(Bar::AtMost(1.2)));
    }
    for ((peer, bar), rounds) in peers.iter().zip(&peer_rounds) {
        let summary = Summary::of_rounds(rounds);
        report.add_latency(NAME, peer.name(), SMALL_BYTES, summary);
        let row = Row::new(NAME, "write 1 KiB, new path, p50", new.p50, Unit::Microseconds)
            .against(peer.name(), summary.p50);
        report.add(match bar {
            Some(bar) => row.bar(*bar),
            None => row,
        });
        let row = Row::new(NAME, "write 1 KiB, new path, mean", new.mean, Unit::Microseconds);
        report.add(row.against(peer.name(), summary.mean));
    }
    drop(home);
    sustained(bench, report)
}

/// Writes without pause until back-pressure is felt.
fn sustained(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let home = Home::open(&folder.path().join("store"))?;
    let files = files("sustained", bench.scaled(SUSTAINED))?;
    home.make_directories(&files)?;
    home.wait_for_fold()?;
    let start = clock::now();
    let sample: Sample = home.write_all(&files, &WriteOptions::default())?;
    let seconds = start.elapsed().as_secs_f64();
    let waited = sample.seconds_of_slow(WAITED_NANOSECONDS);
    report.add_latency(NAME, "homefs, without pause", SMALL_BYTES, sample.summary());
    let rate = files.len() as f64 / seconds;
    report.add(Row::new(NAME, "write 1 KiB without pause", rate, Unit::PerSecond));
    report.add(Row::new(NAME, "of which waiting for the fold", waited, Unit::Seconds));
    report.add(Row::new(NAME, "all of it", seconds, Unit::Seconds));
    Ok(())
}
