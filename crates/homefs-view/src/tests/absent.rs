//! Contents that only the remote has: reading, changing, healing, giving up and recovering them.

mod desk;

use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use homefs_core::{Digest, ErrorKind, NodeId, Version};
use homefs_store::guard::Permit;
use homefs_store::lender::Lender;
use homefs_store::record::Change;

use self::desk::{Desk, Shelf, at, large};
use crate::{Edition, Moment, WriteOptions};

const SMALL: &[u8] = b"written on another machine";

#[test]
fn an_absent_content_is_fetched_once_and_stays() {
    let mut desk = Desk::new();
    desk.pull("small", SMALL);
    desk.pull("large", &large());
    for folded in [false, true] {
        let without = |name: &str| desk.view().read(&at(name)).unwrap_err().kind();
        if folded {
            desk.fold();
            assert_eq!(without("/small"), ErrorKind::Unavailable);
            assert_eq!(without("/large"), ErrorKind::Unavailable);
            desk.lend();
            assert_eq!(&desk.view().read(&at("/small")).unwrap()[..], SMALL);
            assert_eq!(desk.view().read_at(&at("/large"), 1 << 20, 9).unwrap().len(), 9);
            assert_eq!(desk.shelf.count(), 2);
            assert_eq!(desk.view().read(&at("/large")).unwrap(), large());
            assert_eq!(desk.shelf.count(), 4);
        } else {
            assert_eq!(without("/small"), ErrorKind::Unavailable);
        }
    }
    assert_eq!(desk.space().base.absent().unwrap(), []);
    // From now on it is here, lender or not.
    desk.reopen();
    assert_eq!(&desk.view().read(&at("/small")).unwrap()[..], SMALL);
    assert_eq!(desk.view().read(&at("/large")).unwrap(), large());
    assert_eq!(desk.findings(), []);
}

#[test]
fn what_a_lender_brings_along_is_kept_where_a_row_names_it() {
    let desk = Desk::new();
    desk.pull("small", SMALL);
    desk.pull("other", b"another one");
    desk.pull("large", &large());
    desk.shelf.add(Bytes::from_static(b"nobody knows this"));
    desk.fold();
    desk.lend();
    desk.shelf.bring_all();
    assert_eq!(&desk.view().read(&at("/small")).unwrap()[..], SMALL);
    assert_eq!(desk.space().base.absent().unwrap(), []);
    assert_eq!(desk.view().read(&at("/large")).unwrap(), large());
    assert_eq!(desk.shelf.count(), 1);
    assert!(desk.space().base.blob(Digest::of(b"nobody knows this")).is_err());
    assert_eq!(desk.findings(), []);
}

#[test]
fn a_lender_that_gives_something_else_is_not_believed() {
    let desk = Desk::new();
    desk.pull("small", SMALL);
    desk.fold();
    desk.lend();
    desk.shelf.spoil(Digest::of(SMALL));
    assert_eq!(desk.view().read(&at("/small")).unwrap_err().kind(), ErrorKind::Corrupt);
    desk.shelf.add(Bytes::from_static(SMALL));
    assert_eq!(&desk.view().read(&at("/small")).unwrap()[..], SMALL);
}

#[test]
fn many_readers_wait_for_one_fetch() {
    let desk = Desk::new();
    desk.pull("small", SMALL);
    desk.pull("large", &large());
    desk.fold();
    desk.lend();
    for (name, expected) in [("/small", SMALL.to_vec()), ("/large", large()[..9].to_vec())] {
        let open = desk.shelf.shut();
        thread::scope(|scope| {
            let read = || desk.view().read_at(&at(name), 0, expected.len().min(26)).unwrap();
            let readers: Vec<_> = (0..4).map(|_| scope.spawn(read)).collect();
            // One has come as far as the remote; the others wait for it or find what it kept.
            desk.shelf.wait_for_fetch();
            drop(open);
            for reader in readers {
                assert_eq!(reader.join().unwrap(), expected);
            }
        });
        assert_eq!(desk.shelf.count(), 1);
    }
}

