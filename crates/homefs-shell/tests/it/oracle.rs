//! Every case runs in real bash with GNU tools on a tree on disk, and in our shell on the same
//! tree in a view: standard output and status must be the same.
//!
//! A file in `tests/cases` has a line `tree: NAME`, and then cases: a line `### name` and the script
//! below it. What is known to differ is in `exceptions.txt`.
//!
//! Bash finds the programs of the table of tools and no others, so that a case which calls another
//! fails on every machine. A case that names one which this machine lacks is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path as HostPath, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use homefs_core::Path;
use homefs_shell::{Limits, Shell, Workers};
use homefs_testkit::{machine_programs, say_skipped};
use parking_lot::Mutex;

use crate::common::Home;
use crate::fixture::{make_in_view, make_on_disk, tree};

/// The directory with the programs that bash may find.
pub(crate) const PROGRAMS: &str = "programs";

/// Of all cases, how many per hundred must agree.
const STRICT_PERCENT: usize = 97;

struct Case {
    name: String,
    tree: String,
    script: String,
}

/// What a script printed and its status.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    stdout: String,
    status: i32,
}

fn cases_directory() -> PathBuf {
    HostPath::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// Where programs of the host are.
const HOST_PROGRAMS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Makes a directory with the programs that bash may find; returns those that this machine lacks.
pub(crate) fn gather_programs(dir: &HostPath) -> BTreeSet<&'static str> {
    fs::create_dir(dir).expect("a directory is made");
    let mut missing = BTreeSet::new();
    for name in machine_programs() {
        let mut found = HOST_PROGRAMS.iter().map(|dir| HostPath::new(dir).join(name));
        match found.find(|path| path.is_file()) {
            Some(path) => symlink(path, dir.join(name)).expect("a link is made"),
            None => drop(missing.insert(name)),
        }
    }
    missing
}

/// Leaves out the cases that name a program which this machine lacks, and says which these are.
fn leave_out(cases: &mut Vec<Case>, missing: &BTreeSet<&str>) {
    let words = |script: &str| -> BTreeSet<String> {
        let parts = |c: char| !(c.is_alphanumeric() || "_-.+".contains(c));
        script.split(parts).map(str::to_owned).collect()
    };
    for program in missing {
        let (without, rest) =
            cases.drain(..).partition(|case| words(&case.script).contains(*program));
        *cases = rest;
        let without: Vec<Case> = without;
        let names: Vec<&str> = without.iter().map(|case| case.name.as_str()).collect();
        if !names.is_empty() {
            let count = names.len();
            say_skipped(&format!(
                "there is no {program}, which `cargo xtask test` gets: {count} cases: {}",
                names.join(", ")
            ));
        }
    }
}

fn read_cases() -> Vec<Case> {
    let mut files: Vec<_> = fs::read_dir(cases_directory())
        .expect("there are cases")
        .map(|entry| entry.expect("it is read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sh"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let topic = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("it is text");
        let mut parts = text.split("### ");
        let head = parts.next().unwrap_or_default();
        let field = |key: &str| head.lines().find_map(|line| line.strip_prefix(key));
        let tree = field("# tree: ").unwrap_or("project").to_owned();
        for part in parts {
            let (name, script) = part.split_once('\n').expect("a case has a script");
            cases.push(Case {
                name: format!("{topic}/{}", name.trim()),
                tree: tree.clone(),
                script: script.trim_end().to_owned() + "\n",
            });
        }
    }
    cases
}

fn exceptions() -> BTreeMap<String, String> {
    let text = fs::read_to_string(cases_directory().join("exceptions.txt")).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, reason) = line.split_once(": ").expect("`name: reason`");
            (name.to_owned(), reason.to_owned())
        })
        .collect()
}

fn in_bash(case: &Case, root: &HostPath, programs: &HostPath) -> Told {
    let place = root.join("t");
    make_on_disk(&tree(&case.tree), &place);
    let output = Command::new(programs.join("timeout"))
        .args(["20", "bash", "-c", &case.script])
        .env_clear()
        .env("PATH", programs)
        .env("HOME", root)
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .current_dir(&place)
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stdout = stdout.replace(&*root.to_string_lossy(), "");
    Told { stdout, status: output.status.code().unwrap_or(-1) }
}

