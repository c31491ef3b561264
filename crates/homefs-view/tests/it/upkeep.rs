//! Checking, mending, backing up.
#![expect(clippy::disallowed_methods, reason = "the tests damage the files of a store")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path as HostPath, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use homefs_core::{AgentId, ErrorKind, Path};
use homefs_view::{
    Components, Durability, Finding, Moment, Settings, Store, View, Who, WriteOptions, repair,
    restore_store,
};

use crate::common::{copy_tree, parents, path};

type Files = BTreeMap<String, Vec<u8>>;

fn try_view(store: &Store, agent: &str) -> homefs_core::Result<View> {
    let agent = AgentId::new(agent).expect("a plain name");
    store.view(&Who { agent, operator: false, all: false })
}

fn open(dir: &HostPath) -> Store {
    let settings = Settings { segment_bytes: 1 << 20, ..Settings::default() };
    Store::open(dir, settings, Components::host()).expect("the store opens")
}

fn mend(dir: &HostPath) -> Vec<Finding> {
    repair(dir, &Components::host()).expect("the repair works")
}

fn base_of(dir: &HostPath, agent: &str) -> PathBuf {
    dir.join("spaces/agents").join(agent).join("base.db")
}

/// Fills the home of `me` with `count` small files and some of everything else, and that of
/// `other` with one file; returns what `me` can read then.
fn fill(dir: &HostPath, count: usize) -> Files {
    let store = open(dir);
    let view = try_view(&store, "me").expect("the home opens");
    let mut files = Files::new();
    for number in 0..count {
        let name = format!("/d{}/file-{number}.md", number % 7);
        let old = format!("old {number}\n");
        view.write(&path(&name), old.as_bytes(), &parents()).expect("a write");
        let bytes = format!("content {number} ").repeat(1 + number % 90).into_bytes();
        view.write(&path(&name), &bytes, &parents()).expect("a write");
        files.insert(name, bytes);
    }
    let large: Vec<u8> = (0..2_500_000u32).flat_map(u32::to_le_bytes).take(2_500_000).collect();
    view.write(&path("/large.bin"), &large, &parents()).expect("a large write");
    view.link(&path("/large.bin"), &path("/d0/again.bin")).expect("a link");
    files.insert("/large.bin".into(), large.clone());
    files.insert("/d0/again.bin".into(), large);
    view.symlink("d0", &path("/way")).expect("a symbolic link");
    view.write(&path("/removed/x.md"), b"removed", &parents()).expect("a write");
    view.remove(&path("/removed"), true).expect("a removal");
    let other = try_view(&store, "other").expect("the home opens");
    other.write(&path("/mine.md"), b"other", &parents()).expect("a write");
    store.close().expect("the store closes");
    files
}

/// Reads all files; returns the names of those that are not as expected.
fn wrong(view: &View, files: &Files) -> Vec<String> {
    let read = |name: &str| view.read(&path(name)).ok();
    let wrong = files.iter().filter(|(name, bytes)| read(name).as_deref() != Some(&bytes[..]));
    wrong.map(|(name, _)| name.clone()).collect()
}

fn damaged_files(dir: &HostPath) -> usize {
    let names = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry"));
    names.filter(|entry| entry.file_name().to_string_lossy().contains(".damaged-")).count()
}

/// Counts the findings that were mended.
fn mended(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.mended.is_some()).count()
}

/// Checks that a store is sound but for contents that are lost, and that it takes and keeps writes;
/// returns what is not as expected in the home of `me`.
fn check_sound(dir: &HostPath, files: &Files) -> Vec<String> {
    let store = open(dir);
    let lost = store.verify().expect("a check");
    let is_content = |finding: &Finding| finding.problem.starts_with("its content is");
    assert!(lost.iter().all(is_content), "{lost:?}");
    let view = try_view(&store, "me").expect("the home opens");
    let wrong = wrong(&view, files);
    view.write(&path("/after/repair.md"), b"new", &parents()).expect("a write");
    store.close().expect("the store closes");
    let store = open(dir);
    let view = try_view(&store, "me").expect("the home opens");
    assert_eq!(&view.read(&path("/after/repair.md")).expect("the write survived")[..], b"new");
    assert_eq!(store.verify().expect("a check"), lost);
    let other = try_view(&store, "other").expect("the home opens");
    assert_eq!(&other.read(&path("/mine.md")).expect("other spaces are sound")[..], b"other");
    wrong
}