#[test]
fn a_range_write_fetches_only_the_chunk_it_changes() {
    let mut desk = Desk::new();
    desk.pull("large", &large());
    desk.pull("small", SMALL);
    desk.lend();
    desk.view().write_at(&at("/large"), 3, b"changed").unwrap();
    assert_eq!(desk.shelf.count(), 1);
    desk.view().write_at(&at("/small"), 0, b"W").unwrap();
    // Growing changes the last chunk, which is fetched when the change is made, not later.
    desk.view().truncate(&at("/large"), large().len() as u64 + (3 << 20)).unwrap();
    assert_eq!(desk.shelf.count(), 3);
    desk.space().chunks.set_lender(None);
    desk.space().settle_due(None).unwrap();
    desk.reopen();
    let read = |offset| desk.view().read_at(&at("/large"), offset, 10);
    assert_eq!(&read(0).unwrap()[3..], b"changed");
    assert_eq!(read(1 << 20).unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(&desk.view().read(&at("/small")).unwrap()[1..], &SMALL[1..]);
    desk.lend();
    let mut expected = large();
    expected[3..10].copy_from_slice(b"changed");
    expected.resize(expected.len() + (3 << 20), 0);
    assert_eq!(desk.view().read(&at("/large")).unwrap(), expected);
    assert_eq!(desk.findings(), []);
}

#[test]
fn what_needs_no_old_bytes_needs_no_lender() {
    let mut desk = Desk::new();
    for name in ["small", "large", "cut", "whole", "moved", "copied"] {
        let bytes = if name == "small" { SMALL.to_vec() } else { large() };
        desk.pull(name, &bytes);
    }
    let view = desk.view();
    view.truncate(&at("/small"), 0).unwrap();
    view.write_at(&at("/small"), 0, b"new").unwrap();
    view.truncate(&at("/cut"), 1 << 20).unwrap();
    view.write_at(&at("/large"), 0, &vec![7; 1 << 20]).unwrap();
    view.write(&at("/whole"), b"all new", &WriteOptions::default()).unwrap();
    view.rename(&at("/moved"), &at("/there"), crate::RenameMode::Replace).unwrap();
    view.copy(&at("/copied"), &at("/copy"), false).unwrap();
    let failed = view.write_at(&at("/there"), 5, b"x").unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::Unavailable);
    desk.reopen();
    assert_eq!(&desk.view().read(&at("/small")).unwrap()[..], b"new");
    assert_eq!(&desk.view().read(&at("/whole")).unwrap()[..], b"all new");
    assert_eq!(&desk.view().read_at(&at("/large"), 0, 1 << 20).unwrap()[..], vec![7; 1 << 20]);
    desk.lend();
    assert_eq!(desk.view().read(&at("/there")).unwrap(), large());
    assert_eq!(desk.view().read(&at("/copy")).unwrap(), large());
    assert_eq!(desk.view().read(&at("/cut")).unwrap(), large()[..1 << 20]);
    assert_eq!(desk.findings(), []);
}