fn in_shell(case: &Case, home: &Home, root: &str) -> (Told, String) {
    grow(home, &case.tree, &format!("{root}/t"));
    let mut shell = Shell::new(home.view.clone(), &Arc::new(Workers::default()));
    let limits = Limits::default();
    let start = format!("export HOME={root} TZ=UTC LC_ALL=C.UTF-8; cd {root}/t");
    shell.run(&start, &limits).expect("it runs");
    let output = shell.run(&case.script, &limits).expect("it runs");
    let stdout = String::from_utf8_lossy(&output.stdout).replace(root, "");
    let told = Told { stdout, status: output.status };
    (told, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Puts a tree into a home: the first time it is made, and then copied, which is quicker.
pub(crate) fn grow(home: &Home, name: &str, root: &str) {
    let path = |text: &str| Path::parse(text).expect("it is a path");
    let kept = format!("/trees/{name}");
    if home.view.stat(&path(&kept)).is_err() {
        make_in_view(&tree(name), &home.view, &kept);
    }
    let parent = path(root).parent().expect("it has one");
    home.view.make_dir(&parent, true).expect("made");
    home.view.copy(&path(&kept), &path(root), true).expect("copied");
}

/// Runs a case both ways; returns what to say if it is not as listed, and whether both agree.
fn judge(case: &Case, listed: bool, dir: &HostPath, home: &Home, index: usize) -> (bool, String) {
    let bash = in_bash(case, &dir.join(format!("c{index}")), &dir.join(PROGRAMS));
    let (ours, stderr) = in_shell(case, home, &format!("/c{index}"));
    let agree = bash == ours;
    if agree != listed {
        return (agree, String::new());
    }
    let remark = if agree { " (listed, but agrees)" } else { "" };
    let message = format!(
        "=== {}{remark}\n{}--- bash {}\n{}--- ours {}\n{}--- stderr\n{stderr}",
        case.name, case.script, bash.status, bash.stdout, ours.status, ours.stdout
    );
    (agree, message)
}

/// Tells whether there is a bash that can judge.
pub(crate) fn has_bash() -> bool {
    let version = Command::new("bash").args(["-c", "echo ${BASH_VERSINFO[0]}"]).output();
    version.is_ok_and(|output| output.stdout.starts_with(b"5"))
}

/// Makes a directory for thousands of small files: in memory where there is a place for that.
pub(crate) fn quick_directory() -> tempfile::TempDir {
    let memory = HostPath::new("/dev/shm");
    let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    dir.expect("a directory")
}

#[test]
fn scripts_do_what_real_bash_does() {
    if !has_bash() {
        return say_skipped("there is no bash 5");
    }
    // One case or topic alone, for whoever looks for its fault.
    let only = std::env::var("HOMEFS_CASE").unwrap_or_default();
    let known = exceptions();
    let mut cases = read_cases();
    cases.retain(|case| case.name.starts_with(&only));
    let dir = quick_directory();
    leave_out(&mut cases, &gather_programs(&dir.path().join(PROGRAMS)));
    let next = AtomicUsize::new(0);
    let judged = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                let home = Home::new();
                while let Some((index, case)) = take(&cases, &next) {
                    let listed = known.contains_key(&case.name);
                    judged.lock().push(judge(case, listed, dir.path(), &home, index));
                }
            });
        }
    });
    let judged = judged.into_inner();
    let agree = judged.iter().filter(|(agree, _)| *agree).count();
    let wrong: Vec<&String> =
        judged.iter().map(|(_, message)| message).filter(|message| !message.is_empty()).collect();
    for message in &wrong {
        println!("{message}");
    }
    println!("{} cases, {agree} agree", cases.len());
    assert!(wrong.is_empty(), "{} are not as listed", wrong.len());
    let strict = agree * 100 >= cases.len() * STRICT_PERCENT;
    assert!(strict || !only.is_empty(), "{agree} of {} agree", cases.len());
}

/// Takes the next case.
fn take<'a>(cases: &'a [Case], next: &AtomicUsize) -> Option<(usize, &'a Case)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    cases.get(index).map(|case| (index, case))
}
