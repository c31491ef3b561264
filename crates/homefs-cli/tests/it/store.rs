//! The store as a whole: status, doctor, fsck, backup.

use crate::harness::{Home, put};

#[test]
fn a_sound_store_says_so() {
    let home = Home::new();
    let doctor = home.ok(&["doctor"]);
    assert!(doctor.contains("does not exist yet"), "{doctor}");
    assert!(!home.path("store").exists(), "looking must not make a store");
    home.ok(&["write", "a.md", "x"]);
    let doctor = home.ok(&["doctor"]);
    assert!(doctor.contains("no other process has it open"), "{doctor}");
    let status = home.ok(&["status"]);
    assert!(status.contains("this command"), "{status}");
    assert_eq!(home.run(&["status", "--json"]).json()["poisoned"], serde_json::Value::Null);
    home.check("$ fsck\nthe store is sound\n$ fsck --repair --json\n[]\nthe store is sound");
}

#[test]
fn a_backup_becomes_a_store_again() {
    let home = Home::new();
    home.ok(&["write", "a.md", "one"]);
    home.ok(&["backup", "copy"]);
    home.ok(&["write", "a.md", "two"]);
    assert_ne!(home.run(&["backup", "copy"]).code, 0, "a backup does not overwrite another");
    home.ok(&["--store", "other", "restore-store", "copy"]);
    assert_eq!(home.ok(&["--store", "other", "cat", "a.md"]), "one\n");
    assert_eq!(home.ok(&["cat", "a.md"]), "two\n");
    let ran = home.run(&["restore-store", "copy"]);
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("hint: --store names a new or empty directory"), "{}", ran.stderr);
    put(&home.path("junk/x"), "x");
    assert_ne!(home.run(&["--store", "third", "restore-store", "junk"]).code, 0);
}

#[test]
fn a_damaged_store_is_refused_and_mended() {
    let home = Home::new();
    home.ok(&["write", "a.md", "one"]);
    home.ok(&["--agent-id", "other", "write", "a.md", "two"]);
    let base = home.path("store/spaces/agents/me/base.db");
    assert!(base.is_file(), "the test must damage what is there");
    let mut bytes = std::fs::read(&base).unwrap();
    bytes[..100].fill(0xAA);
    std::fs::write(&base, bytes).unwrap();
    let ran = home.run(&["cat", "a.md"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("fsck"), "{}", ran.stderr);
    assert_eq!(home.ok(&["--agent-id", "other", "cat", "a.md"]), "two\n");
    assert_eq!(home.run(&["fsck"]).code, 1);
    home.ok(&["fsck", "--repair"]);
    home.ok(&["ls"]);
    home.ok(&["fsck"]);
}

#[test]
fn what_a_repair_cannot_bring_back_is_named_and_stays_an_error() {
    let home = Home::new();
    home.ok(&["write", "notes/a.md", "old words"]);
    let text = "words that stand in the base ".repeat(100);
    home.ok(&["write", "notes/a.md", &text]);
    home.ok(&["write", "notes/b.md", "others"]);
    let base = home.path("store/spaces/agents/me/base.db");
    let mut bytes = std::fs::read(&base).unwrap();
    let at = bytes.windows(30).position(|part| part == &text.as_bytes()[..30]).unwrap();
    bytes[at..at + 8].fill(0xAA);
    std::fs::write(&base, bytes).unwrap();
    for arguments in [&["fsck"][..], &["fsck", "--repair"], &["fsck"]] {
        let ran = home.run(arguments);
        assert_eq!(ran.code, 1, "{arguments:?}: {}", ran.stderr);
        assert!(ran.text().contains("/notes/a.md"), "{arguments:?}: {}", ran.text());
    }
    assert_eq!(home.run(&["cat", "notes/a.md"]).code, 2);
    assert_eq!(home.ok(&["cat", "notes/b.md"]), "others\n");
    home.ok(&["write", "notes/c.md", &text]);
    assert_eq!(home.ok(&["cat", "notes/a.md"]).trim_end(), text.trim_end());
    home.ok(&["fsck"]);
}

#[test]
fn completions_and_man_pages_are_made() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(home.ok(&["completions", shell]).contains("restore-store"), "{shell}");
    }
    home.ok(&["gen-docs", "docs", "--man", "man"]);
    assert!(home.path("man/homefs-write.1").is_file());
}
