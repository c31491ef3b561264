//! Commits that name contents which the remote does not have.

use std::time::Duration;

use homefs_core::{Digest, ErrorKind, NodeId};
use homefs_sync::format::{Content, Entry, EntryState, Link, PackId, PackTable, Piece, keys};
use homefs_sync::push::Proposal;
use homefs_sync::status::Direction;
use homefs_testkit::MemoryServer;

use super::desk::{Desk, at};
use super::desks;
use crate::Moment;

const MIB: u64 = 1 << 20;

/// What somebody says that a file holds, and where.
struct Claim {
    what: &'static str,
    content: Content,
    packs: Vec<PackTable>,
}

/// Returns where a pack has pieces that lie one after the other.
fn table(pack: PackId, start: u32, digests: &[Digest]) -> PackTable {
    let piece = |(at, digest): (usize, &Digest)| Piece {
        digest: *digest,
        offset: start + 50 * u32::try_from(at).expect("they are few"),
        len: 50,
    };
    PackTable { pack, pieces: digests.iter().enumerate().map(piece).collect() }
}

/// Where a pack has its first piece.
const FIRST: u32 = 28;
/// A place behind the end of every pack of these tests.
const BEHIND: u32 = 32 << 20;

/// Returns contents that nobody has, each of a kind of its own.
fn claims(server: &MemoryServer) -> Vec<Claim> {
    let absent = PackId(Digest::of(b"a pack that was never sent"));
    let other = server.objects().into_keys().find_map(|key| keys::pack_of(&key));
    let other = other.expect("somebody has sent a pack");
    let one = Digest::of(b"one");
    let two = Digest::of(b"two");
    let small = Content::Small { digest: one, size: 3 };
    let chunked = Content::Chunked { size: 2 * MIB, pieces: vec![one, two] };
    let very_large = Content::Chunked { size: 1500 * MIB, pieces: vec![one, two] };
    let mut claims = Vec::new();
    for (what, content) in [("small", small), ("chunked", chunked), ("very large", very_large)] {
        let pieces = content.pieces().to_vec();
        let claim = |packs| Claim { what, content: content.clone(), packs };
        claims.push(claim(vec![]));
        claims.push(claim(vec![table(absent, FIRST, &pieces)]));
        // It is there, but shorter.
        claims.push(claim(vec![table(other, BEHIND, &pieces)]));
        // Something else is there. What is large is not read before somebody wants it.
        if what != "chunked" {
            claims.push(claim(vec![table(other, FIRST, &pieces)]));
        }
    }
    claims
}

/// Commits that a file holds something, as no machine does that keeps to the rules.
fn claim(desk: &Desk, path: &str, claim: &Claim) {
    desk.pair.round(Direction::Pull).expect("the remote answers");
    let name = path.trim_start_matches('/');
    let known = desk.pair.known.named(NodeId::ROOT, name).expect("it can be read");
    let mut entry = match known {
        Some(node) => desk.pair.known.entry(node).expect("it can be read").expect("it is there"),
        None => new_file(desk, name),
    };
    let EntryState::Living(living) = &mut entry.state else { panic!("{path} is gone") };
    living.content = claim.content.clone();
    let mut commit = desk.pair.commit_now().expect("there is a HEAD");
    (commit.entries, commit.packs) = (vec![entry], claim.packs.clone());
    let version = desk.pair.known.agreed().expect("it can be read").cursor;
    let proposal = Proposal { commit, requests: Vec::new(), version, with_index: false };
    desk.pair.propose(proposal).expect("the remote answers");
}

/// Returns the entry of a file that nobody made.
fn new_file(desk: &Desk, name: &str) -> Entry {
    let node = desk.pair.known.named(NodeId::ROOT, "good.md").expect("it can be read");
    let entry = desk.pair.known.entry(node.expect("it is there")).expect("it can be read");
    let mut entry = entry.expect("it is there");
    let digest = Digest::of(name.as_bytes()).0;
    let (id, _) = digest.split_first_chunk().expect("a digest has 32 bytes");
    entry.node = NodeId::from_bytes(*id);
    let EntryState::Living(living) = &mut entry.state else { panic!("it lives") };
    living.links = vec![Link { parent: NodeId::ROOT, name: name.into() }];
    entry
}

/// Returns machines with a small and a large file, of which the last will keep to no rule.
fn office() -> (MemoryServer, Vec<Desk>) {
    let (server, desks) = desks(3);
    desks[0].write("/good.md", "good");
    desks[0].write("/large", &"0123456789".repeat(300_000));
    super::agree(&desks);
    (server, desks)
}

