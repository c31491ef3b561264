//! Readable copies: what people see in the bucket, and what becomes of what they write there.

use std::time::Duration;

use homefs_core::{REMOTE_CONTENT_BYTES_MAX, Timestamp};
use homefs_sync::projection::unproject;
use homefs_testkit::{Fault, FaultKind, RemoteOperation};

use super::desk::{Desk, at};
use super::office::Office;
use super::simulation::Dice;
use crate::{RenameMode, SetMeta, WriteOptions};

pub(super) const ALL: Timestamp = Timestamp(i64::MAX);

impl Office {
    /// Lets so much time pass that what is made next can be told from what was made before.
    pub(super) fn wait(&self) {
        self.pass(Duration::from_mins(6));
    }

    /// Syncs until nobody has anything to do.
    pub(super) fn rest(&self) {
        self.server.heal();
        for _ in 0..20 {
            super::agree(&self.desks);
            let mut work = 0;
            for desk in &self.desks {
                work += desk.pair.import_outside().expect("the remote answers") as u64;
                work += desk.write_copies(ALL).expect("the remote answers");
            }
            if work == 0 {
                return super::agree(&self.desks);
            }
        }
        panic!("there is always more to do");
    }

    pub(super) fn object(&self, key: &str) -> Option<Vec<u8>> {
        self.server.objects().get(key).map(|object| object.to_vec())
    }

    /// Returns the text of a copy that no hand has touched.
    pub(super) fn copy(&self, key: &str) -> String {
        let taken = unproject(&self.object(key).unwrap_or_else(|| panic!("{key} has a copy")));
        assert!(!taken.is_edited(), "{key} shows what homefs wrote");
        String::from_utf8(taken.content.to_vec()).unwrap()
    }

    /// Changes an object as a person would.
    pub(super) fn edit(&self, key: &str, old: &str, new: &str) {
        let text = String::from_utf8(self.object(key).unwrap()).unwrap();
        assert!(text.contains(old), "{text}");
        self.server.put(key, text.replace(old, new));
    }

    /// Returns the keys of everything that is for people.
    pub(super) fn shown(&self) -> Vec<String> {
        let keys = self.server.objects().into_keys();
        keys.filter(|key| !key.starts_with(".homefs/")).collect()
    }

    /// Returns how often objects for people were asked for or written since the log was cleared.
    pub(super) fn requests(&self) -> usize {
        let log = self.server.log();
        log.iter().filter(|asked| !asked.key.starts_with(".homefs/")).count()
    }
}

#[test]
fn a_copy_is_the_text_with_frontmatter() {
    let office = Office::new(1);
    let desk = &office.desks[0];
    let long = "a line\n".repeat(20_000);
    let texts = [
        ("plain.md", "# Notes\n\nBuy NVDA.\n"),
        ("notes/own.md", "---\ntitle: mine\n---\nBuy NVDA."),
        ("crlf.txt", "\u{feff}one\r\ntwo\r\n"),
        ("empty.markdown", ""),
        ("long.md", &long),
    ];
    for (key, text) in texts {
        desk.write(&format!("/{key}"), text);
    }
    desk.write("/data.json", "{}");
    let options = WriteOptions::default();
    desk.view.write(&at("/not-text.txt"), b"\xff\0", &options).unwrap();
    desk.view.set_meta(&at("/plain.md"), &SetMeta::one("tags", "nvda,risk")).unwrap();
    office.rest();
    for (key, text) in texts {
        assert_eq!(office.copy(key), text);
    }
    assert_eq!(office.shown().len(), texts.len());
    let shown = String::from_utf8(office.object("plain.md").unwrap()).unwrap();
    assert!(shown.starts_with("---\nhomefs:\n  agent: \"me\"\n"), "{shown}");
    assert!(shown.contains("\n  tags: [\"nvda\", \"risk\"]\n"), "{shown}");
    assert!(shown.ends_with("\n---\n# Notes\n\nBuy NVDA.\n"), "{shown}");
    desk.view.set_meta(&at("/plain.md"), &SetMeta::one("tags", "")).unwrap();
    office.rest();
    let shown = String::from_utf8(office.object("plain.md").unwrap()).unwrap();
    assert!(!shown.contains("tags"), "{shown}");
}

