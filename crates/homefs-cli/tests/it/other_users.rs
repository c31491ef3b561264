//! What other users of the machine can have of a store: nothing, whatever the umask is.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
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

/// Returns the program where others may run it: where it was built, they may not even look.
fn reachable_program(home: &Home) -> PathBuf {
    let program = home.path("homefs");
    fs::hard_link(PROGRAM, &program)
        .or_else(|_| fs::copy(PROGRAM, &program).map(drop))
        .expect("the host has room");
    program
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
    let mut command = home.command_of(&reachable_program(&home));
    let output = command.args(["write", "b.md", "x"]).uid(NOBODY).gid(NOBODY).output();
    let ran = ran(output.expect("run homefs"));
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("belongs to another user"), "{}", ran.stderr);
    assert_eq!(walk(&home.path("store")), before);
}

/// Where nobody keeps data and settings: directories that others made, or can replace, are not
/// used, and links are followed that nobody else made.
#[test]
fn directories_that_others_could_have_chosen_are_refused() {
    if !rustix::process::geteuid().is_root() {
        say_skipped("only root can be another user");
        return;
    }
    let home = Home::new();
    fs::set_permissions(home.path(""), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let program = reachable_program(&home);
    let make = |name: &str, owner: u32, mode: u32| {
        fs::create_dir(home.path(name)).expect("the host has room");
        chown(home.path(name), Some(owner), Some(owner)).expect("root may");
        fs::set_permissions(home.path(name), fs::Permissions::from_mode(mode)).expect("root may");
    };
    let link = |name: &str, target: &str, owner: u32| {
        symlink(home.path(target), home.path(name)).expect("the host has room");
        lchown(home.path(name), Some(owner), Some(owner)).expect("root may");
    };
    make("own", NOBODY, 0o700);
    make("everybody", NOBODY, 0o777);
    make("everybody/in", NOBODY, 0o700);
    make("sticky", 0, 0o1777);
    make("sticky/in", NOBODY, 0o700);
    link("own-link", "own", NOBODY);
    link("root-link", "own", 0);
    link("strange-link", "own", NOBODY - 1);
    link("hidden-link", "strange-link", NOBODY);
    let cases = [
        ("own", true),
        ("own-link", true),
        ("root-link", true),
        ("sticky/in", true),
        ("strange-link", false),
        ("hidden-link", false),
        ("everybody", false),
        ("everybody/in", false),
    ];
    for (place, is_fine) in cases {
        for variable in ["XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            let own = home.path("own");
            let mut command = home.command_of(&program);
            command.env_remove("HOMEFS_STORE").env("HOME", &own);
            command.env("XDG_DATA_HOME", &own).env(variable, home.path(place));
            command.args(["write", "b.md", "x"]).uid(NOBODY).gid(NOBODY);
            let ran = ran(command.output().expect("run homefs"));
            assert_eq!(ran.code == 0, is_fine, "{variable}={place}: {}", ran.stderr);
            assert!(is_fine || ran.stderr.contains("cannot trust"), "{}", ran.stderr);
        }
        // Who names a store chooses its place, but no other user's link leads to it.
        let mut command = home.command_of(&program);
        let store = home.path(place).join("named");
        command.env("HOMEFS_STORE", &store).env("HOME", home.path("own"));
        command.args(["write", "b.md", "x"]).uid(NOBODY).gid(NOBODY);
        let ran = ran(command.output().expect("run homefs"));
        assert_eq!(ran.code == 0, !place.ends_with("-link") || is_fine, "{place}: {}", ran.stderr);
    }
    // Root is led nowhere either.
    let mut command = home.command_of(&program);
    command.env("HOMEFS_STORE", home.path("own-link/root")).args(["write", "b.md", "x"]);
    let ran = ran(command.output().expect("run homefs"));
    assert_ne!(ran.code, 0);
    assert!(!home.path("own/root").exists(), "{}", ran.stderr);
    let config = home.path("own/homefs/config.toml");
    fs::write(&config, "agent_id = \"eve\"\n").expect("the host has room");
    chown(&config, Some(NOBODY - 1), Some(NOBODY - 1)).expect("root may");
    let mut command = home.command_of(&program);
    command.env_remove("HOMEFS_STORE").env("HOME", home.path("own"));
    command.env("XDG_CONFIG_HOME", home.path("own")).env("XDG_DATA_HOME", home.path("own"));
    command.args(["write", "b.md", "x"]).uid(NOBODY).gid(NOBODY);
    let ran = crate::harness::ran(command.output().expect("run homefs"));
    assert!(ran.stderr.contains("belongs to another user"), "{}", ran.stderr);
}
