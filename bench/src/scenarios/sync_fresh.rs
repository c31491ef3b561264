//! A new machine: from attaching the bucket to the first listing, and the first file.

use anyhow::{Result, ensure};
use homefs_core::Path;
use homefs_view::Direction;

use super::Scenario;
use crate::bench::Bench;
use crate::bucket::{FarBucket, ROUND_TRIPS, is_head, sync};
use crate::clock;
use crate::home::{Home, SMALL_BYTES};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::median;

const NAME: &str = "sync-fresh";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "a new machine lists 10,000 files and reads one, from a bucket 0, 12 and 45 ms away",
    run,
    child: None,
};

const FILES: usize = 10_000;
/// In how many steps the bucket got them: no home is made at once.
const PUSHES: usize = 10;
/// Entries that are asked for at once, as by `ls`.
const PAGE: usize = 10_000;
const DIRECTORY: &str = "/notes";

/// What one new machine took.
struct Joined {
    milliseconds: f64,
    requests: f64,
    read_milliseconds: f64,
    read_requests: f64,
}

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let bucket = FarBucket::start(0)?;
    let count = bench.scaled(FILES);
    let path = |number: usize| Ok(Path::parse(&format!("{DIRECTORY}/note-{number:05}.md"))?);
    let files: Vec<Path> = (0..count).map(path).collect::<Result<_>>()?;
    let first = Home::open(&folder.path().join("first"))?;
    first.make_directories(&files)?;
    bucket.attach(&first, "first")?;
    for part in files.chunks(count / PUSHES) {
        first.write_texts(part)?;
        sync(&first, Direction::Push)?;
    }
    first.store.close()?;
    for round_trip_ms in ROUND_TRIPS {
        bucket.move_away(round_trip_ms);
        let joined: Vec<Joined> =
            (0..bench.rounds()).map(|_| join(bench, &bucket, &files)).collect::<Result<_>>()?;
        let median_of = |part: fn(&Joined) -> f64| median(joined.iter().map(part));
        let row = |what: &str, value, unit, most| {
            let what = format!("{what}, {round_trip_ms} ms away");
            Row::new(NAME, &what, value, unit).bar(Bar::AtMost(most))
        };
        let far = f64::from(round_trip_ms);
        let listed = median_of(|joined| joined.milliseconds);
        let what = format!("new machine lists {count} files");
        report.add(row(&what, listed, Unit::Milliseconds, 5.0 * far + 50.0));
        let requests = median_of(|joined| joined.requests);
        report.add(row("requests until then", requests, Unit::Requests, 10.0));
        let requests = median_of(|joined| joined.read_requests);
        report.add(row("requests to read one of them", requests, Unit::Requests, 1.0));
        let read = median_of(|joined| joined.read_milliseconds);
        let what = format!("new machine reads one, {round_trip_ms} ms away");
        report.add(Row::new(NAME, &what, read, Unit::Milliseconds));
    }
    Ok(())
}

fn join(bench: &Bench, bucket: &FarBucket, files: &[Path]) -> Result<Joined> {
    let folder = bench.folder()?;
    let home = Home::open(&folder.path().join("store"))?;
    bucket.server.clear_log();
    let start = clock::now();
    bucket.attach(&home, "new")?;
    sync(&home, Direction::Pull)?;
    let listed = list(&home)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let requests = bucket.requests(|_| true);
    ensure!(listed == files.len(), "{listed} files are listed");
    bucket.server.clear_log();
    let start = clock::now();
    let read = home.view.read(&files[files.len() / 2])?;
    let read_milliseconds = start.elapsed().as_secs_f64() * 1e3;
    ensure!(read.len() == SMALL_BYTES, "the file has another length");
    let read_requests = bucket.requests(|exchange| !is_head(exchange));
    home.store.close()?;
    Ok(Joined { milliseconds, requests, read_milliseconds, read_requests })
}

/// Lists the directory, page by page, and counts what is there.
fn list(home: &Home) -> Result<usize> {
    let directory = Path::parse(DIRECTORY)?;
    let (mut count, mut after) = (0, None);
    loop {
        let page = home.view.list(&directory, after.as_deref(), PAGE)?;
        count += page.items.len();
        after = page.next;
        if after.is_none() {
            return Ok(count);
        }
    }
}