#[test]
fn what_is_damaged_here_is_healed_by_the_lender() {
    let mut desk = Desk::new();
    desk.write("small", SMALL);
    desk.write("large", &large());
    let chunk = Digest::of(&large()[..1 << 20]);
    desk.close();
    desk.damage_chunk(chunk);
    desk.damage_blob(Digest::of(SMALL));
    desk.open();
    assert_eq!(desk.view().read(&at("/small")).unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(desk.view().read(&at("/large")).unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(desk.findings().len(), 2);
    desk.lend();
    desk.shelf.add(Bytes::from_static(SMALL));
    desk.shelf.add(Bytes::copy_from_slice(&large()[..1 << 20]));
    assert_eq!(&desk.view().read(&at("/small")).unwrap()[..], SMALL);
    assert_eq!(desk.view().read(&at("/large")).unwrap(), large());
    desk.reopen();
    assert_eq!(desk.view().read(&at("/large")).unwrap(), large());
    assert_eq!(&desk.view().read(&at("/small")).unwrap()[..], SMALL);
    assert_eq!(desk.findings(), []);
}

#[test]
fn what_is_given_up_is_what_the_remote_has_and_nobody_keeps() {
    let mut desk = Desk::new();
    desk.lend();
    for (name, bytes) in [("old", "past"), ("old", "now"), ("lacking", "not pushed")] {
        desk.write(name, bytes.as_bytes());
    }
    desk.write("large", &large());
    desk.write("kept", &[1; 100]);
    desk.write("busy", &vec![2; 2 << 20]);
    for bytes in [&b"past"[..], b"now", &[1; 100], &vec![2; 1 << 20]] {
        desk.shelf.add(Bytes::copy_from_slice(bytes));
    }
    large().chunks(1 << 20).for_each(|chunk| desk.shelf.add(Bytes::copy_from_slice(chunk)));
    desk.view().write_at(&at("/busy"), 5, b"unsettled").unwrap();
    let space = desk.space();
    let kept = desk.node("/kept");
    let evict = |keep| space.evict(keep, &|node| node == kept, &*desk.shelf).unwrap();
    let here = || space.base.present().unwrap();
    let total: u64 = here().iter().map(|here| here.size).sum();
    assert_eq!(evict(total), 0);
    // The past goes first.
    assert_eq!(evict(total - 1), 4);
    assert_eq!(evict(0), large().len() as u64 + 3);
    assert_eq!(evict(0), 0);
    let digests: Vec<Digest> = here().iter().map(|here| here.digest).collect();
    for stays in [&b"not pushed"[..], &[1; 100], &vec![2; 1 << 20]] {
        assert!(digests.contains(&Digest::of(stays)));
    }
    assert_eq!(digests.len(), 3);
    assert_eq!(desk.findings(), []);
    drop(space);
    desk.reopen();
    assert_eq!(
        desk.view().read_at(&at("/large"), 0, 9).unwrap_err().kind(),
        ErrorKind::Unavailable
    );
    let mut busy = vec![2; 2 << 20];
    busy[5..14].copy_from_slice(b"unsettled");
    assert_eq!(desk.view().read(&at("/busy")).unwrap(), busy);
    desk.lend();
    assert_eq!(desk.view().read(&at("/large")).unwrap(), large());
    let version = desk.view().log(&at("/old"), None, 9).unwrap()[1].version;
    let past = desk.view().read_past(&at("/old"), Moment::Version(version), 0, 9).unwrap();
    assert_eq!(&past[..], b"past");
}

#[test]
fn a_pinned_content_is_not_given_up() {
    let desk = Desk::new();
    desk.write("small", SMALL);
    desk.shelf.add(Bytes::from_static(SMALL));
    let space = desk.space();
    let past = space.base.edition(desk.node("/small"), Moment::Now).unwrap().unwrap();
    let evict = || space.evict(0, &|_| false, &*desk.shelf).unwrap();
    assert_eq!(evict(), 0);
    drop(past);
    assert_eq!(evict(), SMALL.len() as u64);
}

#[test]
fn records_that_name_absent_contents_survive_the_death_of_the_process() {
    for folded in [false, true] {
        let mut desk = Desk::new();
        desk.pull("small", SMALL);
        desk.pull("large", &large());
        if folded {
            desk.fold();
        }
        desk.lend();
        desk.view().write_at(&at("/large"), 3, b"changed").unwrap();
        desk.space().settle_due(None).unwrap();
        desk.view().copy(&at("/small"), &at("/copy"), false).unwrap();
        desk.view().copy(&at("/large"), &at("/large copy"), false).unwrap();
        let version = desk.version();
        desk.crash();
        assert_eq!(desk.version(), version);
        assert_eq!(desk.view().read(&at("/copy")).unwrap_err().kind(), ErrorKind::Unavailable);
        desk.fold();
        desk.lend();
        let mut expected = large();
        expected[3..10].copy_from_slice(b"changed");
        assert_eq!(desk.view().read(&at("/large copy")).unwrap(), expected);
        assert_eq!(&desk.view().read(&at("/copy")).unwrap()[..], SMALL);
        assert_eq!(desk.findings(), []);
    }
}

#[test]
fn a_record_whose_leaf_is_lost_ends_the_recovery() {
    for lost in [false, true] {
        let mut desk = Desk::new();
        desk.pull("large", &large());
        desk.pull("later", SMALL);
        let leaf = desk.space().chunks.list().unwrap()[0];
        desk.crash_with(|desk| {
            if lost {
                desk.damage_chunk(leaf);
            }
        });
        for path in ["/large", "/later"] {
            assert_eq!(desk.view().stat(&at(path)).is_err(), lost, "{path}");
        }
        desk.fold();
        assert_eq!(desk.findings(), []);
    }
}

#[test]
fn a_record_whose_own_chunk_is_lost_ends_the_recovery_also_over_absent_chunks() {
    let mut desk = Desk::new();
    desk.pull("large", &large());
    desk.lend();
    desk.view().write_at(&at("/large"), 3, b"changed").unwrap();
    desk.space().settle_due(None).unwrap();
    let mut chunk = large()[..1 << 20].to_vec();
    chunk[3..10].copy_from_slice(b"changed");
    desk.crash_with(|desk| desk.damage_chunk(Digest::of(&chunk)));
    // The range write itself is in the journal still, and settles again.
    assert_eq!(desk.version(), Version(2));
    assert_eq!(&desk.view().read_at(&at("/large"), 3, 7).unwrap()[..], b"changed");
}

#[test]
fn a_range_write_over_a_fetched_content_survives_power_loss() {
    for seed in 0..20 {
        let mut desk = Desk::new();
        desk.pull("small", SMALL);
        desk.pull("large", &large());
        desk.fold();
        desk.lend();
        desk.view().write_at(&at("/small"), 0, b"W").unwrap();
        desk.view().write_at(&at("/large"), 3, b"changed").unwrap();
        desk.view().barrier().unwrap();
        desk.lose_power(seed);
        // What the writes build upon is here, although nobody can be asked.
        assert_eq!(&desk.view().read(&at("/small")).unwrap()[1..], &SMALL[1..], "seed {seed}");
        let read = desk.view().read_at(&at("/large"), 0, 10).unwrap();
        assert_eq!(&read[3..], b"changed", "seed {seed}");
    }
}

#[test]
fn a_pulled_edition_says_who_wrote_it_when_and_where() {
    let desk = Desk::new();
    desk.write("here", b"one");
    desk.pull("there", SMALL);
    let log = |name| desk.view().log(&at(name), None, 9).unwrap();
    let [Edition { agent, machine, time, size, .. }] = &log("/there")[..] else { panic!("one") };
    assert_eq!((agent.as_str(), machine.as_deref()), ("pat", Some("laptop")));
    assert_eq!((*time, *size), (desk::WRITTEN, SMALL.len() as u64));
    assert_eq!(desk.view().stat(&at("/there")).unwrap().modified, desk::WRITTEN);
    assert_eq!(log("/here")[0].machine, None);
    let changed = desk.space().base.changes_since(Version(0), 99).unwrap();
    let agent_of = |node: NodeId| {
        changed.iter().find(|row| row.node == node).map(|row| row.agent.to_string()).unwrap()
    };
    assert_eq!(agent_of(desk.node("/there")), "pat");
    assert_eq!(agent_of(desk.node("/here")), "me");
}

#[test]
fn a_backup_has_what_is_here_and_knows_what_is_absent() {
    let mut desk = Desk::on_host();
    desk.pull("small", SMALL);
    desk.pull("large", &large());
    desk.write("here", b"here");
    desk.lend();
    desk.view().read_at(&at("/large"), 0, 1).unwrap();
    let fetched = desk.shelf.count();
    desk.back_up_and_restore();
    assert_eq!(desk.shelf.count(), fetched);
    assert_eq!(&desk.view().read(&at("/here")).unwrap()[..], b"here");
    assert_eq!(desk.view().read_at(&at("/large"), 0, 9).unwrap(), large()[..9]);
    assert_eq!(desk.view().read(&at("/small")).unwrap_err().kind(), ErrorKind::Unavailable);
    desk.lend();
    assert_eq!(desk.view().read(&at("/large")).unwrap(), large());
    assert_eq!(&desk.view().read(&at("/small")).unwrap()[..], SMALL);
    assert_eq!(desk.findings(), []);
}

#[test]
fn an_absent_content_that_the_remote_lacks_is_found() {
    let desk = Desk::new();
    desk.pull("small", SMALL);
    desk.pull("large", &large());
    assert_eq!(desk.findings(), []);
    desk.space().chunks.set_lender(Some(Arc::new(Shelf::default())));
    let mut places = desk.findings().into_iter().map(|finding| finding.place).collect::<Vec<_>>();
    places.sort();
    assert_eq!(places, ["agents/me: /large", "agents/me: /small"]);
    desk.lend();
    assert_eq!(desk.findings(), []);
    assert_eq!(desk.shelf.count(), 0);
}

#[test]
fn a_repair_keeps_what_is_absent() {
    let mut desk = Desk::on_host();
    desk.pull("small", SMALL);
    desk.pull("large", &large());
    desk.write("here", b"here");
    desk.close();
    desk.damage_blob(Digest::of(b"here"));
    desk.damage_rows();
    let mended = desk.repair();
    assert!(mended[0].mended.as_deref().unwrap().contains("nodes saved"), "{mended:?}");
    desk.open();
    let findings = desk.findings();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].place, "agents/me: /here");
    assert_eq!(desk.view().read(&at("/here")).unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(
        desk.view().log(&at("/small"), None, 9).unwrap()[0].machine.as_deref(),
        Some("laptop")
    );
    desk.lend();
    assert_eq!(&desk.view().read(&at("/small")).unwrap()[..], SMALL);
    assert_eq!(desk.view().read(&at("/large")).unwrap(), large());
}

#[test]
fn erasing_by_digest_takes_the_past_and_leaves_the_present() {
    let desk = Desk::new();
    for (name, bytes) in [("a", "secret"), ("a", "public"), ("b", "secret"), ("gone", "secret")] {
        desk.write(name, bytes.as_bytes());
    }
    desk.write("large", &large());
    desk.write("large", b"short");
    desk.view().remove(&at("/gone"), false).unwrap();
    let digests = vec![Digest::of(b"secret"), Digest::of(&large()[..1 << 20])];
    let erase = |_: &_, draft: &mut homefs_store::draft::Draft<'_>| {
        draft.push(Change::Erase { digests: digests.clone() });
        Ok(())
    };
    desk.space().change_now(&desk::author(), Permit::follower(), erase).unwrap();
    desk.fold();
    let count = |name| desk.view().log(&at(name), None, 9).unwrap().len();
    assert_eq!((count("/a"), count("/b"), count("/large")), (1, 1, 1));
    assert_eq!(&desk.view().read(&at("/b")).unwrap()[..], b"secret");
    assert_eq!(desk.view().trash(None, 9).unwrap().items, []);
    assert_eq!(desk.space().base.purged_since(Version(0)).unwrap(), []);
    assert_eq!(desk.space().chunks.list().unwrap(), []);
    assert_eq!(desk.findings(), []);
}