#[test]
fn a_copy_costs_one_request_and_quiet_costs_none_but_the_listing() {
    let office = Office::new(2);
    for number in 0..100 {
        office.desks[0].write(&format!("/{number}.md"), "one");
    }
    super::agree(&office.desks);
    office.server.clear_log();
    assert_eq!(office.desks[0].write_copies(ALL).unwrap(), 0);
    assert_eq!(office.requests(), 100);
    office.desks[0].write("/1.md", "two");
    office.desks[0].round().unwrap();
    office.server.clear_log();
    office.desks[0].write_copies(ALL).unwrap();
    assert_eq!(office.requests(), 1);
    for _ in 0..2 {
        office.wait();
        office.rest();
    }
    office.wait();
    office.server.clear_log();
    for desk in &office.desks {
        assert_eq!(desk.pair.import_outside().unwrap(), 0);
        assert_eq!(desk.write_copies(ALL).unwrap(), 0);
    }
    // One page each.
    assert_eq!(office.requests(), 2);
}

#[test]
fn copies_wait_until_their_files_are_quiet() {
    let office = Office::new(1);
    let desk = &office.desks[0];
    desk.write("/a.md", "one");
    desk.round().unwrap();
    let now = office.now();
    assert!(desk.write_copies(now.before(Duration::from_secs(2))).unwrap() > 0);
    assert_eq!(office.shown(), [""; 0]);
    assert_eq!(desk.write_copies(now).unwrap(), 0);
    assert_eq!(office.copy("a.md"), "one");
}

#[test]
fn what_is_edited_outside_is_merged_with_what_is_edited_here() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    a.write("/n.md", "one\ntwo\nthree\n");
    office.rest();
    office.edit("n.md", "three", "three from outside");
    a.write("/n.md", "one from a\ntwo\nthree\n");
    office.rest();
    assert_eq!(b.read("/n.md"), "one from a\ntwo\nthree from outside\n");
    assert_eq!(office.copy("n.md"), b.read("/n.md"));
    let log = a.view.log(&at("/n.md"), None, 10).unwrap();
    assert!(log.iter().any(|edition| edition.agent.as_str() == "outside"));
}

#[test]
fn an_edit_that_a_copy_would_replace_is_taken_over_first() {
    let office = Office::new(1);
    let desk = &office.desks[0];
    desk.write("/n.md", "one\ntwo\n");
    office.rest();
    desk.write("/n.md", "one here\ntwo\n");
    desk.round().unwrap();
    office.edit("n.md", "two", "two outside");
    let edited = office.object("n.md");
    assert_eq!(desk.write_copies(ALL).unwrap(), 1);
    assert_eq!(desk.read("/n.md"), "one here\ntwo outside\n");
    // Until it is pushed, the object is all that others can see of it.
    desk.write_copies(ALL).unwrap();
    assert_eq!(office.object("n.md"), edited);
    office.rest();
    assert_eq!(office.copy("n.md"), "one here\ntwo outside\n");
}

#[test]
fn a_text_that_replaces_a_copy_replaces_the_file() {
    let office = Office::new(1);
    let desk = &office.desks[0];
    desk.write("/n.md", "old");
    office.wait();
    desk.write("/other.md", "other");
    office.rest();
    office.server.put("n.md", "all new\n");
    office.rest();
    assert_eq!(desk.read("/n.md"), "all new\n");
    // It stays as its author left it until the file changes here.
    assert_eq!(office.object("n.md").unwrap(), b"all new\n");
    desk.write("/n.md", "newer");
    office.rest();
    assert_eq!(office.copy("n.md"), "newer");
    // The copy of another file is a text like any other.
    office.server.put("n.md", office.object("other.md").unwrap());
    office.rest();
    assert_eq!(desk.read("/n.md"), "other");
}

#[test]
fn copies_follow_their_files_and_go_with_them() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    for path in ["/d/x.md", "/d/deep/y.md", "/z.md"] {
        a.write(path, &format!("text of {path}"));
    }
    office.rest();
    b.view.rename(&at("/d"), &at("/e"), RenameMode::Replace).unwrap();
    a.view.rename(&at("/z.md"), &at("/w.md"), RenameMode::Replace).unwrap();
    office.rest();
    assert_eq!(office.shown(), ["e/deep/y.md", "e/x.md", "w.md"]);
    assert_eq!(office.copy("e/deep/y.md"), "text of /d/deep/y.md");
    a.view.remove(&at("/e"), true).unwrap();
    b.view.write(&at("/w.md"), b"\0", &WriteOptions::default()).unwrap();
    office.rest();
    assert_eq!(office.shown(), [""; 0]);
}

#[test]
fn an_edited_copy_brings_its_removed_file_back() {
    let office = Office::new(2);
    office.desks[0].write("/n.md", "one\n");
    office.rest();
    office.desks[0].view.remove(&at("/n.md"), false).unwrap();
    office.desks[0].round().unwrap();
    office.edit("n.md", "one\n", "one\nmore\n");
    office.rest();
    assert_eq!(office.desks[1].read("/n.md"), "one\nmore\n");
    assert_eq!(office.copy("n.md"), "one\nmore\n");
}

