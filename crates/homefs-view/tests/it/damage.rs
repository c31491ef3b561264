//! Bytes that flip anywhere in a store: after a repair every path reads as before, or is an error
//! and named; what was said to be mended is sound.
#![expect(clippy::disallowed_methods, reason = "the tests damage the files of a store")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use homefs_core::ErrorKind;
use homefs_testkit::{MemoryServer, VirtualClock};
use homefs_view::{
    AttachOptions, Components, Finding, Kind, Settings, Store, SyncOptions, View, WriteOptions,
    repair,
};
use tempfile::TempDir;

use crate::common::{copy_tree, parents, path, view_of};

/// What a path shows: the bytes of a file, where a link points, nothing of a directory.
type Picture = BTreeMap<String, (Kind, Vec<u8>)>;

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        usize::try_from(self.0 >> 33).expect("it fits") % sides
    }
}

fn components() -> Components {
    Components { clock: Arc::new(VirtualClock::default()), ..Components::host() }
}

fn open(dir: &HostPath) -> homefs_core::Result<Store> {
    // Nothing settles that nobody asks for.
    let settings = Settings { segment_bytes: 1 << 20, settle_ms: 3_600_000, ..Settings::default() };
    Store::open(dir, settings, components())
}

fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|at| (at * at / 7 + at * 31 + seed * 101).to_le_bytes()[0]).collect()
}

/// Makes some of everything.
fn fill(view: &View) {
    let write = |at: &str, content: &[u8]| {
        view.write(&path(at), content, &parents()).expect("it can be written");
    };
    for number in 0..40 {
        let at = format!("/d{}/note-{number}.md", number % 5);
        write(&at, format!("old {number}").as_bytes());
        write(&at, &bytes(1 + number * number * 17, number));
    }
    for (number, len) in [60_000, 30_000, 65_000].into_iter().enumerate() {
        write(&format!("/long/{number}.bin"), &bytes(len, number));
    }
    for (number, len) in [70_000, 2_500_000].into_iter().enumerate() {
        write(&format!("/large/{number}.bin"), &bytes(len, number + 7));
    }
    write("/empty.md", b"");
    view.link(&path("/large/1.bin"), &path("/d0/again.bin")).expect("a link");
    view.symlink("d0", &path("/way")).expect("a symbolic link");
    view.make_dir(&path("/hollow"), true).expect("a directory");
    write("/gone.md", b"gone");
    view.remove(&path("/gone.md"), false).expect("a removal");
}

fn picture(view: &View) -> Picture {
    let mut picture = Picture::new();
    let mut waiting = vec![homefs_core::Path::root()];
    while let Some(above) = waiting.pop() {
        for item in view.list(&above, None, 1000).expect("a directory").items {
            let at = above.join(&item.name).expect("a good name");
            let shown = show(view, &at).expect("a sound store");
            if shown.0 == Kind::Directory {
                waiting.push(at.clone());
            }
            picture.insert(at.to_string(), shown);
        }
    }
    picture
}

fn show(view: &View, at: &homefs_core::Path) -> homefs_core::Result<(Kind, Vec<u8>)> {
    let stat = view.stat(at)?;
    let bytes = match stat.kind {
        Kind::File => view.read(at)?.to_vec(),
        Kind::Link => view.read_link(at)?.into_bytes(),
        _ => Vec::new(),
    };
    Ok((stat.kind, bytes))
}

fn files_below(dir: &HostPath, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
    found.sort_unstable();
}

/// Flips bytes at one place of a file; says where.
fn flip(file: &HostPath, from: usize, dice: &mut Dice) -> String {
    let mut content = fs::read(file).expect("a file");
    let used = content.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let at = from + dice.roll(used - from);
    let length = [1, 8, 64, 4096][dice.roll(4)].min(content.len() - at);
    content[at..at + length].iter_mut().for_each(|byte| *byte ^= 0x5a);
    fs::write(file, content).expect("a write");
    format!("{} bytes at {at} of {}", length, file.display())
}

