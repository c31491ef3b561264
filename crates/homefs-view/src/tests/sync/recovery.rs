//! Steps whose answer was lost, whatever way leads on from there; and stores that are copies.

use homefs_sync::format::keys;
use homefs_testkit::{Fault, FaultKind, MemoryServer};

use super::desk::{Desk, at};
use super::{agree, desks};
use crate::WriteOptions;

/// Appends numbered lines, so that each can be counted.
#[derive(Default)]
struct Log(Vec<String>);

impl Log {
    /// Appends a line as a command does, or as a mount, which leaves it unsettled.
    fn append(&mut self, desk: &Desk, settled: bool) {
        let line = format!("line {} of {}", self.0.len(), desk.name());
        let text = format!("{line}\n");
        let size = desk.view.stat(&at("/log.md")).map_or(0, |stat| stat.size);
        let done = if settled || size == 0 {
            desk.view.append(&at("/log.md"), text.as_bytes(), &WriteOptions::default())
        } else {
            desk.view.write_at(&at("/log.md"), size, text.as_bytes())
        };
        done.expect("it can be written");
        self.0.push(line);
    }

    fn check(&self, desk: &Desk) {
        let found = desk.read("/log.md");
        for line in &self.0 {
            let count = found.lines().filter(|found| found == line).count();
            assert_eq!(count, 1, "{line:?} in\n{found}");
        }
        assert_eq!(found.lines().count(), self.0.len(), "{found}");
    }
}

/// Lets a machine push so that HEAD moves, but it never hears of it.
fn push_unheard(server: &MemoryServer, desk: &Desk) {
    let lost = FaultKind::Reset;
    server.fail(Fault::after(lost).of(desk.name()).below(keys::HEAD));
    server.fail(Fault::before(lost).of(desk.name()).below(keys::HEAD).until_healed());
    desk.round().expect_err("the answer is lost");
    server.heal();
}

#[test]
fn a_push_that_was_not_heard_of_is_recognised_behind_any_number_of_commits() {
    for foreign in 0..24 {
        for (crash, settled) in [(false, true), (true, true), (true, false)] {
            let (server, mut desks) = desks(2);
            let mut log = Log::default();
            log.append(&desks[0], true);
            agree(&desks);
            // An index may come with the very push that nobody hears of.
            for _ in 0..foreign % 9 {
                log.append(&desks[1], true);
                desks[1].round().expect("the remote answers");
            }
            log.append(&desks[1], true);
            desks[1].write("/state.md", "state by the second\n");
            push_unheard(&server, &desks[1]);
            for _ in 0..foreign {
                log.append(&desks[0], true);
                desks[0].round().expect("the remote answers");
                // Who has read a text and replaces it has the last word.
                desks[0].write("/state.md", "state by the first\n");
            }
            log.append(&desks[1], settled);
            if crash {
                desks[1].crash();
                log.append(&desks[1], settled);
            }
            agree(&desks);
            log.check(&desks[0]);
            let last = if foreign == 0 { "second" } else { "first" };
            assert_eq!(desks[1].read("/state.md"), format!("state by the {last}\n"));
        }
    }
}

#[test]
fn a_pull_is_finished_without_the_remote() {
    let (server, mut desks) = desks(2);
    let mut log = Log::default();
    log.append(&desks[0], true);
    agree(&desks);
    for round in 0..3 {
        for _ in 0..12 {
            log.append(&desks[0], true);
            desks[0].round().expect("the remote answers");
        }
        log.append(&desks[1], round == 0);
        super::steps::die_before_the_note(&mut desks[1]);
        // What it pulled from goes on, and what led there is gone.
        let old = server.objects().into_keys();
        let old: Vec<String> = old.filter(|key| key.starts_with(keys::INDEXES)).collect();
        for _ in 0..12 {
            log.append(&desks[0], true);
            desks[0].round().expect("the remote answers");
        }
        for key in &old {
            server.remove(key);
        }
        log.append(&desks[1], round == 1);
        agree(&desks);
        log.check(&desks[1]);
    }
}

