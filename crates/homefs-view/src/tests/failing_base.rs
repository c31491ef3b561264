//! Calls of `SQLite` to the disk that fail, each in turn: nothing acknowledged is lost, and when
//! the disk is well again everything goes on.
#![expect(clippy::disallowed_methods, reason = "a base is a host file")]

use std::path::Path as HostPath;
use std::sync::Arc;

use homefs_core::{Disk, HostDisk, NodeId, Path, Result, Timestamp};
use homefs_sync::RemoteTracking;
use homefs_testkit::{CrashDisk, SqliteFault, SqliteFaults, VirtualClock};
use tempfile::TempDir;

use super::rig;
use crate::{Components, Settings, Store, View, WriteOptions};

/// Most calls that are made to fail, evenly among those that are made.
const CALLS_MAX: u64 = 14;

/// A store whose base can fail.
struct Place {
    // Before the folder that they are about.
    faults: SqliteFaults,
    disk: Arc<dyn Disk>,
    clock: Arc<VirtualClock>,
    host: TempDir,
}

impl Place {
    /// With a journal in memory, which is quicker.
    fn new() -> Self {
        let place = Self::on(CrashDisk::new().process());
        // A base needs a folder of the host.
        std::fs::create_dir_all(place.host.path().join("spaces/agents/me")).unwrap();
        place
    }

    fn on(disk: Arc<dyn Disk>) -> Self {
        let host = TempDir::new().unwrap();
        let faults = SqliteFaults::below(host.path());
        let clock = Arc::new(VirtualClock::new(Timestamp(1_000_000_000)));
        Self { faults, disk, clock, host }
    }

    fn open(&self, seed: u64) -> Result<(Store, View)> {
        // Of each file only the last version stays, so that every checkpoint trims.
        let settings = Settings { history_versions_max: 1, ..Settings::default() };
        let components = Components { clock: self.clock.clone(), disk: self.disk.clone(), seed };
        let store = Store::open(self.host.path(), settings, components)?;
        let view = store.view(&rig::me())?;
        Ok((store, view))
    }
}

fn file(number: usize) -> Path {
    Path::parse(&format!("/{number}.md")).unwrap()
}

fn content(number: usize, version: usize) -> Vec<u8> {
    format!("{number} in version {version} ").repeat(200).into_bytes()
}

fn write(view: &View, numbers: std::ops::Range<usize>, version: usize) {
    for number in numbers {
        view.write(&file(number), &content(number, version), &WriteOptions::default()).unwrap();
    }
}

#[track_caller]
fn check(view: &View, numbers: std::ops::Range<usize>, version: usize, told: &str) {
    for number in numbers {
        let read = view.read(&file(number)).map_err(|error| format!("{told}: {error:?}"));
        assert!(read.unwrap() == content(number, version), "{told}: {number}");
    }
}

/// Tries `work` once without a fault and then with one at each of its calls; file 0 is the work's.
fn check_each(work: fn(&Place, &Store, &View) -> Result<()>) {
    check_each_on(Place::new, work);
}

/// As [`check_each`], at another place.
fn check_each_on(place: fn() -> Place, work: fn(&Place, &Store, &View) -> Result<()>) {
    for how in [SqliteFault::Full, SqliteFault::Broken] {
        let (mut nth, mut step) = (0, 1);
        loop {
            let told = format!("{how:?} at call {nth}");
            let place = place();
            let (store, view) = place.open(1).unwrap();
            write(&view, 0..12, 1);
            store.inner().fold.checkpoint().unwrap();
            write(&view, 0..12, 2);
            let before = place.faults.calls();
            if nth > 0 {
                place.faults.fail(nth, how);
            }
            let done = work(&place, &store, &view);
            check(&view, 1..12, 2, &told);
            let failed = place.faults.heal();
            assert!(done.is_ok() || failed, "{told}: {done:?}");
            // Without opening it again.
            write(&view, 1..6, 3);
            store.inner().fold.checkpoint().map_err(|error| format!("{told}: {error:?}")).unwrap();
            check(&view, 1..6, 3, &told);
            work(&place, &store, &view).map_err(|error| format!("{told}: {error:?}")).unwrap();
            let calls = place.faults.calls() - before;
            store.close().unwrap();
            let (store, view) = place.open(2).unwrap();
            check(&view, 1..6, 3, &told);
            check(&view, 6..12, 2, &told);
            assert_eq!(store.verify().unwrap(), [], "{told}");
            if nth == 0 {
                step = (calls / CALLS_MAX).max(1);
            } else if !failed {
                assert!(nth > 4 * step, "{told}: hardly a call fails");
                break;
            }
            nth += step;
        }
    }
}