/// Tells whether a finding that is not mended names a path, or a directory above it.
fn is_named(findings: &[Finding], at: &str) -> bool {
    let lost = findings.iter().filter(|finding| finding.mended.is_none());
    let mut places = lost.filter_map(|finding| finding.place.split(": ").nth(1));
    places.any(|place| {
        let rest = at.strip_prefix(place);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Tells whether only an old edition is lost, which the remote never had.
fn is_old(finding: &Finding) -> bool {
    finding.place.contains(" at version ") || finding.place.contains(" in the trash")
}

/// Tells whether it is said that what a path shows may not be the newest.
fn is_unsure(findings: &[Finding], at: &str) -> bool {
    let mut unsure = findings.iter().filter(|finding| finding.problem.contains("the newest"));
    unsure.any(|finding| finding.place.ends_with(&format!(": {at}")))
}

/// Tells whether a content whose name was lost, too, is named where it was found.
fn is_found(view: &View, findings: &[Finding], content: &[u8]) -> bool {
    let places = findings.iter().filter_map(|finding| finding.place.split(": ").nth(1));
    let mut found = places.filter(|place| place.starts_with("/lost+found/"));
    found.any(|place| show(view, &path(place)).is_ok_and(|shown| shown.1 == *content))
}

/// Checks what a repaired store shows; `is_older` says that an older edition may be shown, if it
/// is named.
fn check(store: &Store, before: &Picture, findings: &[Finding], is_older: bool, case: &str) {
    let view = view_of(store, "me");
    for (at, expected) in before {
        match show(&view, &path(at)) {
            Ok(shown) if shown == *expected => {}
            Ok(shown) => assert!(
                is_named(findings, at) && (is_older || is_unsure(findings, at)),
                "{case}: {at} became {:?} of {} bytes: {findings:#?}",
                shown.0,
                shown.1.len()
            ),
            Err(error) => {
                let kind = error.kind();
                assert!(
                    matches!(kind, ErrorKind::Corrupt | ErrorKind::NotFound),
                    "{case}: {at}: {error}"
                );
                assert!(
                    is_named(findings, at) || is_found(&view, findings, &expected.1),
                    "{case}: {at}: {error}: {findings:#?}"
                );
            }
        }
    }
}

/// Makes a store, a picture of it, and leaves it as a clean end does.
fn sound() -> (TempDir, Picture) {
    let dir = TempDir::new().expect("room");
    let store = open(dir.path()).expect("a new store");
    let view = view_of(&store, "me");
    fill(&view);
    let before = picture(&view);
    store.close().expect("it closes");
    (dir, before)
}

fn space(dir: &HostPath) -> PathBuf {
    dir.join("spaces/agents/me")
}

/// Damages copies of a store's base or chunks, mends each and checks it; many more of them where
/// the environment asks for it.
#[expect(clippy::disallowed_methods, reason = "a longer run is asked for by the environment")]
fn damage_and_mend(
    sound: &HostPath,
    before: &Picture,
    cases: u64,
    attach: &dyn Fn(&Store),
) -> (usize, Vec<String>) {
    let is_extended = std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1");
    let cases = if is_extended { 20 * cases } else { cases };
    let (mut mended, mut lost) = (0, Vec::new());
    for seed in 0..cases {
        let dir = TempDir::new().expect("room");
        copy_tree(sound, dir.path());
        let mut dice = Dice(seed);
        let mut chunks = Vec::new();
        files_below(&space(dir.path()).join("chunks"), &mut chunks);
        let file = match dice.roll(3) {
            0 => chunks[dice.roll(chunks.len())].clone(),
            _ => space(dir.path()).join("base.db"),
        };
        let case = format!("case {seed}, {}", flip(&file, 0, &mut dice));
        let mut findings = repair(dir.path(), &components()).expect("it can be repaired");
        let store = open(dir.path()).expect("it opens");
        attach(&store);
        let left = store.verify().expect("a check");
        findings.extend(left.clone());
        check(&store, before, &findings, false, &case);
        // What is lost is told again, and nothing else.
        assert_eq!(store.verify().expect("a check"), left, "{case}");
        // A row whose key is damaged looks like a file, or a name in a directory, that nobody knew;
        // what can be read of it is kept, and no path misses anything.
        let is_unknown = |finding: &Finding| {
            finding.place.contains(": /lost+found/") || finding.place.contains(": node ")
        };
        let is_lost = |finding: &Finding| {
            finding.mended.is_none() && !is_old(finding) && !is_unknown(finding)
        };
        if findings.iter().any(is_lost) {
            lost.push(format!("{case}: {findings:#?}"));
        } else {
            mended += 1;
        }
        let view = view_of(&store, "me");
        view.write(&path("/after.md"), b"after", &WriteOptions::default())
            .expect("it takes writes");
        store.close().expect("it closes");
        let again = repair(dir.path(), &components()).expect("it can be repaired");
        assert_eq!(again, [], "{case}");
    }
    (mended, lost)
}

#[test]
fn what_damage_takes_is_an_error_and_named() {
    let (dir, before) = sound();
    let (mended, lost) = damage_and_mend(dir.path(), &before, 40, &|_| ());
    assert!(mended >= 5 && lost.len() >= 5, "{mended} mended, {} lost", lost.len());
}

#[test]
fn what_damage_takes_comes_back_from_the_remote() {
    let server = MemoryServer::new();
    let dir = TempDir::new().unwrap();
    let attach = |store: &Store| {
        let options = AttachOptions { machine_name: "a".into(), home_at_prefix: None };
        store.attach(Arc::new(server.remote("a")), &options).expect("none is attached");
        drop(view_of(store, "me"));
    };
    let store = open(dir.path()).unwrap();
    attach(&store);
    let view = view_of(&store, "me");
    fill(&view);
    store.sync(&SyncOptions::default()).unwrap();
    let before = picture(&view);
    store.close().unwrap();
    drop((store, view));
    let (_, lost) = damage_and_mend(dir.path(), &before, 25, &attach);
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn what_a_damaged_journal_takes_is_named() {
    let sound = TempDir::new().unwrap();
    {
        let store = open(sound.path()).unwrap();
        fill(&view_of(&store, "me"));
        store.close().unwrap();
    }
    let crashed = TempDir::new().unwrap();
    let before = {
        let store = open(sound.path()).unwrap();
        let view = view_of(&store, "me");
        for number in 0..12 {
            let at = path(&format!("/tail/{number}.md"));
            view.write(&at, &bytes(number * 300, number), &parents()).unwrap();
            view.write(&path("/d1/note-1.md"), &bytes(500, number), &parents()).unwrap();
        }
        view.append(&path("/large/0.bin"), b"more", &WriteOptions::default()).unwrap();
        // A barrier does not wait for its own mark, but the next one does.
        view.barrier().unwrap();
        view.write(&path("/last.md"), b"last", &parents()).unwrap();
        view.barrier().unwrap();
        copy_tree(sound.path(), crashed.path());
        let mut before = picture(&view);
        before.remove("/last.md");
        before
    };
    let mut lost = 0;
    for seed in 0..15 {
        let dir = TempDir::new().unwrap();
        copy_tree(crashed.path(), dir.path());
        let mut dice = Dice(seed + 1000);
        let mut segments = Vec::new();
        files_below(&dir.path().join("journal"), &mut segments);
        segments.retain(|file| fs::read(file).unwrap()[4096..].iter().any(|byte| *byte != 0));
        let file = segments[dice.roll(segments.len())].clone();
        let case = format!("case {seed}, {}", flip(&file, 4096, &mut dice));
        let mut findings = repair(dir.path(), &components()).unwrap();
        let store = open(dir.path()).unwrap();
        findings.extend(store.verify().unwrap());
        let cannot_be_named = findings.iter().any(|finding| finding.place == "journal");
        if !cannot_be_named {
            check(&store, &before, &findings, true, &case);
        }
        if findings.iter().any(|finding| finding.mended.is_none()) {
            lost += 1;
        }
        assert_eq!(store.verify().unwrap(), [], "{case}");
        store.close().unwrap();
        assert_eq!(repair(dir.path(), &components()).unwrap(), [], "{case}");
    }
    assert!(lost > 3, "{lost}");
}

#[test]
fn what_was_lost_comes_back_by_writing_it_again() {
    let dir = TempDir::new().unwrap();
    let text = "a text that is found in the file of the base".repeat(20);
    {
        let store = open(dir.path()).unwrap();
        let view = view_of(&store, "me");
        view.write(&path("/note.md"), b"before", &parents()).unwrap();
        view.write(&path("/note.md"), text.as_bytes(), &parents()).unwrap();
        store.close().unwrap();
    }
    let base = space(dir.path()).join("base.db");
    let mut content = fs::read(&base).unwrap();
    let at = content.windows(40).position(|part| part == &text.as_bytes()[..40]).unwrap();
    content[at..at + 8].fill(7);
    fs::write(&base, content).unwrap();
    assert_eq!(repair(dir.path(), &components()).unwrap(), []);
    let store = open(dir.path()).unwrap();
    let findings = store.verify().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].place, "agents/me: /note.md");
    let view = view_of(&store, "me");
    assert_eq!(view.read(&path("/note.md")).unwrap_err().kind(), ErrorKind::Corrupt);
    let first = view.log(&path("/note.md"), None, 10).unwrap().pop().unwrap().version;
    let old = view.read_past(&path("/note.md"), homefs_view::Moment::Version(first), 0, 99);
    assert_eq!(&old.unwrap()[..], b"before");
    view.write(&path("/copy.md"), text.as_bytes(), &parents()).unwrap();
    assert_eq!(store.verify().unwrap(), []);
    assert_eq!(view.read(&path("/note.md")).unwrap(), text.as_bytes());
}

#[test]
fn what_a_kill_leaves_unsettled_is_no_damage() {
    let (dir, crashed) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    {
        let store = open(dir.path()).unwrap();
        let view = view_of(&store, "me");
        let log = path("/log.txt");
        view.write(&log, &bytes(100_000, 1), &parents()).unwrap();
        for number in 0..50 {
            view.append(&log, &bytes(3000, number), &WriteOptions::default()).unwrap();
        }
        view.barrier().unwrap();
        copy_tree(dir.path(), crashed.path());
    }
    let store = open(crashed.path()).unwrap();
    assert_eq!(store.verify().unwrap(), []);
    drop(store);
    assert_eq!(repair(crashed.path(), &components()).unwrap(), []);
    let store = open(crashed.path()).unwrap();
    assert_eq!(view_of(&store, "me").stat(&path("/log.txt")).unwrap().size, 250_000);
}
