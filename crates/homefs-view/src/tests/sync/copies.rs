//! What readable copies cost, whose they are, and what becomes of edits when a machine dies.

use homefs_core::Digest;
use homefs_sync::format::keys;
use homefs_sync::projection::unproject;
use homefs_testkit::RemoteOperation;

use super::desk::{Desk, at};
use super::office::Office;
use super::readable::ALL;
use super::simulation::Dice;
use crate::{RenameMode, WriteOptions};

impl Office {
    /// Returns how many copies were put since the log was cleared.
    fn puts(&self) -> usize {
        let log = self.server.log();
        let is_put = |operation| operation == RemoteOperation::Put;
        log.iter()
            .filter(|asked| is_put(asked.operation) && !asked.key.starts_with(".homefs/"))
            .count()
    }
}

#[test]
fn head_moves_before_thousands_of_copies_which_come_slice_by_slice() {
    let office = Office::new(1);
    let desk = &office.desks[0];
    for number in 0..2_000 {
        desk.write(&format!("/{}/{number}.md", number % 100), &format!("note {number}"));
    }
    office.server.clear_log();
    desk.round().unwrap();
    // What others need to have everything is there, and that were few requests.
    assert!(office.server.objects().contains_key(keys::HEAD));
    assert_eq!(office.puts(), 0);
    assert!(office.server.log().len() < 20, "{} requests", office.server.log().len());
    assert!(desk.pair.known.copies_due().unwrap() >= 2_000);

    let (mut slices, mut before) = (0, 0);
    while !desk.pair.write_copies(ALL).unwrap() {
        let puts = office.puts();
        assert!(puts - before <= 128, "{} in one slice", puts - before);
        (slices, before) = (slices + 1, puts);
        // A push goes in between, whenever it comes.
        if slices == 3 {
            desk.write("/7/7.md", "changed meanwhile");
            desk.round().unwrap();
        }
    }
    assert!(slices >= 15, "{slices} slices");
    // One each, and one more for the one that changed.
    assert!((2_000..=2_001).contains(&office.puts()), "{} puts", office.puts());
    assert_eq!(office.copy("7/7.md"), "changed meanwhile");
    assert_eq!(desk.pair.known.copies_due().unwrap(), 0);

    office.server.clear_log();
    desk.write("/42/42.md", "changed");
    desk.round().unwrap();
    desk.write_copies(ALL).unwrap();
    assert_eq!(office.puts(), 1);
}

#[test]
fn a_directory_of_many_notes_is_renamed_slice_by_slice() {
    let office = Office::new(2);
    for number in 0..300 {
        office.desks[0].write(&format!("/old/{number}.md"), &format!("note {number}"));
    }
    office.rest();
    office.desks[1].view.rename(&at("/old"), &at("/new"), RenameMode::Replace).unwrap();
    office.desks[1].round().unwrap();
    office.server.clear_log();
    assert!(!office.desks[1].pair.write_copies(ALL).unwrap());
    assert_eq!(office.desks[1].write_copies(ALL).unwrap(), 0);
    assert_eq!(office.puts(), 300);
    let shown = office.shown();
    assert_eq!(shown.len(), 300, "{shown:?}");
    assert!(shown.iter().all(|key| key.starts_with("new/")), "{shown:?}");
}

#[test]
fn a_copy_of_the_file_that_was_there_before_is_no_edit() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    a.write("/note.md", "one\n");
    a.round().unwrap();
    a.write_copies(ALL).unwrap();
    // It hears of the file, but of its copy only with the next commit.
    b.round().unwrap();
    office.wait();
    b.view.rename(&at("/note.md"), &at("/note.md~"), RenameMode::Replace).unwrap();
    b.write("/note.md", "two\n");
    b.round().unwrap();
    b.write_copies(ALL).unwrap();
    office.rest();
    let names: Vec<String> = a.tree().into_keys().map(|path| path.to_string()).collect();
    assert_eq!(names, ["/note.md", "/note.md~"]);
    assert_eq!(office.copy("note.md"), "two\n");
    assert_eq!(a.pair.known.conflicts().unwrap().len(), 0);
}

/// Lets machines rename, remove and write few notes, while nobody touches the bucket.
fn shuffle(seed: u64) {
    let mut dice = Dice(seed);
    let office = Office::new(2 + dice.roll(2));
    let names = ["/a.md", "/b.md", "/a.md~", "/d/a.md", "/d/b.md", "/raw/a", "/raw/b"];
    for step in 0..40 {
        office.wait();
        let desk = dice.pick(&office.desks);
        let (name, other) = (*dice.pick(&names), *dice.pick(&names));
        match dice.roll(8) {
            0 | 1 => desk.write(name, &format!("text {step}\n")),
            2 | 3 => drop(desk.view.rename(&at(name), &at(other), RenameMode::Replace)),
            4 => drop(desk.view.remove(&at(name), false)),
            5 => desk.write_copies(ALL).map(drop).unwrap(),
            6 => {
                desk.round().unwrap();
                desk.pair.import_outside().unwrap();
            }
            _ => desk.round().map(drop).unwrap(),
        }
    }
    office.rest();
    for desk in &office.desks {
        for (path, _) in desk.tree() {
            let Ok(log) = desk.view.log(&path, None, 100) else { continue };
            let is_outside = log.iter().any(|edition| edition.agent.as_str() == "outside");
            assert!(!is_outside, "{path} was taken for an edit");
        }
    }
    for key in office.shown() {
        let file = at(&format!("/{key}"));
        let text = office.desks[0].view.read(&file).expect("every copy is of a file");
        assert_eq!(unproject(&office.object(&key).unwrap()).content, text, "{key}");
    }
}

