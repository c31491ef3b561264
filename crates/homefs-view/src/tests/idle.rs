//! The past ends where nothing changes, too, and only by a clock that is believed.

use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Clock as _, Path, Timestamp};
use homefs_testkit::{CrashDisk, VirtualClock};
use tempfile::TempDir;

use super::rig::{home, open, open_store};
use crate::{Settings, Store, WriteOptions};

const DAY: Duration = Duration::from_hours(24);

/// A store with one file in the trash, for three days.
struct Desk {
    host: TempDir,
    disk: CrashDisk,
    clock: Arc<VirtualClock>,
    store: Store,
}

fn settings() -> Settings {
    Settings { trash_days_max: 3, ..Settings::default() }
}

impl Desk {
    #[expect(clippy::disallowed_methods, reason = "a base is a host file")]
    fn new() -> Self {
        let host = TempDir::new().expect("the host has room");
        std::fs::create_dir_all(host.path().join("spaces/agents/me")).expect("the host has room");
        let disk = CrashDisk::new();
        let clock = Arc::new(VirtualClock::new(Timestamp(1_793_491_200_000_000_000)));
        let (store, view) = open(&host, &disk, &clock, &settings(), 1).expect("it opens");
        let note = Path::parse("/note.md").expect("a good path");
        view.write(&note, b"text", &WriteOptions::default()).expect("it is written");
        view.remove(&note, false).expect("it is removed");
        let new = Self { host, disk, clock, store };
        new.rest();
        new
    }

    /// Lets the fold do what there is to do.
    fn rest(&self) {
        self.store.inner().fold.checkpoint().expect("the disk is good");
    }

    fn trash(&self) -> usize {
        home(&self.store).base.trash(None, 10).expect("the base can be read").len()
    }
}

#[test]
fn the_past_ends_in_a_space_that_nobody_changes() {
    let desk = Desk::new();
    for _ in 0..2 {
        desk.clock.advance(DAY);
        desk.rest();
        assert_eq!(desk.trash(), 1);
    }
    desk.clock.advance(DAY);
    desk.rest();
    assert_eq!(desk.trash(), 0);
}

#[test]
fn the_past_ends_in_a_space_that_nobody_opens() {
    let mut desk = Desk::new();
    desk.store.close().unwrap();
    desk.store = open_store(&desk.host, &desk.disk, &desk.clock, &settings(), 2).unwrap();
    for _ in 0..3 {
        desk.clock.advance(DAY);
        for _ in 0..5 {
            // The thread visits spaces too.
            let _paused = desk.store.inner().fold.pause();
            desk.store.inner().fold.visit(desk.clock.now()).unwrap();
            assert!(desk.store.inner().spaces.open_now().is_empty(), "it is closed again");
        }
    }
    assert_eq!(desk.trash(), 0);
}

#[test]
fn a_month_in_which_nobody_looked_is_believed_after_two_days() {
    let desk = Desk::new();
    desk.clock.advance(DAY * 30);
    for _ in 0..8 {
        desk.rest();
        assert_eq!(desk.trash(), 1);
        desk.clock.advance(DAY / 4);
    }
    desk.rest();
    assert_eq!(desk.trash(), 0);
}

#[test]
fn what_was_written_while_the_clock_was_ahead_settles_when_it_is_right() {
    let desk = Desk::new();
    let right = desk.clock.now();
    desk.clock.set(right.after(DAY * 5000));
    let view = desk.store.view(&super::rig::me()).unwrap();
    let note = Path::parse("/open.md").unwrap();
    view.write(&note, b"", &WriteOptions::default()).unwrap();
    view.write_at(&note, 0, b"text").unwrap();
    desk.clock.set(right);
    desk.rest();
    assert!(home(&desk.store).tree.read().staged().len() == 0);
}
