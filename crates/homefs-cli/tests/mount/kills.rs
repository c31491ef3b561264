//! The mount's process dies under load: what was acknowledged is there, in full.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};

use crate::harness::{Mounted, is_extended, is_plain};

/// Changes that are acknowledged before each death.
const ACKNOWLEDGED: usize = 1_500;
/// Threads of each kind.
const WRITERS: usize = 2;

/// What a thread does, in a directory of its own.
struct Work {
    name: &'static str,
    /// Makes a change; they are counted from 0.
    change: fn(&Path, u64) -> io::Result<()>,
    /// Checks what is there after so many changes were acknowledged.
    check: fn(&Path, u64),
}

const WORKS: &[Work] = &[
    Work { name: "append", change: append, check: check_appended },
    Work { name: "create", change: create, check: check_created },
    Work { name: "replace", change: replace, check: check_replaced },
    Work { name: "remove", change: make_and_remove, check: check_removed },
    Work { name: "overwrite", change: overwrite, check: check_overwritten },
];

#[test]
fn what_was_acknowledged_outlives_the_mount() {
    let rounds = if is_extended() { 30 } else { 4 };
    let Some(mut mounted) = Mounted::new(60) else { return };
    for round in 0..rounds {
        let place = |(writer, work): (usize, &'static Work)| {
            let dir = mounted.path(&format!("{round}-{writer}-{}", work.name));
            fs::create_dir(&dir).unwrap();
            (dir, work)
        };
        let works = WORKS.iter().cycle().take(WRITERS * WORKS.len());
        let writers: Vec<_> = works.enumerate().map(place).collect();
        let counts = work_until_killed(&mut mounted, &writers);
        mounted.start();
        for ((dir, work), acknowledged) in writers.iter().zip(counts) {
            (work.check)(dir, acknowledged);
            fs::remove_dir_all(dir).unwrap();
        }
    }
}

/// Lets the writers work, kills the mount, and returns how much was acknowledged to each.
fn work_until_killed<'a>(mounted: &mut Mounted, writers: &'a [(PathBuf, &'a Work)]) -> Vec<u64> {
    let (acknowledge, acknowledged) = channel();
    std::thread::scope(|scope| {
        let start = |(dir, work): &'a (PathBuf, &'a Work)| {
            let acknowledge = acknowledge.clone();
            scope.spawn(move || keep_working(dir, work, &acknowledge))
        };
        let threads: Vec<_> = writers.iter().map(start).collect();
        assert_eq!(acknowledged.iter().take(ACKNOWLEDGED).count(), ACKNOWLEDGED);
        mounted.kill();
        // On a plain directory this is what ends the writers.
        drop(acknowledged);
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Makes change after change until one fails; returns how many were acknowledged.
fn keep_working(dir: &Path, work: &Work, acknowledge: &Sender<()>) -> u64 {
    let mut number = 0;
    while (work.change)(dir, number).is_ok() {
        number += 1;
        if acknowledge.send(()).is_err() && is_plain() {
            break;
        }
    }
    number
}

/// Returns the content of a change, of a length of its own: up to 3 KB, and now and then 200 KB.
fn content(number: u64) -> String {
    let times = if number % 50 == 49 { 10_000 } else { number * 7 % 150 + 1 };
    format!("{number:>9} is text\n").repeat(usize::try_from(times).unwrap())
}

fn name(number: u64) -> String {
    format!("{number}.md")
}

fn append(dir: &Path, number: u64) -> io::Result<()> {
    let line = content(number).replace('\n', " ") + "\n";
    let mut file = File::options().create(true).append(true).open(dir.join("log.md"))?;
    file.write_all(line.as_bytes())
}

fn check_appended(dir: &Path, acknowledged: u64) {
    let found = fs::read_to_string(dir.join("log.md")).unwrap_or_default();
    let mut lines = found.split_inclusive('\n');
    for number in 0..acknowledged {
        assert_eq!(lines.next(), Some((content(number).replace('\n', " ") + "\n").as_str()));
    }
    // The line that was being written may be there as well, or a part of it.
    let rest: String = lines.collect();
    assert!((content(acknowledged).replace('\n', " ") + "\n").starts_with(&rest), "{rest:?}");
}

fn create(dir: &Path, number: u64) -> io::Result<()> {
    let mut file = File::create_new(dir.join(name(number)))?;
    file.write_all(content(number).as_bytes())
}

fn check_created(dir: &Path, acknowledged: u64) {
    for number in 0..acknowledged {
        assert_eq!(fs::read_to_string(dir.join(name(number))).unwrap(), content(number));
    }
    let found = fs::read_dir(dir).unwrap().count() as u64;
    assert!((acknowledged..=acknowledged + 1).contains(&found), "{found}, not {acknowledged}");
}

fn replace(dir: &Path, number: u64) -> io::Result<()> {
    fs::write(dir.join("new"), content(number))?;
    fs::rename(dir.join("new"), dir.join("note.md"))
}

fn check_replaced(dir: &Path, acknowledged: u64) {
    let found = fs::read_to_string(dir.join("note.md")).unwrap_or_default();
    // Nothing was acknowledged before the first change.
    let last = acknowledged.checked_sub(1).map(content).unwrap_or_default();
    assert!(found == last || found == content(acknowledged), "after {acknowledged}: {found:.60}");
}

fn make_and_remove(dir: &Path, number: u64) -> io::Result<()> {
    fs::write(dir.join(name(number)), content(number))?;
    fs::remove_file(dir.join(name(number)))
}

fn check_removed(dir: &Path, acknowledged: u64) {
    let left: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty() || left == [name(acknowledged).as_str()], "{left:?}");
}

/// The part of the file that change `number` writes: the parts are written over in turn.
fn part(number: u64) -> ([u8; 100], u64) {
    ([u8::try_from(number % 251).unwrap(); 100], number % 1_000 * 500)
}

fn overwrite(dir: &Path, number: u64) -> io::Result<()> {
    let file = File::options().create(true).truncate(false).write(true).open(dir.join("parts"))?;
    let (bytes, offset) = part(number);
    file.write_all_at(&bytes, offset)
}

fn check_overwritten(dir: &Path, acknowledged: u64) {
    let Ok(file) = File::open(dir.join("parts")) else { return assert_eq!(acknowledged, 0) };
    for number in acknowledged.saturating_sub(999)..acknowledged {
        let (expected, offset) = part(number);
        let mut found = [0; 100];
        file.read_exact_at(&mut found, offset).unwrap();
        assert_eq!(found, expected, "part {number} of {acknowledged}");
    }
}
