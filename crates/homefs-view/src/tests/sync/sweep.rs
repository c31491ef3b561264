//! Sweeping a remote while others use it.

use homefs_core::{Digest, Timestamp};
use homefs_sync::format::keys;
use homefs_testkit::{Fault, FaultKind, RemoteOperation};

use super::agree;
use super::desk::{Desk, at};
use super::office::{DAY, Office};
use super::simulation::Dice;
use crate::{Moment, Page, WriteOptions};

/// What fails now and then.
const OPERATIONS: [RemoteOperation; 4] =
    [RemoteOperation::Delete, RemoteOperation::Get, RemoteOperation::List, RemoteOperation::Put];

impl Office {
    fn packs(&self) -> Vec<String> {
        let keys = self.server.objects().into_keys();
        keys.filter(|key| key.starts_with(keys::PACKS)).collect()
    }

    /// Keeps a machine from moving HEAD.
    fn stall(&self, number: u64) {
        let fault = Fault::before(FaultKind::Reset).on(RemoteOperation::Put).below(keys::HEAD);
        self.server.fail(fault.of(format!("machine-{number}")).until_healed());
    }
}

/// Reads everything that a machine has, and everything that its history should have.
fn read_all(desk: &Desk, now: Timestamp) {
    let mut paths: Vec<_> = desk.tree().into_keys().collect();
    let Page { items, .. } = desk.view.trash(None, 1000).expect("it can be listed");
    let recent = items.into_iter().filter(|item| now.since(item.time) < DAY * 29);
    paths.extend(recent.map(|item| item.path));
    for path in paths {
        let Ok(editions) = desk.view.log(&path, None, 1000) else { continue };
        let mut replaced = now;
        for edition in editions {
            if now.since(replaced) < DAY * 89 {
                let moment = Moment::Version(edition.version);
                desk.view.read_past(&path, moment, 0, 1 << 20).expect("it is kept");
            }
            replaced = edition.time;
        }
    }
}

#[test]
fn what_nobody_needs_goes_after_its_time_and_a_dry_run_tells_before() {
    let mut office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    a.write("/kept", "kept");
    a.write("/old", &"old".repeat(50_000));
    agree(&office.desks);
    a.view.remove(&at("/old"), false).unwrap();
    agree(&office.desks);
    office.pass(DAY * 60);
    a.write("/tick", "1");
    agree(&office.desks);
    let swept = b.pair.sweep(false).unwrap();
    assert_eq!((swept.packs_dropped, swept.packs_rewritten), (0, 0), "it is history");
    office.pass(DAY * 91);
    a.write("/tick", "2");
    agree(&office.desks);
    let before = office.server.objects();
    let promised = b.pair.sweep(true).unwrap();
    assert_eq!(office.server.objects(), before, "a dry run changes nothing");
    assert_eq!((promised.packs_dropped, promised.packs_rewritten), (0, 1));
    assert_eq!(b.pair.sweep(false).unwrap(), promised);
    agree(&office.desks);
    assert_eq!(b.pair.sweep(false).unwrap().packs_rewritten, 0);
    let left: usize = office.server.objects().values().map(bytes::Bytes::len).sum();
    assert!(left < 10_000, "{left}");
    office.hire();
    agree(&office.desks);
    assert_eq!(office.desks[2].read("/kept"), "kept");
}

#[test]
fn a_stalled_writer_sends_again_what_was_swept() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    b.write("/b", "b");
    agree(&office.desks);
    a.write("/a", "sent, and named by nobody");
    office.stall(1);
    a.round().unwrap_err();
    let packs = office.packs();
    office.pass(DAY * 2);
    b.write("/b", "later");
    b.round().unwrap();
    assert!(b.pair.sweep(false).unwrap().objects_deleted > 0);
    assert!(packs.iter().any(|pack| !office.packs().contains(pack)), "the orphan is gone");
    office.server.heal();
    agree(&office.desks);
    assert_eq!(b.read("/a"), "sent, and named by nobody");
}

#[test]
fn a_pack_that_was_just_sent_is_left_alone() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    agree(&office.desks);
    a.write("/a", "on its way");
    office.stall(1);
    a.round().unwrap_err();
    let packs = office.packs();
    b.write("/b", "b");
    b.round().unwrap();
    b.pair.sweep(false).unwrap();
    assert!(packs.iter().all(|pack| office.packs().contains(pack)));
}

#[test]
fn an_object_of_the_future_ends_nothing_and_delays_nothing() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    a.write("/first", &"again ".repeat(20_000));
    agree(&office.desks);
    a.view.remove(&at("/first"), false).unwrap();
    agree(&office.desks);
    b.pair.sweep(false).unwrap();
    office.server.set_now(office.now().after(DAY * 5000));
    b.write("/tick", "1");
    agree(&office.desks);
    office.server.set_now(office.now());
    b.write("/tick", "2");
    agree(&office.desks);
    assert_eq!(b.pair.sweep(false).unwrap().packs_dropped, 0);
    office.pass(DAY * 100);
    b.write("/tick", "3");
    agree(&office.desks);
    assert!(b.pair.sweep(false).unwrap().packs_dropped > 0);
}