#[test]
fn a_copied_store_goes_on_as_another_machine() {
    for rounds in 1..6 {
        let (server, mut desks) = desks(2);
        let mut log = Log::default();
        log.append(&desks[0], true);
        desks[0].write("/note.md", "one\ntwo\nthree\n");
        agree(&desks);
        desks.push(desks[0].copy(3));
        for round in 0..rounds {
            for (number, desk) in desks.iter().enumerate() {
                log.append(desk, round % 2 == 0);
                desk.write(&format!("/of-{number}/{round}"), "its own");
            }
            let changed = desks[0].read("/note.md").replace("one", "one by the original");
            desks[0].write("/note.md", &changed);
            let changed = desks[2].read("/note.md").replace("three", "three by the copy");
            desks[2].write("/note.md", &changed);
            desks[round % 3].round().expect("the remote answers");
        }
        agree(&desks);
        log.check(&desks[0]);
        let note = desks[1].read("/note.md");
        assert!(note.contains("by the original") && note.contains("by the copy"), "{note}");
        let ids: std::collections::BTreeSet<_> =
            desks.iter().map(|desk| desk.pair.machine.id()).collect();
        assert_eq!(ids.len(), 3);
        for desk in &desks {
            assert_eq!(desk.store.verify().expect("it can be read"), []);
        }
        let clock = std::sync::Arc::new(homefs_testkit::VirtualClock::new(homefs_core::Timestamp(
            3_000_000_000_000,
        )));
        desks.push(Desk::new(&server, 4, &clock));
        agree(&desks);
    }
}

#[test]
fn a_store_that_was_put_back_gets_what_it_pushed_since() {
    for pushes in [1, 3, 12] {
        let (_server, mut desks) = desks(2);
        let mut log = Log::default();
        log.append(&desks[0], true);
        desks[0].write("/note.md", "one\ntwo\nthree\n");
        agree(&desks);
        let files = desks[0].copy_files();
        let was = desks[0].pair.machine.id();
        for number in 0..pushes {
            log.append(&desks[0], true);
            desks[0].write("/note.md", &format!("one\ntwo\nthree\nfour {number}\n"));
            desks[0].round().expect("the remote answers");
        }
        desks[0].roll_back(files);
        log.append(&desks[0], false);
        log.append(&desks[1], true);
        desks[0].write("/note.md", "one after all\ntwo\nthree\n");
        agree(&desks);
        log.check(&desks[1]);
        let note = format!("one after all\ntwo\nthree\nfour {}\n", pushes - 1);
        assert_eq!(desks[0].read("/note.md"), note);
        assert_ne!(desks[0].pair.machine.id(), was);
        assert_eq!(desks[0].store.verify().expect("it can be read"), []);
    }
}

#[test]
fn two_machines_that_write_the_same_new_text_share_it() {
    let (_server, desks) = desks(2);
    desks[0].write("/log/2026-11-16.md", "# Monday\n\n- by the first\n");
    desks[1].write("/log/2026-11-16.md", "# Monday\n\n- by the second\n");
    desks[0].write("/data.json", "{\"a\": 1}\n");
    desks[1].write("/data.json", "{\"a\": 2}\n");
    agree(&desks);
    let text = "# Monday\n\n- by the first\n- by the second\n";
    assert_eq!(desks[1].read("/log/2026-11-16.md"), text);
    let names: Vec<_> = desks[1].tree().into_keys().map(|path| path.to_string()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    let open: Vec<_> =
        desks.iter().map(|desk| desk.pair.known.conflicts().unwrap().len()).collect();
    assert_eq!(open, [1, 1], "only the data needed a choice");
}

#[test]
fn appends_of_many_machines_are_no_conflicts() {
    let (_server, desks) = desks(5);
    let mut log = Log::default();
    log.append(&desks[0], true);
    agree(&desks);
    for round in 0..10 {
        for desk in &desks {
            log.append(desk, round % 2 == 0);
        }
        agree(&desks);
    }
    log.check(&desks[4]);
    assert_eq!(desks[0].pair.known.conflicts().unwrap(), []);
}