/// Returns each of the claims by its number, with an office of its own where it can be made.
fn forgeries() -> Vec<(usize, MemoryServer, Vec<Desk>, Claim)> {
    let count = claims(&office().0).len();
    let forgery = |number| {
        let (server, desks) = office();
        let claim = claims(&server).swap_remove(number);
        (number, server, desks, claim)
    };
    (0..count).map(forgery).collect()
}

/// Makes rounds until the machines have nothing to tell each other.
fn exchange(desks: &[Desk]) {
    for _ in 0..2 {
        for desk in desks {
            desk.round().expect("what nobody has stops nothing");
        }
    }
}

#[test]
fn a_content_that_is_nowhere_replaces_nothing_and_stops_nothing() {
    for (number, server, desks, forged) in &forgeries() {
        let (honest, liar) = (&desks[..2], &desks[2]);
        claim(liar, "/good.md", forged);
        claim(liar, "/large", forged);
        claim(liar, "/new.md", forged);
        exchange(honest);
        for desk in honest {
            assert_eq!(desk.read("/good.md"), "good", "{number}: {}", forged.what);
            assert_eq!(desk.read("/large").len(), 3_000_000, "{number}");
            desk.view.read(&at("/new.md")).expect_err("nobody has it");
            let missing = desk.pair.missing_paths().expect("it can be read");
            assert!(missing.starts_with(&[at("/good.md"), at("/large")]), "{number}: {missing:?}");
        }
        // Enough for an index, which has to be made and read.
        for round in 0..30 {
            honest[round % 2].write("/tick", &format!("{round}"));
            exchange(honest);
        }
        assert_eq!(honest[1].read("/tick"), "29");
        assert_eq!(honest[0].read("/good.md"), "good", "{number}");
        let clock = std::sync::Arc::new(homefs_testkit::VirtualClock::new(homefs_core::Timestamp(
            3_000_000_000_000,
        )));
        let fresh = Desk::new(server, 9, &clock);
        fresh.round().expect("what nobody has stops nothing");
        assert_eq!(fresh.read("/tick"), "29");
        fresh.view.read(&at("/good.md")).expect_err("nobody has it");
        for desk in honest {
            desk.pair.mend(true).expect("what is lost stops nothing");
            desk.pair.sweep(false).expect("what is lost stops nothing");
        }
        // Whoever writes a file ends it.
        honest[0].write("/good.md", "better");
        honest[1].write("/large", "smaller");
        exchange(honest);
        for desk in honest {
            assert_eq!(desk.read("/good.md"), "better");
            assert_eq!(desk.read("/large"), "smaller");
            let missing = desk.pair.missing_paths().expect("it can be read");
            assert!(missing.iter().all(|path| *path == at("/new.md")), "{missing:?}");
        }
        fresh.round().expect("the remote answers");
        assert_eq!(fresh.read("/good.md"), "better");
    }
}

#[test]
fn a_large_content_that_is_another_is_an_error_and_what_was_before_is_a_version() {
    let (server, desks) = office();
    let (honest, liar) = (&desks[..2], &desks[2]);
    let large = server.objects().into_iter().filter(|(key, _)| key.starts_with(keys::PACKS));
    let (key, _) = large.max_by_key(|(_, bytes)| bytes.len()).expect("somebody has sent a pack");
    let pieces = vec![Digest::of(b"one"), Digest::of(b"two")];
    let packs = vec![table(keys::pack_of(&key).expect("it is a pack"), FIRST, &pieces)];
    let content = Content::Chunked { size: 2 * MIB, pieces };
    claim(liar, "/large", &Claim { what: "another", content, packs });
    exchange(honest);
    for round in 0..30 {
        honest[round % 2].write("/tick", &format!("{round}"));
        exchange(honest);
    }
    assert_eq!(honest[1].read("/good.md"), "good");
    for desk in honest {
        let error = desk.view.read(&at("/large")).expect_err("it is another");
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        let before = desk.view.log(&at("/large"), None, 10).expect("it has a past")[1].version;
        let moment = Moment::Version(before);
        let past = desk.view.read_past(&at("/large"), moment, 0, 10).expect("it is kept");
        assert_eq!(&past[..], b"0123456789");
    }
}

#[test]
fn what_was_written_here_wins_over_what_is_nowhere() {
    for (number, _, desks, forged) in &forgeries() {
        let (honest, liar) = (&desks[..2], &desks[2]);
        claim(liar, "/good.md", forged);
        honest[0].write("/good.md", "written meanwhile");
        exchange(honest);
        for desk in honest {
            assert_eq!(desk.read("/good.md"), "written meanwhile", "{number}: {}", forged.what);
            assert_eq!(desk.pair.missing_paths().expect("it can be read"), []);
        }
    }
}