#[test]
fn nobody_counts_on_what_is_being_swept() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    let content = "again ".repeat(20_000);
    a.write("/first", &content);
    agree(&office.desks);
    a.view.remove(&at("/first"), false).unwrap();
    agree(&office.desks);
    b.pair.sweep(false).unwrap();
    office.pass(DAY * 100);
    b.write("/tick", "1");
    agree(&office.desks);
    // The remote has it, so it is not sent; but its time is over.
    a.write("/second", &content);
    let packs = office.packs();
    office.stall(1);
    a.round().unwrap_err();
    assert!(b.pair.sweep(false).unwrap().packs_dropped > 0);
    assert!(packs.iter().any(|pack| !office.packs().contains(pack)));
    office.server.heal();
    agree(&office.desks);
    assert_eq!(b.read("/second"), content);
}

#[test]
fn what_the_remote_has_lost_is_sent_again_by_who_has_it() {
    let mut office = Office::new(2);
    office.desks[0].write("/small", "small");
    office.desks[0].write("/large", &"large ".repeat(200_000));
    agree(&office.desks[..1]);
    for is_damaged in [false, true] {
        for pack in office.packs() {
            if is_damaged {
                let len = office.server.objects()[&pack].len();
                office.server.put(pack, vec![7; len]);
            } else {
                office.server.remove(&pack);
            }
        }
        let [a, b] = &office.desks[..2] else { panic!("two") };
        if !is_damaged {
            b.round().unwrap();
            b.view.read(&at("/small")).unwrap_err();
        }
        let (mended, missing) = a.pair.mend(is_damaged).unwrap();
        assert!(mended > 0 && missing.is_empty());
    }
    agree(&office.desks);
    for pack in office.packs() {
        office.server.remove(&pack);
    }
    office.desks[1].pair.space.base.keep_blob(Digest::of(b"small"), b"").unwrap();
    let (_, missing) = office.desks[1].pair.mend(false).unwrap();
    assert_eq!(missing, [at("/small")]);
    let swept = office.desks[0].pair.sweep(false).unwrap();
    assert_eq!((swept.mended, swept.missing), (1, Vec::new()));
    office.hire();
    agree(&office.desks);
}

#[test]
fn what_a_commit_names_stays_until_its_fate_is_known() {
    for is_purge in [false, true] {
        let mut office = Office::new(1);
        let a = &office.desks[0];
        a.write("/kept", "kept");
        a.write("/old", &"old".repeat(50_000));
        a.round().unwrap();
        if is_purge {
            a.view.purge(&at("/old")).unwrap();
        } else {
            a.view.remove(&at("/old"), false).unwrap();
            a.round().unwrap();
            a.pair.sweep(false).unwrap();
            office.pass(DAY * 91);
            a.write("/tick", "1");
            a.round().unwrap();
        }
        // HEAD moves, and nobody hears of it.
        let put = Fault::after(FaultKind::Reset).on(RemoteOperation::Put).below(keys::HEAD);
        let get = Fault::before(FaultKind::Reset).on(RemoteOperation::Get).below(keys::HEAD);
        office.server.fail(put);
        // The sweep looks at HEAD before it moves it.
        office.server.fail(get.skip(if is_purge { 0 } else { 2 }).until_healed());
        let failed = if is_purge { a.round().map(drop) } else { a.pair.sweep(false).map(drop) };
        failed.unwrap_err();
        for text in ["after", "later"] {
            a.write("/after", text);
            a.round().ok();
        }
        office.server.heal();
        a.round().unwrap();
        assert_eq!(a.pair.sweep(false).unwrap().mended, 0, "nothing was lost");
        office.hire();
        agree(&office.desks);
        assert_eq!(office.desks[1].read("/kept"), "kept");
        assert_eq!(office.desks[1].read("/after"), "later");
    }
}

/// Works and sweeps while the remote fails and time passes.
fn sweep_with_faults(seed: u64) {
    let mut dice = Dice(seed);
    let mut office = Office::new(3);
    office.server.shuffle(seed);
    let options = WriteOptions { parents: true, ..WriteOptions::default() };
    for step in 0..60 {
        let (desk, path) = (dice.pick(&office.desks), at(&format!("/{}", dice.roll(6))));
        match dice.roll(12) {
            0..=3 => {
                // Few different ones, so that they come back after they went.
                let text = format!("{} ", dice.roll(8)).repeat(if dice.roll(3) == 0 {
                    40_000
                } else {
                    40
                });
                desk.view.write(&path, text.as_bytes(), &options).ok();
            }
            4 => drop(desk.view.remove(&path, true)),
            5 => office.pass(DAY * u32::try_from(dice.roll(45)).expect("it is small")),
            6 => {
                let kind = *dice.pick(&[FaultKind::Reset, FaultKind::Status(503)]);
                let fault =
                    if dice.roll(2) == 0 { Fault::before(kind) } else { Fault::after(kind) };
                let fault = fault.on(*dice.pick(&OPERATIONS));
                office.server.fail(fault.skip(dice.roll(5)).times(1 + dice.roll(2)));
            }
            7 => {
                if let Ok(swept) = desk.pair.sweep(false) {
                    assert_eq!((swept.mended, swept.missing), (0, Vec::new()), "nothing was lost");
                }
            }
            _ => drop(desk.round()),
        }
        if step % 20 == 19 {
            office.server.heal();
            agree(&office.desks);
            let now = office.now();
            office.desks.iter().for_each(|desk| read_all(desk, now));
        }
    }
    let swept = office.desks[0].pair.sweep(false).unwrap();
    assert_eq!((swept.mended, swept.missing), (0, Vec::new()), "nothing was lost");
    office.hire();
    agree(&office.desks);
}

#[test]
fn everything_reads_after_sweeps_whatever_fails() {
    for seed in 0..20 {
        if let Err(panic) = std::panic::catch_unwind(|| sweep_with_faults(seed)) {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(panic);
        }
    }
}
