//! How editors save: every way leaves the new content, and the history has every version.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Mounted, is_plain};

/// Times that each way of saving is used.
const SAVES: usize = 5;

#[test]
fn a_new_file_that_takes_the_place_of_the_old_is_a_version() {
    check(Earlier::Trash, |path, content| {
        let new = path.with_extension("new");
        let mut file = File::create(&new).unwrap();
        file.write_all(content).unwrap();
        file.sync_all().unwrap();
        drop(file);
        fs::rename(&new, path).unwrap();
        File::open(path.parent().unwrap()).unwrap().sync_all().unwrap();
    });
}

#[test]
fn a_file_that_is_emptied_and_written_is_a_version() {
    check(Earlier::Log, |path, content| {
        let mut file = File::create(path).unwrap();
        file.write_all(content).unwrap();
        file.sync_all().unwrap();
    });
}

#[test]
fn a_file_that_is_moved_to_a_backup_and_written_anew_is_a_version() {
    check(Earlier::Trash, |path, content| {
        let backup = path.with_file_name("note.md~");
        if path.exists() {
            fs::rename(path, &backup).unwrap();
        }
        let mut file = File::create_new(path).unwrap();
        file.write_all(content).unwrap();
        file.sync_all().unwrap();
        drop(file);
        if backup.exists() {
            fs::remove_file(&backup).unwrap();
        }
    });
}

#[test]
fn a_file_that_is_copied_to_a_backup_and_written_over_is_a_version() {
    check(Earlier::Log, |path, content| {
        let backup = path.with_file_name("note.md~");
        if path.exists() {
            fs::copy(path, &backup).unwrap();
        }
        let mut file = File::options().create(true).truncate(false).write(true).open(path).unwrap();
        file.write_all(content).unwrap();
        file.set_len(content.len() as u64).unwrap();
        file.sync_all().unwrap();
        drop(file);
        drop(fs::remove_file(&backup));
    });
}

/// Where the texts before the last are found.
#[derive(Clone, Copy, PartialEq)]
enum Earlier {
    /// In the history of the file.
    Log,
    /// In the trash, because a new file took the place of the old.
    Trash,
}

/// Saves a file several times by one way and looks at it after each.
fn check(earlier: Earlier, save: fn(&Path, &[u8])) {
    let Some(mounted) = Mounted::new(60) else { return };
    let path = mounted.path("note.md");
    // Texts become longer and shorter.
    let text = |number| format!("text {number}\n").repeat(1 + (SAVES - number) % 3 * 1_000);
    let texts: Vec<String> = (0..SAVES).map(text).collect();
    for (number, text) in texts.iter().enumerate() {
        save(&path, text.as_bytes());
        assert_eq!(fs::read_to_string(&path).unwrap(), *text);
        let names = fs::read_dir(mounted.root()).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(names.collect::<Vec<_>>(), ["note.md"]);
        if !is_plain() {
            assert_eq!(mounted.homefs(&["cat", "note.md"]), *text);
            let first = if earlier == Earlier::Log { 0 } else { number };
            check_log(&mounted, &texts[first..=number]);
            check_trash(&mounted, &texts[..first]);
        }
    }
}

/// Checks that the history shows these texts; what was between two saves may be there too.
fn check_log(mounted: &Mounted, texts: &[String]) {
    let log = mounted.homefs(&["log", "note.md", "--json"]);
    let log: Value = serde_json::from_str(&log).unwrap();
    let shown = |edition: &Value| {
        mounted.homefs(&["cat", "note.md", "--version", &edition["version"].to_string()])
    };
    let shown: Vec<String> = log.as_array().unwrap().iter().rev().map(shown).collect();
    let mut rest = shown.iter();
    for text in texts {
        assert!(rest.any(|shown| shown == text), "{text:.7} is not in the history: {log}");
    }
    assert_eq!(shown.last(), texts.last());
}

/// Checks that each of these texts can be brought back.
fn check_trash(mounted: &Mounted, texts: &[String]) {
    let trash = mounted.homefs(&["trash", "--json"]);
    let trash: Value = serde_json::from_str(&trash).unwrap();
    let sizes: Vec<u64> =
        trash.as_array().unwrap().iter().map(|item| item["size"].as_u64().unwrap()).collect();
    for text in texts {
        assert!(sizes.contains(&(text.len() as u64)), "{text:.7} is not in the trash: {trash}");
    }
}