#[test]
fn a_healthy_store_has_no_findings() {
    let dir = tempfile::tempdir().unwrap();
    let files = fill(dir.path(), 40);
    assert_eq!(mend(dir.path()), []);
    assert_eq!(check_sound(dir.path(), &files), [""; 0]);
    assert_eq!(damaged_files(base_of(dir.path(), "me").parent().unwrap()), 0);
}

#[test]
fn flipped_bytes_in_a_base_are_refused_and_mended() {
    let sound = tempfile::tempdir().unwrap();
    let files = fill(sound.path(), 200);
    let bytes = fs::read(base_of(sound.path(), "me")).unwrap();
    let mut losses = Vec::new();
    // A whole page, some bytes of one, and single bytes at odd places.
    let pages = bytes.len() / 4096;
    let places = [(1, 4096), (5, 64), (3, 1)].into_iter().flat_map(|(step, length)| {
        (1..pages).step_by(step * pages.div_ceil(12)).map(move |page| (page, length))
    });
    for (page, length) in places {
        let dir = tempfile::tempdir().unwrap();
        copy_tree(sound.path(), dir.path());
        let mut bytes = bytes.clone();
        let at = page * 4096 + if length == 4096 { 0 } else { page * 37 % 4000 };
        bytes[at..at + length].iter_mut().for_each(|byte| *byte ^= 0x5a);
        fs::write(base_of(dir.path(), "me"), &bytes).unwrap();
        {
            let store = open(dir.path());
            match try_view(&store, "me") {
                Err(error) => assert_eq!(error.kind(), ErrorKind::Corrupt, "{error:?}"),
                Ok(view) => {
                    for (name, bytes) in &files {
                        match view.read(&path(name)) {
                            Ok(found) if length == 4096 => assert!(found == bytes[..], "{name}"),
                            // A flipped bit of a name or an id can make it another one.
                            Ok(_) => {}
                            Err(error) => assert!(
                                matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::NotFound),
                                "{name}: {error:?}"
                            ),
                        }
                    }
                }
            }
            let other = try_view(&store, "other").unwrap();
            assert_eq!(&other.read(&path("/mine.md")).unwrap()[..], b"other");
        }
        let findings = mend(dir.path());
        let lost = check_sound(dir.path(), &files).len();
        losses.push(lost);
        let aside = damaged_files(base_of(dir.path(), "me").parent().unwrap());
        assert_eq!(aside > 0, mended(&findings) > 0, "{findings:?}");
    }
    // A page holds some dozen rows at most; only the page that leads to all others of a table can
    // cost more.
    losses.sort_unstable();
    assert!(losses[losses.len() - 2] < 60, "{losses:?}");
}