#[test]
fn whichever_call_fails_while_folding_and_trimming_nothing_is_lost() {
    check_each(|_, store, _| store.inner().fold.checkpoint());
}

#[test]
fn whichever_call_fails_while_purging_nothing_else_is_lost() {
    check_each(|_, _, view| {
        if view.stat(&file(0)).is_err() {
            view.write(&file(0), &content(0, 9), &WriteOptions::default())?;
        }
        view.purge(&file(0)).map(drop)
    });
}

#[test]
fn whichever_call_fails_while_the_trash_is_emptied_nothing_else_is_lost() {
    check_each(|_, _, view| {
        if view.stat(&file(0)).is_ok() {
            view.remove(&file(0), false)?;
        }
        view.empty_trash().map(drop)
    });
}

#[test]
fn whichever_call_fails_while_a_backup_is_made_the_next_one_works() {
    // A copy is made of files of both disks.
    check_each_on(
        || Place::on(Arc::new(HostDisk)),
        |place, store, _| {
            store.backup(&place.host.path().join(format!("backup-{}", place.faults.calls())))
        },
    );
}

#[test]
fn whichever_call_fails_while_a_space_is_opened_nothing_is_lost() {
    for how in [SqliteFault::Full, SqliteFault::Broken] {
        for nth in 1.. {
            let place = Place::new();
            let (store, view) = place.open(1).unwrap();
            write(&view, 0..12, 1);
            drop(view);
            // What is not folded is folded by who opens it next.
            place.faults.fail(1, SqliteFault::Broken);
            store.close().unwrap();
            place.faults.heal();
            drop(store);
            place.faults.fail(nth, how);
            if let Ok((store, view)) = place.open(2) {
                check(&view, 0..12, 1, "opened");
                store.close().unwrap();
            }
            let failed = place.faults.heal();
            let (store, view) = place.open(3).unwrap();
            check(&view, 0..12, 1, &format!("{how:?} at call {nth}"));
            assert_eq!(store.verify().unwrap(), []);
            if !failed {
                break;
            }
        }
    }
}

/// Notes nodes one by one until one fails; returns how many were acknowledged.
fn pin_all(dir: &HostPath) -> Result<u128> {
    let known = RemoteTracking::open(dir)?;
    for node in 0..10 {
        if known.pin(NodeId(node), true).is_err() {
            return Ok(node);
        }
    }
    Ok(10)
}

#[test]
fn whichever_call_fails_what_is_known_of_a_remote_stays() {
    for how in [SqliteFault::Full, SqliteFault::Broken] {
        for nth in 1.. {
            let host = TempDir::new().unwrap();
            let faults = SqliteFaults::below(host.path());
            faults.fail(nth, how);
            let noted = pin_all(host.path()).unwrap_or(0);
            let failed = faults.heal();
            let pins = RemoteTracking::open(host.path()).unwrap().pins().unwrap();
            assert!((0..noted).all(|node| pins.contains(&NodeId(node))), "{how:?} {nth}: {noted}");
            assert_eq!(pin_all(host.path()).unwrap(), 10);
            if !failed {
                break;
            }
        }
    }
}