#[test]
fn a_purge_notes_what_nothing_names_any_more() {
    let desk = Desk::new();
    desk.write("a", b"secret");
    desk.write("b", b"shared");
    desk.write("c", b"shared");
    desk.write("large", &large());
    let before = desk.version();
    for name in ["/a", "/b", "/large"] {
        desk.view().purge(&at(name)).unwrap();
    }
    let purged = desk.space().base.purged_since(before).unwrap();
    let mut expected = vec![Digest::of(b"secret")];
    expected.extend(large().chunks(1 << 20).map(Digest::of));
    assert!(expected.iter().all(|digest| purged.contains(digest)), "{purged:?}");
    // Besides these there is the leaf.
    assert_eq!(purged.len(), expected.len() + 1);
    assert_eq!(desk.space().base.purged_since(desk.version()).unwrap(), []);
    // What comes back is no longer to be purged.
    desk.write("again", b"secret");
    assert!(!desk.space().base.purged_since(before).unwrap().contains(&Digest::of(b"secret")));
    assert_eq!(desk.findings(), []);
}

#[test]
fn nobody_waits_for_a_fetch_that_panicked() {
    struct Panics;
    impl Lender for Panics {
        fn fetch(&self, _: Digest) -> homefs_core::Result<Vec<(Digest, Bytes)>> {
            panic!("as asked")
        }

        fn has(&self, _: Digest) -> bool {
            true
        }
    }
    let desk = Desk::new();
    desk.pull("small", SMALL);
    desk.space().chunks.set_lender(Some(Arc::new(Panics)));
    let read = thread::scope(|scope| scope.spawn(|| desk.view().read(&at("/small"))).join());
    assert!(read.is_err());
    desk.lend();
    assert_eq!(&desk.view().read(&at("/small")).unwrap()[..], SMALL);
}