#[test]
fn a_cut_or_foreign_base_costs_only_what_is_gone() {
    let sound = tempfile::tempdir().unwrap();
    let files = fill(sound.path(), 200);
    let bytes = fs::read(base_of(sound.path(), "me")).unwrap();
    let half = bytes[..bytes.len() / 2].to_vec();
    let mut headless = bytes.clone();
    headless[..24].fill(7);
    let garbage = b"not a database at all".repeat(400);
    for (what, bytes, lost_max) in
        [("half", half, files.len()), ("headless", headless, 0), ("garbage", garbage, files.len())]
    {
        let dir = tempfile::tempdir().unwrap();
        copy_tree(sound.path(), dir.path());
        fs::write(base_of(dir.path(), "me"), &bytes).unwrap();
        let store = open(dir.path());
        let refused = try_view(&store, "me").and_then(|view| {
            view.list(&Path::root(), None, 100)?;
            files.keys().try_for_each(|name| view.read(&path(name)).map(drop))
        });
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Corrupt, "{what}");
        store.close().ok();
        drop(store);
        let findings = mend(dir.path());
        assert_eq!(mended(&findings), 1, "{findings:?}");
        assert!(findings[0].mended.as_ref().unwrap().contains("base.db.damaged-1"));
        let damaged = base_of(dir.path(), "me").with_file_name("base.db.damaged-1");
        assert!(damaged.exists());
        assert!(check_sound(dir.path(), &files).len() <= lost_max, "{what}");
        assert_eq!(mend(dir.path()), [], "{what}");
    }
}

/// Opens a store, writes, and leaves a copy of it as a crash would, before anything is folded.
fn crashed(from: &HostPath, write: impl FnOnce(&View)) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(from);
    let view = try_view(&store, "me").expect("the home opens");
    write(&view);
    view.barrier().expect("a sync");
    copy_tree(from, dir.path());
    dir
}

#[test]
fn without_its_base_a_space_has_what_the_journal_has() {
    let sound = tempfile::tempdir().unwrap();
    fill(sound.path(), 10);
    let dir = crashed(sound.path(), |view| {
        view.write(&path("/tail.md"), b"tail", &parents()).unwrap();
        // Its directory was folded and is lost with the base.
        view.write(&path("/d1/tail.md"), b"deep tail", &parents()).unwrap();
    });
    for suffix in ["", "-wal"] {
        fs::remove_file(format!("{}{suffix}", base_of(dir.path(), "me").display())).ok();
    }
    let findings = mend(dir.path());
    assert_eq!(mended(&findings), 1, "{findings:?}");
    let files = Files::from([("/tail.md".into(), b"tail".to_vec())]);
    assert_eq!(check_sound(dir.path(), &files), [""; 0]);
    let store = open(dir.path());
    let view = try_view(&store, "me").unwrap();
    let found = view.list(&path("/lost+found"), None, 10).unwrap().items;
    assert_eq!(found.len(), 1);
    let name = format!("/lost+found/{}", found[0].name);
    assert_eq!(&view.read(&path(&name)).unwrap()[..], b"deep tail");
}

#[test]
fn a_base_that_a_newer_program_wrote_is_left_as_it_is() {
    // Where SQLite keeps the number of the format, the highest byte first.
    const FORMAT: std::ops::Range<usize> = 60..64;
    let sound = tempfile::tempdir().unwrap();
    let mut files = fill(sound.path(), 10);
    let dir = crashed(sound.path(), |view| {
        view.write(&path("/tail.md"), b"tail", &parents()).unwrap();
    });
    files.insert("/tail.md".into(), b"tail".to_vec());
    let base = base_of(dir.path(), "me");
    let ours = fs::read(&base).unwrap();
    let mut newer = ours.clone();
    newer[FORMAT].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&base, &newer).unwrap();
    let store = open(dir.path());
    let refused = try_view(&store, "me").map(drop).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    store.close().ok();
    drop(store);
    assert!(fs::read(&base).unwrap() == newer);
    fs::write(&base, &ours).unwrap();
    assert_eq!(check_sound(dir.path(), &files), [""; 0]);
}