#[test]
fn a_content_that_comes_later_is_taken_and_nobody_pushes_what_it_kept() {
    for renamed in [false, true] {
        let (server, desks) = office();
        let (honest, late) = (&desks[..2], &desks[2]);
        late.write("/good.md", "newer");
        late.write("/large", &"9876543210".repeat(300_000));
        let before = server.objects();
        late.round().expect("the remote answers");
        let packs = server.objects().into_keys();
        let packs = packs.filter(|key| key.starts_with(keys::PACKS) && !before.contains_key(key));
        for pack in packs {
            server.remove(&pack);
        }
        exchange(honest);
        assert_eq!(honest[0].read("/good.md"), "good");
        let missing = honest[0].pair.missing_paths().expect("it can be read");
        assert_eq!(missing, [at("/good.md"), at("/large")]);
        let path = if renamed { "/better.md" } else { "/good.md" };
        if renamed {
            let to = at(path);
            honest[0].view.rename(&at("/good.md"), &to, crate::RenameMode::Replace).unwrap();
            exchange(honest);
            assert_eq!(honest[1].read(path), "good");
        }
        late.round().expect("the remote answers");
        assert_eq!(late.read(path), "newer", "nobody pushed what it kept");
        let (mended, missing) = late.pair.mend(false).expect("the remote answers");
        assert!(mended > 0 && missing.is_empty());
        super::agree(&desks);
        for desk in &desks {
            assert_eq!(desk.read(path), "newer");
            assert!(desk.read("/large").starts_with("98765"));
            assert_eq!(desk.pair.missing_paths().expect("it can be read"), []);
            assert_eq!(desk.store.verify().expect("it can be read"), []);
        }
    }
}

#[test]
fn a_pack_that_is_seen_later_than_its_commit_is_taken_by_itself() {
    let (server, desks) = office();
    let (honest, late) = (&desks[0], &desks[2]);
    let before = server.objects();
    late.write("/good.md", "newer");
    late.write("/large", &"9876543210".repeat(300_000));
    late.round().expect("the remote answers");
    let mut packs = server.objects();
    packs.retain(|key, _| key.starts_with(keys::PACKS) && !before.contains_key(key));
    for pack in packs.keys() {
        server.remove(pack);
    }
    honest.round().expect("what nobody has stops nothing");
    assert_eq!(honest.pair.missing_paths().expect("it can be read").len(), 2);
    honest.round().expect("what nobody has stops nothing");
    for (key, bytes) in packs {
        server.put(key, bytes);
    }
    let asked = server.log().len();
    honest.round().expect("the remote answers");
    assert!(server.log().len() - asked < 3, "it is not looked for all the time");
    assert_eq!(honest.read("/good.md"), "good");
    honest.clock.advance(Duration::from_mins(2));
    honest.round().expect("the remote answers");
    assert_eq!(honest.read("/good.md"), "newer");
    assert!(honest.read("/large").starts_with("98765"));
    assert_eq!(honest.pair.missing_paths().expect("it can be read"), []);
    let pushed = honest.round().expect("the remote answers").pushed;
    assert_eq!(pushed, 0, "it is nobody's change");
}

#[test]
fn what_a_file_kept_once_can_be_written_again() {
    let (server, desks) = office();
    let (honest, liar) = (&desks[..2], &desks[2]);
    claim(liar, "/good.md", &claims(&server)[0]);
    exchange(honest);
    assert_eq!(honest[0].read("/good.md"), "good");
    honest[0].write("/good.md", "better");
    exchange(honest);
    assert_eq!(honest[1].read("/good.md"), "better");
    honest[0].write("/good.md", "good");
    exchange(honest);
    for desk in honest {
        assert_eq!(desk.read("/good.md"), "good");
        assert_eq!(desk.pair.missing_paths().expect("it can be read"), []);
    }
}

#[test]
fn to_look_for_contents_takes_a_request_for_a_pack_and_none_for_a_file() {
    let (server, desks) = desks(2);
    for number in 0..100 {
        desks[0].write(&format!("/{number}"), &format!("small {number}"));
    }
    desks[0].write("/large", &"0123456789".repeat(300_000));
    super::agree(&desks);
    for number in 0..100 {
        desks[0].write(&format!("/{number}"), &format!("changed {number}"));
    }
    desks[0].write("/large", &"9876543210".repeat(300_000));
    desks[0].round().expect("the remote answers");
    let before = server.log().len();
    desks[1].pair.round(Direction::Pull).expect("the remote answers");
    let asked = server.log().split_off(before);
    let asked: Vec<_> = asked.iter().map(|exchange| &exchange.key).collect();
    // HEAD, the commit, its pack for all small contents, and once more for the large one.
    assert!(asked.len() <= 4, "{asked:?}");
}
