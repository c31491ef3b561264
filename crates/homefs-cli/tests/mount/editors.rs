//! How editors save: every way leaves the new content, the history has every version, and what was
//! noted about the file stays.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::harness::{Mounted, is_plain};
use crate::tools::find;

/// Times that each way of saving is used.
const SAVES: usize = 5;

#[test]
fn a_new_file_that_takes_the_place_of_the_old_is_a_version() {
    check(|path, content| {
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
    check(|path, content| {
        let mut file = File::create(path).unwrap();
        file.write_all(content).unwrap();
        file.sync_all().unwrap();
    });
}

#[test]
fn a_file_that_is_emptied_and_written_is_a_version_without_a_sync() {
    check(|path, content| fs::write(path, content).unwrap());
}

#[test]
fn a_file_that_is_moved_to_a_backup_and_written_anew_is_a_version() {
    check(|path, content| {
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
    check(|path, content| {
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

/// A program that changes `note.md` in its folder, and the text that this leaves.
struct Program {
    line: &'static [&'static str],
    text: &'static str,
    /// Whether the file goes on.
    goes_on: bool,
}

impl Program {
    fn needs_git(&self) -> bool {
        self.line.last().is_some_and(|script| script.contains("git "))
    }
}

/// What real programs do, and how those that may be missing call the system.
const PROGRAMS: &[Program] = &[
    Program { line: &["sed", "-i", "s/one/two/", "note.md"], text: "two\n", goes_on: true },
    Program { line: &["sed", "-i.bak", "s/one/two/", "note.md"], text: "two\n", goes_on: true },
    Program { line: &vim("set backupcopy=no"), text: "two\n", goes_on: true },
    Program { line: &vim("set backupcopy=yes"), text: "two\n", goes_on: true },
    Program { line: &vim("set backupcopy=no backup"), text: "two\n", goes_on: true },
    Program {
        line: &[
            "emacs",
            "-Q",
            "--batch",
            "note.md",
            "--eval",
            "(progn (insert \"two\\n\") (save-buffer))",
        ],
        text: "two\none\n",
        goes_on: true,
    },
    // As rsync does.
    Program {
        line: &["sh", "-c", "echo two > .note.md.Xy12Az && mv .note.md.Xy12Az note.md"],
        text: "two\n",
        goes_on: true,
    },
    // As LibreOffice does.
    Program {
        line: &[
            "sh",
            "-c",
            "touch .~lock.note.md# && echo two > lu42.tmp && sync lu42.tmp &&
            mv lu42.tmp note.md && rm .~lock.note.md#",
        ],
        text: "two\n",
        goes_on: true,
    },
    Program {
        line: &["sh", "-c", "mv note.md note.md.1 && echo two > note.md"],
        text: "two\n",
        goes_on: false,
    },
    Program {
        line: &[
            "sh",
            "-c",
            "git init -q . && git add note.md && git -c user.name=me \
            -c user.email=me@example.org commit -qm one && echo two > note.md && \
            git checkout -q note.md",
        ],
        text: "one\n",
        goes_on: false,
    },
];

/// The line that lets vim change the text with an option set.
const fn vim(option: &'static str) -> [&'static str; 10] {
    ["vim", "-es", "-u", "NONE", "--cmd", option, "-c", "s/one/two/", "-c", "wq"]
}

#[test]
fn what_is_known_of_a_file_stays_with_it_whatever_program_saves_it() {
    if is_plain() {
        return;
    }
    let Some(mounted) = Mounted::new(240) else { return };
    for (number, program) in PROGRAMS.iter().enumerate() {
        if find(program.line[0]).is_none() || program.needs_git() && find("git").is_none() {
            continue;
        }
        check_program(&mounted, number, program);
    }
}

fn check_program(mounted: &Mounted, number: usize, program: &Program) {
    let dir = format!("{number}");
    let file = format!("{dir}/note.md");
    fs::create_dir(mounted.path(&dir)).unwrap();
    fs::write(mounted.path(&file), "one\n").unwrap();
    note(mounted, &file);
    // Who asks for the history settles what was written.
    mounted.homefs(&["log", &file]);
    let mut command = Command::new(program.line[0]);
    command.args(&program.line[1..]).current_dir(mounted.path(&dir)).stdin(Stdio::null());
    if program.line[0] == "vim" {
        command.arg("note.md");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{:?}: {output:?}", program.line);
    assert_eq!(fs::read_to_string(mounted.path(&file)).unwrap(), program.text);
    check_noted(mounted, &file, program.goes_on);
    let log: Value = serde_json::from_str(&mounted.homefs(&["log", &file, "--json"])).unwrap();
    let shown = |edition: &Value| {
        mounted.homefs(&["cat", &file, "--version", &edition["version"].to_string()])
    };
    let log: Vec<String> = log.as_array().unwrap().iter().map(shown).collect();
    assert_eq!(log.first().map(String::as_str), Some(program.text), "{:?}", program.line);
    assert_eq!(log.len() > 1, program.goes_on, "{:?}: {log:?}", program.line);
    if program.goes_on {
        assert_eq!(log.last().map(String::as_str), Some("one\n"), "{:?}", program.line);
        assert!(!trash(mounted).iter().any(|path| path.ends_with("/note.md")));
    }
}

/// Saves a file several times by one way and looks at it after each.
fn check(save: fn(&Path, &[u8])) {
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
        if is_plain() {
            continue;
        }
        assert_eq!(mounted.homefs(&["cat", "note.md"]), *text);
        check_log(&mounted, &texts[..=number]);
        assert!(!trash(&mounted).contains(&"/note.md".to_owned()));
        if number == 0 {
            note(&mounted, "note.md");
        }
        check_noted(&mounted, "note.md", true);
    }
    if !is_plain() {
        check_restored(&mounted, &texts[0]);
    }
}

/// Notes something of every kind about a file.
fn note(mounted: &Mounted, file: &str) {
    let noted = ["--importance", "0.9", "--ttl", "300d", "--source", "a book"];
    mounted.homefs(&[&["meta", file], &noted[..]].concat());
    mounted.homefs(&["tag", file, "kept"]);
}

/// Checks that all of it is there, or nothing.
fn check_noted(mounted: &Mounted, file: &str, is_there: bool) {
    let meta: Value = serde_json::from_str(&mounted.homefs(&["meta", file, "--json"])).unwrap();
    let has = |key: &str| match &meta[key] {
        Value::Null => false,
        Value::Array(values) => !values.is_empty(),
        _ => true,
    };
    for key in ["importance", "tags", "source", "expires"] {
        assert_eq!(has(key), is_there, "{key} of {file}: {meta}");
    }
}

/// Compares with the first text, and brings it back.
fn check_restored(mounted: &Mounted, first: &str) {
    let log = mounted.homefs(&["log", "note.md", "--json"]);
    let log: Value = serde_json::from_str(&log).unwrap();
    let is_first = |edition: &&Value| {
        let version = edition["version"].to_string();
        mounted.homefs(&["cat", "note.md", "--version", &version]) == first
    };
    let version = log.as_array().unwrap().iter().find(is_first).unwrap()["version"].to_string();
    // It ends with 1 where texts differ.
    let diff = mounted.command().args(["diff", "note.md", "--from", &version]).output().unwrap();
    let diff = String::from_utf8(diff.stdout).unwrap();
    assert!(diff.contains("-text 0") && diff.contains("+text 4"), "{diff:.200}");
    mounted.homefs(&["restore", "note.md", "--version", &version]);
    assert_eq!(fs::read_to_string(mounted.path("note.md")).unwrap(), first);
    assert_eq!(mounted.homefs(&["fsck"]).lines().filter(|line| line.contains("wrong")).count(), 0);
}

/// Returns the paths in the trash.
fn trash(mounted: &Mounted) -> Vec<String> {
    let trash: Value = serde_json::from_str(&mounted.homefs(&["trash", "--json"])).unwrap();
    let path = |item: &Value| item["path"].as_str().unwrap().to_owned();
    trash.as_array().unwrap().iter().map(path).collect()
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
