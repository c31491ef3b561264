//! Bad input: refused with what, where and why, never with a panic.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use crate::harness::{Home, put};

#[test]
fn names_that_cannot_be_are_refused() {
    let home = Home::new();
    let long = "x".repeat(256);
    let deep = "x/".repeat(3000);
    for path in ["", "..", "a/../b", "./a", "a//b", &long, &deep] {
        for command in [&["write", path, "x"][..], &["cat", path], &["mkdir", "-p", path]] {
            let ran = home.run(command);
            assert_eq!(ran.code, 2, "{command:?}");
            assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        }
    }
    home.ok(&["write", &"x".repeat(255), "x"]);
    for reserved in [".homefs", ".homefs/x", "shared"] {
        let ran = home.run(&["write", reserved, "x"]);
        assert_ne!(ran.code, 0, "{reserved}");
        assert!(ran.stderr.contains(reserved), "{}", ran.stderr);
    }
}

#[test]
fn arguments_that_are_not_utf8_are_refused() {
    let home = Home::new();
    let output = home.command().arg("cat").arg(OsStr::from_bytes(b"a\xff")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("invalid UTF-8"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let home = Home::new();
    home.ok(&["write", "a.md", "x"]);
    for command in [
        &["write", "a.md", "x", "--if-version", "-1"][..],
        &["write", "a.md", "x", "--if-version", "99999999999999999999"],
        &["write", "a.md", "--durabel"],
        &["write", "a.md/b", "x"],
        &["edit", "a.md"],
        &["edit", "a.md", "--line", "18446744073709551615", "--text", "x"],
        &["cat", "a.md", "--at", "tomorrow"],
        &["cat", "/"],
        &["ls", "--deadline", "soon"],
        &["grant", "a.md", "bob", "own"],
        &["grant", "a.md", "Bob", "read"],
        &["--agent-id", "../x", "ls"],
        &["spaces", "create", "../x"],
        &["rm", "/"],
        &["mv", "/", "/x"],
        &["find", "[", "/"],
        &["--all", "ls"],
        &["nonsense"],
        &[],
    ] {
        let ran = home.run(command);
        assert_eq!(ran.code, 2, "{command:?}: {}{}", ran.text(), ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{command:?}: {}", ran.stderr);
    }
    for command in [
        &["cat", "a.md", "--version", "0"][..],
        &["cat", "nope"],
        &["mkdir", "a.md"],
        &["stat", "nope"],
        &["rm", "nope"],
        &["cp", "nope", "b"],
        &["log", "nope"],
        &["import", "nope"],
    ] {
        let ran = home.run(command);
        assert_eq!(ran.code, 1, "{command:?}: {}{}", ran.text(), ran.stderr);
    }
}

#[test]
fn a_store_that_cannot_be_is_refused_with_a_way_out() {
    let home = Home::new();
    put(&home.path("file"), "x");
    for store in ["file", "file/below", "/proc/homefs"] {
        let ran = home.run(&["--store", store, "write", "a.md", "x"]);
        assert_ne!(ran.code, 0, "{store}");
        assert!(ran.stderr.contains("hint: "), "{store}: {}", ran.stderr);
        assert!(ran.stderr.contains(store), "{store}: {}", ran.stderr);
    }
    let doctor = home.run(&["--store", "file", "doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.text().contains("is not a directory"), "{}", doctor.text());
}

#[test]
fn a_read_only_directory_is_named() {
    if rustix::process::geteuid().is_root() {
        // To root nothing is read-only.
        return;
    }
    let home = Home::new();
    std::fs::create_dir(home.path("store")).unwrap();
    let mode = std::fs::Permissions::from_mode(0o500);
    std::fs::set_permissions(home.path("store"), mode).unwrap();
    let ran = home.run(&["write", "a.md", "x"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("store"), "{}", ran.stderr);
    let doctor = home.run(&["doctor"]);
    assert!(doctor.text().contains("cannot be written"), "{}", doctor.text());
}