#[test]
fn a_missing_copy_is_written_again() {
    let office = Office::new(2);
    office.desks[0].write("/n.md", "one");
    office.rest();
    office.server.remove("n.md");
    office.wait();
    office.rest();
    assert_eq!(office.copy("n.md"), "one");
    assert_eq!(office.desks[1].read("/n.md"), "one");
    office.server.remove("n.md");
    office.desks[0].write("/n.md", "two");
    office.rest();
    assert_eq!(office.copy("n.md"), "two");
}

#[test]
fn whoever_lives_writes_the_copies_of_a_machine_that_died() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    a.write("/n.md", "one");
    a.write("/gone.md", "one");
    a.round().unwrap();
    a.write_copies(ALL).unwrap();
    a.write("/n.md", "two");
    a.view.remove(&at("/gone.md"), false).unwrap();
    a.round().unwrap();
    b.round().unwrap();
    b.pair.import_outside().unwrap();
    b.write_copies(ALL).unwrap();
    assert_eq!(office.copy("n.md"), "one");
    office.wait();
    b.pair.import_outside().unwrap();
    b.write_copies(ALL).unwrap();
    assert_eq!(office.copy("n.md"), "two");
    assert_eq!(office.shown(), ["n.md"]);
    assert!(b.view.stat(&at("/gone.md")).is_err());
}

#[test]
fn a_machine_that_is_behind_leaves_newer_copies_alone() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    a.write("/n.md", "one");
    office.rest();
    b.write("/n.md", "two");
    b.round().unwrap();
    a.round().unwrap();
    a.write("/n.md", "three");
    a.write("/new.md", "new");
    a.round().unwrap();
    a.write_copies(ALL).unwrap();
    // It knows neither of the commit nor of the new file.
    b.write_copies(ALL).unwrap();
    assert_eq!(b.pair.import_outside().unwrap(), 0);
    assert_eq!(office.copy("n.md"), "three");
    office.rest();
    assert_eq!(office.copy("n.md"), "three");
    assert_eq!(office.shown(), ["n.md", "new.md"]);
}

#[test]
fn new_objects_become_files_once_however_many_look() {
    let office = Office::new(3);
    office.desks[0].write("/dir/a.md", "a");
    office.desks[0].write("/plain", "file");
    office.rest();
    office.server.put("fresh/deep/b.md", "b\n");
    office.server.put("image.png", &b"\x89PNG\0\xff"[..]);
    office.server.put("dir", "a name that a directory has");
    office.server.put("plain/below", "a name in a file");
    for strange in ["shared/x.md", "agents/you/.homefs/HEAD", "agents/you/n.md"] {
        office.server.put(strange, "not ours");
    }
    for desk in &office.desks {
        desk.pair.import_outside().unwrap();
    }
    office.rest();
    let desk = &office.desks[2];
    assert_eq!(desk.read("/fresh/deep/b.md"), "b\n");
    assert_eq!(office.object("fresh/deep/b.md").unwrap(), b"b\n");
    assert_eq!(desk.view.read(&at("/image.png")).unwrap(), &b"\x89PNG\0\xff"[..]);
    assert_eq!(desk.read("/dir/a.md"), "a");
    assert_eq!(desk.read("/plain"), "file");
    let names: Vec<String> = desk.tree().into_keys().map(|path| path.to_string()).collect();
    let beside = |start: &str| names.iter().filter(|name| name.starts_with(start)).count();
    assert_eq!((beside("/dir.conflict-"), beside("/below.conflict-")), (1, 1), "{names:?}");
    assert_eq!(beside("/agents") + beside("/shared"), 0, "{names:?}");
    assert_eq!(names.len(), 9, "{names:?}");
    assert_eq!(desk.pair.known.conflicts().unwrap().len(), 0);
}

#[test]
fn two_texts_without_a_common_past_become_one() {
    let office = Office::new(1);
    let desk = &office.desks[0];
    desk.write("/n.md", "here");
    office.server.put("n.md", "outside");
    office.rest();
    assert_eq!(desk.read("/n.md"), "here\noutside");
    assert_eq!(office.copy("n.md"), "here\noutside");
    assert_eq!(desk.tree().len(), 1);
    assert_eq!(desk.pair.known.conflicts().unwrap().len(), 0);
}