#[test]
fn a_journal_damaged_before_its_mark_is_refused_and_mended() {
    let sound = tempfile::tempdir().unwrap();
    let files = fill(sound.path(), 10);
    let dir = crashed(sound.path(), |view| {
        view.write(&path("/first.md"), b"first", &parents()).unwrap();
        view.barrier().unwrap();
        view.write(&path("/needle.md"), b"needle-needle", &parents()).unwrap();
        view.write(&path("/last.md"), b"last", &parents()).unwrap();
        // A barrier does not wait for its own mark, but the next one does.
        view.barrier().unwrap();
        view.write(&path("/after.md"), b"after", &parents()).unwrap();
    });
    let journal = dir.path().join("journal");
    let mut hit = None;
    for entry in fs::read_dir(&journal).unwrap() {
        let file = entry.unwrap().path();
        let mut bytes = fs::read(&file).unwrap();
        if let Some(at) = bytes.windows(13).position(|window| window == b"needle-needle") {
            bytes[at] ^= 1;
            fs::write(&file, bytes).unwrap();
            hit = Some((file, at));
        }
    }
    let (file, at) = hit.expect("the record is in the journal");
    let refused = Store::open(dir.path(), Settings::default(), Components::host());
    let error = refused.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(error.path(), Some(&*file.to_string_lossy()));
    let offset = error.message().split("byte ").nth(1).and_then(|rest| rest.split(':').next());
    let offset: usize = offset.unwrap().parse().unwrap();
    assert!(offset <= at && at - offset < 500, "{offset} {at}");
    let findings = mend(dir.path());
    assert_eq!(mended(&findings), 1, "{findings:?}");
    for lost in ["agents/me: /needle.md", "agents/me: /last.md"] {
        assert!(findings.iter().any(|finding| finding.place == lost), "{lost}: {findings:?}");
    }
    assert_eq!(damaged_files(dir.path()), 1);
    let mut files = files;
    files.insert("/first.md".into(), b"first".to_vec());
    assert_eq!(check_sound(dir.path(), &files), [""; 0]);
    let store = open(dir.path());
    let view = try_view(&store, "me").unwrap();
    assert_eq!(view.read(&path("/last.md")).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn without_its_journal_a_store_has_what_the_bases_have() {
    let dir = tempfile::tempdir().unwrap();
    let files = fill(dir.path(), 10);
    fs::remove_dir_all(dir.path().join("journal")).unwrap();
    assert_eq!(check_sound(dir.path(), &files), [""; 0]);
}

#[test]
fn records_set_aside_come_back() {
    let sound = tempfile::tempdir().unwrap();
    let mut files = fill(sound.path(), 10);
    let dir = crashed(sound.path(), |view| {
        view.write(&path("/tail.md"), b"tail", &parents()).unwrap();
    });
    let base = base_of(dir.path(), "me");
    let bytes = fs::read(&base).unwrap();
    fs::write(&base, b"no base".repeat(1000)).unwrap();
    {
        let store = open(dir.path());
        assert_eq!(try_view(&store, "me").err().unwrap().kind(), ErrorKind::Corrupt);
        let other = try_view(&store, "other").unwrap();
        other.write(&path("/more.md"), b"more", &parents()).unwrap();
        store.close().unwrap();
    }
    assert!(base.with_file_name("aside.records").exists());
    // The disk works again, but the base alone would be older than what was acknowledged.
    fs::write(&base, bytes).unwrap();
    let store = open(dir.path());
    assert_eq!(try_view(&store, "me").err().unwrap().kind(), ErrorKind::Corrupt);
    drop(store);
    let findings = mend(dir.path());
    assert_eq!(findings.len(), 1, "{findings:?}");
    files.insert("/tail.md".into(), b"tail".to_vec());
    assert_eq!(check_sound(dir.path(), &files), [""; 0]);
}

#[test]
fn a_backup_of_a_busy_store_has_everything_acknowledged_before() {
    let dir = tempfile::tempdir().unwrap();
    let mut files = fill(dir.path(), 50);
    let place = tempfile::tempdir().unwrap();
    let backup = place.path().join("backup");
    let store = open(dir.path());
    let view = try_view(&store, "me").unwrap();
    let (stop, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    let busy = |writer: usize| {
        let view = view.clone();
        // Bounded, since a disk that syncs slowly must not fall behind until writes are refused.
        for number in 0..300 {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let name = path(&format!("/busy/{writer}-{}.bin", number % 20));
            let bytes = vec![u8::try_from(number % 251).unwrap(); 1 + number * 977 % 200_000];
            view.write(&name, &bytes, &parents()).unwrap();
            written.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| busy(0));
        scope.spawn(|| busy(1));
        while written.load(Ordering::Relaxed) < 20 {
            std::thread::yield_now();
        }
        view.write(&path("/before.md"), b"before", &parents()).unwrap();
        let saved = store.backup(&backup);
        stop.store(true, Ordering::Relaxed);
        saved.unwrap();
    });
    files.insert("/before.md".into(), b"before".to_vec());
    let target = place.path().join("restored");
    restore_store(&backup, &target, &Components::host()).unwrap();
    for copy in [&backup, &target] {
        assert_eq!(check_sound(copy, &files), [""; 0]);
        let store = open(copy);
        let view = try_view(&store, "me").unwrap();
        let note = path("/d0/file-0.md");
        let first = view.log(&note, None, 10).unwrap().pop().unwrap().version;
        let old = view.read_past(&note, Moment::Version(first), 0, 100).unwrap();
        assert_eq!(&old[..], b"old 0\n");
        assert_eq!(view.trash(None, 10).unwrap().items.len(), 2);
        let durable = WriteOptions { durability: Durability::Journal, ..parents() };
        view.write(&path("/durable.md"), b"x", &durable).unwrap();
    }
    let refused = restore_store(&backup, &target, &Components::host()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!(store.backup(&target).unwrap_err().kind(), ErrorKind::AlreadyExists);
    fs::remove_file(backup.join("format")).unwrap();
    let refused = restore_store(&backup, &place.path().join("c"), &Components::host());
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn an_interrupted_repair_of_the_journal_is_finished_by_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let view = try_view(&store, "me").unwrap();
    let note = path("/note.md");
    view.write(&note, b"kept", &WriteOptions::default()).unwrap();
    store.close().unwrap();
    // As the crash leaves it: the damaged journal is set aside, the mended one not yet in use.
    let (journal, mended) = (dir.path().join("journal"), dir.path().join("journal.mended"));
    fs::rename(&journal, &mended).unwrap();
    let refused = Store::open(dir.path(), Settings::default(), Components::host());
    assert_eq!(refused.err().map(|error| error.kind()), Some(ErrorKind::Corrupt));
    repair(dir.path(), &Components::host()).unwrap();
    let store = open(dir.path());
    assert_eq!(&try_view(&store, "me").unwrap().read(&note).unwrap()[..], b"kept");
}

/// Changes some bytes in the file below a directory that holds these.
pub(crate) fn flip(dir: &HostPath, needle: &[u8]) {
    for entry in fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry")) {
        if entry.path().is_dir() {
            flip(&entry.path(), needle);
            continue;
        }
        let mut bytes = fs::read(entry.path()).unwrap_or_default();
        if let Some(at) = bytes.windows(needle.len()).position(|part| part == needle) {
            bytes[at..at + 8].iter_mut().for_each(|byte| *byte ^= 1);
            fs::write(entry.path(), bytes).expect("the file is ours");
        }
    }
}

#[test]
fn an_error_about_damage_begins_with_the_path_that_was_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let view = try_view(&store, "me").unwrap();
    view.write(&path("/small.md"), b"a needle in a base", &parents()).unwrap();
    let large = b"a needle in a chunk\n".repeat(10_000);
    view.write(&path("/large.md"), &large, &parents()).unwrap();
    store.close().unwrap();
    flip(&dir.path().join("spaces"), b"needle in a");
    let store = open(dir.path());
    let view = try_view(&store, "me").unwrap();
    for (asked, place) in [("/small.md", "base.db"), ("/large.md", "chunks")] {
        let error = view.read(&path(asked)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        let told = error.to_string();
        assert!(told.starts_with(&format!("{asked}: ")) && told.contains(place), "{told}");
    }
}
