//! A bucket that goes, objects that go, and a server that is away for long: what is here stays,
//! and the error says what to do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use homefs_core::ErrorKind;
use homefs_testkit::{Fault, FaultKind, S3Server};
use homefs_view::{Durability, WriteOptions};

use crate::common::{open, parents, path, view_of};
use crate::sync_faults::Machine;
use crate::upkeep::flip;

/// Longer than anything takes that works.
const LONG: Duration = Duration::from_mins(1);

fn keys(server: &S3Server, part: &str) -> Vec<String> {
    let keys = server.objects().into_keys();
    keys.filter(|key| key.contains(part)).collect()
}

#[test]
fn a_bucket_that_was_deleted_can_be_filled_again() {
    let server = S3Server::start().unwrap();
    let (a, b) = (Machine::still(&server, "a"), Machine::still(&server, "b"));
    let large = "0123456789".repeat(30_000);
    a.write("/notes/a.md", "one");
    a.write("/large", &large);
    a.sync();
    b.sync();
    server.delete_bucket();
    a.write("/notes/a.md", "two");
    let error = a.try_sync().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(error.message().contains("create it"), "{error}");
    server.create_bucket();
    for _ in 0..2 {
        let error = a.try_sync().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert!(error.message().contains("detach the remote and attach it anew"), "{error}");
    }
    a.write("/notes/b.md", "local work goes on");
    assert_eq!(a.read("/notes/a.md"), "two");
    a.store.detach().unwrap();
    a.attach();
    a.sync();
    let fresh = Machine::still(&server, "fresh");
    fresh.sync();
    assert_eq!(fresh.files().unwrap(), a.files().unwrap());
    assert_eq!(fresh.read("/large"), large);
    // Who knew the old bucket is told, too; nothing of it is mixed with the new.
    b.write("/notes/c.md", "of the other machine");
    let error = b.try_sync().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    b.store.detach().unwrap();
    b.attach();
    b.sync();
    a.sync();
    assert_eq!(a.files().unwrap(), b.files().unwrap());
    assert_eq!(a.read("/notes/c.md"), "of the other machine");
    // Nobody knows any more that one of the two texts came from the other.
    assert_eq!(a.read("/notes/a.md"), "two\none");
    assert_eq!(a.files().unwrap().len(), 4);
}

#[test]
fn a_pack_that_is_gone_is_told_of_and_sent_again() {
    let server = S3Server::start().unwrap();
    let a = Machine::still(&server, "a");
    a.write("/lost.md", "lost");
    a.sync();
    let pack = keys(&server, "/packs/");
    a.write("/kept.md", "kept");
    a.sync();
    for key in &pack {
        server.remove(key);
    }
    let b = Machine::still(&server, "b");
    // A pull may bring small contents along, but must not need them.
    b.try_sync().unwrap();
    assert_eq!(b.view.stat(&path("/lost.md")).unwrap().size, 4);
    let error = b.view.read(&path("/lost.md")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains("homefs fsck --repair"), "{error}");
    assert_eq!(b.read("/kept.md"), "kept");
    let findings = b.store.mend().unwrap();
    assert_eq!(findings.len(), 1);
    assert!(findings[0].place.ends_with("/lost.md") && findings[0].mended.is_none());
    let findings = a.store.mend().unwrap();
    assert!(findings.len() == 1 && findings[0].mended.is_some(), "{findings:?}");
    assert_eq!(b.read("/lost.md"), "lost");
    assert_eq!(b.store.mend().unwrap(), []);
}

#[test]
fn writers_do_not_notice_an_outage() {
    let server = S3Server::start().unwrap();
    let a = Machine::alive(&server, "a");
    a.write("/log.md", "");
    a.sync();
    let (outage, over) = (AtomicBool::new(false), AtomicBool::new(false));
    let append = |number: u32| {
        let durability =
            if number.is_multiple_of(10) { Durability::Journal } else { Durability::Memory };
        let options = WriteOptions { durability, ..parents() };
        a.view.append(&path("/log.md"), format!("{number}\n").as_bytes(), &options).unwrap();
    };
    let written = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let (mut number, mut in_outage) = (0, 0);
            while !over.load(Ordering::Relaxed) || in_outage < 200 {
                append(number);
                number += 1;
                in_outage += u32::from(outage.load(Ordering::Relaxed));
            }
            number
        });
        for kind in [FaultKind::Status(503), FaultKind::Reset, FaultKind::Timeout] {
            server.fail(Fault::before(kind).until_healed());
            server.clear_log();
            outage.store(true, Ordering::Relaxed);
            while server.log().is_empty() {
                std::thread::yield_now();
            }
            server.heal();
        }
        over.store(true, Ordering::Relaxed);
        writer.join().unwrap()
    });
    a.view.barrier_remote(LONG).unwrap();
    let b = Machine::still(&server, "b");
    b.sync();
    let log = b.read("/log.md");
    assert!(log.lines().eq((0..written).map(|number| number.to_string())), "{log}");
}

#[test]
fn a_lost_content_does_not_hold_up_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let (small, large) = ("a needle in a base", "a needle in a chunk\n".repeat(10_000));
    let store = open(dir.path());
    let view = view_of(&store, "me");
    view.write(&path("/small.md"), small.as_bytes(), &parents()).unwrap();
    view.write(&path("/large.md"), large.as_bytes(), &parents()).unwrap();
    store.close().unwrap();
    drop((store, view));
    flip(&dir.path().join("spaces"), b"needle in a");
    let server = S3Server::start().unwrap();
    let a = Machine::still_in(dir, &server, "a");
    let withheld = || {
        let status = a.store.status().remote.and_then(|remote| remote.status);
        let home = status
            .expect("a remote is attached")
            .spaces
            .into_iter()
            .find(|one| one.space.to_string() == "agents/me");
        let mut paths = home.expect("the home is followed").withheld;
        paths.sort();
        paths
    };
    for text in ["one", "two"] {
        a.write("/kept.md", text);
        a.sync();
        assert_eq!(withheld(), [path("/large.md"), path("/small.md")]);
        let fresh = Machine::still(&server, "fresh");
        fresh.sync();
        assert_eq!(fresh.read("/kept.md"), text);
        assert_eq!(fresh.files().unwrap().len(), 1);
    }
    // Written again anywhere in the space, they are what they were, and are pushed.
    a.write("/again.md", small);
    a.write("/again-large.md", &large);
    a.sync();
    assert!(withheld().is_empty());
    let fresh = Machine::still(&server, "fresh");
    fresh.sync();
    assert_eq!((fresh.read("/small.md"), fresh.read("/large.md")), (small.to_owned(), large));
}
