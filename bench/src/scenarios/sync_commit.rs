//! A hundred changed files until they are a commit in the bucket.

use anyhow::Result;
use homefs_view::Direction;

use super::Scenario;
use crate::bench::Bench;
use crate::bucket::{FarBucket, ROUND_TRIPS, is_own, settle, sync};
use crate::clock;
use crate::home::{Home, files};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::median;

const NAME: &str = "sync-commit";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "push 100 changed files of 1 KiB to a bucket 0, 12 and 45 ms away",
    run,
    child: None,
};

const FILES: usize = 100;
/// Pushes in one round of the bench; one of them takes a fraction of a second.
const PUSHES: usize = 4;

/// One push, and the readable copies that follow.
struct Pushed {
    milliseconds: f64,
    requests: f64,
    requests_of_copies: f64,
}

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    for round_trip_ms in ROUND_TRIPS {
        let folder = bench.folder()?;
        let bucket = FarBucket::start(round_trip_ms)?;
        let home = Home::open(&folder.path().join("store"))?;
        bucket.attach(&home, "laptop")?;
        let count = bench.rounds() * PUSHES;
        let pushes: Vec<Pushed> =
            (0..count).map(|number| push(&bucket, &home, number)).collect::<Result<_>>()?;
        let median_of = |part: fn(&Pushed) -> f64| median(pushes.iter().map(part));
        let row = |what: &str, value, unit| {
            Row::new(NAME, &format!("{what}, {round_trip_ms} ms away"), value, unit)
        };
        let milliseconds = median_of(|push| push.milliseconds);
        let most = f64::from(3 * round_trip_ms + 50);
        report.add(
            row("100 files committed", milliseconds, Unit::Milliseconds).bar(Bar::AtMost(most)),
        );
        let requests = median_of(|push| push.requests);
        report.add(row("requests until then", requests, Unit::Requests).bar(Bar::AtMost(4.0)));
        let copies = median_of(|push| push.requests_of_copies) / FILES as f64;
        let copies = row("requests per readable copy, later", copies, Unit::Requests);
        report.add(copies.bar(Bar::AtMost(2.0)));
        home.store.close()?;
    }
    Ok(())
}

fn push(bucket: &FarBucket, home: &Home, number: usize) -> Result<Pushed> {
    let files = files(&format!("push-{number}"), FILES)?;
    home.make_directories(&files)?;
    settle(home)?;
    bucket.server.clear_log();
    home.write_texts(&files)?;
    let start = clock::now();
    sync(home, Direction::Push)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let requests = bucket.requests(is_own);
    settle(home)?;
    let requests_of_copies = bucket.requests(|exchange| !is_own(exchange));
    Ok(Pushed { milliseconds, requests, requests_of_copies })
}
