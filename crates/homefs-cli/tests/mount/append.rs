//! Several processes append to one file: no line is lost or torn.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use homefs_view::WriteOptions;

use crate::harness::{Mounted, is_plain};

/// Tells a process of this binary which file to append to; a process without it is no child.
const FILE: &str = "HOMEFS_TEST_APPEND_FILE";
/// Tells it its name.
const NAME: &str = "HOMEFS_TEST_APPEND_NAME";
/// Lines of one process.
const LINES: usize = 400;
/// Processes that append.
const PROCESSES: usize = 4;

#[test]
fn lines_appended_by_several_processes_are_whole() {
    if let (Some(file), Ok(name)) = (std::env::var_os(FILE), std::env::var(NAME)) {
        return append_lines(Path::new(&file), &name);
    }
    let Some(mounted) = Mounted::new(60) else { return };
    check(&append_by_processes(&mounted.path("log.md"), || {}));
}

#[test]
fn appending_by_two_faces_loses_nothing() {
    let Some(mounted) = Mounted::new(60).filter(|_| !is_plain()) else { return };
    let client = mounted.client();
    let path = homefs_core::Path::parse("/log.md").unwrap();
    let mark = |number: usize| format!("<{number}>");
    let mut content = append_by_processes(&mounted.path("log.md"), || {
        for number in 0..LINES {
            client.append(&path, mark(number).as_bytes(), &WriteOptions::default()).unwrap();
        }
    });
    assert_eq!(mounted.homefs(&["cat", "log.md"]), content);
    // A line may have a mark inside: the kernel sends a write into a page that it does not have
    // in two parts, up to the end of that page and after it.
    let mut after = 0;
    for number in 0..LINES {
        let mark = mark(number);
        let found = content[after..].find(&mark);
        assert!(found.is_some(), "{mark} is lost or not in its order");
        after += found.unwrap_or_default();
        content.replace_range(after..after + mark.len(), "");
    }
    check(&content);
}

/// Lets processes append to a new file, and this one do something else; returns the content.
fn append_by_processes(file: &Path, meanwhile: impl FnOnce()) -> String {
    fs::write(file, "").unwrap();
    let start = |name: usize| {
        Command::new(std::env::current_exe().unwrap())
            .args(["append::lines_appended_by_several_processes_are_whole", "--exact"])
            .env(FILE, file)
            .env(NAME, name.to_string())
            // What it prints would be counted as the result of a test.
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..PROCESSES).map(start).collect();
    meanwhile();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    fs::read_to_string(file).unwrap()
}

/// Appends as a process does: each line by one call, now and then through a new handle.
fn append_lines(file: &Path, name: &str) {
    let open = || File::options().append(true).open(file).unwrap();
    let mut handle = open();
    for number in 0..LINES {
        if number % 10 == 0 {
            handle = open();
        }
        let line = line(name, number);
        assert_eq!(handle.write(line.as_bytes()).unwrap(), line.len());
    }
}

/// Returns a line whose length differs from the others'.
fn line(name: &str, number: usize) -> String {
    let length = number * 37 % 500;
    format!("{name} {number} {}\n", name.repeat(length))
}

/// Checks that every line of every writer is there, whole and in its order.
fn check(content: &str) {
    let mut next: BTreeMap<&str, usize> = BTreeMap::new();
    for found in content.lines() {
        let name = found.split(' ').next().unwrap();
        let number = next.entry(name).or_default();
        assert_eq!(found, line(name, *number).trim_end_matches('\n'), "line {number} of {name}");
        *number += 1;
    }
    let counts: Vec<usize> = next.into_values().collect();
    assert_eq!(counts, [LINES; PROCESSES]);
}