#[test]
fn what_homefs_wrote_is_never_taken_for_an_edit() {
    for seed in 0..25 {
        if let Err(panic) = std::panic::catch_unwind(|| shuffle(seed)) {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn a_missing_copy_returns_with_the_next_sync() {
    let office = Office::new(1);
    let desk = &office.desks[0];
    desk.write("/n.md", "one");
    desk.round().unwrap();
    desk.write_copies(ALL).unwrap();
    office.server.remove("n.md");
    // No time passes.
    desk.round().unwrap();
    assert_eq!(desk.pair.import_outside().unwrap(), 0);
    desk.write_copies(ALL).unwrap();
    assert_eq!(office.copy("n.md"), "one");
}

#[test]
fn what_cannot_bear_frontmatter_stands_as_it_is_and_edits_of_it_arrive() {
    let office = Office::new(2);
    let [a, b] = &office.desks[..] else { panic!("two") };
    let texts: [(&str, &[u8]); 4] = [
        ("raw/a.json", b"{\n  \"one\": 1\n}\n"),
        ("raw/b.csv", b"a,b\r\n1,2\r\n"),
        ("raw/c.py", b"---\nprint('x')\n---\n"),
        ("raw/d.bin", b"\xff\0\x01"),
    ];
    for (key, content) in texts {
        let options = WriteOptions { parents: true, ..WriteOptions::default() };
        a.view.write(&at(&format!("/{key}")), content, &options).unwrap();
    }
    office.rest();
    for (key, content) in texts {
        assert_eq!(office.object(key).unwrap(), content, "{key}");
    }
    // An edit of each machine, and one from outside.
    office.wait();
    a.write("/raw/c.py", "---\nprint('y')\n---\n");
    office.edit("raw/a.json", "1", "2");
    office.rest();
    assert_eq!(b.read("/raw/a.json"), "{\n  \"one\": 2\n}\n");
    assert_eq!(b.read("/raw/c.py"), "---\nprint('y')\n---\n");
    assert_eq!(office.object("raw/c.py").unwrap(), b"---\nprint('y')\n---\n");
    // Somebody puts an older text back by hand.
    office.wait();
    office.server.put("raw/a.json", texts[0].1.to_vec());
    office.rest();
    assert_eq!(b.read("/raw/a.json").as_bytes(), texts[0].1);
    b.view.remove(&at("/raw"), true).unwrap();
    office.rest();
    assert_eq!(office.shown(), [""; 0]);
    assert_eq!(a.pair.known.conflicts().unwrap().len(), 0);
}

/// Ways in which a machine may die while it takes an edit over: nothing of this table is written.
const DEATHS: [&str; 4] = ["imports", "readable", "outside", "copies_due"];

/// Lets a machine do something while one of its tables cannot be written, and die.
fn die_at(desk: &mut Desk, table: &str, work: impl FnOnce(&Desk)) {
    let file = rusqlite::Connection::open(desk.known_file()).expect("it is there");
    file.execute_batch(&format!(
        "CREATE TRIGGER dead BEFORE INSERT ON {table}
         BEGIN SELECT RAISE (ABORT, 'the machine died'); END"
    ))
    .expect("nobody has it locked");
    work(desk);
    desk.crash();
    file.execute_batch("DROP TRIGGER dead").expect("nobody has it locked");
}

#[test]
fn an_edit_is_taken_over_once_wherever_its_machine_dies() {
    for key in ["n.md", "raw/n"] {
        for table in DEATHS {
            let mut office = Office::new(1);
            let path = at(&format!("/{key}"));
            office.desks[0].write(path.as_str(), "begin\n");
            office.rest();
            let mut lines = vec!["begin".to_owned()];
            for round in 0..6 {
                let here = format!("here {round}");
                let options = WriteOptions::default();
                let append = |desk: &Desk, line: &str| {
                    desk.view.append(&path, format!("{line}\n").as_bytes(), &options).unwrap();
                };
                append(&office.desks[0], &here);
                let outside = format!("outside {round}");
                let object = office.object(key).unwrap();
                let edited = [&object[..], outside.as_bytes(), b"\n"].concat();
                office.server.put(key, edited);
                die_at(&mut office.desks[0], table, |desk| {
                    desk.pair.import_outside().ok();
                    if round % 2 == 0 {
                        append(desk, &format!("meanwhile {round}"));
                    }
                });
                lines.extend([here, outside]);
                if round % 2 == 0 {
                    lines.push(format!("meanwhile {round}"));
                }
                if round % 3 == 0 {
                    // Somebody goes on from what they wrote.
                    let again = format!("again {round}");
                    let object = office.object(key).unwrap();
                    office.server.put(key, [&object[..], again.as_bytes(), b"\n"].concat());
                    lines.push(again);
                }
                office.rest();
            }
            let text = office.desks[0].read(path.as_str());
            for line in &lines {
                let count = text.lines().filter(|found| found == line).count();
                assert_eq!(count, 1, "{key} and {table}: {line:?} in\n{text}");
            }
            assert_eq!(text.lines().count(), lines.len(), "{key} and {table}: {text}");
            let names = office.desks[0]
                .tree()
                .into_keys()
                .filter(|path| path.name().is_some_and(|name| name.contains("conflict")));
            assert_eq!(names.count(), 0, "{key} and {table}");
            assert_eq!(
                Digest::of(text.as_bytes()),
                Digest::of(&unproject(&office.object(key).unwrap()).content)
            );
        }
    }
}