#[test]
fn a_bucket_of_markdown_is_adopted_as_it_is() {
    let mut office = Office::new(1);
    let objects: [(&str, &[u8]); 5] = [
        ("readme.md", b"# Hello\n"),
        ("notes/a.md", b"---\ntitle: a\n---\r\nno line end"),
        ("notes/latin.txt", b"caf\xe9"),
        ("data.json", b"{}"),
        ("image.png", b"\x89PNG\0"),
    ];
    for (key, content) in objects {
        office.server.put(key, content.to_vec());
    }
    assert_eq!(office.desks[0].pair.import_outside().unwrap(), objects.len());
    office.rest();
    office.wait();
    office.hire();
    office.rest();
    for (key, content) in objects {
        assert!(office.object(key).unwrap() == content, "{key}");
        for desk in &office.desks {
            assert!(desk.view.read(&at(&format!("/{key}"))).unwrap() == content, "{key}");
        }
    }
    office.desks[1].write("/readme.md", "# Hello again\n");
    office.rest();
    assert_eq!(office.copy("readme.md"), "# Hello again\n");
    assert_eq!(office.object("notes/latin.txt").unwrap(), b"caf\xe9");
    office.desks[1].view.remove(&at("/image.png"), false).unwrap();
    office.rest();
    assert_eq!(office.object("image.png"), None);
}

#[test]
fn an_object_that_is_too_large_to_be_merged_becomes_a_file() {
    let office = Office::new(1);
    let large = vec![7; REMOTE_CONTENT_BYTES_MAX + 1];
    office.server.put("large.txt", large.clone());
    assert_eq!(office.desks[0].pair.import_outside().unwrap(), 1);
    assert!(office.desks[0].view.read(&at("/large.txt")).unwrap() == large);
    office.rest();
    assert_eq!(office.shown(), ["large.txt"]);
}

#[test]
fn copies_that_outlived_their_history_are_adopted() {
    let mut office = Office::new(1);
    office.desks[0].write("/n.md", "one");
    office.rest();
    for key in office.server.objects().into_keys().filter(|key| key.starts_with(".homefs/")) {
        office.server.remove(&key);
    }
    office.wait();
    office.desks = vec![Desk::new(&office.server, 2, &office.clock)];
    assert_eq!(office.desks[0].pair.import_outside().unwrap(), 1);
    office.rest();
    assert_eq!(office.desks[0].read("/n.md"), "one");
}

#[test]
fn rebuilding_writes_every_copy_again() {
    let office = Office::new(1);
    office.desks[0].write("/n.md", "one");
    office.rest();
    office.server.remove("n.md");
    homefs_sync::rebuild_copies(office.desks[0].host.path()).unwrap();
    office.rest();
    assert_eq!(office.copy("n.md"), "one");
}

/// Edits one note here, there and outside while requests fail; every word must be in the end.
fn scribble(seed: u64) {
    let mut dice = Dice(seed);
    let office = Office::new(1 + dice.roll(2));
    office.desks[0].write("/n.md", "begin\n");
    office.rest();
    let mut words = Vec::new();
    for step in 0..25 {
        office.wait();
        let desk = dice.pick(&office.desks);
        match dice.roll(6) {
            0 => {
                let line = format!("here-{step}\n");
                desk.view.append(&at("/n.md"), line.as_bytes(), &WriteOptions::default()).unwrap();
                words.push(line);
            }
            1 => {
                if let Some(object) = office.object("n.md") {
                    let line = format!("outside-{step}\n");
                    office.server.put("n.md", [&object[..], line.as_bytes()].concat());
                    words.push(line);
                }
            }
            2 => {
                let kind = *dice.pick(&[FaultKind::Reset, FaultKind::Status(503)]);
                let fault =
                    if dice.roll(2) == 0 { Fault::before(kind) } else { Fault::after(kind) };
                let on = [RemoteOperation::Get, RemoteOperation::Put, RemoteOperation::List];
                office.server.fail(fault.on(*dice.pick(&on)).skip(dice.roll(3)));
            }
            3 => drop(desk.round()),
            4 => drop(desk.write_copies(ALL)),
            _ => drop(desk.pair.import_outside()),
        }
    }
    office.rest();
    let text = office.desks[0].read("/n.md");
    for word in words {
        let count = text.matches(&word).count();
        // Two machines that take over one edit at the same time may both write it.
        let is_there = count == 1 || count > 1 && office.desks.len() > 1;
        assert!(is_there, "{word:?} is {count} times in {text}");
    }
    office.wait();
    office.rest();
    assert_eq!(office.copy("n.md"), text);
    assert_eq!(office.shown(), ["n.md"]);
}

#[test]
fn nothing_that_is_written_outside_is_lost_whatever_fails() {
    for seed in 0..15 {
        if let Err(panic) = std::panic::catch_unwind(|| scribble(seed)) {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(panic);
        }
    }
}
