//! What other users of the machine can have of a store: nothing, whatever the umask is.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use homefs_testkit::{program, say_skipped};

use crate::harness::{Home, PROGRAM, Ran, ran};

/// A user whom no file of a test belongs to.
const NOBODY: u32 = 65534;

/// Runs the program with a umask that keeps nothing from anybody.
fn run_open(home: &Home, arguments: &[&str]) -> Ran {
    let mut command = home.command_of(&program("sh").expect("every machine has sh"));
    command.args(["-c", "umask 000; exec \"$@\"", "sh", PROGRAM]).args(arguments);
    let ran = ran(command.output().expect("run sh"));
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    ran
}

/// Returns everything in a directory, itself first.
pub(crate) fn walk(dir: &Path) -> Vec<PathBuf> {
    let mut found = vec![dir.to_owned()];
    for entry in fs::read_dir(dir).expect("the directory is there") {
        let path = entry.expect("the directory can be read").path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found
}

fn open_to_all(dir: &Path) {
    for path in walk(dir) {
        let mode = fs::metadata(&path).expect("it is there").mode();
        let open = mode | 0o066 | ((mode & 0o100) >> 3) | ((mode & 0o100) >> 6);
        fs::set_permissions(&path, fs::Permissions::from_mode(open)).expect("it is ours");
    }
}

#[track_caller]
fn check_private(dir: &Path) {
    let all = walk(dir);
    assert!(all.iter().any(|path| path.ends_with("base.db")), "{all:?}");
    for path in all {
        let mode = fs::metadata(&path).expect("it is there").mode() & 0o7777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{} has mode {mode:o}", path.display());
    }
}

#[test]
fn what_a_store_and_its_copies_have_is_for_their_user_alone() {
    let home = Home::new();
    let large = "words ".repeat(50_000);
    run_open(&home, &["write", "a.md", &large[..100_000]]);
    run_open(&home, &["write", "b.md", "small"]);
    fs::create_dir(home.path("bucket")).expect("the host has room");
    let bucket = format!("file://{}", home.path("bucket").display());
    run_open(&home, &["remote", "add", &bucket]);
    run_open(&home, &["sync"]);
    run_open(&home, &["backup", "copy"]);
    run_open(&home, &["--store", "again", "restore-store", "copy"]);
    run_open(&home, &["--store", "again", "cat", "a.md"]);
    run_open(&home, &["--store", "cloned", "clone", &bucket]);
    for store in ["store", "copy", "again", "cloned"] {
        check_private(&home.path(store));
    }
}

#[test]
fn a_store_that_others_can_get_into_is_taken_from_them() {
    let home = Home::new();
    home.ok(&["write", "a.md", "words"]);
    open_to_all(&home.path("store"));
    assert_eq!(home.ok(&["cat", "a.md"]), "words\n");
    check_private(&home.path("store"));
    let doctor = home.ok(&["doctor"]);
    assert!(doctor.contains("for you alone"), "{doctor}");
}

#[test]
fn a_store_of_another_user_that_lets_everybody_in_is_refused() {
    if !rustix::process::geteuid().is_root() {
        say_skipped("only root can be another user");
        return;
    }
    let home = Home::new();
    home.ok(&["write", "a.md", "words"]);
    open_to_all(&home.path("store"));
    let before = walk(&home.path("store"));
    for path in &before {
        chown(path, Some(NOBODY - 1), Some(NOBODY - 1)).expect("root may");
    }
    fs::set_permissions(home.path(""), fs::Permissions::from_mode(0o755)).expect("it is ours");
    // Where it was built, others may not even look.
    let program = home.path("homefs");
    fs::hard_link(PROGRAM, &program)
        .or_else(|_| fs::copy(PROGRAM, &program).map(drop))
        .expect("the host has room");
    let mut command = home.command_of(&program);
    let output = command.args(["write", "b.md", "x"]).uid(NOBODY).gid(NOBODY).output();
    let ran = ran(output.expect("run homefs"));
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("belongs to another user"), "{}", ran.stderr);
    assert_eq!(walk(&home.path("store")), before);
}
