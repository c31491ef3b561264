//! Sessions that begin on a collection of Chroma: the first ever, and those that follow.

use std::collections::BTreeMap;
use std::path::Path as HostPath;

use anyhow::{Result, ensure};
use homefs_core::Path;

use super::Scenario;
use super::shell::{PAGES, open, run as run_script, settle, write};
use crate::bench::Bench;
use crate::clock;
use crate::peers::chroma::Chroma;
use crate::peers::pages;
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::median;

const NAME: &str = "chroma-boot";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "the first listing of a collection of 10,000 pages, with and without a kept tree",
    run,
    child: None,
};

const COLLECTION: &str = "pages";
const PATH_TREE: &str = "__path_tree__";
const PLACE: &str = "/kb";
/// Lists a directory of the collection.
const SCRIPT: &str = "ls kb/d05";
/// What a session with a kept tree may take, and a first one beside its request, in milliseconds.
const WARM_MAX: f64 = 5.0;
const COLD_MAX: f64 = 50.0;
/// Sessions with a kept tree in each round.
const SESSIONS: usize = 10;

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let Some(mut chroma) = Chroma::start()? else { return Ok(()) };
    let count = bench.scaled(PAGES);
    let folder = bench.folder()?;
    let client = open(&folder.path().join("published"))?;
    write(&client, &pages::pages(count))?;
    let address = chroma.address(COLLECTION);
    client.publish(&address, &Path::parse("/docs")?, true)?;
    client.close()?;
    let id = chroma.collection(COLLECTION)?;
    let (mut requests, mut colds, mut warms) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..bench.rounds() {
        let start = clock::now();
        chroma.get(&id, PATH_TREE)?;
        requests.push(start.elapsed().as_secs_f64() * 1e3);
        let store = folder.path().join(format!("store-{round}"));
        colds.push(cold(&store, &address)?);
        for _ in 0..SESSIONS {
            warms.push(warm(&store)?);
        }
    }
    let [request, cold, warm] = [requests, colds, warms].map(|times| median(times.into_iter()));
    let what = format!("kept tree of {count} pages: open the store, begin a session, list");
    report.add(Row::new(NAME, &what, warm, Unit::Milliseconds).bar(Bar::AtMost(WARM_MAX)));
    let what = format!("first time, {count} pages: attach, begin a session, list");
    let row = Row::new(NAME, &what, cold, Unit::Milliseconds);
    let peer = "one request for the tree";
    report.add(row.against(peer, request).bar(Bar::AtMost(request + COLD_MAX)));
    Ok(())
}

/// Attaches the collection to a new store; returns the milliseconds until it is listed.
fn cold(store: &HostPath, address: &str) -> Result<f64> {
    let client = open(store)?;
    let start = clock::now();
    client.attach_source(&Path::parse(PLACE)?, address, &BTreeMap::new(), false)?;
    let listed = run_script(&mut client.shell(), SCRIPT)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    ensure!(listed.lines().count() == 100, "{SCRIPT} lists {listed}");
    settle(&client)?;
    client.close()?;
    Ok(milliseconds)
}

/// Opens a store that has the collection attached; returns the milliseconds until it is listed.
fn warm(store: &HostPath) -> Result<f64> {
    let start = clock::now();
    let client = open(store)?;
    let listed = run_script(&mut client.shell(), SCRIPT)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    ensure!(listed.lines().count() == 100, "{SCRIPT} lists {listed}");
    client.close()?;
    Ok(milliseconds)
}
